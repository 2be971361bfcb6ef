//! Rules about charges, net worth and capital.

use super::rule::{Found, Level, Outcome, confidence_of, is_between, is_unknown, months_before};
use crate::api::company_records::CompanyRecords;
use crate::api::wire::{FinancialYear, FindingEvidence, Rupees};
use crate::locale::amounts::short_rupees;
use crate::locale::dates;

/// From this paid-up capital on, a new company is unusual, in paise: ten crore rupees.
pub const HIGH_CAPITAL: i64 = 100_000_000 * 100;
/// A company is new for this time.
pub const NEW_MONTHS: i64 = 12;

fn in_words(amount: Rupees) -> String {
    short_rupees(amount.0 as f64 / 100.0)
}

/// The newest year with a net worth; of one year the standalone figures, because charges are on the
/// company's own assets.
fn newest_net_worth(years: &[FinancialYear]) -> Option<(&FinancialYear, Rupees)> {
    let known = years.iter().filter_map(|year| Some((year, year.net_worth?)));
    known.max_by_key(|(year, _)| (&year.to_date, year.basis == "standalone"))
}

pub fn charges_above_net_worth(records: &CompanyRecords) -> Outcome {
    let charges = &records.charges;
    if is_unknown(&charges.coverage) {
        return Outcome::not_checked("No source of charges was imported.");
    }
    let open: Vec<_> =
        charges.charges.iter().filter(|charge| charge.status != "satisfied").collect();
    if open.is_empty() {
        return Outcome::Nothing;
    }
    let Some((year, net_worth)) = newest_net_worth(&records.financials.years) else {
        return Outcome::not_checked("Charges are open, and the net worth of no year is known.");
    };
    let unknown = open.iter().filter(|charge| charge.amount.is_none()).count();
    let sum: i64 = open.iter().filter_map(|charge| charge.amount).map(|amount| amount.0).sum();
    if sum <= net_worth.0 {
        return match unknown {
            0 => Outcome::Nothing,
            _ => Outcome::not_checked("The amounts of some open charges are not known."),
        };
    }
    let mut evidence = vec![FindingEvidence {
        record: "financial_year".into(),
        id: Some(year.financial_year.clone()),
        name: None,
        detail: format!(
            "The net worth at the end of {} was {} ({}{}).",
            year.financial_year,
            in_words(net_worth),
            year.basis,
            if year.net_worth_derived { ", share capital and reserves" } else { "" }
        ),
        date: Some(year.to_date.clone()),
        as_of: year.as_of.clone(),
        source: Some(year.source.clone()),
    }];
    evidence.extend(open.iter().map(|charge| FindingEvidence {
        record: "charge".into(),
        id: Some(charge.charge_id.clone()),
        name: Some(charge.lender.clone()),
        detail: match charge.amount {
            Some(amount) => format!("The charge of {} is not satisfied.", in_words(amount)),
            None => "The charge is not satisfied; its amount is not known.".to_owned(),
        },
        date: charge.modified_on.clone().or_else(|| charge.created_on.clone()),
        as_of: charges.as_of.clone(),
        source: charges.source.clone(),
    }));
    let at_least = if unknown > 0 { "at least " } else { "" };
    let twice = sum / 2 > net_worth.0;
    Outcome::of(vec![Found {
        is_risk: true,
        severity: if twice { Level::High } else { Level::Medium },
        confidence: confidence_of(&charges.coverage),
        sentence: format!(
            "Open charges secure {at_least}{}, more than the net worth of {} on {}.",
            in_words(Rupees(sum)),
            in_words(net_worth),
            dates::day(&year.to_date)
        ),
        evidence,
    }])
}

pub fn new_with_high_capital(records: &CompanyRecords) -> Outcome {
    let company = &records.company;
    let Some(incorporated_on) = company.incorporated_on.as_deref() else {
        return Outcome::not_checked("The date of incorporation is not known.");
    };
    if !is_between(Some(incorporated_on), &months_before(records.day, NEW_MONTHS), records.day) {
        return Outcome::Nothing;
    }
    let Some(paid_up) = records.capital.paid_up else {
        return Outcome::not_checked("The company is new, and its paid-up capital is not known.");
    };
    if paid_up.0 < HIGH_CAPITAL {
        return Outcome::Nothing;
    }
    let day = dates::day(incorporated_on);
    let mut evidence = records.company_evidence(
        format!("Incorporated on {day} with a paid-up capital of {}.", in_words(paid_up)),
        Some(incorporated_on.to_owned()),
    );
    evidence.as_of.clone_from(&records.capital.as_of);
    Outcome::of(vec![Found {
        is_risk: false,
        severity: Level::Low,
        confidence: Level::High,
        sentence: format!(
            "The company was incorporated on {day}, within {NEW_MONTHS} months, and has a paid-up \
             capital of {}.",
            in_words(paid_up)
        ),
        evidence: vec![evidence],
    }])
}
