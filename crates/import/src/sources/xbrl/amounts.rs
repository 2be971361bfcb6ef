//! The amounts of a filing: one value per element.

use std::collections::BTreeMap;

use super::instance::{Fact, Instance};
use crate::values::rupees::{Paise, read_signed_amount};

/// The elements that are amounts of money.
pub const AMOUNTS: [&str; 46] = [
    "Assets",
    "BalancesWithBanksAndMoneyAtCallAndShortNotice",
    "Borrowings",
    "BorrowingsCurrent",
    "BorrowingsNoncurrent",
    "Capital",
    "CapitalAndLiabilities",
    "CashAndBalancesWithReserveBankOfIndia",
    "CashAndCashEquivalents",
    "CurrentAssets",
    "CurrentLiabilities",
    "DebtSecurities",
    "Deposits",
    "DepreciationDepletionAndAmortisationExpense",
    "Equity",
    "EquityAndLiabilities",
    "EquityAttributableToOwnersOfParent",
    "EquityShareCapital",
    "ExceptionalItems",
    "ExceptionalItemsBeforeTax",
    "ExpenditureExcludingProvisionsAndContingencies",
    "Expenses",
    "FinanceCosts",
    "Income",
    "InterestEarned",
    "InterestExpended",
    "NetMovementInRegulatoryDeferralAccountBalancesRelatedToProfitOrLossAndTheRelatedDeferredTaxMovement",
    "NonControllingInterest",
    "OtherEquity",
    "OtherIncome",
    "PaidUpValueOfEquityShareCapital",
    "ProfitBeforeExceptionalItemsAndTax",
    "ProfitBeforeTax",
    "ProfitLossAfterTaxesMinorityInterestAndShareOfProfitLossOfAssociates",
    "ProfitLossForPeriod",
    "ProfitLossForThePeriod",
    "ProfitLossFromDiscontinuedOperationsAfterTax",
    "ProfitLossFromOrdinaryActivitiesBeforeTax",
    "ProfitOrLossAttributableToOwnersOfParent",
    "ProvisionsOtherThanTaxAndContingencies",
    "ReserveExcludingRevaluationReserves",
    "ReservesAndSurplus",
    "RevenueFromOperations",
    "ShareOfProfitLossOfAssociatesAndJointVenturesAccountedForUsingEquityMethod",
    "SubordinatedLiabilities",
    "TaxExpense",
];

/// No filing is rounded to more than a billion rupees, even if it says so.
const MAX_ROUNDING_DIGITS: i32 = 9;

/// Why an amount cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    #[error("{element}: {text:?} is not an amount")]
    NotAnAmount { element: &'static str, text: String },
    #[error("{element} is in {measure:?}; only rupees (INR) are accepted")]
    Currency { element: &'static str, measure: String },
}

/// An amount, and the unit to which it is rounded, zero for an exact amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounded {
    pub paise: i64,
    pub rounding: i64,
}

#[derive(Debug, Default)]
pub struct Amounts {
    values: BTreeMap<&'static str, Rounded>,
    /// Elements that are given twice with different values; they are not in `values`.
    contradictions: BTreeMap<&'static str, (i64, i64)>,
}

impl Amounts {
    /// The amounts among the facts of the wanted contexts. An element may be repeated with the same
    /// value, or with a rounded one: then the more exact value counts. An element with two
    /// different values has no amount.
    pub fn of(
        instance: &Instance,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Amounts, AmountError> {
        let mut amounts = Amounts::default();
        let of_contexts = instance.facts.iter().filter(|fact| is_wanted(&fact.context));
        for fact in of_contexts.filter(|fact| AMOUNTS.contains(&fact.element)) {
            check_currency(instance, fact)?;
            let read = read(fact)?;
            let first = amounts.values.entry(fact.element).or_insert(read);
            if (first.paise - read.paise).abs() > first.rounding.max(read.rounding) / 2 {
                amounts.contradictions.insert(fact.element, (first.paise, read.paise));
            }
            if read.rounding < first.rounding {
                *first = read;
            }
        }
        amounts.values.retain(|element, _| !amounts.contradictions.contains_key(element));
        Ok(amounts)
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.contradictions.is_empty()
    }

    /// The elements that are given twice, each with two of its values in paise.
    pub fn contradictions(&self) -> impl Iterator<Item = (&'static str, (i64, i64))> {
        self.contradictions.iter().map(|(element, values)| (*element, *values))
    }

    pub fn rounded(&self, element: &str) -> Option<Rounded> {
        self.values.get(element).copied()
    }

    pub fn get(&self, element: &str) -> Option<i64> {
        self.rounded(element).map(|amount| amount.paise)
    }

    /// The first of these elements that has an amount.
    pub fn first(&self, elements: &[&str]) -> Option<i64> {
        elements.iter().find_map(|element| self.get(element))
    }

    /// The sum of these elements, if all have an amount.
    pub fn sum(&self, elements: &[&str]) -> Option<i64> {
        elements.iter().map(|element| self.get(element)).sum()
    }

    /// An element for which the exchange's form writes zero if it was not filled in.
    pub fn filled(&self, element: &str) -> Option<i64> {
        self.get(element).filter(|paise| *paise != 0)
    }
}

fn read(fact: &Fact) -> Result<Rounded, AmountError> {
    let Some(Paise(paise)) = read_signed_amount(&fact.text) else {
        return Err(AmountError::NotAnAmount { element: fact.element, text: fact.text.clone() });
    };
    // Decimals -7 means rounded to 10⁷ rupees, 0 to one rupee.
    let decimals = fact.decimals.unwrap_or(2).clamp(-MAX_ROUNDING_DIGITS, 2);
    let rounding = if decimals == 2 { 0 } else { 10_i64.pow((2 - decimals).unsigned_abs()) };
    Ok(Rounded { paise, rounding })
}

/// An amount without a unit, or with the unit of a plain number, is in the currency of the filing:
/// the banks' form has such amounts.
fn check_currency(instance: &Instance, fact: &Fact) -> Result<(), AmountError> {
    let Some(unit) = &fact.unit else { return Ok(()) };
    let name = |measure: &str| measure.rsplit(':').next().unwrap_or_default().to_owned();
    let measure = match instance.units.get(unit).map(Vec::as_slice) {
        Some([measure]) => name(measure),
        Some(_) => unit.clone(),
        None => name(unit),
    };
    if ["INR", "pure"].contains(&measure.as_str()) {
        return Ok(());
    }
    Err(AmountError::Currency { element: fact.element, measure })
}
