//! The sections about webhooks, without their secrets.

use super::{ExportSection, Kind};

pub const WEBHOOKS: ExportSection = ExportSection {
    name: "webhooks",
    start: "",
    sql: "select id, id, mode, url, description, watchlist_id, types, created_at, disabled_at, \
          disabled_reason from webhooks where account_id = $1 and id > $2 order by id limit $3",
    fields: &[
        ("id", Kind::Text),
        ("mode", Kind::Text),
        ("url", Kind::Text),
        ("description", Kind::Text),
        ("watchlist_id", Kind::Text),
        ("types", Kind::Text),
        ("created_at", Kind::Instant),
        ("disabled_at", Kind::Instant),
        ("disabled_reason", Kind::Text),
    ],
};

pub const WEBHOOK_ATTEMPTS: ExportSection = ExportSection {
    name: "webhook_attempts",
    start: "",
    sql: "select place, webhook_id, event_id, event_type, subject, number, at, status, error, \
          duration_ms from (select webhook_id || ' ' || id as place, webhook_id, event_id, \
          event_type, subject, number, at, status, error, duration_ms from webhook_attempts \
          where account_id = $1) as kept where place > $2 order by place limit $3",
    fields: &[
        ("webhook_id", Kind::Text),
        ("event_id", Kind::Text),
        ("event_type", Kind::Text),
        ("subject", Kind::Text),
        ("number", Kind::Number),
        ("at", Kind::Instant),
        ("status", Kind::Number),
        ("error", Kind::Text),
        ("duration_ms", Kind::Number),
    ],
};
