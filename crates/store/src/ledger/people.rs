//! People: users who log in, and their credentials.

use super::{Account, Ledger, Mode, Role, new_id};
use crate::engine::{Row, Transaction};
use crate::error::{Result, StoreError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// `per_…`
    pub id: String,
    /// In lower case.
    pub email: String,
    pub name: String,
    /// `None` until a password is set.
    pub password_hash: Option<String>,
    /// The secret of the second factor is derived from it.
    pub totp_nonce: Option<String>,
    /// Since when the second factor is required; `None` if it is off.
    pub totp_since: Option<i64>,
}

/// Read by `person`.
pub(super) const PERSON_BY_ID: &str = "select id, email, name, password_hash, totp_nonce, totp_since \
                                       from people where id = $1";
pub(super) const PERSON_BY_EMAIL: &str = "select id, email, name, password_hash, totp_nonce, totp_since \
                                          from people where email = $1";

impl Ledger {
    /// Creates a person and an account that they own. Until the address is confirmed the account
    /// has no live free quota.
    pub async fn sign_up(
        &self,
        email: &str,
        (name, account_name): (&str, &str),
        password_hash: &str,
        confirmed: bool,
        now_ms: i64,
    ) -> Result<(Person, Account)> {
        let mut transaction = self.engine.transaction().await?;
        let names = (email, account_name);
        let account = super::accounts::insert(&mut transaction, names, confirmed, now_ms).await?;
        let person =
            insert(&mut transaction, &account.email, name, Some(password_hash), now_ms).await?;
        super::members::insert(&mut transaction, &account.id, &person.id, Role::Owner, now_ms)
            .await?;
        transaction.commit().await?;
        Ok((person, account))
    }

    /// The person with an email address. The owner of an account that the operator created has no
    /// row yet; this creates it.
    pub async fn find_or_create_person(&self, email: &str, now_ms: i64) -> Result<Option<Person>> {
        if let Some(person) = self.find_person(email).await? {
            return Ok(Some(person));
        }
        let Some(account) = self.find_account(email).await? else { return Ok(None) };
        let mut transaction = self.engine.transaction().await?;
        let person = insert(&mut transaction, &account.email, &account.name, None, now_ms).await?;
        super::members::insert(&mut transaction, &account.id, &person.id, Role::Owner, now_ms)
            .await?;
        transaction.commit().await?;
        Ok(Some(person))
    }

    /// Creates a person who accepted an invitation, and adds them to its account.
    pub async fn create_member(
        &self,
        email: &str,
        name: &str,
        password_hash: &str,
        membership: (&str, Role),
        now_ms: i64,
    ) -> Result<Person> {
        let mut transaction = self.engine.transaction().await?;
        let email = email.trim().to_lowercase();
        let person = insert(&mut transaction, &email, name, Some(password_hash), now_ms).await?;
        let (account_id, role) = membership;
        super::members::insert(&mut transaction, account_id, &person.id, role, now_ms).await?;
        transaction.commit().await?;
        Ok(person)
    }

    pub async fn find_person(&self, email: &str) -> Result<Option<Person>> {
        self.engine
            .query_opt(PERSON_BY_EMAIL, &[(&email.trim().to_lowercase()).into()], |row| {
                person(row, 0)
            })
            .await
    }

    /// The person with an id; `None` if there is none.
    pub async fn find_person_by_id(&self, person_id: &str) -> Result<Option<Person>> {
        self.engine.query_opt(PERSON_BY_ID, &[person_id.into()], |row| person(row, 0)).await
    }

    /// Sets a person's password, and ends all of their sessions and open links except
    /// `spared_session`.
    pub async fn set_password(
        &self,
        person: &Person,
        password_hash: &str,
        spared_session: Option<&str>,
    ) -> Result<()> {
        let spared_hash = spared_session.map(|token| self.hash_session(token)).unwrap_or_default();
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute(
                "update people set password_hash = $1 where id = $2",
                &[password_hash.into(), (&person.id).into()],
            )
            .await?;
        transaction
            .execute(
                "delete from sessions where person_id = $1 and hash <> $2",
                &[(&person.id).into(), (&spared_hash).into()],
            )
            .await?;
        transaction
            .execute(
                "delete from links where account_id = '' and purpose in ('reset', 'log_in') \
                 and email = $1",
                &[(&person.email).into()],
            )
            .await?;
        transaction.commit().await
    }

    /// Stores the nonce of a second factor; it is required once `since` is set. `None` switches it
    /// off and deletes its recovery codes.
    pub async fn set_totp(
        &self,
        person_id: &str,
        nonce: Option<&str>,
        since: Option<i64>,
    ) -> Result<()> {
        let mut transaction = self.engine.transaction().await?;
        transaction
            .execute(
                "update people set totp_nonce = $1, totp_since = $2 where id = $3",
                &[nonce.into(), since.into(), person_id.into()],
            )
            .await?;
        if nonce.is_none() {
            transaction
                .execute("delete from recovery_codes where person_id = $1", &[person_id.into()])
                .await?;
        }
        transaction.commit().await
    }

    /// Marks a time step of a code as used. False if it, or a later one, was used before.
    pub async fn use_totp_step(&self, person_id: &str, step: i64) -> Result<bool> {
        let changed = self
            .engine
            .execute(
                "update people set totp_last_step = $1 where id = $2 and totp_last_step < $1",
                &[step.into(), person_id.into()],
            )
            .await?;
        Ok(changed > 0)
    }

    pub fn totp_secret(&self, person_id: &str, nonce: &str) -> Vec<u8> {
        self.secret.derive(b"totp", &[person_id.as_bytes(), nonce.as_bytes()])[..20].to_vec()
    }
}

pub(super) async fn insert(
    transaction: &mut Transaction,
    email: &str,
    name: &str,
    password_hash: Option<&str>,
    now_ms: i64,
) -> Result<Person> {
    let id = new_id("per");
    let inserted = transaction
        .execute(
            "insert into people (id, email, name, password_hash, totp_last_step, created_at) \
             values ($1, $2, $3, $4, 0, $5)",
            &[(&id).into(), email.into(), name.into(), password_hash.into(), now_ms.into()],
        )
        .await;
    match inserted {
        Err(StoreError::Conflict(_)) => {
            Err(StoreError::Conflict(format!("{email} has signed up already")))
        }
        Err(other) => Err(other),
        Ok(_) => Ok(Person {
            id,
            email: email.to_owned(),
            name: name.to_owned(),
            password_hash: password_hash.map(str::to_owned),
            totp_nonce: None,
            totp_since: None,
        }),
    }
}

/// Reads the six columns of a person, starting at column `first`.
pub(super) fn person(row: &Row<'_>, first: usize) -> Result<Person> {
    Ok(Person {
        id: row.get(first)?,
        email: row.get(first + 1)?,
        name: row.get(first + 2)?,
        password_hash: row.get(first + 3)?,
        totp_nonce: row.get(first + 4)?,
        totp_since: row.get(first + 5)?,
    })
}

/// Parses a stored mode.
pub(super) fn stored_mode(word: &str) -> Result<Mode> {
    Mode::from_name(word).ok_or_else(|| StoreError::Bug(format!("unknown mode {word}")))
}
