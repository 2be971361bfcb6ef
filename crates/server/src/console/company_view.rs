//! Formats the API's sections for a company's page.

use super::chart::{Chart, Series};
use super::words;
use crate::api::wire::{
    BoardMember, Capital, Charge, Compliance, FinancialYear, Financials, OpenCharges, RocFiling,
    Rupees,
};
use crate::locale::amounts::{rupees, short_rupees};

/// Filings that are visible before the list is expanded.
const VISIBLE_FILINGS: usize = 12;
/// Years in the chart.
const MAX_YEARS: usize = 10;

impl Capital {
    pub fn authorised_text(&self) -> Option<String> {
        self.authorised.map(whole_rupees)
    }

    pub fn paid_up_text(&self) -> Option<String> {
        self.paid_up.map(whole_rupees)
    }
}

impl BoardMember {
    /// The designation as the register writes it, else our name for it.
    pub fn title(&self) -> String {
        self.designation_text.clone().unwrap_or_else(|| words::label(&self.designation))
    }
}

impl OpenCharges {
    pub fn amount_text(&self) -> String {
        self.amount.map(short).unwrap_or_default()
    }
}

/// What a section says below its heading when it has no records, or not all of them.
pub fn coverage_text(coverage: &str, is_empty: bool, what: &str) -> Option<String> {
    match (coverage, is_empty) {
        ("none", _) => Some(format!("No source for {what} has been imported for this company.")),
        ("full", true) => Some(format!("The source lists no {what} for this company.")),
        ("full", false) => None,
        (_, true) => {
            Some(format!("No {what} are known. The imported sources do not list all {what}."))
        }
        (_, false) => {
            Some(format!("This list can be incomplete: no imported source lists all {what}."))
        }
    }
}

impl Charge {
    pub fn amount_text(&self) -> String {
        self.amount.map(short).unwrap_or_default()
    }

    pub fn open(&self) -> bool {
        self.satisfied_on.is_none() && self.status != "satisfied"
    }
}

impl FinancialYear {
    /// The amounts of a row of the table.
    pub fn amounts(&self) -> Vec<String> {
        let amounts = [self.revenue, self.ebitda, self.profit, self.net_worth, self.total_debt];
        amounts.into_iter().map(|amount| amount.map_or("–".to_owned(), short)).collect()
    }
}

impl Financials {
    /// The years of one basis, oldest first: standalone if there are any, else consolidated.
    fn charted(&self) -> (Vec<&FinancialYear>, &str) {
        let of = |basis: &str| self.years.iter().filter(|year| year.basis == basis).collect();
        let standalone: Vec<&FinancialYear> = of("standalone");
        let (mut years, basis) = match standalone.is_empty() {
            false => (standalone, "standalone"),
            true => (of("consolidated"), "consolidated"),
        };
        years.sort_by(|one, other| one.financial_year.cmp(&other.financial_year));
        let skip = years.len().saturating_sub(MAX_YEARS);
        (years.split_off(skip), basis)
    }

    /// Revenue and profit as bars, net worth as a line.
    pub fn chart(&self) -> Chart {
        let (years, basis) = self.charted();
        let values = |part: fn(&FinancialYear) -> Option<Rupees>| {
            years.iter().map(|year| part(year).map(in_rupees)).collect()
        };
        Chart {
            title: format!("Revenue, profit and net worth by year ({basis})"),
            labels: years.iter().map(|year| year.financial_year.clone()).collect(),
            bars: vec![
                Series { name: "revenue", class: "first", values: values(|year| year.revenue) },
                Series { name: "profit", class: "second", values: values(|year| year.profit) },
            ],
            stacked: false,
            line: Some(Series {
                name: "net worth",
                class: "third",
                values: values(|year| year.net_worth),
            }),
            format: short_rupees,
        }
    }
}

impl RocFiling {
    /// The date on the timeline.
    pub fn day(&self) -> &str {
        self.filed_on.as_deref().or(self.due_on.as_deref()).unwrap_or("")
    }

    /// The financial year, unless the description contains it.
    pub fn year_beside(&self) -> Option<&str> {
        self.financial_year.as_deref().filter(|year| !self.description.contains(year))
    }

    /// The CSS class of its point.
    pub fn class(&self) -> &'static str {
        match &*self.status {
            "overdue" => "is-overdue",
            "filed_late" => "is-late",
            _ => "is-filed",
        }
    }
}

impl Compliance {
    /// The newest filings, and the rest.
    pub fn filings(&self) -> (&[RocFiling], &[RocFiling]) {
        self.roc_filings.split_at(self.roc_filings.len().min(VISIBLE_FILINGS))
    }

    pub fn overdue(&self) -> usize {
        self.roc_filings.iter().filter(|filing| filing.status == "overdue").count()
    }
}

fn in_rupees(amount: Rupees) -> f64 {
    amount.0 as f64 / 100.0
}

fn short(amount: Rupees) -> String {
    short_rupees(in_rupees(amount))
}

fn whole_rupees(amount: Rupees) -> String {
    rupees(in_rupees(amount).round() as i64)
}
