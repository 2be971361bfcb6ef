//! Financial years and the periods within them, with what follows from them: margins, ratios and growth.

use std::borrow::Cow;

use panji_store::register::{
    self, CompanyReference, CoveredSection, ReportedPeriod, reported_periods,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::financial_flags::{Flag, flags_of};
use super::{Rupees, SectionOrigin, enums, ratio, round4};

/// The financial years of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Financials {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// Always `INR`.
    #[schema(example = "INR")]
    pub currency: Cow<'static, str>,
    /// The years, newest first, standalone before consolidated.
    pub years: Vec<FinancialYear>,
    /// Quarters, halves and nine months, in the same order, with the same fields.
    pub interim: Vec<FinancialYear>,
    /// What an empty list means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

/// One financial year, or a period within it, on one basis.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct FinancialYear {
    /// The financial year, April to March, of the period.
    #[schema(example = "2024-25")]
    pub financial_year: String,
    /// Its first day.
    pub from_date: String,
    /// Its last day.
    pub to_date: String,
    /// How long it is.
    #[schema(value_type = enums::PeriodType)]
    pub period_type: String,
    /// Whose figures these are.
    #[schema(value_type = enums::FinancialBasis)]
    pub basis: String,
    /// The form it was filed with.
    pub form_type: Option<String>,
    /// The day it was filed.
    pub filed_on: Option<String>,
    /// The instant it was filed, where more than the day is known.
    #[schema(format = "date-time")]
    pub filed_at: Option<String>,
    /// How many filings of this period are in the register; the latest one is used.
    pub revision: i64,
    /// Revenue from operations.
    pub revenue: Option<Rupees>,
    /// Other income.
    pub other_income: Option<Rupees>,
    /// Total income.
    pub total_income: Option<Rupees>,
    /// Total expenses.
    pub total_expenses: Option<Rupees>,
    /// Finance cost.
    pub finance_cost: Option<Rupees>,
    /// Depreciation and amortization.
    pub depreciation: Option<Rupees>,
    /// Earnings before interest, tax, depreciation and amortization.
    pub ebitda: Option<Rupees>,
    /// Whether `ebitda` was worked out here: profit before tax and before exceptional items + finance
    /// cost + depreciation − other income.
    pub ebitda_derived: bool,
    /// Profit before exceptional items and tax, where it is stated.
    pub profit_before_exceptional_items: Option<Rupees>,
    /// Exceptional items as stated; a gain is positive.
    pub exceptional_items: Option<Rupees>,
    /// Profit before tax.
    pub profit_before_tax: Option<Rupees>,
    /// Tax.
    pub tax: Option<Rupees>,
    /// Profit after tax.
    pub profit: Option<Rupees>,
    /// The part of the profit that belongs to the owners of the parent company; consolidated only.
    pub profit_to_owners: Option<Rupees>,
    /// Share capital.
    pub share_capital: Option<Rupees>,
    /// Reserves and surplus.
    pub reserves: Option<Rupees>,
    /// Net worth.
    pub net_worth: Option<Rupees>,
    /// Whether `net_worth` was worked out here: share capital + reserves.
    pub net_worth_derived: bool,
    /// Borrowings, long and short.
    pub total_debt: Option<Rupees>,
    /// Total assets.
    pub total_assets: Option<Rupees>,
    /// Current assets.
    pub current_assets: Option<Rupees>,
    /// Current liabilities.
    pub current_liabilities: Option<Rupees>,
    /// Cash and cash equivalents.
    pub cash: Option<Rupees>,
    /// Ratios of the year's figures.
    pub ratios: Ratios,
    /// Growth against the same period of the year before on the same basis.
    pub growth: Growth,
    /// Inconsistencies in the source. The figures are not changed.
    pub flags: Vec<Flag>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// Ratios, rounded to four decimals; null where a divisor is 0 or unknown.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Ratios {
    /// EBITDA by revenue.
    pub ebitda_margin: Option<f64>,
    /// Profit by revenue.
    pub net_margin: Option<f64>,
    /// Profit by net worth.
    pub return_on_equity: Option<f64>,
    /// Profit by total assets.
    pub return_on_assets: Option<f64>,
    /// Total debt by net worth.
    pub debt_to_equity: Option<f64>,
    /// Current assets by current liabilities.
    pub current_ratio: Option<f64>,
    /// Profit before tax and finance cost, by finance cost.
    pub interest_cover: Option<f64>,
    /// Revenue by total assets.
    pub asset_turnover: Option<f64>,
}

/// Growth against the year before, rounded to four decimals.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Growth {
    /// Of revenue.
    pub revenue: Option<f64>,
    /// Of profit.
    pub profit: Option<f64>,
}

impl Financials {
    /// A company's periods, of each the filing that counts. `filings` are newest first, those of one
    /// period together.
    pub fn new(company: &CompanyReference, filings: Vec<register::FinancialYear>) -> Financials {
        let statement = company.coverage.get(CoveredSection::Financials);
        let SectionOrigin { coverage, as_of, source } = SectionOrigin::of_list(statement, &filings);
        let periods = reported_periods(&filings);
        let (years, interim): (Vec<_>, Vec<_>) =
            periods.iter().partition(|period| period.figures.is_year());
        let serve = |period: &ReportedPeriod| serve(period, &periods);
        Financials {
            cin: company.cin.clone(),
            currency: Cow::Borrowed("INR"),
            years: years.into_iter().map(serve).collect(),
            interim: interim.into_iter().map(serve).collect(),
            coverage,
            as_of,
            source,
        }
    }
}

/// The same period of the year before, on the same basis.
fn year_before<'a>(
    period: &register::FinancialYear,
    periods: &'a [ReportedPeriod],
) -> Option<&'a register::FinancialYear> {
    let first = period.financial_year.get(..4)?.parse::<u32>().ok()?;
    let label = format!("{}-{:02}", first.checked_sub(1)?, first % 100);
    let month = |one: &register::FinancialYear| one.to_date.get(4..7).map(str::to_owned);
    let is_same_period = |other: &&register::FinancialYear| {
        other.basis == period.basis
            && other.period_type == period.period_type
            && other.financial_year == label
            && (period.is_year() || month(other) == month(period))
    };
    periods.iter().map(|other| &other.figures).find(is_same_period)
}

/// Profit before tax and exceptional items. A statement that has no such items names none.
fn before_exceptional(year: &register::FinancialYear) -> Option<i64> {
    let stated = year.profit_before_exceptional_items;
    stated.or_else(|| Some(year.profit_before_tax? - year.exceptional_items.unwrap_or(0)))
}

fn serve(period: &ReportedPeriod, periods: &[ReportedPeriod]) -> FinancialYear {
    let year = &period.figures;
    let before = year_before(year, periods);
    let derived_ebitda = || {
        Some(
            before_exceptional(year)? + year.finance_cost? + year.depreciation?
                - year.other_income?,
        )
    };
    let derived_net_worth = || Some(year.share_capital? + year.reserves?);
    let ebitda = year.ebitda.or_else(derived_ebitda);
    let net_worth = year.net_worth.or_else(derived_net_worth);
    FinancialYear {
        financial_year: year.financial_year.clone(),
        from_date: year.from_date.clone(),
        to_date: year.to_date.clone(),
        period_type: year.period_type.clone(),
        basis: year.basis.clone(),
        form_type: year.form_type.clone(),
        filed_on: year.filed_on.clone(),
        filed_at: year.filed_at.clone(),
        revision: period.revision,
        revenue: year.revenue.map(Rupees),
        other_income: year.other_income.map(Rupees),
        total_income: year.total_income.map(Rupees),
        total_expenses: year.total_expenses.map(Rupees),
        finance_cost: year.finance_cost.map(Rupees),
        depreciation: year.depreciation.map(Rupees),
        ebitda: ebitda.map(Rupees),
        ebitda_derived: year.ebitda.is_none() && ebitda.is_some(),
        profit_before_exceptional_items: year.profit_before_exceptional_items.map(Rupees),
        exceptional_items: year.exceptional_items.map(Rupees),
        profit_before_tax: year.profit_before_tax.map(Rupees),
        tax: year.tax.map(Rupees),
        profit: year.profit.map(Rupees),
        profit_to_owners: year.profit_to_owners.map(Rupees),
        share_capital: year.share_capital.map(Rupees),
        reserves: year.reserves.map(Rupees),
        net_worth: net_worth.map(Rupees),
        net_worth_derived: year.net_worth.is_none() && net_worth.is_some(),
        total_debt: year.total_debt.map(Rupees),
        total_assets: year.total_assets.map(Rupees),
        current_assets: year.current_assets.map(Rupees),
        current_liabilities: year.current_liabilities.map(Rupees),
        cash: year.cash.map(Rupees),
        ratios: ratios(year, ebitda, net_worth),
        growth: Growth {
            revenue: growth(year.revenue, before.and_then(|before| before.revenue)),
            profit: growth(year.profit, before.and_then(|before| before.profit)),
        },
        flags: flags_of(period, periods),
        as_of: year.as_of.clone(),
        source: year.source.clone(),
    }
}

fn ratios(year: &register::FinancialYear, ebitda: Option<i64>, net_worth: Option<i64>) -> Ratios {
    let before_interest =
        year.profit_before_tax.zip(year.finance_cost).map(|(pbt, cost)| pbt + cost);
    Ratios {
        ebitda_margin: ratio(ebitda, year.revenue),
        net_margin: ratio(year.profit, year.revenue),
        return_on_equity: ratio(year.profit, net_worth),
        return_on_assets: ratio(year.profit, year.total_assets),
        debt_to_equity: ratio(year.total_debt, net_worth),
        current_ratio: ratio(year.current_assets, year.current_liabilities),
        interest_cover: ratio(before_interest, year.finance_cost),
        asset_turnover: ratio(year.revenue, year.total_assets),
    }
}

/// Growth from one amount to another; a rise is positive also where the earlier one was a loss.
fn growth(now: Option<i64>, before: Option<i64>) -> Option<f64> {
    let (now, before) = (now?, before?);
    (before != 0).then(|| round4((now - before) as f64 / before.abs() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> CompanyReference {
        CompanyReference { cin: "X".into(), coverage: register::Coverage::default() }
    }

    fn year(label: &str, basis: &str, revenue: i64, profit: i64) -> register::FinancialYear {
        register::FinancialYear {
            financial_year: label.into(),
            to_date: format!("20{}-03-31", &label[5..]),
            basis: basis.into(),
            period_type: "year".into(),
            revenue: Some(revenue),
            profit: Some(profit),
            ..Default::default()
        }
    }

    #[test]
    fn growth_is_against_the_year_before_on_the_same_basis() {
        let years = vec![
            year("2024-25", "standalone", 150, 30),
            year("2024-25", "consolidated", 999, 9),
            year("2023-24", "standalone", 100, -10),
            year("2021-22", "standalone", 50, 5),
        ];
        let served = Financials::new(&reference(), years).years;
        assert_eq!(served[0].growth.revenue, Some(0.5));
        assert_eq!(served[0].growth.profit, Some(4.0));
        assert_eq!(served[1].growth.revenue, None);
        assert_eq!(served[2].growth.revenue, None, "2022-23 is missing");
    }

    #[test]
    fn what_the_source_does_not_state_is_derived_and_says_so() {
        let mut stated = year("2024-25", "standalone", 1_000, 100);
        stated.profit_before_tax = Some(140);
        stated.finance_cost = Some(40);
        stated.depreciation = Some(30);
        stated.other_income = Some(10);
        stated.share_capital = Some(500);
        stated.reserves = Some(-100);
        let serve = |stated: &register::FinancialYear| {
            Financials::new(&reference(), vec![stated.clone()]).years.remove(0)
        };
        let served = serve(&stated);
        assert_eq!((served.ebitda, served.ebitda_derived), (Some(Rupees(200)), true));
        assert_eq!((served.net_worth, served.net_worth_derived), (Some(Rupees(400)), true));
        assert_eq!(served.ratios.ebitda_margin, Some(0.2));
        assert_eq!(served.ratios.interest_cover, Some(4.5));
        stated.ebitda = Some(190);
        assert!(!serve(&stated).ebitda_derived);
        stated.revenue = Some(0);
        assert_eq!(serve(&stated).ratios.net_margin, None);
    }
    #[test]
    fn ebitda_is_before_exceptional_items_whatever_their_sign_is_in_the_source() {
        let mut telecom = year("2019-20", "consolidated", 875_390, -308_320);
        telecom.profit_before_tax = Some(-428_460);
        telecom.finance_cost = Some(123_820);
        telecom.depreciation = Some(276_900);
        telecom.other_income = Some(3_240);
        let ebitda = |year: &register::FinancialYear| {
            Financials::new(&reference(), vec![year.clone()]).years[0].ebitda
        };
        assert_eq!(ebitda(&telecom), Some(Rupees(-30_980)), "no such item is stated");
        telecom.exceptional_items = Some(-402_340);
        assert_eq!(ebitda(&telecom), Some(Rupees(371_360)));
        // Stated with the other sign: what is stated before them decides.
        telecom.exceptional_items = Some(402_340);
        telecom.profit_before_exceptional_items = Some(-26_120);
        assert_eq!(ebitda(&telecom), Some(Rupees(371_360)));
    }

    #[test]
    fn periods_within_a_year_stand_apart_and_grow_against_the_same_period_a_year_before() {
        let quarter = |label: &str, to_date: &str, revenue: i64| register::FinancialYear {
            to_date: to_date.into(),
            period_type: "quarter".into(),
            ..year(label, "standalone", revenue, 1)
        };
        let served = Financials::new(
            &reference(),
            vec![
                quarter("2024-25", "2024-12-31", 30),
                quarter("2024-25", "2024-09-30", 99),
                year("2023-24", "standalone", 100, 10),
                quarter("2023-24", "2023-12-31", 20),
            ],
        );
        assert_eq!(served.years.len(), 1);
        assert_eq!(served.interim.len(), 3);
        assert_eq!(served.interim[0].growth.revenue, Some(0.5));
        assert_eq!(served.interim[1].growth.revenue, None);
    }
}
