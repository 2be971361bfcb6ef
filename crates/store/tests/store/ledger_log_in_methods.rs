//! Identities at a provider and passkeys: who they let in, and what they change.

use panji_store::Ledger;
use panji_store::ledger::{MAX_PASSKEYS, Passkey, Role, SsoIdentity, SsoMembership, SsoOutcome};
use panji_testkit::{NOW_MS, on_every_engine};

const ISSUER: &str = "https://id.example.in";

async fn new_account(ledger: &Ledger) -> String {
    let names = ("bank", "Namuna Bank");
    let signed_up = ledger.sign_up("bank@firm.example", names, "hash", true, NOW_MS).await;
    signed_up.unwrap().1.id
}

fn identity<'a>(
    account_id: &'a str,
    subject: &'a str,
    email: &'a str,
    role: Role,
) -> SsoIdentity<'a> {
    SsoIdentity { account_id, issuer: ISSUER, subject, email, name: "Asha", role }
}

async fn join(ledger: &Ledger, identity: SsoIdentity<'_>) -> (String, SsoMembership) {
    match ledger.join_by_sso(identity, NOW_MS).await.unwrap() {
        SsoOutcome::Member(person, change) => (person.id, change),
        other => panic!("{other:?}"),
    }
}

async fn role_of(ledger: &Ledger, account_id: &str, person_id: &str) -> Option<Role> {
    let members = ledger.list_members(account_id).await.unwrap();
    members.iter().find(|member| member.person_id == person_id).map(|member| member.role)
}

#[test]
fn an_identity_joins_once_and_its_role_is_set_at_every_log_in() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let asha = |role| identity(&account, "a-1", "Asha@Firm.example", role);
        let (person, change) = join(&ledger, asha(Role::Developer)).await;
        assert_eq!(change, SsoMembership::Joined);
        let stored = ledger.find_person_by_id(&person).await.unwrap().unwrap();
        assert_eq!((stored.email.as_str(), stored.password_hash), ("asha@firm.example", None));
        for (role, expected) in [
            (Role::Developer, SsoMembership::Unchanged),
            (Role::Billing, SsoMembership::RoleChanged),
            (Role::Owner, SsoMembership::RoleChanged),
        ] {
            assert_eq!(join(&ledger, asha(role)).await, (person.clone(), expected));
            assert_eq!(role_of(&ledger, &account, &person).await, Some(role));
        }
        // The address at the provider has changed; the person is the same.
        let renamed = identity(&account, "a-1", "asha.rao@firm.example", Role::Owner);
        assert_eq!(join(&ledger, renamed).await.0, person);
        assert!(ledger.has_sso_identity(&account, ISSUER, &person).await.unwrap());
        assert!(
            !ledger.has_sso_identity(&account, "https://other.example", &person).await.unwrap()
        );
    });
}

#[test]
fn an_existing_person_is_found_by_address_and_the_last_owner_stays() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let owner = ledger.find_person("bank@firm.example").await.unwrap().unwrap();
        let billing = identity(&account, "b-1", "bank@firm.example", Role::Billing);
        assert_eq!(join(&ledger, billing).await, (owner.id.clone(), SsoMembership::LastOwner));
        assert_eq!(role_of(&ledger, &account, &owner.id).await, Some(Role::Owner));
    });
}

#[test]
fn an_address_with_another_identity_is_refused_until_the_member_is_removed() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account = new_account(&ledger).await;
        let first = identity(&account, "a-1", "asha@firm.example", Role::Developer);
        let second = identity(&account, "a-2", "asha@firm.example", Role::Owner);
        let (person, _) = join(&ledger, first).await;
        assert_eq!(ledger.join_by_sso(second, NOW_MS).await.unwrap(), SsoOutcome::OtherIdentity);
        assert_eq!(role_of(&ledger, &account, &person).await, Some(Role::Developer));
        assert!(ledger.change_member(&account, &person, None).await.unwrap());
        assert_eq!(ledger.find_sso_person(&account, ISSUER, "a-1").await.unwrap(), None);
        assert_eq!(join(&ledger, second).await, (person, SsoMembership::Joined));
    });
}

fn passkey(id: &str, sign_count: i64) -> Passkey {
    Passkey {
        id: id.to_owned(),
        public_key: "key".to_owned(),
        sign_count,
        name: format!("passkey {id}"),
        created_at: NOW_MS,
        last_used_at: None,
    }
}

#[test]
fn a_passkey_is_used_only_with_a_higher_count_unless_it_does_not_count() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        assert!(ledger.add_passkey("per_asha", &passkey("counts", 4)).await.unwrap());
        assert!(ledger.add_passkey("per_asha", &passkey("none", 0)).await.unwrap());
        assert!(ledger.add_passkey("per_asha", &passkey("none", 0)).await.is_err());
        let used = async |person: &str, id: &str, count: i64| {
            ledger.use_passkey(person, id, count, NOW_MS + 5).await.unwrap()
        };
        assert!(used("per_asha", "counts", 5).await);
        for count in [5, 4, 0] {
            assert!(!used("per_asha", "counts", count).await, "{count}");
        }
        assert!(used("per_asha", "none", 0).await);
        assert!(used("per_asha", "none", 0).await);
        assert!(!used("per_ravi", "none", 0).await);
        let stored = ledger.list_passkeys("per_asha").await.unwrap();
        let uses: Vec<_> =
            stored.iter().map(|stored| (stored.sign_count, stored.last_used_at)).collect();
        assert_eq!(uses, [(5, Some(NOW_MS + 5)), (0, Some(NOW_MS + 5))]);
        assert!(!ledger.remove_passkey("per_ravi", "none").await.unwrap());
        assert!(ledger.remove_passkey("per_asha", "none").await.unwrap());
        assert!(!used("per_asha", "none", 0).await);
    });
}

#[test]
fn a_person_can_have_a_limited_number_of_passkeys() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        for number in 0..MAX_PASSKEYS {
            let added = ledger.add_passkey("per_asha", &passkey(&number.to_string(), 0)).await;
            assert!(added.unwrap());
        }
        assert!(!ledger.add_passkey("per_asha", &passkey("one more", 0)).await.unwrap());
        assert!(ledger.add_passkey("per_ravi", &passkey("0", 0)).await.unwrap());
    });
}
