-- The legal entity identifiers of companies, the parents of their holders or why none is reported, and the
-- names of parents that are no companies of this register.

create table company_leis (
    cin text /*bytewise*/ not null,
    lei text /*bytewise*/ not null,
    legal_name text not null,
    entity_status text not null,
    entity_status_text text,
    registration_status text not null,
    registration_status_text text,
    registered_on text,
    next_renewal_on text,
    as_of text,
    source text not null,
    primary key (cin, lei)
) /*clustered*/;
create index company_leis_by_lei on company_leis (lei, cin);

create table lei_parents (
    lei text /*bytewise*/ not null,
    relation text /*bytewise*/ not null,
    parent_lei text /*bytewise*/ not null,
    active boolean not null,
    exception text,
    exception_text text,
    as_of text,
    source text not null,
    primary key (lei, relation, parent_lei)
) /*clustered*/;

create table lei_entities (
    lei text /*bytewise*/ not null,
    name text not null,
    country text,
    as_of text,
    source text not null,
    primary key (lei)
) /*clustered*/;
