//! Financial years and the periods within them: the figures of one company, period and basis in
//! each filing, and the choice of the filing that counts.

use std::cmp::Ordering;

use super::{Register, SectionRecord};
use crate::error::Result;
use crate::table::table;

table! {
    /// The figures of one year, or of a period within it, in one filing, in paise.
    FinancialYear in "financial_years", key 5 {
        cin: String,
        /// The last day of the period.
        to_date: String,
        /// `standalone` or `consolidated`.
        basis: String,
        /// `year`, `half_year`, `nine_months` or `quarter`.
        period_type: String,
        /// Identifies the filing among those of the same period: a digest of its file. Empty if the
        /// source has one record per period.
        filing: String,
        /// The label of the year, such as `2023-24`.
        financial_year: String,
        /// The first day of the period.
        from_date: String,
        form_type: Option<String>,
        filed_on: Option<String>,
        /// The instant of filing, if more than the day is known.
        filed_at: Option<String>,
        /// The exchange's number of the filing; it increases with time.
        filing_number: Option<i64>,
        /// Revenue from operations.
        revenue: Option<i64>,
        other_income: Option<i64>,
        total_income: Option<i64>,
        total_expenses: Option<i64>,
        finance_cost: Option<i64>,
        /// Depreciation and amortization.
        depreciation: Option<i64>,
        /// Null if the source does not state it.
        ebitda: Option<i64>,
        profit_before_exceptional_items: Option<i64>,
        /// A gain is positive.
        exceptional_items: Option<i64>,
        profit_before_tax: Option<i64>,
        tax: Option<i64>,
        /// Profit after tax.
        profit: Option<i64>,
        /// The part of the profit that belongs to the owners of the parent company.
        profit_to_owners: Option<i64>,
        share_capital: Option<i64>,
        /// Reserves and surplus.
        reserves: Option<i64>,
        /// Null if the source does not state it.
        net_worth: Option<i64>,
        /// Long-term and short-term borrowings.
        total_debt: Option<i64>,
        total_assets: Option<i64>,
        current_assets: Option<i64>,
        current_liabilities: Option<i64>,
        /// Cash and cash equivalents.
        cash: Option<i64>,
        /// The inconsistencies of the source, as a JSON list of `code` and `sentence`; null if the
        /// source was not checked.
        flags: Option<String>,
    }
}

/// The period type of a whole financial year.
const YEAR: &str = "year";

/// The figures of a period in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedPeriod {
    /// The filing that counts.
    pub figures: FinancialYear,
    /// The number of filings of the period in the register.
    pub revision: i64,
    /// The filing of the same last day from which the balance sheet is taken, if the filing that
    /// counts has none. Its balance sheet is already in `figures`.
    pub balance_sheet_of: Option<Box<FinancialYear>>,
    /// Whether another filing states other figures, and it is unknown which one was filed later.
    pub order_unknown: bool,
}

impl FinancialYear {
    pub fn is_year(&self) -> bool {
        self.period_type == YEAR
    }

    /// Orders the filings of a period: by the day, by the instant if both have one, by the
    /// exchange's number. Otherwise their content decides, never the order of import.
    fn compare_filing(&self, other: &FinancialYear) -> Ordering {
        let instants = match (&self.filed_at, &other.filed_at) {
            (Some(one), Some(other)) => one.cmp(other),
            _ => Ordering::Equal,
        };
        self.filed_on
            .cmp(&other.filed_on)
            .then(instants)
            .then(self.filing_number.cmp(&other.filing_number))
            .then_with(|| self.as_of.cmp(&other.as_of))
            .then_with(|| self.filing.cmp(&other.filing))
    }

    /// Whether it is known which of two filings was filed later.
    fn has_known_order(&self, other: &FinancialYear) -> bool {
        fn differ<T: PartialEq>(one: &Option<T>, other: &Option<T>) -> bool {
            one.is_some() && other.is_some() && one != other
        }
        differ(&self.filed_on, &other.filed_on)
            || differ(&self.filed_at, &other.filed_at)
            || (self.filed_on == other.filed_on
                && differ(&self.filing_number, &other.filing_number))
    }

    /// Whether both have the same figures, ignoring the data of the filing.
    fn has_figures_of(&self, other: &FinancialYear) -> bool {
        let mut other = other.clone();
        other.filing.clone_from(&self.filing);
        other.filed_on.clone_from(&self.filed_on);
        other.filed_at.clone_from(&self.filed_at);
        other.filing_number = self.filing_number;
        other.as_of.clone_from(&self.as_of);
        other.flags.clone_from(&self.flags);
        *self == other
    }

    /// Takes the time of filing from the stored record if this record has none, or a less exact
    /// one: the same file may be imported again under a name without the time.
    pub(super) fn complete_from(&mut self, stored: &FinancialYear) {
        let is_less_exact = self.filed_on.is_none()
            || (self.filed_on == stored.filed_on && self.filed_at.is_none());
        if !self.filing.is_empty() && is_less_exact && stored.filed_on.is_some() {
            self.filed_on.clone_from(&stored.filed_on);
            self.filed_at.clone_from(&stored.filed_at);
            self.filing_number = self.filing_number.or(stored.filing_number);
        }
    }

    fn take_balance_sheet(&mut self, of: &FinancialYear) {
        self.share_capital = of.share_capital;
        self.reserves = of.reserves;
        self.net_worth = of.net_worth;
        self.total_debt = of.total_debt;
        self.total_assets = of.total_assets;
        self.current_assets = of.current_assets;
        self.current_liabilities = of.current_liabilities;
        self.cash = of.cash;
    }
}

/// The reported periods, each once. Rows of the same last day and basis must be consecutive.
pub fn reported_periods(rows: &[FinancialYear]) -> Vec<ReportedPeriod> {
    let mut periods = Vec::new();
    let same_day = |one: &FinancialYear, other: &FinancialYear| {
        one.to_date == other.to_date && one.basis == other.basis
    };
    for of_day in rows.chunk_by(same_day) {
        let with_balance_sheet = of_day.iter().filter(|row| row.total_assets.is_some());
        let balance_sheet = with_balance_sheet.max_by(|one, other| one.compare_filing(other));
        for of_period in of_day.chunk_by(|one, other| one.period_type == other.period_type) {
            periods.extend(choose_filing(of_period, balance_sheet));
        }
    }
    periods
}

/// Chooses the filing that counts among those of one period.
fn choose_filing(
    rows: &[FinancialYear],
    balance_sheet: Option<&FinancialYear>,
) -> Option<ReportedPeriod> {
    let (filings, records): (Vec<&FinancialYear>, Vec<&FinancialYear>) =
        rows.iter().partition(|row| !row.filing.is_empty());
    let last_filing = filings.iter().copied().max_by(|one, other| one.compare_filing(other));
    // A record without a filing, of a source that also has filings, was stored by an older program
    // that did not distinguish filings.
    let last_record = records
        .iter()
        .copied()
        .filter(|record| filings.iter().all(|filing| filing.source != record.source))
        .max_by(|one, other| one.as_of.cmp(&other.as_of));
    let counts = match (last_filing, last_record) {
        (Some(filing), Some(record)) if record.as_of > filing.as_of => record,
        (Some(filing), _) => filing,
        (None, record) => record?,
    };
    let order_unknown = !counts.filing.is_empty()
        && filings.iter().any(|other| {
            other.filing != counts.filing
                && !counts.has_known_order(other)
                && !counts.has_figures_of(other)
        });
    let mut figures = counts.clone();
    let other = balance_sheet.filter(|_| figures.total_assets.is_none());
    if let Some(other) = other {
        figures.take_balance_sheet(other);
    }
    let revision = (filings.len() as i64).max(1);
    let balance_sheet_of = other.cloned().map(Box::new);
    Some(ReportedPeriod { figures, revision, balance_sheet_of, order_unknown })
}

impl SectionRecord for FinancialYear {
    /// Newest first, standalone before consolidated, and those of one period consecutive.
    fn list_order(&self, other: &FinancialYear) -> Ordering {
        let newest_first = other.to_date.cmp(&self.to_date);
        newest_first
            .then_with(|| other.basis.cmp(&self.basis))
            .then_with(|| self.period_type.cmp(&other.period_type))
    }
}

impl Register {
    /// All filings of all periods of a company, in the order of [`SectionRecord::list_order`].
    pub async fn list_financial_years(&self, cin: &str) -> Result<Vec<FinancialYear>> {
        self.list(cin).await
    }

    /// The number of periods whose company is not in the register, and of these companies.
    pub async fn count_periods_without_company(&self) -> Result<(i64, i64)> {
        let count = "select count(distinct f.cin || f.to_date || f.basis || f.period_type), \
                     count(distinct f.cin) from financial_years f \
                     left join companies c on c.cin = f.cin where c.cin is null";
        let counted = self.engine.query_opt(count, &[], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(counted.await?.unwrap_or_default())
    }
}
