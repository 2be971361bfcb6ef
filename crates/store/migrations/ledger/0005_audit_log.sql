-- What people did: signed in, made a key, granted credits, imported. Append-only, numbered without gaps,
-- each line with a keyed seal over all of its fields. Lines past their time go from the beginning.
create table audit_log (
    seq bigint not null,
    at bigint not null,
    actor text not null,
    action text not null,
    account_id text,
    subject text not null,
    details text not null,
    seal text not null,
    primary key (seq)
);

-- One row. Its lock orders the lines.
create table audit_log_head (
    id bigint not null,
    seq bigint not null,
    primary key (id)
);
insert into audit_log_head (id, seq) values (1, 0);
