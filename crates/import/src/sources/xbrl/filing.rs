//! One filing: its periods, and a record of each.

use std::io::{self, BufRead, Read};

use jiff::ToSpan;
use jiff::civil::Date;
use panji_ids::Cin;
use panji_store::register::FinancialYear;
use ring::digest::{Context, SHA256};

use super::amounts::{AMOUNTS, AmountError, Amounts};
use super::checks::{Checks, Flag};
use super::details::{DETAILS, Details};
use super::figures::{Figures, figures};
use super::filing_time::FilingTime;
use super::instance::{self, FilingError, Instance};
use super::periods::{Period, PeriodType, Periods, QUARTER};
use crate::values::field::financial_year_of;

/// The `source` of records of this format.
pub const SOURCE: &str = "xbrl";

/// A date of approval later than this after the period is a mistake.
const MAX_YEARS_TO_APPROVAL: i16 = 3;
/// The digits of a file's digest that identify it.
const DIGEST_DIGITS: usize = 32;
/// The months of a quarter before its last month.
const MONTHS_BEFORE_LAST: i32 = 2;

/// Why a filing has no record of a period.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PeriodError {
    #[error("neither its contexts nor its dates state the period")]
    NoPeriod,
    #[error("it is in {0:?}; only rupees (INR) are accepted")]
    Currency(String),
    #[error("it states a period but no figures of it")]
    NoFigures,
    #[error("{0:?} is neither standalone nor consolidated")]
    Basis(String),
    #[error("it does not say whether it is standalone or consolidated")]
    NoBasis,
    #[error(transparent)]
    Amount(#[from] AmountError),
}

/// A results filing.
#[derive(Debug)]
pub struct Filing {
    instance: Instance,
    details: Details,
    periods: Periods,
    digest: String,
}

/// A period that is reported in a filing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    pub period: Period,
    pub kind: PeriodType,
    pub from: Date,
    /// True if the filing does not state the first day, and three months are assumed.
    pub from_is_assumed: bool,
}

impl Filing {
    pub fn read(source: impl BufRead) -> Result<Filing, FilingError> {
        let wanted = [&DETAILS[..], &AMOUNTS[..]].concat();
        let mut source = Digested { inner: source, hash: Context::new(&SHA256) };
        let instance = instance::read(&mut source, &wanted)?;
        let digest =
            source.hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        let details = Details::of(&instance)?;
        let periods = Periods::of(&instance, &details);
        Ok(Filing { instance, details, periods, digest })
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

    /// The distinct periods with figures.
    pub fn periods(&self) -> Vec<Period> {
        let mut periods = Vec::new();
        for period in self.periods.durations.values() {
            if !periods.contains(period) {
                periods.push(*period);
            }
        }
        periods
    }

    /// The financial year, if the filing has figures of a full one: about twelve months that end
    /// with the financial year.
    pub fn year(&self) -> Option<Period> {
        let is_year = |one: &Reported| one.kind == PeriodType::Year;
        self.reported().into_iter().find(is_year).map(|one| one.period)
    }

    /// The periods that end on the last day of the filing. Other periods are for comparison, and
    /// have their own filings.
    pub fn reported(&self) -> Vec<Reported> {
        let year_end = self.details.day("DateOfEndOfFinancialYear");
        let periods = self.periods();
        let last_day = periods.iter().map(|period| period.to).max();
        let mut reported: Vec<Reported> = Vec::new();
        for period in periods.into_iter().filter(|period| Some(period.to) == last_day) {
            let Some((from, from_is_assumed)) = self.first_day(period) else { continue };
            let days = Period { from: Some(from), ..period }.days();
            let Some(kind) = days.and_then(PeriodType::of_days) else { continue };
            let ends_year = year_end.is_none_or(|end| period.to == end);
            let is_known = reported.iter().any(|known| known.kind == kind);
            if (kind != PeriodType::Year || ends_year) && !is_known {
                reported.push(Reported { period, kind, from, from_is_assumed });
            }
        }
        reported
    }

    /// The first day of a period, and whether it is assumed. The banks' form from before 2022 does
    /// not state the first day of its quarter.
    fn first_day(&self, period: Period) -> Option<(Date, bool)> {
        if let Some(from) = period.from {
            return Some((from, false));
        }
        let is_quarter = self.periods.durations.get(QUARTER) == Some(&period);
        let stated = self.details.text("ReportingQuarter")?.to_ascii_lowercase();
        if !is_quarter || stated.contains("half") {
            return None;
        }
        let from = period.to.first_of_month().checked_sub(MONTHS_BEFORE_LAST.months()).ok()?;
        Some((from, true))
    }

    /// The figures of a period, with the balances of its last day.
    pub fn figures(&self, period: Period) -> Result<Figures, PeriodError> {
        let (flows, balances) = self.amounts(period)?;
        Ok(figures(&flows, &balances, self.basis(period)? == "consolidated"))
    }

    /// The inconsistencies of a period.
    pub fn flags(&self, reported: Reported) -> Result<Vec<Flag>, PeriodError> {
        let (flows, balances) = self.amounts(reported.period)?;
        let level = self.level_of_rounding();
        let mut flags = Checks { flows: &flows, balances: &balances, level }.flags();
        for (element, (one, other)) in flows.contradictions().chain(balances.contradictions()) {
            let sentence = format!(
                "{element} is given twice, as {} and {} rupees: it is left out.",
                one / 100,
                other / 100
            );
            flags.push(Flag::new("stated_twice", sentence));
        }
        if reported.from_is_assumed {
            let sentence = "The first day is not stated: three months were assumed.".to_owned();
            flags.push(Flag::new("from_date_assumed", sentence));
        }
        Ok(flags)
    }

    /// The amounts of a period, and the balances of its last day.
    fn amounts(&self, period: Period) -> Result<(Amounts, Amounts), PeriodError> {
        if let Some(other) = self.other_currency() {
            return Err(PeriodError::Currency(other.to_owned()));
        }
        let (durations, instants) = (&self.periods.durations, &self.periods.instants);
        let of_period = |context: &str| durations.get(context) == Some(&period);
        let of_last_day = |context: &str| instants.get(context) == Some(&period.to);
        let flows = Amounts::of(&self.instance, of_period)?;
        let balances = Amounts::of(&self.instance, of_last_day)?;
        if flows.is_empty() {
            return Err(PeriodError::NoFigures);
        }
        Ok((flows, balances))
    }

    /// The rounding unit of the printed statement, in paise; zero if it is not stated.
    fn level_of_rounding(&self) -> i64 {
        let elements = ["LevelOfRoundingUsedInFinancialStatements", "LevelOfRounding"];
        let stated = elements.iter().find_map(|element| self.details.text(element));
        let stated = stated.unwrap_or_default().to_ascii_lowercase();
        let units = [("crore", 7), ("million", 6), ("lakh", 5), ("thousand", 3), ("hundred", 2)];
        let unit = units.iter().find(|(word, _)| stated.contains(word));
        unit.map_or(0, |(_, places)| 100 * 10_i64.pow(*places))
    }

    fn other_currency(&self) -> Option<&str> {
        let stated = self.details.text("DescriptionOfPresentationCurrency")?;
        (!stated.eq_ignore_ascii_case("INR")).then_some(stated)
    }

    /// `standalone` or `consolidated`.
    pub fn basis(&self, period: Period) -> Result<&'static str, PeriodError> {
        let element = "NatureOfReportStandaloneConsolidated";
        let of_period = self.periods.durations.iter().filter(|(_, of)| **of == period);
        let here = of_period.into_iter().find_map(|(id, _)| self.details.text_in(element, id));
        let stated = here.or_else(|| self.details.text(element));
        match stated.map(str::to_ascii_lowercase).as_deref() {
            Some("standalone" | "non-consolidated") => Ok("standalone"),
            Some("consolidated") => Ok("consolidated"),
            Some(other) => Err(PeriodError::Basis(other.to_owned())),
            None => Err(PeriodError::NoBasis),
        }
    }

    /// The date of the data: the day of the board's approval, else the end of the period.
    pub fn as_of(&self, period: Period) -> Date {
        let latest = period.to.checked_add(MAX_YEARS_TO_APPROVAL.years()).unwrap_or(Date::MAX);
        self.details
            .day("DateOfBoardMeetingWhenFinancialResultsWereApproved")
            .filter(|approved| (period.to..=latest).contains(approved))
            .unwrap_or(period.to)
    }

    pub fn stated_cin(&self) -> Option<String> {
        let stated = self.details.text("CorporateIdentityNumber").or(self.entity());
        Some(Cin::parse(stated?).ok()?.as_str().to_owned())
    }

    /// Other names of the company: ISIN, code and symbol, the most stable first.
    pub fn names(&self) -> Vec<&str> {
        let elements = ["ISIN", "ScripCode", "Symbol", "NSESymbol"];
        elements.iter().filter_map(|name| self.details.text(name)).chain(self.entity()).collect()
    }

    fn entity(&self) -> Option<&str> {
        self.instance.contexts.values().filter_map(|one| one.entity.as_deref()).min()
    }

    /// A record of each period, without the CIN: the importer finds the company by the names.
    pub fn records(&self, filed: &FilingTime) -> Vec<Result<FinancialYear, PeriodError>> {
        if self.periods.durations.is_empty() {
            return vec![Err(PeriodError::NoPeriod)];
        }
        self.reported().into_iter().map(|reported| self.record(reported, filed)).collect()
    }

    fn record(&self, reported: Reported, filed: &FilingTime) -> Result<FinancialYear, PeriodError> {
        let Reported { period, kind, from, .. } = reported;
        let figures = self.figures(period)?;
        let flags = self.flags(reported)?;
        Ok(FinancialYear {
            cin: String::new(),
            to_date: period.to.to_string(),
            basis: self.basis(period)?.to_owned(),
            period_type: kind.word().to_owned(),
            filing: self.digest.chars().take(DIGEST_DIGITS).collect(),
            financial_year: financial_year_of(period.to),
            from_date: from.to_string(),
            form_type: None,
            filed_on: filed.on.map(|day| day.to_string()),
            filed_at: filed.at.clone(),
            filing_number: filed.number,
            revenue: figures.revenue,
            other_income: figures.other_income,
            total_income: figures.total_income,
            total_expenses: figures.total_expenses,
            finance_cost: figures.finance_cost,
            depreciation: figures.depreciation,
            ebitda: None,
            profit_before_exceptional_items: figures.profit_before_exceptional_items,
            exceptional_items: figures.exceptional_items,
            profit_before_tax: figures.profit_before_tax,
            tax: figures.tax,
            profit: figures.profit,
            profit_to_owners: figures.profit_to_owners,
            share_capital: figures.share_capital,
            reserves: figures.reserves,
            net_worth: figures.net_worth,
            total_debt: figures.total_debt,
            total_assets: figures.total_assets,
            current_assets: figures.current_assets,
            current_liabilities: figures.current_liabilities,
            cash: figures.cash,
            flags: Some(serde_json::json!(flags).to_string()),
            as_of: Some(self.as_of(period).to_string()),
            source: SOURCE.into(),
        })
    }
}

/// A reader that computes the digest of its bytes.
struct Digested<R> {
    inner: R,
    hash: Context,
}

impl<R: BufRead> Read for Digested<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Digested<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        // The buffered bytes are returned again without a read.
        if let Ok(buffer) = self.inner.fill_buf() {
            self.hash.update(&buffer[..length.min(buffer.len())]);
        }
        self.inner.consume(length);
    }
}
