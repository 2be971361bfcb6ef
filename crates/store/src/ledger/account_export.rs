//! The data of an account, section by section, for an export to its owner. Credentials (hashes of
//! keys, passwords, sessions and links) are not included.

mod credits;
mod log_in;
mod payments;
mod watch;
mod webhooks;

use super::Ledger;
use crate::engine::Row;
use crate::error::Result;

/// Rows of a section read at a time.
const PAGE: i64 = 1_000;

#[derive(Debug)]
pub struct ExportSection {
    pub name: &'static str,
    /// The cursor before the first row.
    pub start: &'static str,
    /// Returns the cursor of each row followed by its fields, for rows after the cursor `$2`,
    /// sorted by cursor.
    sql: &'static str,
    fields: &'static [(&'static str, Kind)],
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Text,
    Number,
    Flag,
    Instant,
    Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportValue {
    Text(Option<String>),
    Number(Option<i64>),
    Flag(bool),
    /// Milliseconds since the epoch.
    Instant(Option<i64>),
    /// JSON, unchanged.
    Json(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRow {
    /// The cursor after which the section continues.
    pub cursor: String,
    /// The fields in the order of the section.
    pub fields: Vec<(&'static str, ExportValue)>,
}

/// All sections, in the order of the export.
pub const EXPORT_SECTIONS: &[ExportSection] = &[
    ExportSection {
        name: "account",
        start: "",
        sql: "select id, id, email, name, created_at, suspended_at, operator_since, confirmed_at \
              from accounts where id = $1 and id > $2 order by id limit $3",
        fields: &[
            ("id", Kind::Text),
            ("email", Kind::Text),
            ("name", Kind::Text),
            ("created_at", Kind::Instant),
            ("suspended_at", Kind::Instant),
            ("operator_since", Kind::Instant),
            ("confirmed_at", Kind::Instant),
        ],
    },
    ExportSection {
        name: "members",
        start: "",
        sql: "select person_id, person_id, email, name, role, added_at, created_at, totp_since \
              from members join people on people.id = person_id \
              where account_id = $1 and person_id > $2 order by person_id limit $3",
        fields: &[
            ("id", Kind::Text),
            ("email", Kind::Text),
            ("name", Kind::Text),
            ("role", Kind::Text),
            ("added_at", Kind::Instant),
            ("created_at", Kind::Instant),
            ("second_factor_since", Kind::Instant),
        ],
    },
    ExportSection {
        name: "sessions",
        start: "",
        sql: "select hash, person_id, created_at, seen_at, expires_at, address, agent, method \
              from sessions where account_id = $1 and hash > $2 order by hash limit $3",
        fields: &[
            ("person_id", Kind::Text),
            ("created_at", Kind::Instant),
            ("seen_at", Kind::Instant),
            ("expires_at", Kind::Instant),
            ("address", Kind::Text),
            ("browser", Kind::Text),
            ("method", Kind::Text),
        ],
    },
    log_in::SSO_IDENTITIES,
    log_in::PASSKEYS,
    ExportSection {
        name: "invitations",
        start: "",
        sql: "select hash, email, role, created_at, expires_at, used_at \
              from links where account_id = $1 and hash > $2 order by hash limit $3",
        fields: &[
            ("email", Kind::Text),
            ("role", Kind::Text),
            ("created_at", Kind::Instant),
            ("expires_at", Kind::Instant),
            ("used_at", Kind::Instant),
        ],
    },
    ExportSection {
        name: "keys",
        start: "",
        sql: "select id, id, mode, name, hint, created_at, expires_at, revoked_at, last_used_at, \
              last_used_address, last_used_operation, allowed_addresses, allowed_operations, \
              monthly_cap from api_keys \
              where account_id = $1 and id > $2 order by id limit $3",
        fields: &[
            ("id", Kind::Text),
            ("mode", Kind::Text),
            ("name", Kind::Text),
            ("hint", Kind::Text),
            ("created_at", Kind::Instant),
            ("expires_at", Kind::Instant),
            ("revoked_at", Kind::Instant),
            ("last_used_at", Kind::Instant),
            ("last_used_address", Kind::Text),
            ("last_used_operation", Kind::Text),
            ("allowed_ips", Kind::Text),
            ("allowed_operations", Kind::Text),
            ("monthly_cap", Kind::Number),
        ],
    },
    payments::BILLING_DETAILS,
    payments::ORDERS,
    payments::INVOICES,
    payments::REFUNDS,
    credits::BALANCES,
    ExportSection {
        name: "requests",
        start: "",
        sql: "select request_id, request_id, mode, key_id, operation, status, credits, free, at, \
              subject, error_code, duration_us, target, error_message, person_id, \
              entry_seq, balance_after from usage where account_id = $1 and request_id > $2 order by request_id limit $3",
        fields: &[
            ("id", Kind::Text),
            ("mode", Kind::Text),
            ("key_id", Kind::Text),
            ("operation", Kind::Text),
            ("status", Kind::Number),
            ("credits", Kind::Number),
            ("free", Kind::Flag),
            ("at", Kind::Instant),
            ("subject", Kind::Text),
            ("error_code", Kind::Text),
            ("duration_us", Kind::Number),
            ("target", Kind::Text),
            ("error_message", Kind::Text),
            ("person_id", Kind::Text),
            ("seq", Kind::Number),
            ("balance_after", Kind::Number),
        ],
    },
    // A charge is in `requests` until its day is rolled up, then here. They are read later, so that one
    // that moves during the export is not left out.
    credits::LIVE_ENTRIES,
    credits::TEST_ENTRIES,
    credits::UNRESOLVED_CHARGES,
    ExportSection {
        name: "jobs",
        start: "",
        sql: "select id, id, mode, key_id, task, name, state, note, credits, row_count, rows_done, \
              counts, created_at, ended_at from bulk_jobs \
              where account_id = $1 and id > $2 order by id limit $3",
        fields: &[
            ("id", Kind::Text),
            ("mode", Kind::Text),
            ("key_id", Kind::Text),
            ("task", Kind::Json),
            ("name", Kind::Text),
            ("state", Kind::Text),
            ("note", Kind::Text),
            ("credits", Kind::Number),
            ("rows", Kind::Number),
            ("rows_done", Kind::Number),
            ("counts", Kind::Json),
            ("created_at", Kind::Instant),
            ("ended_at", Kind::Instant),
        ],
    },
    ExportSection {
        name: "match_decisions",
        start: "",
        sql: "select place, mode, item, cin, person_id, decided_at from \
              (select mode || ' ' || item_hash as place, mode, item, cin, person_id, decided_at \
              from match_decisions where account_id = $1) as kept \
              where place > $2 order by place limit $3",
        fields: &[
            ("mode", Kind::Text),
            ("item", Kind::Text),
            ("cin", Kind::Text),
            ("person_id", Kind::Text),
            ("decided_at", Kind::Instant),
        ],
    },
    watch::WATCHLISTS,
    watch::WATCH_MEMBERS,
    watch::LIVE_EVENTS,
    watch::TEST_EVENTS,
    watch::WATCH_STATES,
    webhooks::WEBHOOKS,
    webhooks::WEBHOOK_ATTEMPTS,
    ExportSection {
        name: "requests_by_day",
        start: "",
        // The primary key has several columns; the cursor joins all of them.
        sql: "select place, mode, day, operation, key_id, status, calls, free_calls, credits \
              from (select mode || ' ' || day || ' ' || operation || ' ' || key_id || ' ' || \
              cast(status as text) as place, mode, day, operation, key_id, status, calls, \
              free_calls, credits from usage_by_day where account_id = $1) as summed \
              where place > $2 order by place limit $3",
        fields: &[
            ("mode", Kind::Text),
            ("day", Kind::Text),
            ("operation", Kind::Text),
            ("key_id", Kind::Text),
            ("status", Kind::Number),
            ("calls", Kind::Number),
            ("free_calls", Kind::Number),
            ("credits", Kind::Number),
        ],
    },
    ExportSection {
        name: "views",
        start: "",
        // The console pages of the last day; their content is register data and not included.
        sql: "select place, mode, operation, path, status, asked_at, expires_at from \
              (select mode || ' ' || view_hash || ' ' || part as place, mode, operation, path, \
              status, asked_at, expires_at from view_answers where account_id = $1) as kept \
              where place > $2 order by place limit $3",
        fields: &[
            ("mode", Kind::Text),
            ("operation", Kind::Text),
            ("path", Kind::Text),
            ("status", Kind::Number),
            ("asked_at", Kind::Instant),
            ("expires_at", Kind::Instant),
        ],
    },
    ExportSection {
        name: "audit_log",
        start: "0",
        // Events of the account, and events that concern its members as people.
        sql: "select cast(seq as text) as place, seq, at, actor, action, subject, details from audit_log \
              where (account_id = $1 or account_id is null and \
              (actor in (select person_id from members where account_id = $1) \
              or subject in (select person_id from members where account_id = $1))) \
              and seq > cast(cast($2 as text) as bigint) order by seq limit $3",
        fields: &[
            ("seq", Kind::Number),
            ("at", Kind::Instant),
            ("actor", Kind::Text),
            ("action", Kind::Text),
            ("subject", Kind::Text),
            ("details", Kind::Json),
        ],
    },
];

impl Ledger {
    /// The next rows of a section after a cursor; empty at the end.
    pub async fn list_export_rows(
        &self,
        account_id: &str,
        section: &ExportSection,
        after: &str,
    ) -> Result<Vec<ExportRow>> {
        self.engine
            .query(section.sql, &[account_id.into(), after.into(), PAGE.into()], |row| {
                export_row(section, row)
            })
            .await
    }
}

fn export_row(section: &ExportSection, row: &Row<'_>) -> Result<ExportRow> {
    let mut fields = Vec::with_capacity(section.fields.len());
    for (index, (name, kind)) in (1..).zip(section.fields) {
        let value = match kind {
            Kind::Text => ExportValue::Text(row.get(index)?),
            Kind::Number => ExportValue::Number(row.get(index)?),
            Kind::Flag => ExportValue::Flag(row.get(index)?),
            Kind::Instant => ExportValue::Instant(row.get(index)?),
            Kind::Json => ExportValue::Json(row.get(index)?),
        };
        fields.push((*name, value));
    }
    Ok(ExportRow { cursor: row.get(0)?, fields })
}
