-- Events: every change of a record with its old and new values. A row of the feed has the type of its event,
-- if it is one; the company, director or GSTIN that it is about; the director of an appointment, or the former
-- number of a company; and, as JSON objects by column, the values before and after.

alter table changes add column event_type text;
alter table changes add column subject text /*bytewise*/;
alter table changes add column related text /*bytewise*/;
alter table changes add column old_values text;
alter table changes add column new_values text;
alter table changes add column as_of text;

create index changes_by_subject on changes (subject, seq) where subject is not null;
create index changes_by_related on changes (related, seq) where related is not null;

-- The kinds of records of each source whose first import has ended: from then on new ones are events.
create table event_sources (
    resource text /*bytewise*/ not null,
    source text /*bytewise*/ not null,
    since bigint not null,
    primary key (resource, source)
) /*clustered*/;
insert into event_sources (resource, source, since) select resource, source, 0 from holdings where records > 0;

-- Up to which change, and up to which instant, old values are not known: they were not stored, or deleted.
create table history_start (
    id bigint not null,
    seq bigint not null,
    at bigint not null,
    primary key (id)
);
insert into history_start (id, seq, at)
select 1, seq, coalesce((select max(changed_at) from changes), 0) from change_head where id = 1;
