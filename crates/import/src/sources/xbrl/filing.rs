//! One filing: the periods it has figures of, and the record of its year.

use std::io::BufRead;

use jiff::ToSpan;
use jiff::civil::Date;
use panji_ids::Cin;
use panji_store::register::FinancialYear;

use super::amounts::{AMOUNTS, Amounts};
use super::details::{DETAILS, Details};
use super::figures::{Figures, check_balance, figures};
use super::instance::{self, FilingError, Instance};
use super::periods::{Period, Periods};
use crate::sources::symbols::Symbols;
use crate::values::field::financial_year_of;

/// The name under which records of this format are served as `source`.
pub const SOURCE: &str = "xbrl";

/// About twelve months.
const DAYS_OF_A_YEAR: std::ops::RangeInclusive<i32> = 355..=375;
/// A date of approval later than this after the year is a mistake.
const MAX_YEARS_TO_APPROVAL: i16 = 3;

/// A results filing.
#[derive(Debug)]
pub struct Filing {
    instance: Instance,
    details: Details,
    periods: Periods,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "it lives for one call only")]
pub enum Outcome {
    Year(FinancialYear),
    /// It only has figures of a quarter, or of another period than twelve months.
    NoFullYear,
}

impl Filing {
    pub fn read(source: impl BufRead) -> Result<Filing, FilingError> {
        let wanted = [&DETAILS[..], &AMOUNTS[..]].concat();
        let instance = instance::read(source, &wanted)?;
        let details = Details::of(&instance).map_err(FilingError::Invalid)?;
        let periods = Periods::of(&instance, &details);
        Ok(Filing { instance, details, periods })
    }

    /// The company and the period, in one line.
    pub fn summary(&self) -> String {
        let parts = [
            self.details.text("Symbol"),
            self.details.text("NameOfTheCompany").or(self.details.text("NameOfBank")),
            self.details.text("NatureOfReportStandaloneConsolidated"),
            self.details.text("DateOfEndOfReportingPeriod"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The periods it has figures of, each once.
    pub fn periods(&self) -> Vec<Period> {
        let mut periods = Vec::new();
        for period in self.periods.durations.values() {
            if !periods.contains(period) {
                periods.push(*period);
            }
        }
        periods
    }

    /// The financial year, if it has figures of a full one: about twelve months that end with the
    /// financial year.
    pub fn year(&self) -> Option<Period> {
        let year_end = self.details.day("DateOfEndOfFinancialYear");
        let is_year = |period: &Period| {
            period.days().is_some_and(|days| DAYS_OF_A_YEAR.contains(&days))
                && year_end.is_none_or(|end| period.to == end)
        };
        self.periods().into_iter().filter(is_year).max_by_key(|period| period.to)
    }

    /// The figures of a period, with the balances of its last day.
    pub fn figures(&self, period: Period) -> Result<Figures, String> {
        if let Some(other) = self.other_currency() {
            return Err(format!("it is in {other:?}; only rupees (INR) are accepted"));
        }
        let (durations, instants) = (&self.periods.durations, &self.periods.instants);
        let of_period = |context: &str| durations.get(context) == Some(&period);
        let of_last_day = |context: &str| instants.get(context) == Some(&period.to);
        let flows = Amounts::of(&self.instance, of_period)?;
        let balances = Amounts::of(&self.instance, of_last_day)?;
        if flows.is_empty() {
            return Err("it states a period and gives no figures of it".to_owned());
        }
        check_balance(&balances)?;
        Ok(figures(&flows, &balances))
    }

    fn other_currency(&self) -> Option<&str> {
        let stated = self.details.text("DescriptionOfPresentationCurrency")?;
        (!stated.eq_ignore_ascii_case("INR")).then_some(stated)
    }

    /// `standalone` or `consolidated`.
    pub fn basis(&self, period: Period) -> Result<&'static str, String> {
        let element = "NatureOfReportStandaloneConsolidated";
        let of_period = self.periods.durations.iter().filter(|(_, of)| **of == period);
        let here = of_period.into_iter().find_map(|(id, _)| self.details.text_in(element, id));
        let stated = here.or_else(|| self.details.text(element));
        match stated.map(str::to_ascii_lowercase).as_deref() {
            Some("standalone" | "non-consolidated") => Ok("standalone"),
            Some("consolidated") => Ok("consolidated"),
            Some(other) => Err(format!("{other:?} is neither standalone nor consolidated")),
            None => Err("it does not say whether it is standalone or consolidated".to_owned()),
        }
    }

    /// The date of the data: the day on which the board approved it, else the end of the period.
    pub fn as_of(&self, period: Period) -> Date {
        let latest = period.to.checked_add(MAX_YEARS_TO_APPROVAL.years()).unwrap_or(Date::MAX);
        self.details
            .day("DateOfBoardMeetingWhenFinancialResultsWereApproved")
            .filter(|approved| (period.to..=latest).contains(approved))
            .unwrap_or(period.to)
    }

    /// The company: by the CIN if the filing states it, else by its symbol on an exchange.
    fn cin(&self, symbols: &Symbols) -> Result<String, String> {
        let entities = self.instance.contexts.values().filter_map(|one| one.entity.as_deref());
        let entity = entities.min();
        let stated = self.details.text("CorporateIdentityNumber").or(entity);
        if let Some(cin) = stated.and_then(|text| Cin::parse(text).ok()) {
            return Ok(cin.as_str().to_owned());
        }
        let names = ["Symbol", "ScripCode", "ISIN"].map(|element| self.details.text(element));
        let names: Vec<&str> = names.into_iter().flatten().chain(entity).collect();
        let Some(first) = names.first() else {
            return Err("it names its company by no symbol, code or CIN".to_owned());
        };
        let found = names.iter().find_map(|name| symbols.cin_of(name));
        found.map(str::to_owned).ok_or_else(|| {
            format!(
                "no CIN is known for the symbol {first:?}: \
                 give a CSV with the columns symbol and cin as --symbols"
            )
        })
    }

    /// The record for the register.
    pub fn outcome(&self, symbols: &Symbols) -> Result<Outcome, String> {
        if self.periods.durations.is_empty() {
            return Err("neither its contexts nor its dates give the period".to_owned());
        }
        let Some((year, from)) = self.year().and_then(|year| Some((year, year.from?))) else {
            return Ok(Outcome::NoFullYear);
        };
        let figures = self.figures(year)?;
        Ok(Outcome::Year(FinancialYear {
            cin: self.cin(symbols)?,
            to_date: year.to.to_string(),
            basis: self.basis(year)?.to_owned(),
            financial_year: financial_year_of(year.to),
            from_date: from.to_string(),
            form_type: None,
            filed_on: None,
            revenue: figures.revenue,
            other_income: figures.other_income,
            total_income: figures.total_income,
            total_expenses: figures.total_expenses,
            finance_cost: figures.finance_cost,
            depreciation: figures.depreciation,
            ebitda: None,
            profit_before_tax: figures.profit_before_tax,
            tax: figures.tax,
            profit: figures.profit,
            share_capital: figures.share_capital,
            reserves: figures.reserves,
            net_worth: figures.net_worth,
            total_debt: figures.total_debt,
            total_assets: figures.total_assets,
            current_assets: figures.current_assets,
            current_liabilities: figures.current_liabilities,
            cash: figures.cash,
            as_of: Some(self.as_of(year).to_string()),
            source: SOURCE.into(),
        }))
    }
}
