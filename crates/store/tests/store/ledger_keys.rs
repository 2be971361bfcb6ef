//! Accounts and keys: ownership, permissions, expiry.

use panji_store::StoreError;
use panji_store::ledger::{KeyKind, KeyText, Mode, NewKey};
use panji_testkit::{NOW_MS, on_every_engine};

use super::new_account;

/// A unique key.
pub fn key_text(mode: Mode) -> KeyText {
    KeyText::generate(KeyKind::Api, mode, |bytes| {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&ulid::Ulid::generate().to_bytes()[8..]);
        }
    })
}

fn new_key() -> NewKey {
    NewKey {
        name: "Billing".into(),
        expires_at: Some(NOW_MS + 1_000),
        allowed_addresses: vec!["10.0.0.0/8".into(), "2001:db8::/32".into()],
        allowed_operations: vec!["get_company".into()],
        monthly_cap: Some(500),
    }
}

#[test]
fn there_is_one_account_per_address_in_any_spelling() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let created = ledger.create_account(" Asha@Example.IN ", "Asha", NOW_MS).await.unwrap();
        assert!(created.id.starts_with("acc_"));
        assert_eq!(created.email, "asha@example.in");
        assert_eq!(ledger.find_account("ASHA@example.in").await.unwrap(), Some(created.clone()));
        let again = ledger.create_account("asha@example.in", "Other", NOW_MS).await.unwrap_err();
        let StoreError::Conflict(reason) = again else { panic!("{again:?}") };
        assert!(reason.contains("asha@example.in"), "{reason}");
        let second = ledger.create_account("b@example.in", "B", NOW_MS - 1).await.unwrap();
        let mut listed = ledger.list_accounts("").await.unwrap();
        listed.sort_by_key(|account| account.created_at);
        assert_eq!(listed, [second, created]);
        assert_eq!(ledger.find_account("nobody@example.in").await.unwrap(), None);
    });
}

#[test]
fn a_key_is_found_by_its_hash_with_its_permissions() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let text = key_text(Mode::Live);
        let created = ledger.create_key(&account_id, &text, new_key(), NOW_MS).await.unwrap();
        let hash = ledger.hash_key(&text);
        let found = databases.ledger().await.find_key(&hash).await.unwrap().unwrap();
        assert_eq!((&found.key, found.account_suspended), (&created, false));
        assert_eq!(created.mode, Mode::Live);
        assert_eq!(created.allowed_addresses, ["10.0.0.0/8", "2001:db8::/32"]);
        assert_eq!(created.allowed_operations, ["get_company"]);
        assert_eq!((created.monthly_cap, created.expires_at), (Some(500), Some(NOW_MS + 1_000)));
        assert_eq!(ledger.find_key_by_id(&created.id).await.unwrap(), Some(created));
        let other = ledger.hash_key(&key_text(Mode::Live));
        assert_eq!(ledger.find_key(&other).await.unwrap(), None);
    });
}

#[test]
fn a_key_without_limits_may_do_everything() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let text = key_text(Mode::Test);
        ledger.create_key(&account_id, &text, NewKey::default(), NOW_MS).await.unwrap();
        let key = ledger.find_key(&ledger.hash_key(&text)).await.unwrap().unwrap().key;
        assert_eq!(key.mode, Mode::Test);
        assert!(key.allowed_addresses.is_empty() && key.allowed_operations.is_empty());
        assert_eq!((key.monthly_cap, key.expires_at, key.revoked_at), (None, None, None));
    });
}

#[test]
fn neither_a_key_nor_a_part_of_it_is_stored() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let text = key_text(Mode::Live);
        ledger.create_key(&account_id, &text, new_key(), NOW_MS).await.unwrap();
        let engine = databases.engine("ledger").await;
        let row: Option<String> = engine
            .query_opt("select hash || id || name || hint from api_keys", &[], |row| row.get(0))
            .await
            .unwrap();
        let row = row.unwrap();
        let random_part = &text.as_str()[8..34];
        for start in 0..random_part.len() - 8 {
            assert!(!row.contains(&random_part[start..start + 8]), "{row}");
        }
        let again = ledger.create_key(&account_id, &text, new_key(), NOW_MS).await;
        assert!(matches!(again, Err(StoreError::Conflict(_))), "{again:?}");
    });
}

#[test]
fn the_keys_of_a_suspended_account_are_marked_until_it_is_resumed() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let text = key_text(Mode::Live);
        ledger.create_key(&account_id, &text, new_key(), NOW_MS).await.unwrap();
        for suspended_at in [Some(NOW_MS), None] {
            ledger.set_suspended(&account_id, suspended_at).await.unwrap();
            let found = ledger.find_key(&ledger.hash_key(&text)).await.unwrap().unwrap();
            assert_eq!(found.account_suspended, suspended_at.is_some());
            assert_eq!(ledger.list_accounts("").await.unwrap()[0].suspended_at, suspended_at);
        }
    });
}

#[test]
fn a_key_is_revoked_once_and_permanently() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let text = key_text(Mode::Live);
        let key = ledger.create_key(&account_id, &text, new_key(), NOW_MS).await.unwrap();
        assert!(ledger.revoke_key(&key.id, NOW_MS + 1).await.unwrap());
        assert!(!ledger.revoke_key(&key.id, NOW_MS + 2).await.unwrap());
        assert!(!ledger.revoke_key("key_none", NOW_MS).await.unwrap());
        let found = ledger.find_key(&ledger.hash_key(&text)).await.unwrap().unwrap();
        assert_eq!(found.key.revoked_at, Some(NOW_MS + 1));
    });
}

#[test]
fn a_rolled_key_passes_on_its_settings_and_expires_no_later_than_before() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let first =
            ledger.create_key(&account_id, &key_text(Mode::Live), new_key(), NOW_MS).await.unwrap();
        let text = key_text(Mode::Live);
        let second = ledger.roll_key(&first, &text, NOW_MS + 500, NOW_MS + 1).await.unwrap();
        let ended = ledger.find_key_by_id(&first.id).await.unwrap().unwrap();
        assert_eq!(ended.expires_at, Some(NOW_MS + 500));
        assert_eq!(second.allowed_addresses, first.allowed_addresses);
        assert_eq!(second.allowed_operations, first.allowed_operations);
        assert_eq!(
            (second.name.as_str(), second.monthly_cap, second.expires_at),
            ("Billing", Some(500), Some(NOW_MS + 1_000))
        );
        // It would have expired sooner anyway.
        ledger.roll_key(&second, &key_text(Mode::Live), NOW_MS + 9_000, NOW_MS + 2).await.unwrap();
        let ended = ledger.find_key_by_id(&second.id).await.unwrap().unwrap();
        assert_eq!(ended.expires_at, Some(NOW_MS + 1_000));
        let listed = ledger.list_keys(&account_id).await.unwrap();
        assert_eq!(listed.len(), 3);
        assert_eq!((&listed[0].id, &listed[1].id), (&first.id, &second.id));
    });
}
