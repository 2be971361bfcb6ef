-- Buying credits: billing details, orders, what the payment provider reported, and invoices.

-- Below this balance the account is warned by mail, once until it is above it again; 0 for never.
alter table balances add column warn_below bigint not null default 100;
alter table balances add column warned_at bigint;

-- What an account wants to see on its next invoice. The address has one line per line.
create table billing_details (
    account_id text /*bytewise*/ not null,
    name text not null,
    address text not null,
    state_code text not null,
    gstin text not null,
    primary key (account_id)
);

-- An order is known by the payment provider's name for it, under which its callbacks come.
-- Amounts are in paise. The buyer is as they were when they ordered.
create table orders (
    id text /*bytewise*/ not null,
    account_id text /*bytewise*/ not null,
    provider text not null,
    credits bigint not null,
    total bigint not null,
    buyer text not null,
    created_at bigint not null,
    paid_at bigint,
    payment_id text,
    primary key (id)
);
create index orders_by_account on orders (account_id, created_at);

-- Events of the provider that were seen; each counts once.
create table payment_events (
    id text /*bytewise*/ not null,
    order_id text not null,
    received_at bigint not null,
    primary key (id)
);
create index payment_events_by_age on payment_events (received_at);

-- The last number given in a series and financial year. Its row stays locked until the invoice is
-- committed, so numbers have no gaps.
create table invoice_numbers (
    series text not null,
    financial_year text not null,
    last_number bigint not null,
    primary key (series, financial_year)
);

-- Made with the grant, in the same transaction, and never changed. The content is kept as it was
-- issued.
create table invoices (
    account_id text /*bytewise*/ not null,
    number text /*bytewise*/ not null,
    order_id text /*bytewise*/ not null,
    issued_at bigint not null,
    content text not null,
    primary key (account_id, number)
) /*clustered*/;
create unique index invoices_by_number on invoices (number);
create unique index invoices_by_order on invoices (order_id);
