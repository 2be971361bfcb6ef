//! Watch lists and their members: companies, directors and GST registrations.

use super::{Ledger, Mode, new_id};
use crate::engine::{Row, Transaction, Value};
use crate::error::{Result, StoreError};

/// Members that one call adds or removes.
pub const MAX_MEMBERS_PER_CALL: usize = 1_000;
/// Rows deleted in one statement, so that charges do not wait.
const DELETE_BATCH: i64 = 1_000;

/// The account and mode that a list belongs to.
pub type Owner<'a> = (&'a str, Mode);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watchlist {
    pub id: String,
    pub name: String,
    pub members: i64,
    pub created_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchMember {
    /// A CIN, LLPIN, FCRN, DIN or GSTIN in its canonical form.
    pub member: String,
    /// `company`, `director` or `gst`.
    pub kind: String,
    pub added_at: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchLimits {
    /// Lists of an account and mode.
    pub lists: i64,
    /// Members of a list.
    pub members: i64,
}

/// The result of adding a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddedMember {
    Added,
    /// It was on the list already.
    Present,
}

impl Ledger {
    /// Creates a list; `None` if the account has as many as it may have.
    pub async fn create_watchlist(
        &self,
        (account_id, mode): Owner<'_>,
        name: &str,
        limits: WatchLimits,
        now_ms: i64,
    ) -> Result<Option<Watchlist>> {
        let mut transaction = self.engine.transaction().await?;
        lock_state(&mut transaction, (account_id, mode)).await?;
        let lists = transaction
            .query_opt(
                "select count(*) from watchlists where account_id = $1 and mode = $2",
                &[account_id.into(), mode.as_str().into()],
                |row| row.get::<i64>(0),
            )
            .await?;
        if lists.unwrap_or(0) >= limits.lists {
            return Ok(None);
        }
        let id = new_id("wl");
        transaction
            .execute(
                "insert into watchlists (account_id, mode, id, name, member_count, created_at) \
                 values ($1, $2, $3, $4, 0, $5)",
                &[
                    account_id.into(),
                    mode.as_str().into(),
                    (&id).into(),
                    name.into(),
                    now_ms.into(),
                ],
            )
            .await?;
        transaction.commit().await?;
        Ok(Some(Watchlist { id, name: name.to_owned(), members: 0, created_at: now_ms }))
    }

    /// The lists of an account, oldest first. Their number is limited.
    pub async fn list_watchlists(&self, (account_id, mode): Owner<'_>) -> Result<Vec<Watchlist>> {
        self.engine
            .query(
                "select id, name, member_count, created_at from watchlists \
                 where account_id = $1 and mode = $2 order by id",
                &[account_id.into(), mode.as_str().into()],
                watchlist,
            )
            .await
    }

    pub async fn find_watchlist(
        &self,
        (account_id, mode): Owner<'_>,
        id: &str,
    ) -> Result<Option<Watchlist>> {
        self.engine
            .query_opt(
                "select id, name, member_count, created_at from watchlists \
                 where account_id = $1 and mode = $2 and id = $3",
                &[account_id.into(), mode.as_str().into(), id.into()],
                watchlist,
            )
            .await
    }

    /// Renames a list; `None` if there is no such list.
    pub async fn rename_watchlist(
        &self,
        (account_id, mode): Owner<'_>,
        id: &str,
        name: &str,
    ) -> Result<Option<Watchlist>> {
        let mut transaction = self.engine.transaction().await?;
        let renamed = transaction
            .query_opt(
                "update watchlists set name = $1 where account_id = $2 and mode = $3 and id = $4 \
                 returning id, name, member_count, created_at",
                &[name.into(), account_id.into(), mode.as_str().into(), id.into()],
                watchlist,
            )
            .await?;
        transaction.commit().await?;
        Ok(renamed)
    }

    /// Deletes a list with its members. The events that were collected stay. False if there is no
    /// such list.
    pub async fn delete_watchlist(&self, (account_id, mode): Owner<'_>, id: &str) -> Result<bool> {
        let key: [Value<'_>; 3] = [account_id.into(), mode.as_str().into(), id.into()];
        let deleted = self
            .engine
            .execute("delete from watchlists where account_id = $1 and mode = $2 and id = $3", &key)
            .await?;
        // Nobody can add members any more. A list can be long, so they are deleted in parts; a
        // repeat deletes what a crash left.
        loop {
            let part = self
                .engine
                .execute(
                    "delete from watch_members where account_id = $1 and mode = $2 \
                     and watchlist_id = $3 and member in (select member from watch_members \
                     where account_id = $1 and mode = $2 and watchlist_id = $3 \
                     order by member limit $4)",
                    &[key[0], key[1], key[2], DELETE_BATCH.into()],
                )
                .await?;
            if part == 0 {
                return Ok(deleted > 0);
            }
        }
    }

    /// Adds members, given as identifier and kind; all or none. `None` if there is no such list; a
    /// conflict if it would have more members than allowed.
    pub async fn add_watch_members(
        &self,
        (account_id, mode): Owner<'_>,
        id: &str,
        members: &[(&str, &str)],
        limits: WatchLimits,
        now_ms: i64,
    ) -> Result<Option<Vec<AddedMember>>> {
        debug_assert!(members.len() <= MAX_MEMBERS_PER_CALL, "a call adds a limited number");
        let mut transaction = self.engine.transaction().await?;
        let Some(before) = lock_list(&mut transaction, (account_id, mode), id).await? else {
            return Ok(None);
        };
        let mut outcomes = Vec::with_capacity(members.len());
        for (member, kind) in members {
            let added = transaction
                .execute(
                    "insert into watch_members (account_id, mode, watchlist_id, member, kind, \
                     added_at) values ($1, $2, $3, $4, $5, $6) \
                     on conflict (account_id, mode, watchlist_id, member) do nothing",
                    &[
                        account_id.into(),
                        mode.as_str().into(),
                        id.into(),
                        (*member).into(),
                        (*kind).into(),
                        now_ms.into(),
                    ],
                )
                .await?;
            outcomes.push(if added > 0 { AddedMember::Added } else { AddedMember::Present });
        }
        let added = outcomes.iter().filter(|outcome| **outcome == AddedMember::Added).count();
        let after = before + i64::try_from(added).unwrap_or(i64::MAX);
        if added > 0 && after > limits.members {
            return Err(StoreError::Conflict(format!(
                "a watch list has at most {} members; this one has {before}",
                limits.members
            )));
        }
        set_count(&mut transaction, (account_id, mode), id, after).await?;
        transaction.commit().await?;
        Ok(Some(outcomes))
    }

    /// Removes members. Says of each whether it was on the list; `None` if there is no such list.
    pub async fn remove_watch_members(
        &self,
        (account_id, mode): Owner<'_>,
        id: &str,
        members: &[&str],
    ) -> Result<Option<Vec<bool>>> {
        let mut transaction = self.engine.transaction().await?;
        let Some(before) = lock_list(&mut transaction, (account_id, mode), id).await? else {
            return Ok(None);
        };
        let mut outcomes = Vec::with_capacity(members.len());
        for member in members {
            let removed = transaction
                .execute(
                    "delete from watch_members where account_id = $1 and mode = $2 \
                     and watchlist_id = $3 and member = $4",
                    &[account_id.into(), mode.as_str().into(), id.into(), (*member).into()],
                )
                .await?;
            outcomes.push(removed > 0);
        }
        let removed = outcomes.iter().filter(|removed| **removed).count();
        let after = before - i64::try_from(removed).unwrap_or(0);
        set_count(&mut transaction, (account_id, mode), id, after).await?;
        transaction.commit().await?;
        Ok(Some(outcomes))
    }

    /// Members after one, in the order of their identifiers.
    pub async fn list_watch_members(
        &self,
        (account_id, mode): Owner<'_>,
        id: &str,
        after: &str,
        limit: i64,
    ) -> Result<Vec<WatchMember>> {
        self.engine
            .query(
                "select member, kind, added_at from watch_members where account_id = $1 \
                 and mode = $2 and watchlist_id = $3 and member > $4 order by member limit $5",
                &[account_id.into(), mode.as_str().into(), id.into(), after.into(), limit.into()],
                |row| {
                    Ok(WatchMember {
                        member: row.get(0)?,
                        kind: row.get(1)?,
                        added_at: row.get(2)?,
                    })
                },
            )
            .await
    }

    /// The lists of an account that watch a member.
    pub async fn list_watchlists_of(
        &self,
        (account_id, mode): Owner<'_>,
        member: &str,
    ) -> Result<Vec<String>> {
        self.engine
            .query(
                "select watchlist_id from watch_members \
                 where mode = $1 and member = $2 and account_id = $3 order by watchlist_id",
                &[mode.as_str().into(), member.into(), account_id.into()],
                |row| row.get(0),
            )
            .await
    }
}

/// Locks the watch state of an account, so that limits and numbers hold across all nodes.
pub(super) async fn lock_state(
    transaction: &mut Transaction,
    (account_id, mode): Owner<'_>,
) -> Result<()> {
    transaction
        .execute(
            "insert into watch_states (account_id, mode) values ($1, $2) \
             on conflict (account_id, mode) do update set mode = watch_states.mode",
            &[account_id.into(), mode.as_str().into()],
        )
        .await?;
    Ok(())
}

/// Locks a list; returns the number of its members.
async fn lock_list(
    transaction: &mut Transaction,
    (account_id, mode): Owner<'_>,
    id: &str,
) -> Result<Option<i64>> {
    transaction
        .query_opt(
            "update watchlists set name = name where account_id = $1 and mode = $2 and id = $3 \
             returning member_count",
            &[account_id.into(), mode.as_str().into(), id.into()],
            |row| row.get(0),
        )
        .await
}

/// Puts the new number of a company on all lists in place of its former one.
pub(super) async fn replace_member(
    transaction: &mut Transaction,
    mode: Mode,
    former: &str,
    present: &str,
) -> Result<()> {
    // A list that has both keeps one of them.
    let doubled: Vec<(String, String)> = transaction
        .query(
            "delete from watch_members where mode = $1 and member = $2 and exists (select 1 \
             from watch_members as others where others.account_id = watch_members.account_id \
             and others.mode = $1 and others.watchlist_id = watch_members.watchlist_id \
             and others.member = $3) returning account_id, watchlist_id",
            &[mode.as_str().into(), former.into(), present.into()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .await?;
    for (account_id, id) in &doubled {
        transaction
            .execute(
                "update watchlists set member_count = member_count - 1 \
                 where account_id = $1 and mode = $2 and id = $3",
                &[account_id.into(), mode.as_str().into(), id.into()],
            )
            .await?;
    }
    transaction
        .execute(
            "update watch_members set member = $1 where mode = $2 and member = $3",
            &[present.into(), mode.as_str().into(), former.into()],
        )
        .await?;
    Ok(())
}

async fn set_count(
    transaction: &mut Transaction,
    (account_id, mode): Owner<'_>,
    id: &str,
    members: i64,
) -> Result<()> {
    transaction
        .execute(
            "update watchlists set member_count = $1 \
             where account_id = $2 and mode = $3 and id = $4",
            &[members.into(), account_id.into(), mode.as_str().into(), id.into()],
        )
        .await?;
    Ok(())
}

fn watchlist(row: &Row<'_>) -> Result<Watchlist> {
    Ok(Watchlist {
        id: row.get(0)?,
        name: row.get(1)?,
        members: row.get(2)?,
        created_at: row.get(3)?,
    })
}
