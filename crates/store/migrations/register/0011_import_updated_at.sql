-- When the counts of an import were last updated.
alter table imports rename column noted_at to updated_at;
