//! Financial years with what follows from them: margins, ratios and growth.

use std::borrow::Cow;

use panji_store::register;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Rupees, ratio, round4, words};

/// The financial years of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Financials {
    /// The company.
    pub cin: String,
    /// Always `INR`.
    #[schema(example = "INR")]
    pub currency: Cow<'static, str>,
    /// The years, newest first, standalone before consolidated.
    pub years: Vec<FinancialYear>,
}

/// One financial year on one basis.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct FinancialYear {
    /// The year, April to March.
    #[schema(example = "2024-25")]
    pub financial_year: String,
    /// Its first day.
    pub from_date: String,
    /// Its last day.
    pub to_date: String,
    /// Whose figures these are.
    #[schema(value_type = words::FinancialBasis)]
    pub basis: String,
    /// The form it was filed with.
    pub form_type: Option<String>,
    /// The day it was filed.
    pub filed_on: Option<String>,
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
    /// Depreciation and amortisation.
    pub depreciation: Option<Rupees>,
    /// Earnings before interest, tax, depreciation and amortisation.
    pub ebitda: Option<Rupees>,
    /// Whether `ebitda` was worked out here: profit before tax + finance cost + depreciation − other
    /// income.
    pub ebitda_derived: bool,
    /// Profit before tax.
    pub profit_before_tax: Option<Rupees>,
    /// Tax.
    pub tax: Option<Rupees>,
    /// Profit after tax.
    pub profit: Option<Rupees>,
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
    /// Growth against the year before on the same basis.
    pub growth: Growth,
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
    /// A company's years; `years` are newest first.
    pub fn new(cin: String, years: Vec<register::FinancialYear>) -> Financials {
        let served = years.iter().map(|year| serve(year, year_before(year, &years))).collect();
        Financials { cin, currency: Cow::Borrowed("INR"), years: served }
    }
}

/// The year that ended just before this one began, on the same basis.
fn year_before<'a>(
    year: &register::FinancialYear,
    years: &'a [register::FinancialYear],
) -> Option<&'a register::FinancialYear> {
    let first = year.financial_year.get(..4)?.parse::<u32>().ok()?;
    let label = format!("{}-{:02}", first.checked_sub(1)?, first % 100);
    years.iter().find(|other| other.basis == year.basis && other.financial_year == label)
}

fn serve(
    year: &register::FinancialYear,
    before: Option<&register::FinancialYear>,
) -> FinancialYear {
    let derived_ebitda = || {
        Some(year.profit_before_tax? + year.finance_cost? + year.depreciation? - year.other_income?)
    };
    let derived_net_worth = || Some(year.share_capital? + year.reserves?);
    let ebitda = year.ebitda.or_else(derived_ebitda);
    let net_worth = year.net_worth.or_else(derived_net_worth);
    FinancialYear {
        financial_year: year.financial_year.clone(),
        from_date: year.from_date.clone(),
        to_date: year.to_date.clone(),
        basis: year.basis.clone(),
        form_type: year.form_type.clone(),
        filed_on: year.filed_on.clone(),
        revenue: year.revenue.map(Rupees),
        other_income: year.other_income.map(Rupees),
        total_income: year.total_income.map(Rupees),
        total_expenses: year.total_expenses.map(Rupees),
        finance_cost: year.finance_cost.map(Rupees),
        depreciation: year.depreciation.map(Rupees),
        ebitda: ebitda.map(Rupees),
        ebitda_derived: year.ebitda.is_none() && ebitda.is_some(),
        profit_before_tax: year.profit_before_tax.map(Rupees),
        tax: year.tax.map(Rupees),
        profit: year.profit.map(Rupees),
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

    fn year(label: &str, basis: &str, revenue: i64, profit: i64) -> register::FinancialYear {
        register::FinancialYear {
            financial_year: label.into(),
            basis: basis.into(),
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
        let served = Financials::new("X".into(), years).years;
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
        let served = serve(&stated, None);
        assert_eq!((served.ebitda, served.ebitda_derived), (Some(Rupees(200)), true));
        assert_eq!((served.net_worth, served.net_worth_derived), (Some(Rupees(400)), true));
        assert_eq!(served.ratios.ebitda_margin, Some(0.2));
        assert_eq!(served.ratios.interest_cover, Some(4.5));
        stated.ebitda = Some(190);
        assert!(!serve(&stated, None).ebitda_derived);
        stated.revenue = Some(0);
        assert_eq!(serve(&stated, None).ratios.net_margin, None);
    }
}
