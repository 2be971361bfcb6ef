//! Sessions of logged-in browsers, valid on every node.

use super::members::stored_role;
use super::people::stored_mode;
use super::{Account, Ledger, Mode, Person, Role, equal_in_constant_time};
use crate::error::Result;

const MAX_SESSIONS: i64 = 100;

/// Rows deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 10_000;

/// How a person proved who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogInMethod {
    /// The password, with the second factor if there is one.
    Password,
    /// A link that the operator created.
    Link,
    /// The identity provider of an account.
    Sso,
    Passkey,
}

impl LogInMethod {
    const ALL: [LogInMethod; 4] =
        [LogInMethod::Password, LogInMethod::Link, LogInMethod::Sso, LogInMethod::Passkey];

    pub fn as_str(self) -> &'static str {
        match self {
            LogInMethod::Password => "password",
            LogInMethod::Link => "link",
            LogInMethod::Sso => "sso",
            LogInMethod::Passkey => "passkey",
        }
    }

    pub fn from_name(word: &str) -> Option<LogInMethod> {
        LogInMethod::ALL.into_iter().find(|method| method.as_str() == word)
    }
}

/// A session with the data that a page needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub person: Person,
    /// The account selected in the session.
    pub account: Account,
    pub role: Role,
    /// Whether the console displays test or live data.
    pub mode: Mode,
    /// Accurate to about a minute.
    pub seen_at: i64,
    pub expires_at: i64,
    /// `None` for sessions of earlier versions.
    pub method: Option<LogInMethod>,
}

/// A session in its owner's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Whether it is the session of this request.
    pub current: bool,
    pub created_at: i64,
    pub seen_at: i64,
    /// The client address at login.
    pub address: String,
    /// The browser's user agent.
    pub agent: String,
}

#[derive(Clone, Debug)]
pub struct NewSession<'a> {
    pub person_id: &'a str,
    /// The account selected at first.
    pub account_id: &'a str,
    /// The client's address.
    pub address: &'a str,
    /// The browser's user agent.
    pub agent: &'a str,
    pub method: LogInMethod,
    pub now_ms: i64,
    pub expires_at: i64,
}

impl Ledger {
    /// Starts a session, in test mode.
    pub async fn create_session(&self, token: &str, new: NewSession<'_>) -> Result<()> {
        self.engine
            .execute(
                "insert into sessions (hash, person_id, account_id, mode, created_at, seen_at, \
                 expires_at, address, agent, method) \
                 values ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9)",
                &[
                    (&self.hash_session(token)).into(),
                    new.person_id.into(),
                    new.account_id.into(),
                    Mode::Test.as_str().into(),
                    new.now_ms.into(),
                    new.expires_at.into(),
                    new.address.into(),
                    new.agent.into(),
                    new.method.as_str().into(),
                ],
            )
            .await?;
        Ok(())
    }

    /// The session of a cookie, if it has not expired and the person is a member of its account.
    pub async fn find_session(&self, token: &str, now_ms: i64) -> Result<Option<Session>> {
        self.engine
            .query_opt(
                "select people.id, people.email, people.name, password_hash, totp_nonce, \
                 totp_since, accounts.id, accounts.email, accounts.name, accounts.created_at, \
                 suspended_at, operator_since, confirmed_at, role, mode, seen_at, expires_at, method \
                 from sessions join people on people.id = sessions.person_id \
                 join accounts on accounts.id = sessions.account_id \
                 join members on members.account_id = sessions.account_id \
                 and members.person_id = sessions.person_id \
                 where hash = $1 and expires_at > $2",
                &[(&self.hash_session(token)).into(), now_ms.into()],
                |row| {
                    Ok(Session {
                        person: super::people::person(row, 0)?,
                        account: super::accounts::account(row, 6)?,
                        role: stored_role(&row.get::<String>(13)?)?,
                        mode: stored_mode(&row.get::<String>(14)?)?,
                        seen_at: row.get(15)?,
                        expires_at: row.get(16)?,
                        method: row
                            .get::<Option<String>>(17)?
                            .and_then(|word| LogInMethod::from_name(&word)),
                    })
                },
            )
            .await
    }

    /// Updates the time of last use.
    pub async fn touch_session(&self, token: &str, seen_at: i64) -> Result<()> {
        self.engine
            .execute(
                "update sessions set seen_at = $1 where hash = $2",
                &[seen_at.into(), (&self.hash_session(token)).into()],
            )
            .await?;
        Ok(())
    }

    /// Selects another mode or account in a session.
    pub async fn update_session(&self, token: &str, account_id: &str, mode: Mode) -> Result<()> {
        self.engine
            .execute(
                "update sessions set account_id = $1, mode = $2 where hash = $3",
                &[account_id.into(), mode.as_str().into(), (&self.hash_session(token)).into()],
            )
            .await?;
        Ok(())
    }

    pub async fn end_session(&self, token: &str) -> Result<()> {
        self.engine
            .execute("delete from sessions where hash = $1", &[(&self.hash_session(token)).into()])
            .await?;
        Ok(())
    }

    /// Ends all sessions of a person except this one.
    pub async fn end_other_sessions(&self, person_id: &str, token: &str) -> Result<u64> {
        self.engine
            .execute(
                "delete from sessions where person_id = $1 and hash <> $2",
                &[person_id.into(), (&self.hash_session(token)).into()],
            )
            .await
    }

    /// Ends the sessions of a person in one account.
    pub async fn end_sessions_in(&self, account_id: &str, person_id: &str) -> Result<u64> {
        self.engine
            .execute(
                "delete from sessions where account_id = $1 and person_id = $2",
                &[account_id.into(), person_id.into()],
            )
            .await
    }

    /// The sessions of a person, most recently used first.
    pub async fn list_sessions(
        &self,
        person_id: &str,
        token: &str,
        now_ms: i64,
    ) -> Result<Vec<SessionSummary>> {
        let current = self.hash_session(token);
        self.engine
            .query(
                "select hash, created_at, seen_at, address, agent from sessions \
                 where person_id = $1 and expires_at > $2 order by seen_at desc, hash limit $3",
                &[person_id.into(), now_ms.into(), MAX_SESSIONS.into()],
                |row| {
                    Ok(SessionSummary {
                        current: row.get::<String>(0)? == current,
                        created_at: row.get(1)?,
                        seen_at: row.get(2)?,
                        address: row.get(3)?,
                        agent: row.get(4)?,
                    })
                },
            )
            .await
    }

    /// Deletes expired sessions and links, a limited number at a time.
    pub async fn delete_expired_sessions(&self, now_ms: i64) -> Result<()> {
        for statement in [
            "delete from sessions where hash in (select hash from sessions \
             where expires_at <= $1 order by expires_at limit $2)",
            "delete from links where hash in (select hash from links \
             where expires_at <= $1 order by expires_at limit $2)",
        ] {
            self.engine.execute(statement, &[now_ms.into(), DELETE_BATCH.into()]).await?;
        }
        Ok(())
    }

    /// The CSRF token: proves that a form comes from a page of this session.
    pub fn form_token(&self, session_token: &str) -> String {
        self.secret.token(b"form", session_token)
    }

    pub fn is_form_token(&self, session_token: &str, given: &str) -> bool {
        equal_in_constant_time(&self.form_token(session_token), given)
    }

    /// A signature of a text that the browser stores for a short time and sends back.
    pub fn sign_ticket(&self, text: &str) -> String {
        self.secret.token(b"ticket", text)
    }

    /// Whether the signature matches the text.
    pub fn is_ticket_signature(&self, text: &str, given: &str) -> bool {
        equal_in_constant_time(&self.sign_ticket(text), given)
    }

    pub(super) fn hash_session(&self, token: &str) -> String {
        self.secret.token(b"session", token)
    }
}
