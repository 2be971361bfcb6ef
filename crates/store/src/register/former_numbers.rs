//! Former numbers of companies: finding the current number, and merging the records under both.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use super::Company;
use super::batch::{BatchWriter, COMPANY};
use super::duplicates::{is_decided, undo_join};
use crate::engine::{BulkStatements, Transaction, Value};
use crate::error::Result;
use crate::table::Incoming;

/// Maps the former numbers among these to the current ones.
pub(super) async fn find_current(
    transaction: &mut Transaction,
    numbers: &BTreeSet<&str>,
) -> Result<HashMap<String, String>> {
    static STATEMENTS: OnceLock<BulkStatements> = OnceLock::new();
    let statements = STATEMENTS
        .get_or_init(|| BulkStatements::new("company_aliases", &["former_cin", "cin"], 1));
    let keys: Vec<[Value<'_>; 1]> = numbers.iter().map(|number| [(*number).into()]).collect();
    let keys: Vec<&[Value<'_>]> = keys.iter().map(<[Value<'_>; 1]>::as_slice).collect();
    let mut current = HashMap::new();
    transaction
        .find_many(statements, &keys, &mut |_, row| {
            current.insert(row.get(0)?, row.get(1)?);
            Ok(())
        })
        .await?;
    Ok(current)
}

/// Removes companies under a known former number and returns their indexes. A record newer than the
/// renumbering shows that the number is in use again.
pub(super) async fn remove_outdated(
    transaction: &mut Transaction,
    companies: &mut Vec<(usize, Incoming<'_, Company>)>,
) -> Result<Vec<usize>> {
    let numbers = companies.iter().map(|(_, incoming)| incoming.record.cin.as_str()).collect();
    let current = find_current(transaction, &numbers).await?;
    let mut outdated = BTreeSet::new();
    for (index, incoming) in companies.iter() {
        let Some(cin) = current.get(&incoming.record.cin) else { continue };
        let former_cin = &incoming.record.cin;
        if find_date(transaction, cin).await?.flatten() >= incoming.record.as_of
            || is_decided(transaction, former_cin).await?
        {
            outdated.insert(*index);
        } else {
            let remove = "delete from company_aliases where former_cin = $1";
            transaction.execute(remove, &[former_cin.into()]).await?;
            undo_join(transaction, former_cin).await?;
        }
    }
    companies.retain(|(index, _)| !outdated.contains(index));
    Ok(outdated.into_iter().collect())
}

/// Registers the former numbers of a company, and takes over the records under them.
pub(super) async fn register_former_numbers(
    writer: &mut BatchWriter<'_>,
    company: &Company,
) -> Result<()> {
    if company.former_cins == "[]" {
        return Ok(());
    }
    let former: Vec<String> = serde_json::from_str(&company.former_cins).unwrap_or_default();
    for former_cin in former.iter().filter(|former| **former != company.cin) {
        let stored = find_date(writer.transaction, former_cin).await?;
        if stored.is_some_and(|as_of| as_of > company.as_of) {
            continue;
        }
        take_over(writer, former_cin, &company.cin).await?;
    }
    Ok(())
}

/// Makes a number a former number of a company, which takes over the records under it.
pub(super) async fn take_over(
    writer: &mut BatchWriter<'_>,
    former_cin: &str,
    cin: &str,
) -> Result<()> {
    for (statement, parameters) in [
        (
            "insert into company_aliases (former_cin, cin) values ($1, $2) \
             on conflict (former_cin) do update set cin = excluded.cin",
            [former_cin.into(), cin.into()],
        ),
        // Aliases of the former number now refer to the current one.
        ("update company_aliases set cin = $1 where cin = $2", [cin.into(), former_cin.into()]),
    ] {
        writer.transaction.execute(statement, &parameters).await?;
    }
    for former in writer.remove_owned::<Company>(COMPANY, former_cin).await? {
        writer.record_new_number(&former, cin);
    }
    writer.move_sections(former_cin, cin).await
}

/// The date of the company's record, if there is one under this number.
async fn find_date(transaction: &mut Transaction, cin: &str) -> Result<Option<Option<String>>> {
    let find = "select as_of from companies where cin = $1";
    transaction.query_opt(find, &[cin.into()], |row| row.get(0)).await
}
