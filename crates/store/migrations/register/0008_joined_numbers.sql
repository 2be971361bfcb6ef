-- Companies that were in the register under several numbers: which numbers are of the same company and which
-- are not, with the record that a joined number had, so that it can be separated again.

create table company_joins (
    former_cin text /*bytewise*/ not null,
    cin text /*bytewise*/ not null,
    decision text not null,
    basis text not null,
    record text,
    decided_at bigint not null,
    primary key (former_cin, cin)
) /*clustered*/;

-- JSON list of those of the former numbers that no source states.
alter table companies add column inferred_cins text;
