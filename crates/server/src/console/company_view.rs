//! What a company's page shows of the API's answers.

use serde::Deserialize;

use super::chart::{Chart, Series};
use super::words;
use crate::locale::amounts::{rupees, short_rupees};

/// Filings shown before the rest is folded away.
const SHOWN_FILINGS: usize = 12;
/// Years in the chart.
const MAX_YEARS: usize = 10;

/// The answer of getCompanyProfile.
#[derive(Deserialize)]
pub struct Profile {
    pub company: Company,
    pub capital: Capital,
    pub directors: Directors,
    pub charges: Charges,
}

/// Who a company is.
#[derive(Clone, Deserialize)]
pub struct Company {
    pub cin: String,
    pub name: String,
    pub kind: String,
    pub status: String,
    pub status_text: Option<String>,
    pub class: Option<String>,
    pub category: Option<String>,
    pub sub_category: Option<String>,
    pub listed: Option<bool>,
    pub incorporated_on: Option<String>,
    pub registration_number: Option<String>,
    pub registered_office: Office,
    pub email: Option<String>,
    pub roc: Roc,
    pub industry: Industry,
    pub former_names: Vec<FormerName>,
    pub former_cins: Vec<String>,
    pub as_of: Option<String>,
    pub source: String,
}

#[derive(Clone, Deserialize)]
pub struct Office {
    pub address: Option<String>,
    pub city: Option<String>,
    pub district: Option<String>,
    pub pincode: Option<String>,
    pub state: Option<String>,
}

#[derive(Clone, Deserialize)]
pub struct Roc {
    pub name: Option<String>,
}

#[derive(Clone, Deserialize)]
pub struct Industry {
    pub nic_code: Option<String>,
    pub description: Option<String>,
}

#[derive(Clone, Deserialize)]
pub struct FormerName {
    pub name: String,
    pub until: Option<String>,
}

#[derive(Deserialize)]
pub struct Capital {
    authorised: Option<f64>,
    paid_up: Option<f64>,
    pub members: Option<i64>,
}

impl Capital {
    pub fn authorised_text(&self) -> Option<String> {
        self.authorised.map(|amount| rupees(amount.round() as i64))
    }

    pub fn paid_up_text(&self) -> Option<String> {
        self.paid_up.map(|amount| rupees(amount.round() as i64))
    }
}

#[derive(Deserialize)]
pub struct Directors {
    pub current: Vec<Seat>,
    pub past: Vec<Seat>,
}

#[derive(Deserialize)]
pub struct Seat {
    pub din: String,
    pub name: String,
    designation: String,
    designation_text: Option<String>,
    pub appointed_on: Option<String>,
    pub ceased_on: Option<String>,
}

impl Seat {
    /// The register's own words, else ours.
    pub fn title(&self) -> String {
        self.designation_text.clone().unwrap_or_else(|| words::plain(&self.designation))
    }
}

#[derive(Deserialize)]
pub struct Charges {
    pub total: usize,
    pub open: OpenCharges,
    pub charges: Vec<Charge>,
    pub as_of: Option<String>,
    pub source: String,
}

#[derive(Deserialize)]
pub struct OpenCharges {
    pub count: usize,
    amount: f64,
}

impl OpenCharges {
    pub fn amount_text(&self) -> String {
        short_rupees(self.amount)
    }
}

#[derive(Deserialize)]
pub struct Charge {
    pub charge_id: String,
    pub lender: String,
    amount: Option<f64>,
    pub status: String,
    pub created_on: Option<String>,
    pub satisfied_on: Option<String>,
}

impl Charge {
    pub fn amount_text(&self) -> String {
        self.amount.map(short_rupees).unwrap_or_default()
    }

    pub fn open(&self) -> bool {
        self.satisfied_on.is_none() && self.status != "satisfied"
    }
}

/// The answer of getCompanyFinancials.
#[derive(Deserialize)]
pub struct Financials {
    pub years: Vec<Year>,
}

#[derive(Deserialize)]
pub struct Year {
    pub financial_year: String,
    pub basis: String,
    revenue: Option<f64>,
    ebitda: Option<f64>,
    profit: Option<f64>,
    net_worth: Option<f64>,
    total_debt: Option<f64>,
    pub as_of: Option<String>,
    pub source: String,
}

impl Year {
    /// The amounts that the table behind the chart has.
    pub fn amounts(&self) -> Vec<String> {
        let amounts = [self.revenue, self.ebitda, self.profit, self.net_worth, self.total_debt];
        amounts.into_iter().map(|amount| amount.map_or("–".to_owned(), short_rupees)).collect()
    }
}

impl Financials {
    /// The years of one basis, oldest first: standalone where there are any, else consolidated.
    fn charted(&self) -> (Vec<&Year>, &str) {
        let of = |basis: &str| self.years.iter().filter(|year| year.basis == basis).collect();
        let standalone: Vec<&Year> = of("standalone");
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
        let values = |part: fn(&Year) -> Option<f64>| years.iter().map(|year| part(year)).collect();
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
            write: short_rupees,
        }
    }
}

/// The answer of getCompanyCompliance.
#[derive(Deserialize)]
pub struct Compliance {
    pub last_agm_on: Option<String>,
    pub last_balance_sheet_on: Option<String>,
    pub roc_filings: Vec<Filing>,
    pub credit_ratings: Vec<Rating>,
    pub epfo: Vec<Establishment>,
    pub as_of: Option<String>,
    pub source: String,
}

#[derive(Deserialize)]
pub struct Filing {
    pub form_type: String,
    pub description: String,
    financial_year: Option<String>,
    pub due_on: Option<String>,
    pub filed_on: Option<String>,
    pub status: String,
}

impl Filing {
    /// The day it stands at on the line of time.
    pub fn day(&self) -> &str {
        self.filed_on.as_deref().or(self.due_on.as_deref()).unwrap_or("")
    }

    /// The year it is for, where its description does not say so itself.
    pub fn year_beside(&self) -> Option<&str> {
        self.financial_year.as_deref().filter(|year| !self.description.contains(year))
    }

    /// The stylesheet's class for its point.
    pub fn class(&self) -> &'static str {
        match self.status.as_str() {
            "overdue" => "is-overdue",
            "filed_late" => "is-late",
            _ => "is-filed",
        }
    }
}

impl Compliance {
    /// The newest filings, and the rest.
    pub fn filings(&self) -> (&[Filing], &[Filing]) {
        self.roc_filings.split_at(self.roc_filings.len().min(SHOWN_FILINGS))
    }

    /// How many filings are overdue.
    pub fn overdue(&self) -> usize {
        self.roc_filings.iter().filter(|filing| filing.status == "overdue").count()
    }
}

#[derive(Deserialize)]
pub struct Rating {
    pub agency: String,
    pub instrument: String,
    pub rating: String,
    pub outlook_text: Option<String>,
    pub rated_on: String,
}

#[derive(Deserialize)]
pub struct Establishment {
    pub establishment_id: String,
    pub name: String,
    pub status_text: Option<String>,
    pub employees: Option<i64>,
    pub last_wage_month: Option<String>,
}

/// The answer of listCompanyDocuments.
#[derive(Deserialize)]
pub struct Documents {
    pub total_documents: i64,
    pub page: i64,
    pub documents: Vec<Document>,
}

#[derive(Deserialize)]
pub struct Document {
    pub form_type: String,
    pub file_name: String,
    pub filing_date: String,
    pub financial_year: Option<String>,
    pub file_size: Option<i64>,
}
