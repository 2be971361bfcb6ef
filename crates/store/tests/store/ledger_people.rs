//! People, members, sessions and emailed links.

use std::sync::Arc;

use panji_store::ledger::{Link, LinkPurpose, LogInMethod, Mode, NewSession, Role};
use panji_store::{Ledger, StoreError};
use panji_testkit::{NOW_MS, on_every_engine};

use crate::DAY_MS;

async fn create_session(ledger: &Ledger, token: &str, person_id: &str, account_id: &str) {
    let new = NewSession {
        person_id,
        account_id,
        address: "203.0.113.1",
        agent: "a browser",
        method: LogInMethod::Password,
        now_ms: NOW_MS,
        expires_at: NOW_MS + DAY_MS,
    };
    ledger.create_session(token, new).await.unwrap();
}

fn link(email: &str, account_id: &str) -> Link {
    Link {
        email: email.to_owned(),
        account_id: account_id.to_owned(),
        role: Role::Developer,
        created_at: NOW_MS,
        expires_at: NOW_MS + DAY_MS,
    }
}

#[test]
fn signing_up_creates_a_person_and_their_account_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let names = ("asha", "Asha Exports");
        let (person, account) =
            ledger.sign_up(" Asha@Firm.Example ", names, "hash", true, NOW_MS).await.unwrap();
        assert_eq!(person.email, "asha@firm.example");
        assert_eq!((account.name.as_str(), person.name.as_str()), ("Asha Exports", "asha"));
        let again = ledger.sign_up("asha@firm.example", names, "other", true, NOW_MS).await;
        assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
        assert_eq!(ledger.find_person("ASHA@firm.example").await.unwrap(), Some(person.clone()));
        let accounts = ledger.list_accounts_of(&person.id).await.unwrap();
        assert_eq!(accounts, [(account, Role::Owner)]);
    });
}

#[test]
fn a_session_is_valid_until_it_expires_and_names_its_person_and_account() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let names = ("asha", "Asha Exports");
        let (person, account) =
            ledger.sign_up("asha@firm.example", names, "hash", true, NOW_MS).await.unwrap();
        create_session(&ledger, "a", &person.id, &account.id).await;
        let session = ledger.find_session("a", NOW_MS + DAY_MS - 1).await.unwrap().unwrap();
        assert_eq!((session.person, session.account.id.as_str()), (person.clone(), &*account.id));
        assert_eq!((session.role, session.mode), (Role::Owner, Mode::Test));
        assert_eq!(ledger.find_session("a", NOW_MS + DAY_MS).await.unwrap(), None);
        assert_eq!(ledger.find_session("b", NOW_MS).await.unwrap(), None);
        ledger.update_session("a", &account.id, Mode::Live).await.unwrap();
        let rotated = ledger.find_session("a", NOW_MS).await.unwrap().unwrap();
        assert_eq!(rotated.mode, Mode::Live);
        create_session(&ledger, "b", &person.id, &account.id).await;
        let listed = ledger.list_sessions(&person.id, "b", NOW_MS).await.unwrap();
        assert_eq!(listed.iter().filter(|session| session.current).count(), 1);
        ledger.set_password(&person, "new hash", Some("b")).await.unwrap();
        assert_eq!(ledger.find_session("a", NOW_MS).await.unwrap(), None);
        assert!(ledger.find_session("b", NOW_MS).await.unwrap().is_some());
        ledger.delete_expired_sessions(NOW_MS + DAY_MS).await.unwrap();
        assert_eq!(ledger.list_sessions(&person.id, "b", NOW_MS).await.unwrap(), []);
    });
}

#[test]
fn a_link_works_once_for_its_purpose_and_a_newer_one_replaces_it() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let reset = LinkPurpose::Reset;
        ledger.create_link("old", reset, &link("asha@firm.example", "")).await.unwrap();
        ledger.create_link("new", reset, &link("asha@firm.example", "")).await.unwrap();
        ledger.create_link("other", reset, &link("ravi@firm.example", "")).await.unwrap();
        let find = async |token, purpose| ledger.find_link(token, purpose, NOW_MS).await.unwrap();
        assert_eq!(find("old", reset).await, None, "replaced");
        assert_eq!(find("new", LinkPurpose::Invitation).await, None, "another purpose");
        assert!(find("new", reset).await.is_some() && find("other", reset).await.is_some());
        assert_eq!(ledger.find_link("new", reset, NOW_MS + DAY_MS).await.unwrap(), None, "late");
        assert!(ledger.use_link("new", NOW_MS).await.unwrap());
        assert!(!ledger.use_link("new", NOW_MS).await.unwrap());
        assert_eq!(find("new", reset).await, None, "used");
    });
}

#[test]
fn two_owners_who_remove_each_other_concurrently_leave_one() {
    on_every_engine(async |databases| {
        let ledger = Arc::new(databases.ledger().await);
        let names = ("asha", "Asha Exports");
        let (asha, account) =
            ledger.sign_up("asha@firm.example", names, "hash", true, NOW_MS).await.unwrap();
        let membership = (account.id.as_str(), Role::Owner);
        let ravi = ledger
            .create_member("ravi@firm.example", "ravi", "hash", membership, NOW_MS)
            .await
            .unwrap();
        let removals = [asha.id, ravi.id].map(|person_id| {
            let (ledger, account_id) = (ledger.clone(), account.id.clone());
            tokio::spawn(async move {
                ledger.change_member(&account_id, &person_id, None).await.unwrap()
            })
        });
        let mut removed = 0;
        for removal in removals {
            removed += usize::from(removal.await.unwrap());
        }
        assert_eq!(removed, 1);
        assert_eq!(ledger.list_members(&account.id).await.unwrap().len(), 1);
    });
}

#[test]
fn a_step_of_the_second_factor_works_once_and_earlier_steps_do_not() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let (person, _) =
            ledger.sign_up("asha@firm.example", ("a", "A"), "hash", true, NOW_MS).await.unwrap();
        ledger.set_totp(&person.id, Some("nonce"), Some(NOW_MS)).await.unwrap();
        let step = async |step| ledger.use_totp_step(&person.id, step).await.unwrap();
        assert!(step(100).await);
        assert!(!step(100).await && !step(99).await);
        assert!(step(101).await);
        let secret = ledger.totp_secret(&person.id, "nonce");
        assert_eq!(secret.len(), 20);
        assert_ne!(secret, ledger.totp_secret(&person.id, "another"));
    });
}
