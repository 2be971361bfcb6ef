-- Refunds of payments. The credits that a refunded payment bought are taken back; what the balance does not
-- cover is owed, and taken from the next purchase.
alter table balances add column owed bigint not null default 0;

-- A refund is known by the payment provider's name for it. Its amount is in paise; credits are those to take
-- back for it. Taken is what its own entry took, and null until the payment has bought something here.
create table payment_refunds (
    id text /*bytewise*/ not null,
    account_id text /*bytewise*/ not null,
    order_id text /*bytewise*/ not null,
    payment_id text not null,
    amount bigint not null,
    credits bigint not null,
    taken bigint,
    at bigint not null,
    primary key (id)
);
create index payment_refunds_by_account on payment_refunds (account_id, at);
create index payment_refunds_by_order on payment_refunds (order_id);
