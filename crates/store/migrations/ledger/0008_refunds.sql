-- Refunds of payments. The credits that a refunded payment bought are taken back; what the balance does not
-- cover is owed, and taken from the next purchase.
alter table balances add column owed bigint not null default 0;

-- A refund is known by the payment provider's name for it. Its amount is in paise; credits are those to take
-- back for it. Taken is what its own entry took, and null until the payment has bought something here.
create table refunds (
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
create index refunds_by_account on refunds (account_id, at);
create index refunds_by_order on refunds (order_id);
