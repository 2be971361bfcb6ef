//! Maps the elements of the taxonomies to the figures of a period.

use super::amounts::Amounts;

/// The figures of one period in paise; none if the filing does not state them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Revenue from operations; for a bank, interest earned.
    pub revenue: Option<i64>,
    pub other_income: Option<i64>,
    pub total_income: Option<i64>,
    /// For a bank, with its provisions.
    pub total_expenses: Option<i64>,
    /// For a bank, interest expended.
    pub finance_cost: Option<i64>,
    pub depreciation: Option<i64>,
    pub profit_before_exceptional_items: Option<i64>,
    pub exceptional_items: Option<i64>,
    pub profit_before_tax: Option<i64>,
    pub tax: Option<i64>,
    /// Profit after tax, including the share of other shareholders of subsidiaries.
    pub profit: Option<i64>,
    /// The part of it that belongs to the owners of the parent company.
    pub profit_to_owners: Option<i64>,
    pub share_capital: Option<i64>,
    pub reserves: Option<i64>,
    pub net_worth: Option<i64>,
    /// Borrowings.
    pub total_debt: Option<i64>,
    pub total_assets: Option<i64>,
    pub current_assets: Option<i64>,
    pub current_liabilities: Option<i64>,
    pub cash: Option<i64>,
}

/// The figures of a period, from its amounts and from the balances of its last day.
/// `docs/financials.md` has this mapping as a table.
pub fn figures(flows: &Amounts, balances: &Amounts, is_consolidated: bool) -> Figures {
    let is_bank = balances.get("CapitalAndLiabilities").is_some();
    Figures {
        revenue: flows.first(&["RevenueFromOperations", "InterestEarned"]),
        other_income: flows.get("OtherIncome"),
        total_income: flows.get("Income"),
        total_expenses: flows.get("Expenses").or_else(|| {
            flows.sum(&[
                "ExpenditureExcludingProvisionsAndContingencies",
                "ProvisionsOtherThanTaxAndContingencies",
            ])
        }),
        finance_cost: flows.first(&["FinanceCosts", "InterestExpended"]),
        depreciation: flows.get("DepreciationDepletionAndAmortisationExpense"),
        profit_before_exceptional_items: flows.filled("ProfitBeforeExceptionalItemsAndTax"),
        exceptional_items: flows.first(&["ExceptionalItemsBeforeTax", "ExceptionalItems"]),
        profit_before_tax: flows
            .first(&["ProfitBeforeTax", "ProfitLossFromOrdinaryActivitiesBeforeTax"]),
        tax: flows.get("TaxExpense"),
        profit: flows.first(&["ProfitLossForPeriod", "ProfitLossForThePeriod"]),
        profit_to_owners: flows
            .filled("ProfitOrLossAttributableToOwnersOfParent")
            .or_else(|| {
                flows.filled("ProfitLossAfterTaxesMinorityInterestAndShareOfProfitLossOfAssociates")
            })
            .filter(|_| is_consolidated),
        share_capital: balances
            .first(&["EquityShareCapital", "Capital"])
            .or_else(|| flows.filled("PaidUpValueOfEquityShareCapital")),
        reserves: balances
            .first(&["OtherEquity", "ReservesAndSurplus"])
            .or_else(|| flows.filled("ReserveExcludingRevaluationReserves")),
        net_worth: balances.first(&["EquityAttributableToOwnersOfParent", "Equity"]),
        total_debt: balances
            .sum(&["BorrowingsNoncurrent", "BorrowingsCurrent"])
            .or_else(|| {
                let of_lender = ["DebtSecurities", "Borrowings", "Deposits"];
                Some(balances.sum(&of_lender)? + balances.get("SubordinatedLiabilities")?)
            })
            .or_else(|| balances.get("Borrowings").filter(|_| is_bank)),
        total_assets: balances.get("Assets"),
        current_assets: balances.get("CurrentAssets"),
        current_liabilities: balances.get("CurrentLiabilities"),
        cash: balances.get("CashAndCashEquivalents").or_else(|| {
            balances.sum(&[
                "CashAndBalancesWithReserveBankOfIndia",
                "BalancesWithBanksAndMoneyAtCallAndShortNotice",
            ])
        }),
    }
}
