//! The facts of a filing that are not amounts: company, period and basis.

use std::collections::{BTreeMap, HashMap};

use jiff::civil::Date;

use super::instance::{Fact, Instance};

/// The elements that are not amounts.
pub const DETAILS: [&str; 17] = [
    "CorporateIdentityNumber",
    "DateOfBoardMeetingWhenFinancialResultsWereApproved",
    "DateOfEndOfFinancialYear",
    "DateOfEndOfReportingPeriod",
    "DateOfStartOfFinancialYear",
    "DateOfStartOfReportingPeriod",
    "DescriptionOfPresentationCurrency",
    "ISIN",
    "LevelOfRounding",
    "LevelOfRoundingUsedInFinancialStatements",
    "NSESymbol",
    "NameOfBank",
    "NameOfTheCompany",
    "NatureOfReportStandaloneConsolidated",
    "ReportingQuarter",
    "ScripCode",
    "Symbol",
];

/// A detail that a filing states twice with different texts.
#[derive(Debug, thiserror::Error)]
#[error("{element} is given twice, as {first:?} and {other:?}")]
pub struct Contradiction {
    element: &'static str,
    first: String,
    other: String,
}

/// The details of a filing, by element.
#[derive(Debug, Default)]
pub struct Details(BTreeMap<&'static str, Stated>);

#[derive(Debug)]
struct Stated {
    first: String,
    by_context: HashMap<String, String>,
}

impl Details {
    /// Collects the details. A detail that is stated twice in a context must have the same text.
    pub fn of(instance: &Instance) -> Result<Details, Contradiction> {
        let mut details = Details::default();
        let is_detail = |fact: &&Fact| DETAILS.contains(&fact.element);
        for Fact { element, context, text, .. } in instance.facts.iter().filter(is_detail) {
            let new = || Stated { first: text.clone(), by_context: HashMap::new() };
            let stated = details.0.entry(element).or_insert_with(new);
            let first = stated.by_context.entry(context.clone()).or_insert_with(|| text.clone());
            if !first.eq_ignore_ascii_case(text) {
                let (first, other) = (first.clone(), text.clone());
                return Err(Contradiction { element, first, other });
            }
        }
        Ok(details)
    }

    /// The text of an element in a context.
    pub fn text_in(&self, element: &str, context: &str) -> Option<&str> {
        self.0.get(element)?.by_context.get(context).map(String::as_str)
    }

    /// The first text of an element, in any context.
    pub fn text(&self, element: &str) -> Option<&str> {
        self.0.get(element).map(|stated| stated.first.as_str())
    }

    pub fn day_in(&self, element: &str, context: &str) -> Option<Date> {
        self.text_in(element, context).and_then(day)
    }

    /// The first day of an element, in any context.
    pub fn day(&self, element: &str) -> Option<Date> {
        self.text(element).and_then(day)
    }
}

fn day(text: &str) -> Option<Date> {
    text.get(..10)?.parse().ok()
}
