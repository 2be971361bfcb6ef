-- A program of schema 11 updated the counts of an import. All fictitious.
update imports set updated_at = 1768458602000 where import_id = 'imp_01KEZZ0000NAMVNAIMPORT0002';
