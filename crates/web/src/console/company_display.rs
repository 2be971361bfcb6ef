//! Formats the API's sections for a company's page.

use std::fmt::Display;

use panji_api::api::wire::{
    BoardMember, Capital, Charge, Compliance, FinancialYear, Financials, OpenCharges, RocFiling,
    Rupees,
};

use super::chart::{Chart, Series, Size};
use super::labels;
use super::language::amounts::{rupees, short_rupees};
use super::language::{in_hindi, key, t, t_with};

/// Filings that are visible before the list is expanded.
const VISIBLE_FILINGS: usize = 12;
/// Years in the chart.
const MAX_YEARS: usize = 10;
/// Years in the chart on a phone.
const MAX_PHONE_YEARS: usize = 5;
const LOW: Size = Size { width: 720.0, height: 170.0 };
const PHONE: Size = Size { width: 340.0, height: 200.0 };
const LOW_PHONE: Size = Size { width: 340.0, height: 150.0 };

/// What the pages show of capital.
pub trait DisplayCapital {
    fn authorised_text(&self) -> Option<String>;

    fn paid_up_text(&self) -> Option<String>;
}

impl DisplayCapital for Capital {
    fn authorised_text(&self) -> Option<String> {
        self.authorised.map(whole_rupees)
    }

    fn paid_up_text(&self) -> Option<String> {
        self.paid_up.map(whole_rupees)
    }
}

/// What the pages show of a director.
pub trait DisplayBoardMember {
    /// The designation as the register writes it, else our name for it.
    fn title(&self) -> String;
}

impl DisplayBoardMember for BoardMember {
    fn title(&self) -> String {
        // The source's own words are English.
        let text = self.designation_text.clone().filter(|_| !in_hindi());
        text.unwrap_or_else(|| labels::label(&self.designation))
    }
}

/// What the pages show of the open charges.
pub trait DisplayOpenCharges {
    fn amount_text(&self) -> String;
}

impl DisplayOpenCharges for OpenCharges {
    fn amount_text(&self) -> String {
        self.amount.map(short).unwrap_or_default()
    }
}

/// What a section says below its heading when it has no records, or not all of them.
pub fn coverage_text(coverage: &str, is_empty: bool, what: impl Display) -> Option<String> {
    match (coverage, is_empty) {
        ("none", _) => {
            Some(t_with("No source for {0} has been imported for this company.", &[&what]))
        }
        ("full", true) => Some(t_with("The source lists no {0} for this company.", &[&what])),
        ("full", false) => None,
        (_, true) => {
            Some(t_with("No {0} are known. The imported sources do not list all {0}.", &[&what]))
        }
        (_, false) => {
            Some(t_with("This list can be incomplete: no imported source lists all {0}.", &[&what]))
        }
    }
}

/// What the pages show of a charge.
pub trait DisplayCharge {
    fn amount_text(&self) -> String;

    /// By which a table is sorted; empty if it is unknown.
    fn amount_key(&self) -> String;

    fn open(&self) -> bool;
}

impl DisplayCharge for Charge {
    fn amount_text(&self) -> String {
        self.amount.map(short).unwrap_or_default()
    }

    fn amount_key(&self) -> String {
        self.amount.map(|amount| amount.0.to_string()).unwrap_or_default()
    }

    fn open(&self) -> bool {
        self.satisfied_on.is_none() && self.status != "satisfied"
    }
}

/// What the pages show of a financial year.
pub trait DisplayFinancialYear {
    /// The amounts of a row of the table, each after the number by which the table is sorted.
    fn amounts(&self) -> Vec<(String, String)>;
}

impl DisplayFinancialYear for FinancialYear {
    fn amounts(&self) -> Vec<(String, String)> {
        let amounts = [self.revenue, self.ebitda, self.profit, self.net_worth, self.total_debt];
        let cell = |amount: Option<Rupees>| match amount {
            Some(amount) => (amount.0.to_string(), short(amount)),
            None => (String::new(), "–".to_owned()),
        };
        amounts.into_iter().map(cell).collect()
    }
}

/// What the pages show of the financial years.
pub trait DisplayFinancials {
    /// The years of one basis, oldest first: standalone if there are any, else consolidated.
    fn charted(&self) -> (Vec<&FinancialYear>, &str);

    /// Revenue as bars and net worth as a line; below it profit, on a scale of its own.
    fn charts(&self) -> [DrawnChart; 2];
}

impl DisplayFinancials for Financials {
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

    fn charts(&self) -> [DrawnChart; 2] {
        let (years, basis) = self.charted();
        let series = |name, class, part: fn(&FinancialYear) -> Option<Rupees>| Series {
            name,
            class,
            values: years.iter().map(|year| part(year).map(in_rupees)).collect(),
        };
        let basis = labels::label(basis).to_lowercase();
        let chart = |what: &'static str, bars: Series, line| Chart {
            title: t_with(what, &[&basis]),
            labels: years.iter().map(|year| year.financial_year.clone()).collect(),
            bars: vec![bars],
            stacked: false,
            line,
            format: short_rupees,
        };
        let net_worth = series(t("net worth"), "second", |year| year.net_worth);
        let revenue = series(t("revenue"), "first", |year| year.revenue);
        let profit = series(t("profit"), "third", |year| year.profit);
        let size = (
            chart(key("Revenue and net worth by year ({0})"), revenue, Some(net_worth)),
            None,
            PHONE,
        );
        let result = (chart(key("Profit by year ({0})"), profit, None), Some(LOW), LOW_PHONE);
        [size, result].map(|(chart, wide, phone)| DrawnChart {
            legend: chart.legend(),
            wide: wide.map_or_else(|| chart.svg(), |size| chart.svg_of_size(size)),
            phone: chart.newest_first_svg(MAX_PHONE_YEARS, phone),
        })
    }
}

/// A chart at both sizes; the stylesheet displays one of them.
pub struct DrawnChart {
    pub legend: Vec<(&'static str, &'static str)>,
    pub wide: String,
    pub phone: String,
}

/// What the pages show of a filing.
pub trait DisplayRocFiling {
    /// The date on the timeline.
    fn day(&self) -> &str;

    /// The financial year, unless the description contains it.
    fn year_unless_named(&self) -> Option<&str>;

    /// The CSS class of its point.
    fn class(&self) -> &'static str;
}

impl DisplayRocFiling for RocFiling {
    fn day(&self) -> &str {
        self.filed_on.as_deref().or(self.due_on.as_deref()).unwrap_or("")
    }

    fn year_unless_named(&self) -> Option<&str> {
        self.financial_year.as_deref().filter(|year| !self.description.contains(year))
    }

    fn class(&self) -> &'static str {
        match &*self.status {
            "overdue" => "is-overdue",
            "filed_late" => "is-late",
            _ => "is-filed",
        }
    }
}

/// What the pages show of the compliance section.
pub trait DisplayCompliance {
    /// The newest filings, and the rest.
    fn filings(&self) -> (&[RocFiling], &[RocFiling]);

    fn overdue(&self) -> usize;
}

impl DisplayCompliance for Compliance {
    fn filings(&self) -> (&[RocFiling], &[RocFiling]) {
        self.roc_filings.split_at(self.roc_filings.len().min(VISIBLE_FILINGS))
    }

    fn overdue(&self) -> usize {
        self.roc_filings.iter().filter(|filing| filing.status == "overdue").count()
    }
}

pub fn in_rupees(amount: Rupees) -> f64 {
    amount.0 as f64 / 100.0
}

pub fn short(amount: Rupees) -> String {
    short_rupees(in_rupees(amount))
}

fn whole_rupees(amount: Rupees) -> String {
    rupees(in_rupees(amount).round() as i64)
}
