//! The sections about credits: balances, entries, and charges without a known outcome.

use super::{ExportSection, Kind};

pub(super) const BALANCES: ExportSection = ExportSection {
    name: "balances",
    start: "",
    sql: "select mode, mode, balance, owed, warn_below from balances \
          where account_id = $1 and mode > $2 order by mode limit $3",
    fields: &[
        ("mode", Kind::Text),
        ("balance", Kind::Number),
        ("owed", Kind::Number),
        ("warn_below", Kind::Number),
    ],
};

pub(super) const LIVE_ENTRIES: ExportSection = ExportSection {
    name: "live_entries",
    start: "0",
    sql: "select cast(seq as text) as place, seq, kind, amount, balance_after, at, reference \
          from entries where account_id = $1 and mode = 'live' \
          and seq > cast(cast($2 as text) as bigint) order by seq limit $3",
    fields: ENTRY,
};

pub(super) const TEST_ENTRIES: ExportSection = ExportSection {
    name: "test_entries",
    start: "0",
    sql: "select cast(seq as text) as place, seq, kind, amount, balance_after, at, reference \
          from entries where account_id = $1 and mode = 'test' \
          and seq > cast(cast($2 as text) as bigint) order by seq limit $3",
    fields: ENTRY,
};

const ENTRY: &[(&str, Kind)] = &[
    ("seq", Kind::Number),
    ("kind", Kind::Text),
    ("amount", Kind::Number),
    ("balance_after", Kind::Number),
    ("at", Kind::Instant),
    ("reference", Kind::Text),
];

pub(super) const UNRESOLVED_CHARGES: ExportSection = ExportSection {
    name: "unresolved_charges",
    start: "",
    sql: "select request_id, request_id, mode, price, at from unresolved_charges \
          where account_id = $1 and request_id > $2 order by request_id limit $3",
    fields: &[
        ("request_id", Kind::Text),
        ("mode", Kind::Text),
        ("price", Kind::Number),
        ("at", Kind::Instant),
    ],
};
