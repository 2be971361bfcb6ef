//! The sections about watching: lists, members and the events that were collected.

use super::{ExportSection, Kind};

pub const WATCHLISTS: ExportSection = ExportSection {
    name: "watchlists",
    start: "",
    sql: "select id, id, mode, name, member_count, created_at from watchlists \
          where account_id = $1 and id > $2 order by id limit $3",
    fields: &[
        ("id", Kind::Text),
        ("mode", Kind::Text),
        ("name", Kind::Text),
        ("members", Kind::Number),
        ("created_at", Kind::Instant),
    ],
};

pub const WATCH_MEMBERS: ExportSection = ExportSection {
    name: "watch_members",
    start: "",
    sql: "select place, mode, watchlist_id, member, kind, added_at from \
          (select mode || ' ' || watchlist_id || ' ' || member as place, mode, watchlist_id, \
          member, kind, added_at from watch_members where account_id = $1) as kept \
          where place > $2 order by place limit $3",
    fields: &[
        ("mode", Kind::Text),
        ("watchlist_id", Kind::Text),
        ("member", Kind::Text),
        ("kind", Kind::Text),
        ("added_at", Kind::Instant),
    ],
};

/// Only events that the account has paid for: the others were not shown to it.
pub const LIVE_EVENTS: ExportSection = ExportSection {
    name: "live_events",
    start: "0",
    sql: "select cast(seq as text) as place, seq, event_id, type, subject, payload, charged_at \
          from watched_events where account_id = $1 and mode = 'live' \
          and charged_at is not null and seq > cast(cast($2 as text) as bigint) \
          order by seq limit $3",
    fields: EVENT,
};

pub const TEST_EVENTS: ExportSection = ExportSection {
    name: "test_events",
    start: "0",
    sql: "select cast(seq as text) as place, seq, event_id, type, subject, payload, charged_at \
          from watched_events where account_id = $1 and mode = 'test' \
          and charged_at is not null and seq > cast(cast($2 as text) as bigint) \
          order by seq limit $3",
    fields: EVENT,
};

const EVENT: &[(&str, Kind)] = &[
    ("seq", Kind::Number),
    ("id", Kind::Text),
    ("type", Kind::Text),
    ("subject", Kind::Text),
    ("event", Kind::Json),
    ("charged_at", Kind::Instant),
];

pub const WATCH_STATES: ExportSection = ExportSection {
    name: "watch_settings",
    start: "",
    sql: "select mode, mode, digest, digest_period from watch_states \
          where account_id = $1 and mode > $2 order by mode limit $3",
    fields: &[("mode", Kind::Text), ("digest", Kind::Text), ("last_digest", Kind::Text)],
};
