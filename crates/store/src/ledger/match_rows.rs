//! The rows of a matching job: what the machine decided for each, and what a person decided.

use serde_json::{Map, Value as Json};

use super::{BulkJob, Ledger};
use crate::engine::{Row, Transaction, Value};
use crate::error::{Result, StoreError};

/// What was decided for a row when it was processed.
#[derive(Clone, Debug)]
pub struct NewMatchRow {
    /// The number of the row in the list, from 0.
    pub number: i64,
    /// The normalized text of the item.
    pub item: String,
    pub decision: String,
    /// The matched company; none without a match.
    pub cin: Option<String>,
    pub machine_decision: String,
    pub machine_cin: Option<String>,
    /// When a person decided; none if the machine did.
    pub decided_at: Option<i64>,
}

/// What is decided for a row now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// The number of the row in the list, from 0.
    pub number: i64,
    pub decision: String,
    /// The matched company; none without a match.
    pub cin: Option<String>,
    /// When a person decided; none if the machine did.
    pub decided_at: Option<i64>,
    /// Who decided, while the decision is kept for the account.
    pub person_id: Option<String>,
}

/// Which rows are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchFilter<'a> {
    All,
    /// Those with this decision.
    Decision(&'a str),
    /// Those that a person decided.
    ByPerson,
}

/// How many rows of a job have which decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchCounts {
    pub matched: i64,
    pub review: i64,
    pub none: i64,
    /// Those that a person decided; they are in the other counts too.
    pub by_person: i64,
}

macro_rules! rows_where {
    ($condition:literal) => {
        concat!(
            "select row_number, decision, match_rows.cin, match_rows.decided_at, person_id \
             from match_rows left join match_decisions as kept \
             on kept.account_id = match_rows.account_id and kept.mode = $1 \
             and kept.item_hash = match_rows.item_hash \
             and kept.decided_at = match_rows.decided_at \
             where match_rows.account_id = $2 and job_id = $3 and row_number >= $4 ",
            $condition,
            " order by row_number limit $5"
        )
    };
}

impl Ledger {
    /// The rows of a matching job from a number on.
    pub async fn list_match_rows(
        &self,
        job: &BulkJob,
        filter: MatchFilter<'_>,
        from_number: i64,
        limit: i64,
    ) -> Result<Vec<MatchRow>> {
        let mut parameters: Vec<Value<'_>> = vec![
            job.mode.as_str().into(),
            (&job.account_id).into(),
            (&job.id).into(),
            from_number.into(),
        ];
        let sql = match filter {
            MatchFilter::All => rows_where!(""),
            MatchFilter::ByPerson => rows_where!("and match_rows.decided_at is not null"),
            MatchFilter::Decision("match") => rows_where!("and decision = 'match'"),
            MatchFilter::Decision("none") => rows_where!("and decision = 'none'"),
            MatchFilter::Decision(_) => rows_where!("and decision = 'review'"),
        };
        parameters.push(limit.into());
        self.engine.query(sql, &parameters, match_row).await
    }

    pub async fn count_match_rows(&self, job: &BulkJob) -> Result<MatchCounts> {
        let groups = self
            .engine
            .query(
                "select decision, count(*), count(decided_at) from match_rows \
                 where account_id = $1 and job_id = $2 group by decision",
                &[(&job.account_id).into(), (&job.id).into()],
                |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?, row.get::<i64>(2)?)),
            )
            .await?;
        let mut counts = MatchCounts::default();
        for (decision, rows, by_person) in groups {
            counts.by_person += by_person;
            match decision.as_str() {
                "match" => counts.matched = rows,
                "review" => counts.review = rows,
                _ => counts.none += rows,
            }
        }
        Ok(counts)
    }

    /// Writes the rows of a chunk.
    pub(super) async fn insert_match_rows(
        &self,
        transaction: &mut Transaction,
        job: &BulkJob,
        rows: &[NewMatchRow],
    ) -> Result<()> {
        let hashes: Vec<String> = rows.iter().map(|row| self.hash_item(&row.item)).collect();
        let rows: Vec<Vec<Value<'_>>> = rows
            .iter()
            .zip(&hashes)
            .map(|(row, hash)| {
                vec![
                    (&job.account_id).into(),
                    (&job.id).into(),
                    row.number.into(),
                    hash.into(),
                    (&row.decision).into(),
                    row.cin.as_deref().into(),
                    (&row.machine_decision).into(),
                    row.machine_cin.as_deref().into(),
                    row.decided_at.into(),
                ]
            })
            .collect();
        if rows.is_empty() {
            return Ok(());
        }
        transaction
            .execute_each(
                "insert into match_rows (account_id, job_id, row_number, item_hash, decision, cin, \
                 machine_decision, machine_cin, decided_at) \
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                &rows,
            )
            .await
    }

    /// The keyed hash of an item.
    pub(super) fn hash_item(&self, item: &str) -> String {
        self.secret.token(b"match", item)
    }
}

/// Locks a job and returns its counts. A node that processes it waits.
pub(super) async fn lock_counts(
    transaction: &mut Transaction,
    job: &BulkJob,
) -> Result<Option<Map<String, Json>>> {
    let counts = transaction
        .query_opt(
            "update bulk_jobs set note = note where account_id = $1 and id = $2 returning counts",
            &[(&job.account_id).into(), (&job.id).into()],
            |row| row.get::<String>(0),
        )
        .await?;
    counts.map(|counts| read_counts(&counts)).transpose()
}

pub(super) fn read_counts(counts: &str) -> Result<Map<String, Json>> {
    serde_json::from_str(counts)
        .map_err(|error| StoreError::Bug(format!("the counts of a job: {error}")))
}

/// Adds rows to the count of a word.
pub(super) fn add_count(counts: &mut Map<String, Json>, word: &str, rows: i64) {
    let count = counts.get(word).and_then(Json::as_i64).unwrap_or(0);
    counts.insert(word.to_owned(), (count + rows).into());
}

pub(super) async fn store_counts(
    transaction: &mut Transaction,
    job: &BulkJob,
    counts: Map<String, Json>,
) -> Result<()> {
    let counts = Json::from(counts).to_string();
    transaction
        .execute(
            "update bulk_jobs set counts = $1 where account_id = $2 and id = $3",
            &[(&counts).into(), (&job.account_id).into(), (&job.id).into()],
        )
        .await?;
    Ok(())
}

fn match_row(row: &Row<'_>) -> Result<MatchRow> {
    Ok(MatchRow {
        number: row.get(0)?,
        decision: row.get(1)?,
        cin: row.get(2)?,
        decided_at: row.get(3)?,
        person_id: row.get(4)?,
    })
}
