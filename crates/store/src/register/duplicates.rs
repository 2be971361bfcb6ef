//! Duplicates: companies that the sources list under several numbers. Joins the records of two
//! numbers, and separates them again. The decisions are stored, so that a later import repeats or
//! respects them.

use std::borrow::Cow;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::batch::{BatchWriter, COMPANY, commit};
use super::duplicate_groups::{KeyHashes, SharedKey};
use super::former_numbers::take_over;
use super::{Company, Record, Register};
use crate::engine::{Row, Transaction, Value};
use crate::error::{Result, StoreError};
use crate::table::Incoming;

const SAME: &str = "same";
const DIFFERENT: &str = "different";

/// The most decisions that are listed.
const MAX_LISTED: i64 = 100_000;
/// The length of a CIN; other numbers of companies are shorter.
const CIN_LENGTH: usize = 21;

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

/// The columns by which companies are grouped.
struct Identity<'a> {
    cin: &'a str,
    name: &'a str,
    /// Empty if it is not known.
    incorporated_on: &'a str,
}

impl<'a> Identity<'a> {
    /// The state and the year, and the registrar's number, of a CIN.
    fn number_key(&self) -> Option<SharedKey<'a>> {
        let parts = self.cin.get(6..12).zip(self.cin.get(15..)).filter(|_| self.is_cin());
        parts.map(|(state_and_year, number)| (state_and_year.into(), number.into()))
    }

    /// The date of incorporation and the name.
    fn name_key(&self) -> Option<SharedKey<'a>> {
        (self.is_cin() && !self.incorporated_on.is_empty())
            .then(|| (self.incorporated_on.into(), upper_case(self.name)))
    }

    fn is_cin(&self) -> bool {
        self.cin.len() == CIN_LENGTH
    }
}

/// Most names need no copy: they are in upper case already.
fn upper_case(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| !byte.is_ascii() || byte.is_ascii_lowercase()) {
        return name.to_uppercase().into();
    }
    name.into()
}

fn text(value: Value<'_>) -> &str {
    if let Value::Text(text) = value { text } else { "" }
}

impl Register {
    /// The decisions about numbers, ordered by number.
    pub async fn list_join_decisions(&self) -> Result<Vec<JoinDecision>> {
        let list = "select former_cin, cin, decision, basis, decided_at from company_joins \
                    order by former_cin, cin limit $1";
        self.engine.query(list, &[MAX_LISTED.into()], JoinDecision::from_row).await
    }

    /// CINs that may be of one company, in groups: those that share the state, the year and the
    /// registrar's number, then those of companies with the same name and date of incorporation.
    ///
    /// The companies are read twice (`duplicate_groups`). Grouping all names in the database takes longer.
    pub fn list_duplicate_candidates(&self) -> BoxFuture<'_, Result<Vec<Vec<String>>>> {
        async move {
            let (mut numbers, mut names) = (KeyHashes::new(), KeyHashes::new());
            self.scan_identities(&mut |identity| {
                identity.number_key().iter().for_each(|key| numbers.add(key));
                identity.name_key().iter().for_each(|key| names.add(key));
            })
            .await?;
            let (mut by_number, mut by_name) = (numbers.into_groups(), names.into_groups());
            if by_number.is_empty() && by_name.is_empty() {
                return Ok(Vec::new());
            }
            self.scan_identities(&mut |identity| {
                for (key, groups) in
                    [(identity.number_key(), &mut by_number), (identity.name_key(), &mut by_name)]
                {
                    if let Some(key) = key {
                        groups.add(key, identity.cin);
                    }
                }
            })
            .await?;
            Ok(by_number.into_cins().chain(by_name.into_cins()).collect())
        }
        .boxed()
    }

    async fn scan_identities(&self, found: &mut (dyn FnMut(&Identity<'_>) + Send)) -> Result<()> {
        let all = "select cin, name, incorporated_on from companies";
        self.engine
            .scan(all, &mut |row| {
                found(&Identity {
                    cin: text(row.value(0)?),
                    name: text(row.value(1)?),
                    incorporated_on: text(row.value(2)?),
                });
                Ok(())
            })
            .await
    }

    /// Makes one number a former number of the company with another, and merges their records.
    /// Returns whether both were in the register and are joined now.
    pub fn join_companies<'a>(
        &'a self,
        cin: &'a str,
        former_cin: &'a str,
        basis: JoinBasis,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<bool>> {
        async move {
            let mut transaction = self.engine.transaction().await?;
            let mut writer = BatchWriter::begin(&mut transaction).await?;
            let current = writer.find_company(cin).await?;
            let former = writer.find_company(former_cin).await?;
            let (Some(current), Some(former)) = (current, former) else { return Ok(false) };
            let mut joined = current.clone();
            joined.absorb(&former);
            let incoming = [Incoming { record: &joined, complete: None }];
            writer.store(COMPANY, &incoming).await?;
            take_over(&mut writer, former_cin, cin).await?;
            let record = serde_json::to_string(&former)
                .map_err(|error| StoreError::Bug(format!("a company as JSON: {error}")))?;
            let record = Some(record.as_str());
            decide(writer.transaction, former_cin, cin, SAME, basis, record, now_ms).await?;
            let changes = writer.into_changes();
            commit(transaction, changes, now_ms).await?;
            Ok(true)
        }
        .boxed()
    }

    /// Declares two numbers to be of different companies, and restores the one that was joined to
    /// the other.
    pub fn separate_companies<'a>(
        &'a self,
        cin: &'a str,
        former_cin: &'a str,
        now_ms: i64,
    ) -> BoxFuture<'a, Result<Separated>> {
        async move {
            let mut transaction = self.engine.transaction().await?;
            let mut writer = BatchWriter::begin(&mut transaction).await?;
            let find = "select company_joins.record, company_aliases.cin from company_joins \
                        join company_aliases on company_aliases.former_cin = company_joins.former_cin \
                        where company_joins.former_cin = $1 and company_joins.decision = $2 \
                        and company_joins.record is not null";
            let joined: Option<(String, String)> = writer
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
                writer.restore(&current, &former).await?;
            }
            let basis = JoinBasis::Operator;
            decide(writer.transaction, former_cin, cin, DIFFERENT, basis, None, now_ms).await?;
            let changes = writer.into_changes();
            commit(transaction, changes, now_ms).await?;
            Ok(if is_joined { Separated::Restored } else { Separated::Noted })
        }
        .boxed()
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

impl BatchWriter<'_> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(name: &str) -> Option<SharedKey<'_>> {
        let cin = "U17110MH2001PTC990001";
        Identity { cin, name, incorporated_on: "2001-01-01" }.name_key()
    }

    #[test]
    fn names_in_lower_and_upper_case_have_the_same_key() {
        assert_eq!(key_of("Namuna 1 (India) Ltd"), key_of("NAMUNA 1 (INDIA) LTD"));
        assert_eq!(key_of("Café Straße"), key_of("CAFÉ STRASSE"));
        assert_ne!(key_of("Namuna 1"), key_of("Namuna 2"));
    }

    #[test]
    fn a_company_without_a_date_of_incorporation_has_no_key_of_its_name() {
        let cin = "U17110MH2001PTC990001";
        assert!(Identity { cin, name: "Namuna", incorporated_on: "" }.name_key().is_none());
    }
}
