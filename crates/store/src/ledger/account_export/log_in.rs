//! How the members of an account log in, besides passwords.

use super::{ExportSection, Kind};

pub(super) const SSO_IDENTITIES: ExportSection = ExportSection {
    name: "sso_identities",
    start: "",
    // The primary key has several columns; the cursor joins them.
    sql: "select place, person_id, issuer, subject, created_at, last_used_at from \
          (select issuer || ' ' || subject as place, person_id, issuer, subject, created_at, \
          last_used_at from sso_identities where account_id = $1) as known \
          where place > $2 order by place limit $3",
    fields: &[
        ("person_id", Kind::Text),
        ("issuer", Kind::Text),
        ("subject", Kind::Text),
        ("created_at", Kind::Instant),
        ("last_used_at", Kind::Instant),
    ],
};

/// The keys themselves are credentials and not included.
pub(super) const PASSKEYS: ExportSection = ExportSection {
    name: "passkeys",
    start: "",
    sql: "select place, person_id, name, created_at, last_used_at from \
          (select members.person_id || ' ' || id as place, members.person_id as person_id, name, \
          created_at, last_used_at from members \
          join passkeys on passkeys.person_id = members.person_id \
          where account_id = $1) as known \
          where place > $2 order by place limit $3",
    fields: &[
        ("person_id", Kind::Text),
        ("name", Kind::Text),
        ("created_at", Kind::Instant),
        ("last_used_at", Kind::Instant),
    ],
};
