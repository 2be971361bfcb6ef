-- How the person of a session logged in: password, link, sso or passkey. Unknown for older sessions.
alter table sessions add column method text;

-- Who a member is at the identity provider of an account.
create table sso_identities (
    account_id text /*bytewise*/ not null,
    issuer text /*bytewise*/ not null,
    subject text /*bytewise*/ not null,
    person_id text /*bytewise*/ not null,
    created_at bigint not null,
    last_used_at bigint not null,
    primary key (account_id, issuer, subject)
) /*clustered*/;

-- Public keys with which a person can log in. `id` is the authenticator's, in base64url.
create table passkeys (
    person_id text /*bytewise*/ not null,
    id text /*bytewise*/ not null,
    public_key text not null,
    sign_count bigint not null,
    name text not null,
    created_at bigint not null,
    last_used_at bigint,
    primary key (person_id, id)
) /*clustered*/;
