//! The index of charges: assets pledged by the company, the lenders, and whether the debt is
//! satisfied.

use std::collections::HashMap;

use panji_store::register::{Charge, CoverageLevel, Record};
use serde_json::{Map, Value};

use super::document::{Document, SOURCE, join_address};
use crate::values::date::DateOrder;
use crate::values::json_fields::Fields;
use crate::values::reason::Reason;

/// Reads the charges. If an index has a charge more than once, for its creation and for each later
/// step, the row of the latest step is the charge. The index is complete if a charge is read from every row.
pub fn read(
    index: &[&Map<String, Value>],
    document: &Document,
    results: &mut Vec<Result<Record, Reason>>,
) -> CoverageLevel {
    let mut coverage = CoverageLevel::Full;
    let mut charges: Vec<Charge> = Vec::new();
    let mut by_id: HashMap<String, usize> = HashMap::new();
    let mut problems = Vec::new();
    for (row, entry) in index.iter().enumerate() {
        let mut fields = Fields::new(entry);
        let Some(charge_id) = fields.text(&["chargeId"]) else {
            let label = format!("charge {} of {}", row + 1, document.id);
            problems.push(Reason::fixed("it has no charge id").about(&label));
            coverage = CoverageLevel::Partial;
            continue;
        };
        let label = format!("charge {charge_id} of {}", document.id);
        match read_charge(charge_id, entry, &mut fields, document) {
            Ok(charge) => match by_id.get(&charge.charge_id) {
                Some(&index) => {
                    if latest_step(&charge) > latest_step(&charges[index]) {
                        charges[index] = charge;
                    }
                    let reason = Reason::fixed(
                        "it is in the index more than once; the row of its latest step counts",
                    );
                    problems.push(reason.about(&label));
                }
                None => {
                    by_id.insert(charge.charge_id.clone(), charges.len());
                    charges.push(charge);
                }
            },
            Err(problem) => {
                problems.push(problem.about(&label));
                coverage = CoverageLevel::Partial;
            }
        }
        problems.extend(fields.problems(&label));
    }
    results.extend(charges.into_iter().map(Record::Charge).map(Ok));
    results.extend(problems.into_iter().map(Err));
    coverage
}

fn latest_step(charge: &Charge) -> Option<&String> {
    [&charge.created_on, &charge.modified_on, &charge.satisfied_on].into_iter().flatten().max()
}

fn read_charge(
    charge_id: String,
    entry: &Map<String, Value>,
    fields: &mut Fields<'_>,
    document: &Document,
) -> Result<Charge, Reason> {
    let created_on = fields.day("dateOfCreation", DateOrder::MonthFirst);
    let modified_on = fields.day("dateOfModification", DateOrder::MonthFirst);
    let satisfied_on = fields.day("dateOfSatisfaction", DateOrder::MonthFirst);
    let status_text = fields.text(&["chargeStatus"]).unwrap_or_default().to_ascii_lowercase();
    let closed = matches!(status_text.as_str(), "closed" | "satisfied");
    if satisfied_on.is_some() && status_text == "open" {
        fields
            .add_problem("chargeStatus: it says open although the charge is satisfied".to_owned());
    }
    let status = match (&satisfied_on, &modified_on) {
        (Some(_), _) => "satisfied",
        _ if closed => "satisfied",
        (None, Some(_)) => "modified",
        (None, None) => "open",
    };
    let line = [
        "StreetAddress",
        "StreetAddress2",
        "StreetAddress3",
        "StreetAddress4",
        "Locality",
        "City",
        "District",
        "State",
        "PostalCode",
        "Country",
    ];
    let parts: Vec<Option<&Value>> = line.iter().map(|name| entry.get(*name)).collect();
    Ok(Charge {
        cin: document.id.as_str().to_owned(),
        charge_id,
        lender: lender(fields).ok_or("it has no charge holder")?,
        amount: fields.paise("amount"),
        status: status.to_owned(),
        created_on,
        modified_on,
        satisfied_on,
        assets: None,
        address: join_address(&parts),
        as_of: None,
        source: SOURCE.to_owned(),
    })
}

/// The holder from the form's list of banks. A holder that is not in that list is "Others", with
/// its name in another field.
fn lender(fields: &Fields<'_>) -> Option<String> {
    let chosen = fields.text(&["chargeHolderName"]);
    let written = fields.text(&["chName"]);
    match chosen {
        Some(chosen) if !chosen.eq_ignore_ascii_case("others") => Some(chosen),
        chosen => written.or(chosen),
    }
}
