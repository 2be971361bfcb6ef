-- What is held, by kind and source, counted with every batch; and the imports that brought it.

create table holdings (
    resource text /*bytewise*/ not null,
    source text /*bytewise*/ not null,
    records bigint not null,
    newest_as_of text /*bytewise*/,
    primary key (resource, source)
) /*clustered*/;

insert into holdings (resource, source, records, newest_as_of)
select 'company', source, count(*), max(as_of) from companies group by source
union all select 'director', source, count(*), max(as_of) from directors group by source
union all select 'appointment', source, count(*), max(as_of) from appointments group by source
union all select 'charge', source, count(*), max(as_of) from charges group by source
union all select 'financial_year', source, count(*), max(as_of) from financial_years group by source
union all select 'filing', source, count(*), max(as_of) from filings group by source
union all select 'document', source, count(*), max(as_of) from documents group by source
union all select 'rating', source, count(*), max(as_of) from credit_ratings group by source
union all select 'epfo', source, count(*), max(as_of) from epfo_establishments group by source
union all select 'gst', source, count(*), max(as_of) from gst_registrations group by source
union all select 'gst_filing', source, count(*), max(as_of) from gst_filings group by source
union all select 'pan', source, count(*), max(as_of) from company_pans group by source;

create table imports (
    import_id text /*bytewise*/ not null,
    started_at bigint not null,
    noted_at bigint not null,
    finished boolean not null,
    files bigint not null,
    rows_read bigint not null,
    records_new bigint not null,
    records_changed bigint not null,
    records_unchanged bigint not null,
    records_older bigint not null,
    rows_rejected bigint not null,
    reasons text not null,
    primary key (import_id)
) /*clustered*/;

create table import_sources (
    source text /*bytewise*/ not null,
    import_id text /*bytewise*/ not null,
    primary key (source, import_id)
) /*clustered*/;

create table import_rejects (
    import_id text /*bytewise*/ not null,
    number bigint not null,
    file text not null,
    line bigint not null,
    reason text not null,
    raw text not null,
    primary key (import_id, number)
) /*clustered*/;

create table imported_files (
    fingerprint text /*bytewise*/ not null,
    imported_at bigint not null,
    change_seq bigint not null,
    told text not null,
    primary key (fingerprint)
) /*clustered*/;

-- Records that were changed after they had come in. Where there is none, a file that went in before
-- need not be read again.
create index changes_of_held on changes (resource, seq) where fields <> '';
