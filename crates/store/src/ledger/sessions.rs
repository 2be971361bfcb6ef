//! Sessions: a browser that has logged in, valid on every node.

use super::members::stored_role;
use super::people::stored_mode;
use super::{Account, Ledger, Mode, Person, Role, equal_in_constant_time};
use crate::error::Result;

/// Sessions of one person that are listed.
const MAX_LISTED: i64 = 100;

/// Sessions, and links, that are dropped at a time, so that charges do not wait.
const DROPPED_AT_A_TIME: i64 = 10_000;

/// A session with everything a page needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Who has logged in.
    pub person: Person,
    /// The account they work in.
    pub account: Account,
    /// What they are to it.
    pub role: Role,
    /// Whether the console shows test or live.
    pub mode: Mode,
    /// When it was last seen, to about a minute.
    pub seen_at: i64,
    /// When it ends.
    pub expires_at: i64,
}

/// A session as its owner sees it in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// Whether it is the one that asks.
    pub current: bool,
    /// When it began.
    pub created_at: i64,
    /// When it was last seen.
    pub seen_at: i64,
    /// From which address it began.
    pub address: String,
    /// What the browser calls itself.
    pub agent: String,
}

/// What a new session is to be.
#[derive(Clone, Debug)]
pub struct NewSession<'a> {
    /// Who has logged in.
    pub person_id: &'a str,
    /// The account to begin with.
    pub account_id: &'a str,
    /// The client's address.
    pub address: &'a str,
    /// What the browser calls itself.
    pub agent: &'a str,
    /// When it begins.
    pub now_ms: i64,
    /// When it ends.
    pub expires_at: i64,
}

impl Ledger {
    /// Begins a session, in test mode.
    pub async fn create_session(&self, token: &str, new: NewSession<'_>) -> Result<()> {
        self.engine
            .execute(
                "insert into sessions (hash, person_id, account_id, mode, created_at, seen_at, \
                 expires_at, address, agent) values ($1, $2, $3, $4, $5, $5, $6, $7, $8)",
                &[
                    (&self.hash_session(token)).into(),
                    new.person_id.into(),
                    new.account_id.into(),
                    Mode::Test.as_str().into(),
                    new.now_ms.into(),
                    new.expires_at.into(),
                    new.address.into(),
                    new.agent.into(),
                ],
            )
            .await?;
        Ok(())
    }

    /// The session of a cookie, while it lasts and the person belongs to its account.
    pub async fn find_session(&self, token: &str, now_ms: i64) -> Result<Option<Session>> {
        self.engine
            .query_opt(
                "select people.id, people.email, people.name, password_hash, totp_nonce, \
                 totp_since, accounts.id, accounts.email, accounts.name, accounts.created_at, \
                 suspended_at, operator_since, confirmed_at, role, mode, seen_at, expires_at \
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
                    })
                },
            )
            .await
    }

    /// Notes that a session was seen.
    pub async fn touch_session(&self, token: &str, seen_at: i64) -> Result<()> {
        self.engine
            .execute(
                "update sessions set seen_at = $1 where hash = $2",
                &[seen_at.into(), (&self.hash_session(token)).into()],
            )
            .await?;
        Ok(())
    }

    /// Shows another mode, or another account, in a session.
    pub async fn rotate_session(&self, token: &str, account_id: &str, mode: Mode) -> Result<()> {
        self.engine
            .execute(
                "update sessions set account_id = $1, mode = $2 where hash = $3",
                &[account_id.into(), mode.as_str().into(), (&self.hash_session(token)).into()],
            )
            .await?;
        Ok(())
    }

    /// Ends a session.
    pub async fn end_session(&self, token: &str) -> Result<()> {
        self.engine
            .execute("delete from sessions where hash = $1", &[(&self.hash_session(token)).into()])
            .await?;
        Ok(())
    }

    /// Ends all sessions of a person but this one.
    pub async fn end_other_sessions(&self, person_id: &str, token: &str) -> Result<u64> {
        self.engine
            .execute(
                "delete from sessions where person_id = $1 and hash <> $2",
                &[person_id.into(), (&self.hash_session(token)).into()],
            )
            .await
    }

    /// The sessions of a person, latest seen first.
    pub async fn list_sessions(
        &self,
        person_id: &str,
        token: &str,
        now_ms: i64,
    ) -> Result<Vec<ListedSession>> {
        let current = self.hash_session(token);
        self.engine
            .query(
                "select hash, created_at, seen_at, address, agent from sessions \
                 where person_id = $1 and expires_at > $2 order by seen_at desc, hash limit $3",
                &[person_id.into(), now_ms.into(), MAX_LISTED.into()],
                |row| {
                    Ok(ListedSession {
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

    /// Drops sessions and links past their time, some at a time.
    pub async fn drop_old_sessions(&self, now_ms: i64) -> Result<()> {
        for statement in [
            "delete from sessions where hash in (select hash from sessions \
             where expires_at <= $1 order by expires_at limit $2)",
            "delete from links where hash in (select hash from links \
             where expires_at <= $1 order by expires_at limit $2)",
        ] {
            self.engine.execute(statement, &[now_ms.into(), DROPPED_AT_A_TIME.into()]).await?;
        }
        Ok(())
    }

    /// The text that proves a form to come from a page of this session.
    pub fn form_token(&self, session_token: &str) -> String {
        self.secret.token(b"form", session_token)
    }

    /// Whether a text is the form token of this session.
    pub fn is_form_token(&self, session_token: &str, given: &str) -> bool {
        equal_in_constant_time(&self.form_token(session_token), given)
    }

    /// A seal with which we recognise a text of ours that a browser held for a moment.
    pub fn seal_ticket(&self, text: &str) -> String {
        self.secret.token(b"ticket", text)
    }

    /// Whether a seal is ours over this text.
    pub fn is_ticket_seal(&self, text: &str, given: &str) -> bool {
        equal_in_constant_time(&self.seal_ticket(text), given)
    }

    pub(super) fn hash_session(&self, token: &str) -> String {
        self.secret.token(b"session", token)
    }
}
