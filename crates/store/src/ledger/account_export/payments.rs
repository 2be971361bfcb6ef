//! The sections about payments: billing details, orders, invoices and refunds.

use super::{ExportSection, Kind};

pub(super) const BILLING_DETAILS: ExportSection = ExportSection {
    name: "billing_details",
    start: "",
    sql: "select account_id, name, address, state_code, gstin from billing_details \
          where account_id = $1 and account_id > $2 order by account_id limit $3",
    fields: &[
        ("name", Kind::Text),
        ("address", Kind::Text),
        ("state_code", Kind::Text),
        ("gstin", Kind::Text),
    ],
};

pub(super) const ORDERS: ExportSection = ExportSection {
    name: "orders",
    start: "",
    sql: "select id, id, provider, credits, total, buyer, created_at, paid_at, payment_id \
          from orders where account_id = $1 and id > $2 order by id limit $3",
    fields: &[
        ("id", Kind::Text),
        ("provider", Kind::Text),
        ("credits", Kind::Number),
        ("total_paise", Kind::Number),
        ("buyer", Kind::Json),
        ("created_at", Kind::Instant),
        ("paid_at", Kind::Instant),
        ("payment_id", Kind::Text),
    ],
};

pub(super) const INVOICES: ExportSection = ExportSection {
    name: "invoices",
    start: "",
    sql: "select number, number, order_id, issued_at, content from invoices \
          where account_id = $1 and number > $2 order by number limit $3",
    fields: &[
        ("number", Kind::Text),
        ("order_id", Kind::Text),
        ("issued_at", Kind::Instant),
        ("content", Kind::Json),
    ],
};

pub(super) const REFUNDS: ExportSection = ExportSection {
    name: "refunds",
    start: "",
    sql: "select id, id, order_id, payment_id, amount, credits, taken, at from payment_refunds \
          where account_id = $1 and id > $2 order by id limit $3",
    fields: &[
        ("id", Kind::Text),
        ("order_id", Kind::Text),
        ("payment_id", Kind::Text),
        ("amount_paise", Kind::Number),
        ("credits", Kind::Number),
        ("credits_taken", Kind::Number),
        ("at", Kind::Instant),
    ],
};
