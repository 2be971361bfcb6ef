//! Financial years: the figures of one company, one year and one basis.

use super::{MAX_SECTION_ROWS, Register};
use crate::error::Result;
use crate::table::{Table, table};

table! {
    /// The figures of one year, in paise, as the source states them.
    FinancialYear in "financial_years", key 3 {
        /// The company.
        cin: String,
        /// The last day of the year.
        to_date: String,
        /// `standalone` or `consolidated`.
        basis: String,
        /// The label, as `2023-24`.
        financial_year: String,
        /// The first day of the year.
        from_date: String,
        /// The form it was filed with.
        form_type: Option<String>,
        /// When it was filed.
        filed_on: Option<String>,
        /// Revenue from operations.
        revenue: Option<i64>,
        /// Other income.
        other_income: Option<i64>,
        /// Total income.
        total_income: Option<i64>,
        /// Total expenses.
        total_expenses: Option<i64>,
        /// Finance cost.
        finance_cost: Option<i64>,
        /// Depreciation and amortisation.
        depreciation: Option<i64>,
        /// EBITDA, where the source states it.
        ebitda: Option<i64>,
        /// Profit before tax.
        profit_before_tax: Option<i64>,
        /// Tax.
        tax: Option<i64>,
        /// Profit after tax.
        profit: Option<i64>,
        /// Share capital.
        share_capital: Option<i64>,
        /// Reserves and surplus.
        reserves: Option<i64>,
        /// Net worth, where the source states it.
        net_worth: Option<i64>,
        /// Borrowings, long and short.
        total_debt: Option<i64>,
        /// Total assets.
        total_assets: Option<i64>,
        /// Current assets.
        current_assets: Option<i64>,
        /// Current liabilities.
        current_liabilities: Option<i64>,
        /// Cash and cash equivalents.
        cash: Option<i64>,
    }
}

impl Register {
    /// All years of a company, newest first, standalone before consolidated.
    pub async fn list_financial_years(&self, cin: &str) -> Result<Vec<FinancialYear>> {
        self.look_up(
                "select cin, to_date, basis, financial_year, from_date, form_type, filed_on, \
                 revenue, other_income, total_income, total_expenses, finance_cost, depreciation, \
                 ebitda, profit_before_tax, tax, profit, share_capital, reserves, net_worth, \
                 total_debt, total_assets, current_assets, current_liabilities, cash, as_of, source \
                 from financial_years where cin = $1 order by to_date desc, basis desc limit $2",
                &[cin.into(), MAX_SECTION_ROWS.into()],
                FinancialYear::from_row,
            )
            .await
    }
}
