//! Unresolved charges: stored, reported by the audit, and refunded once.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use panji_store::engine::EngineKind;
use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, EXPORT_SECTIONS, EntryKind, Ledger, MissingRefund, Mode,
    RESOLVE_TIME, RefundOutcome, UnresolvedChargeRow,
};
use panji_testkit::{NOW_MS, on_both_engines, on_every_engine};
use tracing::field::{Field, Visit};
use tracing::span;

use super::ledger_charge_writer::HIDE_COMMIT;
use super::{account_with, assert_clean, balance, call, charge, entries};

fn unresolved(account_id: &str, request_id: &str) -> UnresolvedChargeRow {
    UnresolvedChargeRow {
        account_id: account_id.to_owned(),
        request_id: request_id.to_owned(),
        mode: Mode::Live,
        price: 10,
        at: NOW_MS,
    }
}

fn missing_refund(account_id: &str, request_id: &str, credits: i64) -> MissingRefund {
    MissingRefund {
        account_id: account_id.to_owned(),
        request_id: request_id.to_owned(),
        mode: Mode::Live,
        credits,
        at: NOW_MS,
    }
}

async fn count_unresolved(ledger: &Ledger, account_id: &str) -> usize {
    let section =
        EXPORT_SECTIONS.iter().find(|section| section.name == "unresolved_charges").unwrap();
    ledger.list_export_rows(account_id, section, "").await.unwrap().len()
}

#[test]
fn an_unresolved_charge_that_took_place_is_reported_until_it_is_refunded() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        charge(&ledger, call(&account_id, "req_made", 10), 0).await;
        let rows = [unresolved(&account_id, "req_made"), unresolved(&account_id, "req_not_made")];
        // Stored twice, as after a first attempt whose response was lost.
        ledger.record_unresolved(&rows).await.unwrap();
        ledger.record_unresolved(&rows).await.unwrap();
        let audit = ledger.audit().await.unwrap();
        assert_eq!(audit.missing_refunds, [missing_refund(&account_id, "req_made", 10)]);
        assert_eq!(audit.differences, []);
        // After its usage was rolled up, it is still owed.
        ledger.roll_up_usage("9999").await.unwrap();
        assert_eq!(ledger.list_missing_refunds().await.unwrap().len(), 1);
        let found = ledger.find_debited_account("req_made").await.unwrap();
        assert_eq!(found.as_deref(), Some(account_id.as_str()));
        let refunded = ledger.refund_debit(&account_id, "req_made", NOW_MS + 1).await.unwrap();
        let RefundOutcome::Refunded(entry) = refunded else { panic!("{refunded:?}") };
        assert_eq!((entry.amount, entry.reference.as_ref()), (10, "req_made"));
        let again = ledger.refund_debit(&account_id, "req_made", NOW_MS + 1).await.unwrap();
        assert_eq!(again, RefundOutcome::AlreadyRefunded(entry));
        assert_eq!(balance(&ledger, &account_id).await, 100);
        assert_eq!(ledger.audit().await.unwrap().missing_refunds, []);
        assert_eq!(count_unresolved(&ledger, &account_id).await, 1, "the one that was not made");
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_request_that_was_not_charged_cannot_be_refunded() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 100).await;
        let other_id = account_with(&ledger, 100).await;
        charge(&ledger, call(&other_id, "req_of_another", 10), 0).await;
        charge(&ledger, call(&account_id, "req_for_nothing", 0), 0).await;
        for request_id in ["req_of_another", "req_for_nothing", "req_unknown", ""] {
            let refunded = ledger.refund_debit(&account_id, request_id, NOW_MS).await.unwrap();
            assert_eq!(refunded, RefundOutcome::NotCharged, "{request_id}");
        }
        assert_eq!(ledger.find_debited_account("req_unknown").await.unwrap(), None);
        assert_eq!(balance(&ledger, &account_id).await, 100);
    });
}

/// The request ids of all log events at error level in this process.
#[derive(Clone, Default)]
struct Errors(Arc<Mutex<Vec<String>>>);

impl Errors {
    /// Listens from the first call on; a writer logs from its own thread.
    fn listen() -> Errors {
        static ERRORS: OnceLock<Errors> = OnceLock::new();
        let listening = || {
            let errors = Errors::default();
            tracing::subscriber::set_global_default(errors.clone()).unwrap();
            errors
        };
        ERRORS.get_or_init(listening).clone()
    }

    fn name(&self, request_id: &str) -> bool {
        self.0.lock().unwrap().iter().any(|logged| logged == request_id)
    }
}

impl tracing::Subscriber for Errors {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::ERROR
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

impl Visit for Errors {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "request_id" {
            self.0.lock().unwrap().push(format!("{value:?}").trim_matches('"').to_owned());
        }
    }
}

#[test]
fn an_abandoned_unresolved_charge_is_logged_stored_and_can_be_refunded() {
    let errors = Errors::listen();
    on_both_engines(async |databases| {
        // A commit of SQLite does not wait.
        if databases.kind() == EngineKind::Sqlite {
            return;
        }
        let ledger = Arc::new(databases.ledger().await);
        // No unresolved charge is checked, as if there were too many.
        let options = ChargeWriterOptions {
            queue: 10,
            free_calls_per_day: 0,
            resolve_time: RESOLVE_TIME,
            max_unresolved: 0,
        };
        let writer = ChargeWriter::open(ledger.clone(), options).unwrap();
        let account_id = account_with(&ledger, 100).await;
        let engine = databases.engine("ledger").await;
        let mut setup = engine.transaction().await.unwrap();
        setup.run_script(HIDE_COMMIT).await.unwrap();
        setup.commit().await.unwrap();
        let mut lock = engine.transaction().await.unwrap();
        lock.run_script("select pg_advisory_xact_lock(71860002)").await.unwrap();
        assert!(writer.charge(call(&account_id, "hidden", 10)).await.is_err());
        drop(lock);
        let took_place = async {
            while balance(&ledger, &account_id).await != 90 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(300), took_place).await.unwrap();
        writer.close();
        assert!(errors.name("hidden"), "the log names the request");
        let audit = ledger.audit().await.unwrap();
        assert_eq!(audit.missing_refunds, [missing_refund(&account_id, "hidden", 10)]);
        ledger.refund_debit(&account_id, "hidden", NOW_MS).await.unwrap();
        let expected = [(EntryKind::Grant, 100), (EntryKind::Charge, -10), (EntryKind::Refund, 10)];
        assert_eq!(entries(&ledger, &account_id, Mode::Live).await, expected);
        assert_eq!(ledger.audit().await.unwrap().missing_refunds, []);
        assert_clean(&ledger).await;
    });
}
