//! Confirmed addresses and the free quota, daily limits, recovery codes, and stored responses.

use panji_store::Ledger;
use panji_store::ledger::{
    DailyLimit, Debit, EntryKind, Link, LinkPurpose, Mode, NO_FREE_QUOTA, Refusal, Role, ViewKey,
    ViewPart,
};
use panji_testkit::{NOW_MS, on_every_engine};

use crate::{DAY_MS, assert_clean, call, charge, snapshot};

/// The account of a person who signed up and has not confirmed the address.
async fn unconfirmed(ledger: &Ledger, email: &str) -> String {
    let names = ("asha", "Asha Exports");
    ledger.sign_up(email, names, "hash", false, NOW_MS).await.unwrap().1.id
}

/// A call that the free quota pays, if there is one.
fn search(account_id: &str, request_id: &str, mode: Mode) -> Debit {
    Debit { quota_eligible: true, mode, ..call(account_id, request_id, 1) }
}

#[test]
fn an_unconfirmed_account_has_no_live_free_quota_and_keeps_that_of_test_mode() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let id = unconfirmed(&ledger, "asha@firm.example").await;
        let outcome = charge(&ledger, search(&id, "req_1", Mode::Live), 3).await;
        assert_eq!(outcome.charged, Err(Refusal::InsufficientCredits { price: 1 }));
        assert_eq!(outcome.quota_used, NO_FREE_QUOTA);
        assert!(!snapshot(&ledger, &id, Mode::Live).await.has_free_quota());
        let outcome = charge(&ledger, search(&id, "req_2", Mode::Test), 3).await;
        assert_eq!((outcome.charged, outcome.quota_used), (Ok(0), 1));

        assert!(ledger.confirm_account(" Asha@firm.example", NOW_MS).await.unwrap());
        assert!(!ledger.confirm_account("nobody@firm.example", NOW_MS).await.unwrap());
        let account = ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        assert_eq!(account.confirmed_at, Some(NOW_MS));
        for number in 0..3 {
            let outcome =
                charge(&ledger, search(&id, &format!("req_3{number}"), Mode::Live), 3).await;
            assert_eq!((outcome.charged, outcome.quota_used), (Ok(0), number + 1));
        }
        let outcome = charge(&ledger, search(&id, "req_4", Mode::Live), 3).await;
        assert_eq!(outcome.charged, Err(Refusal::InsufficientCredits { price: 1 }));
        assert_clean(&ledger).await;
    });
}

#[test]
fn granted_or_bought_credits_also_give_the_free_quota() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        for (number, kind) in
            [EntryKind::Grant, EntryKind::Purchase, EntryKind::Adjustment].into_iter().enumerate()
        {
            let id = unconfirmed(&ledger, &format!("{number}@firm.example")).await;
            ledger.add_entry(&id, Mode::Live, kind, 10, None, NOW_MS).await.unwrap();
            let request_id = format!("req_{number}");
            let outcome = charge(&ledger, search(&id, &request_id, Mode::Live), 3).await;
            assert_eq!((outcome.charged, outcome.quota_used), (Ok(0), 1), "{kind:?}");
            let account = ledger.find_account_by_id(&id).await.unwrap().unwrap();
            assert_eq!(account.confirmed_at, None, "the address itself is not confirmed");
        }
        let id = unconfirmed(&ledger, "test@firm.example").await;
        ledger.add_entry(&id, Mode::Test, EntryKind::Grant, 10, None, NOW_MS).await.unwrap();
        let outcome = charge(&ledger, search(&id, "req_test", Mode::Live), 3).await;
        assert!(outcome.charged.is_err(), "test credits give nothing in live mode");
        assert_clean(&ledger).await;
    });
}

#[test]
fn a_link_confirms_once_until_it_expires() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        unconfirmed(&ledger, "asha@firm.example").await;
        let link = Link {
            email: "asha@firm.example".to_owned(),
            account_id: String::new(),
            role: Role::Owner,
            created_at: NOW_MS,
            expires_at: NOW_MS + DAY_MS,
        };
        ledger.create_link("reset", LinkPurpose::Reset, &link).await.unwrap();
        ledger.create_link("token", LinkPurpose::Confirmation, &link).await.unwrap();
        assert_eq!(ledger.confirm_by_link("reset", NOW_MS).await.unwrap(), None);
        assert_eq!(ledger.confirm_by_link("token", NOW_MS + DAY_MS).await.unwrap(), None);
        let confirmed = ledger.confirm_by_link("token", NOW_MS).await.unwrap();
        assert_eq!(confirmed.as_deref(), Some("asha@firm.example"));
        assert_eq!(ledger.confirm_by_link("token", NOW_MS).await.unwrap(), None);
    });
}

#[test]
fn daily_limits_are_counted_by_subject_and_day_under_concurrency() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let count = async |what, subject: &'static str, now_ms| {
            ledger.count_today(what, subject, 3, now_ms).await.unwrap()
        };
        let concurrent = (0..8).map(|_| count(DailyLimit::SignUps, "203.0.113.1", NOW_MS));
        let allowed = futures_util::future::join_all(concurrent).await;
        assert_eq!(allowed.iter().filter(|allowed| **allowed).count(), 3);
        assert!(count(DailyLimit::SignUps, "203.0.113.2", NOW_MS).await, "others go on");
        assert!(count(DailyLimit::Mails, "203.0.113.1", NOW_MS).await, "other things go on");
        assert!(count(DailyLimit::SignUps, "203.0.113.1", NOW_MS + DAY_MS).await, "a new day");
        assert_eq!(ledger.delete_expired_counts(NOW_MS + DAY_MS).await.unwrap(), 3);
    });
}

#[test]
fn a_recovery_code_works_once_for_its_person_and_new_ones_replace_the_old() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let codes = ["1111".to_owned(), "2222".to_owned()];
        ledger.set_recovery_codes("per_asha", &codes).await.unwrap();
        ledger.set_recovery_codes("per_ravi", &codes[..1]).await.unwrap();
        let use_code = async |person: &str, code: &str| {
            ledger.use_recovery_code(person, code, NOW_MS).await.unwrap()
        };
        assert!(!use_code("per_asha", "3333").await);
        assert!(use_code("per_asha", "1111").await);
        assert!(!use_code("per_asha", "1111").await, "used up");
        assert_eq!(ledger.count_recovery_codes("per_asha").await.unwrap(), 1);
        assert!(!use_code("per_ravi", "2222").await, "another person's");
        ledger.set_recovery_codes("per_asha", &["4444".to_owned()]).await.unwrap();
        assert!(!use_code("per_asha", "2222").await, "replaced");
        ledger.set_totp("per_asha", None, None).await.unwrap();
        assert_eq!(ledger.count_recovery_codes("per_asha").await.unwrap(), 0);
        assert_eq!(ledger.count_recovery_codes("per_ravi").await.unwrap(), 1);
    });
}

const PART: ViewPart<'_> =
    ViewPart { part: "profile", operation: "getCompanyProfile", path: "/v1/companies/X/profile" };

fn in_test_mode<'a>(account_id: &'a str, subject: &'a str) -> ViewKey<'a> {
    ViewKey { account_id, mode: Mode::Test, subject }
}

#[test]
fn a_response_is_stored_for_a_day_per_account_and_mode_and_requested_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = unconfirmed(&ledger, "asha@firm.example").await;
        let view = ViewKey { account_id: &account_id, mode: Mode::Live, subject: "companies/X" };
        let claim = async |view, now_ms| ledger.claim_view_part(view, PART, now_ms).await.unwrap();
        let list = async |view, now_ms| ledger.list_view_responses(view, now_ms).await.unwrap();
        assert!(claim(view, NOW_MS).await);
        assert!(!claim(view, NOW_MS + 1).await, "another caller is requesting it");
        assert_eq!(list(view, NOW_MS).await, []);
        assert!(claim(view, NOW_MS + DAY_MS / 2).await, "the first caller never finished");
        ledger.store_view_responses(view, &[("profile", 200, "{}")], NOW_MS).await.unwrap();
        let stored = list(view, NOW_MS + DAY_MS - 1).await;
        assert_eq!(
            (stored[0].status, stored[0].body.as_str(), stored[0].path.as_str()),
            (200, "{}", PART.path)
        );
        assert!(!claim(view, NOW_MS + DAY_MS - 1).await, "paid for");
        for other in [
            ViewKey { account_id: "acc_other", ..view },
            ViewKey { mode: Mode::Test, ..view },
            ViewKey { subject: "companies/Y", ..view },
        ] {
            assert_eq!(list(other, NOW_MS).await, []);
        }
        assert_eq!(list(view, NOW_MS + DAY_MS).await, []);
        assert!(claim(view, NOW_MS + DAY_MS).await, "after a day it is requested again");
        ledger.store_view_responses(view, &[("profile", 402, "{}")], NOW_MS).await.unwrap();
        assert!(claim(view, NOW_MS).await, "an error can be requested again");
    });
}

#[test]
fn stored_responses_are_limited_deleted_when_old_and_erased_with_their_account() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = unconfirmed(&ledger, "asha@firm.example").await;
        let store = async |subject: &str, now_ms: i64| {
            assert!(
                ledger
                    .claim_view_part(in_test_mode(&account_id, subject), PART, now_ms)
                    .await
                    .unwrap()
            );
            let response = [("profile", 200, "{}")];
            ledger
                .store_view_responses(in_test_mode(&account_id, subject), &response, now_ms)
                .await
                .unwrap();
        };
        for number in 0..=500 {
            store(&number.to_string(), NOW_MS + number).await;
        }
        let is_stored = async |subject: &str| {
            !ledger
                .list_view_responses(in_test_mode(&account_id, subject), NOW_MS)
                .await
                .unwrap()
                .is_empty()
        };
        assert_eq!(
            (is_stored("0").await, is_stored("1").await, is_stored("500").await),
            (false, true, true)
        );
        assert_eq!(ledger.delete_expired_view_responses(NOW_MS + DAY_MS + 1).await.unwrap(), 1);
        assert_eq!((is_stored("1").await, is_stored("2").await), (false, true));
        ledger.erase_account(&account_id, NOW_MS).await.unwrap().unwrap();
        assert!(!is_stored("500").await);
    });
}
