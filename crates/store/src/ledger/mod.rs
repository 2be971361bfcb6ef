//! The ledger: accounts, keys, credits and usage. It must never lose a committed row.

mod account_export;
mod accounts;
mod audit;
mod audit_log;
mod balance;
mod billing;
mod bulk_jobs;
mod bulk_lookup;
mod bulk_work;
mod charge_writer;
mod credits;
mod daily_counts;
mod debits;
mod entries;
mod entry_reader;
mod erasure;
mod event_debits;
mod event_positions;
mod event_retention;
mod health;
mod idempotency;
mod invoices;
mod key_expiry;
mod key_text;
mod keys;
mod links;
mod match_decisions;
mod match_rows;
mod members;
mod orders;
mod passkeys;
mod payment_refunds;
mod people;
mod recovery_codes;
mod refunds;
mod requests;
mod seal;
mod sessions;
mod sso_identities;
mod unresolved;
mod unresolved_rows;
mod usage;
mod views;
mod watch_digests;
mod watched_events;
mod watchers;
mod watchlists;
mod webhook_attempts;
mod webhook_deliveries;
mod webhook_leases;
mod webhooks;

pub use account_export::{EXPORT_SECTIONS, ExportRow, ExportSection, ExportValue};
pub use accounts::Account;
pub use audit::{Audit, Difference};
pub use audit_log::{AuditEvent, LoggedEvent};
pub use balance::{BalanceSnapshot, NO_FREE_QUOTA};
pub use billing::{BillingDetails, LowBalance, MAX_WARN_BELOW};
pub use bulk_jobs::{BulkJob, JobState, NewBulkJob};
pub use bulk_work::{BulkLease, FinishedChunk};
pub use charge_writer::{ChargeWriter, ChargeWriterOptions, DebitError, WriteAttempt};
pub use credits::CreditOutcome;
pub use daily_counts::DailyLimit;
pub use debits::{Debit, DebitOutcome, Refusal, Terms};
pub use entries::{Entry, EntryKind};
pub use erasure::Erasure;
pub use event_debits::EventDebit;
pub use event_positions::{EventPosition, FoundEvents, LIVE_FEED};
pub use health::{HealthHour, HealthMinutes};
pub use idempotency::{FirstResponse, IdempotencyClaim, StoredResponse};
pub use invoices::{Invoice, NewInvoice};
pub use key_text::{KeyKind, KeyText, KeyTextError, Mode};
pub use keys::{Key, KeyWithAccount, NewKey};
pub use links::{Link, LinkPurpose};
pub use match_decisions::{NewSavedDecision, SavedDecision};
pub use match_rows::{MatchCounts, MatchFilter, MatchRow, NewMatchRow};
pub use members::{Member, Role};
pub use orders::{Order, Payment, Settlement};
pub use passkeys::{MAX_PASSKEYS, Passkey};
pub use payment_refunds::{NewPaymentRefund, PaymentRefund, PaymentRefundOutcome};
pub use people::Person;
pub use refunds::RefundOutcome;
pub use requests::{MAX_REQUESTS_PER_PAGE, Request, RequestFilter, UsageGroup, request_ids_from};
pub use seal::{Secret, equal_in_constant_time};
pub use sessions::{LogInMethod, NewSession, Session, SessionSummary};
pub use sso_identities::{SsoIdentity, SsoMembership, SsoOutcome};
pub use unresolved::{MAX_UNRESOLVED, RESOLVE_TIME};
pub use unresolved_rows::{MissingRefund, UnresolvedChargeRow};
pub use usage::{RequestDetails, UsageRow};
pub use views::{ViewKey, ViewPart, ViewResponse};
pub use watch_digests::{Digest, DigestFrequency};
pub use watched_events::{
    EventFilter, EventPage, MAX_EVENT_PAGE, NewWatchedEvent, ReadEvents, WatchedEvent,
};
pub use watchers::Watcher;
pub use watchlists::{AddedMember, MAX_MEMBERS_PER_CALL, WatchLimits, WatchMember, Watchlist};
pub use webhook_attempts::{Attempt, AttemptPage, NewAttempt};
pub use webhook_deliveries::{Delivery, DeliveryOutcome, MAX_OPEN};
pub use webhook_leases::WebhookLease;
pub use webhooks::{DisabledReason, NewWebhook, ROTATION_MS, Webhook, WebhookChange, WebhookKeys};

use crate::engine::{Engine, PoolStats};
use crate::error::{Result, StoreError};
use crate::migrate::{Migration, migrate};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

pub const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, script: include_str!("../../migrations/ledger/0001_ledger.sql") },
    Migration { number: 2, script: include_str!("../../migrations/ledger/0002_console.sql") },
    Migration { number: 3, script: include_str!("../../migrations/ledger/0003_payments.sql") },
    Migration { number: 4, script: include_str!("../../migrations/ledger/0004_bulk_jobs.sql") },
    Migration { number: 5, script: include_str!("../../migrations/ledger/0005_audit_log.sql") },
    Migration {
        number: 6,
        script: include_str!("../../migrations/ledger/0006_charges_by_usage.sql"),
    },
    Migration {
        number: 7,
        script: include_str!("../../migrations/ledger/0007_unresolved_charges.sql"),
    },
    Migration {
        number: 8,
        script: include_str!("../../migrations/ledger/0008_payment_refunds.sql"),
    },
    Migration {
        number: 9,
        script: include_str!("../../migrations/ledger/0009_confirmation_and_views.sql"),
    },
    Migration {
        number: 10,
        script: include_str!("../../migrations/ledger/0010_test_credits_day.sql"),
    },
    Migration {
        number: 11,
        script: include_str!("../../migrations/ledger/0011_request_details.sql"),
    },
    Migration { number: 12, script: include_str!("../../migrations/ledger/0012_jobs.sql") },
    Migration {
        number: 13,
        script: include_str!("../../migrations/ledger/0013_match_reviews.sql"),
    },
    Migration { number: 14, script: include_str!("../../migrations/ledger/0014_watch.sql") },
    Migration { number: 15, script: include_str!("../../migrations/ledger/0015_webhooks.sql") },
    Migration {
        number: 16,
        script: include_str!("../../migrations/ledger/0016_requests_and_health.sql"),
    },
    Migration {
        number: 17,
        script: include_str!("../../migrations/ledger/0017_log_in_methods.sql"),
    },
    Migration {
        number: 18,
        script: include_str!("../../migrations/ledger/0018_one_row_per_charge.sql"),
    },
    Migration { number: 19, script: include_str!("../../migrations/ledger/0019_job_states.sql") },
];

/// Credits of a test account at the start of each day in India.
pub const DAILY_TEST_CREDITS: i64 = 10_000;

pub struct Ledger {
    engine: Engine,
    secret: Secret,
}

impl Ledger {
    /// The schema version that this program writes.
    pub const SCHEMA: i64 = MIGRATIONS[MIGRATIONS.len() - 1].number;

    /// Opens the ledger on an engine, migrates its schema, and checks that the secret is the one
    /// the ledger was created with: with another secret no key would be found.
    pub fn open(engine: Engine, secret: Secret, now_ms: i64) -> BoxFuture<'static, Result<Ledger>> {
        async move {
            migrate(&engine, MIGRATIONS, now_ms).await?;
            let fingerprint = secret.fingerprint();
            engine
                .execute(
                    "insert into settings (name, value) values ('secret_fingerprint', $1) \
                     on conflict (name) do nothing",
                    &[(&fingerprint).into()],
                )
                .await?;
            let known: Option<String> = engine
                .query_opt(
                    "select value from settings where name = 'secret_fingerprint'",
                    &[],
                    |row| row.get(0),
                )
                .await?;
            if !known.is_some_and(|known| equal_in_constant_time(&known, &fingerprint)) {
                return Err(StoreError::Unavailable(
                    "this ledger was created with another secret, so none of its keys would work: \
                     copy the secret.key of the node that created it into this data directory"
                        .into(),
                ));
            }
            Ok(Ledger { engine, secret })
        }
        .boxed()
    }

    /// Checks that the engine responds.
    pub async fn ping(&self) -> Result<()> {
        self.engine
            .query_opt("select value from settings where name = 'secret_fingerprint'", &[], |row| {
                row.get::<String>(0)
            })
            .await?;
        Ok(())
    }

    /// Checks that the engine accepts a write.
    pub async fn ping_write(&self) -> Result<()> {
        self.engine
            .execute("update settings set value = value where name = 'secret_fingerprint'", &[])
            .await?;
        Ok(())
    }

    pub fn pool_use(&self) -> PoolStats {
        self.engine.pool_use()
    }

    /// The keyed hash under which a key is stored.
    pub fn hash_key(&self, key: &KeyText) -> String {
        self.secret.hash_key(key.as_str())
    }
}

/// A new identifier: a prefix for the kind of object, and a ULID.
pub(crate) fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", ulid::Ulid::generate())
}
