//! Duplicates: companies that the sources list under several numbers. Joins the records of two
//! numbers, and separates them again. The decisions are stored, so that a later import repeats or
//! respects them.

use super::batch::{COMPANY, Writing, commit};
use super::former_numbers::take_over;
use super::{Company, Record, Register};
use crate::engine::{Row, Transaction};
use crate::error::{Result, StoreError};
use crate::table::Incoming;

const SAME: &str = "same";
const DIFFERENT: &str = "different";

/// The most decisions and groups that are listed.
const MAX_LISTED: i64 = 100_000;

/// Why two numbers are of the same company, or of different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinBasis {
    /// The same registrar's number, year, state and date of incorporation, and the same name apart
    /// from its legal form.
    Number,
    /// The same name and date of incorporation in another state.
    Name,
    /// A person decided.
    Operator,
}

impl JoinBasis {
    const ALL: [JoinBasis; 3] = [JoinBasis::Number, JoinBasis::Name, JoinBasis::Operator];

    pub fn as_str(self) -> &'static str {
        match self {
            JoinBasis::Number => "number",
            JoinBasis::Name => "name",
            JoinBasis::Operator => "operator",
        }
    }
}

/// A decision about two numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinDecision {
    /// The former number of the company, if the numbers were joined.
    pub former_cin: String,
    /// The current number of the company at the time of the decision.
    pub cin: String,
    /// Whether they are of the same company.
    pub is_same: bool,
    pub basis: JoinBasis,
    pub decided_at: i64,
}

impl JoinDecision {
    fn from_row(row: &Row<'_>) -> Result<JoinDecision> {
        let (decision, basis): (String, String) = (row.get(2)?, row.get(3)?);
        let known = JoinBasis::ALL.into_iter().find(|known| known.as_str() == basis);
        Ok(JoinDecision {
            former_cin: row.get(0)?,
            cin: row.get(1)?,
            is_same: decision == SAME,
            basis: known.ok_or_else(|| StoreError::Bug(format!("an unknown basis: {basis}")))?,
            decided_at: row.get(4)?,
        })
    }
}

/// The result of separating two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separated {
    /// They were joined. The company that was removed is in the register again; its sections are not.
    Restored,
    /// They were not joined, and a later import will not join them.
    Noted,
}

impl Register {
    /// The decisions about numbers, ordered by number.
    pub async fn list_join_decisions(&self) -> Result<Vec<JoinDecision>> {
        let list = "select former_cin, cin, decision, basis, decided_at from company_joins \
                    order by former_cin, cin limit $1";
        self.engine.query(list, &[MAX_LISTED.into()], JoinDecision::from_row).await
    }

    /// CINs that share the state, the year and the registrar's number, in groups.
    pub async fn list_shared_numbers(&self) -> Result<Vec<Vec<String>>> {
        self.list_groups(
            "select string_agg(cin, ',') from companies where length(cin) = 21 \
             group by substr(cin, 7, 6), substr(cin, 16) having count(*) > 1 limit $1",
        )
        .await
    }

    /// CINs of companies with the same name and date of incorporation, in groups.
    pub async fn list_shared_names(&self) -> Result<Vec<Vec<String>>> {
        self.list_groups(
            "select string_agg(cin, ',') from companies where length(cin) = 21 \
             and incorporated_on is not null group by incorporated_on, upper(name) \
             having count(*) > 1 limit $1",
        )
        .await
    }

    async fn list_groups(&self, list: &'static str) -> Result<Vec<Vec<String>>> {
        self.engine
            .query(list, &[MAX_LISTED.into()], |row| {
                let joined: String = row.get(0)?;
                let mut cins: Vec<String> = joined.split(',').map(str::to_owned).collect();
                cins.sort();
                Ok(cins)
            })
            .await
    }

    /// Makes one number a former number of the company with another, and merges their records.
    /// Returns whether both were in the register and are joined now.
    pub async fn join_companies(
        &self,
        cin: &str,
        former_cin: &str,
        basis: JoinBasis,
        now_ms: i64,
    ) -> Result<bool> {
        let mut transaction = self.engine.transaction().await?;
        let mut writing = Writing::begin(&mut transaction).await?;
        let current = writing.find_company(cin).await?;
        let former = writing.find_company(former_cin).await?;
        let (Some(current), Some(former)) = (current, former) else { return Ok(false) };
        let mut joined = current.clone();
        joined.absorb(&former);
        let incoming = [Incoming { record: &joined, complete: None }];
        writing.store(COMPANY, &incoming).await?;
        take_over(&mut writing, former_cin, cin).await?;
        let record = serde_json::to_string(&former)
            .map_err(|error| StoreError::Bug(format!("a company as JSON: {error}")))?;
        let record = Some(record.as_str());
        decide(writing.transaction, former_cin, cin, SAME, basis, record, now_ms).await?;
        let changes = writing.into_changes();
        commit(transaction, changes, now_ms).await?;
        Ok(true)
    }

    /// Declares two numbers to be of different companies, and restores the one that was joined to
    /// the other.
    pub async fn separate_companies(
        &self,
        cin: &str,
        former_cin: &str,
        now_ms: i64,
    ) -> Result<Separated> {
        let mut transaction = self.engine.transaction().await?;
        let mut writing = Writing::begin(&mut transaction).await?;
        let find = "select company_joins.record, company_aliases.cin from company_joins \
                    join company_aliases on company_aliases.former_cin = company_joins.former_cin \
                    where company_joins.former_cin = $1 and company_joins.decision = $2 \
                    and company_joins.record is not null";
        let joined: Option<(String, String)> = writing
            .transaction
            .query_opt(find, &[former_cin.into(), SAME.into()], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .await?;
        let is_joined = joined.is_some();
        if let Some((record, current)) = joined {
            let former: Company = serde_json::from_str(&record).map_err(|_| {
                StoreError::Bug(format!("the stored record of {former_cin} is not readable"))
            })?;
            writing.restore(&current, &former).await?;
        }
        let basis = JoinBasis::Operator;
        decide(writing.transaction, former_cin, cin, DIFFERENT, basis, None, now_ms).await?;
        let changes = writing.into_changes();
        commit(transaction, changes, now_ms).await?;
        Ok(if is_joined { Separated::Restored } else { Separated::Noted })
    }
}

/// Whether a person decided that this is a former number: no later record changes that.
pub(super) async fn is_decided(transaction: &mut Transaction, former_cin: &str) -> Result<bool> {
    let find = "select basis from company_joins where former_cin = $1 and decision = $2";
    let bases: Vec<String> =
        transaction.query(find, &[former_cin.into(), SAME.into()], |row| row.get(0)).await?;
    Ok(bases.iter().any(|basis| basis == JoinBasis::Operator.as_str()))
}

/// Removes the decision that a number is a former one.
pub(super) async fn undo_join(transaction: &mut Transaction, former_cin: &str) -> Result<()> {
    let remove = "delete from company_joins where former_cin = $1 and decision = $2";
    transaction.execute(remove, &[former_cin.into(), SAME.into()]).await?;
    Ok(())
}

async fn decide(
    transaction: &mut Transaction,
    former_cin: &str,
    cin: &str,
    decision: &str,
    basis: JoinBasis,
    record: Option<&str>,
    now_ms: i64,
) -> Result<()> {
    // An opposite decision about the same pair, or another current number, is replaced.
    let remove = "delete from company_joins where former_cin = $1 and (cin = $2 or decision = $3)";
    transaction.execute(remove, &[former_cin.into(), cin.into(), SAME.into()]).await?;
    let remove = "delete from company_joins where former_cin = $1 and cin = $2";
    transaction.execute(remove, &[cin.into(), former_cin.into()]).await?;
    let insert = "insert into company_joins (former_cin, cin, decision, basis, record, decided_at) \
                  values ($1, $2, $3, $4, $5, $6)";
    let values = [
        former_cin.into(),
        cin.into(),
        decision.into(),
        basis.as_str().into(),
        record.into(),
        now_ms.into(),
    ];
    transaction.execute(insert, &values).await?;
    Ok(())
}

impl Writing<'_> {
    async fn find_company(&mut self, cin: &str) -> Result<Option<Company>> {
        use crate::table::Table as _;
        let find = &Company::statements().bulk.find;
        self.transaction.query_opt(find, &[cin.into()], Company::from_row).await
    }

    /// Stores the record of a joined number again, and removes the number from the other company.
    async fn restore(&mut self, cin: &str, former: &Company) -> Result<()> {
        let remove = "delete from company_aliases where former_cin = $1";
        self.transaction.execute(remove, &[(&former.cin).into()]).await?;
        let mut records = vec![former.clone()];
        if let Some(mut current) = self.find_company(cin).await? {
            current.remove_former(&former.cin, &former.name);
            records.push(current);
        }
        let incoming: Vec<Incoming<'_, Company>> =
            records.iter().map(|record| Incoming { record, complete: None }).collect();
        self.store(COMPANY, &incoming).await.map(drop)
    }
}

/// A record of a company; other records have no number that can be joined.
pub fn company_number(record: &Record) -> Option<&str> {
    match record {
        Record::Company(company) | Record::PartialCompany(company) => Some(&company.cin),
        _ => None,
    }
}
