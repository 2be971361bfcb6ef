//! Checks the sums of a filing. Inconsistencies are reported, not corrected.

use serde::Serialize;

use super::amounts::Amounts;

/// An inconsistency of a filing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// A stable code for programs.
    pub code: &'static str,
    /// A description for people.
    pub sentence: String,
}

impl Flag {
    pub fn new(code: &'static str, sentence: String) -> Flag {
        Flag { code, sentence }
    }
}

/// Two figures of the capital that differ by this factor are in different units.
const OTHER_UNIT: i64 = 10;

/// The data of a filing that the checks need.
pub struct Checks<'a> {
    pub flows: &'a Amounts,
    pub balances: &'a Amounts,
    /// The stated rounding unit of the filing, in paise.
    pub level: i64,
}

impl Checks<'_> {
    pub fn flags(&self) -> Vec<Flag> {
        let mut flags = Vec::new();
        flags.extend(self.total_income());
        flags.extend(self.before_tax());
        flags.extend(self.exceptional_items());
        flags.extend(self.profit());
        flags.extend(self.negative());
        flags.extend(self.balance_sheet());
        flags.extend(self.equity());
        flags.extend(self.unit());
        flags.extend(self.stand_ins());
        flags
    }

    fn flow(&self, element: &str) -> i64 {
        self.flows.get(element).unwrap_or(0)
    }

    /// The possible error of a sum of amounts that were each rounded.
    fn tolerance(&self, amounts: &Amounts, elements: &[&str]) -> i64 {
        let rounding = elements.iter().filter_map(|element| amounts.rounded(element));
        let largest = rounding.map(|amount| amount.rounding).max().unwrap_or(0);
        largest.max(self.level) * elements.len() as i64
    }

    fn total_income(&self) -> Option<Flag> {
        let total = self.flows.get("Income")?;
        let operations = self.flows.first(&["RevenueFromOperations", "InterestEarned"])?;
        let other = self.flows.get("OtherIncome")?;
        let allowed =
            self.tolerance(self.flows, &["Income", "RevenueFromOperations", "OtherIncome"]);
        let sentence = || {
            format!(
                "The total income is {}; revenue {} and other income {} give {}.",
                rupees(total),
                rupees(operations),
                rupees(other),
                rupees(operations + other)
            )
        };
        (total - operations - other)
            .abs()
            .gt(&allowed)
            .then(|| Flag::new("total_income_mismatch", sentence()))
    }

    /// Income less expenses is the profit before exceptional items.
    fn before_tax(&self) -> Option<Flag> {
        let income = self.flows.get("Income")?;
        let (expenses, stated) = match self.flows.get("Expenses") {
            Some(expenses) => (expenses, self.flows.get("ProfitBeforeExceptionalItemsAndTax")?),
            None => {
                let expenses = self.flows.sum(&[
                    "ExpenditureExcludingProvisionsAndContingencies",
                    "ProvisionsOtherThanTaxAndContingencies",
                ])?;
                let before_tax = self.flows.get("ProfitLossFromOrdinaryActivitiesBeforeTax")?;
                (expenses, before_tax - self.flow("ExceptionalItems"))
            }
        };
        let elements = ["Income", "Expenses", "ProfitBeforeExceptionalItemsAndTax", "Provisions"];
        let off = (income - expenses - stated).abs();
        (off > self.tolerance(self.flows, &elements)).then(|| {
            let sentence = format!(
                "Income {} less expenses {} is {}; the profit before exceptional items and tax is \
                 stated as {}.",
                rupees(income),
                rupees(expenses),
                rupees(income - expenses),
                rupees(stated)
            );
            Flag::new("expenses_mismatch", sentence)
        })
    }

    fn exceptional_items(&self) -> Option<Flag> {
        let elements =
            ["ProfitBeforeExceptionalItemsAndTax", "ExceptionalItemsBeforeTax", "ProfitBeforeTax"];
        let [before, items, after] = elements.map(|element| self.flows.get(element));
        let (before, items, after) = (before?, items.unwrap_or(0), after?);
        let allowed = self.tolerance(self.flows, &elements);
        if (before + items - after).abs() <= allowed {
            return None;
        }
        let (code, meaning) = if (before - items - after).abs() <= allowed {
            ("exceptional_items_sign", "the sign of the exceptional items seems wrong")
        } else {
            ("profit_before_tax_mismatch", "they do not give it")
        };
        let sentence = format!(
            "The profit before tax is {}; before exceptional items it is {}, and these are {}: {meaning}.",
            rupees(after),
            rupees(before),
            rupees(items)
        );
        Some(Flag::new(code, sentence))
    }

    /// The profit is the profit before tax less tax, plus the share of associates and of
    /// discontinued operations.
    fn profit(&self) -> Option<Flag> {
        let before_tax =
            self.flows.first(&["ProfitBeforeTax", "ProfitLossFromOrdinaryActivitiesBeforeTax"])?;
        let profit = self.flows.first(&["ProfitLossForPeriod", "ProfitLossForThePeriod"])?;
        let tax = self.flows.get("TaxExpense")?;
        let others = [
            "ShareOfProfitLossOfAssociatesAndJointVenturesAccountedForUsingEquityMethod",
            "ProfitLossFromDiscontinuedOperationsAfterTax",
            "NetMovementInRegulatoryDeferralAccountBalancesRelatedToProfitOrLossAndTheRelatedDeferredTaxMovement",
        ];
        let others: i64 = others.iter().map(|element| self.flow(element)).sum();
        let elements = ["ProfitBeforeTax", "ProfitLossForPeriod", "TaxExpense", "TaxExpense"];
        let allowed = self.tolerance(self.flows, &elements);
        // Some companies include the share of associates in the profit before tax.
        let fits =
            |sum: i64| (sum - profit).abs() <= allowed || (sum + others - profit).abs() <= allowed;
        if fits(before_tax - tax) {
            return None;
        }
        let (code, meaning) = if fits(before_tax + tax) {
            ("tax_sign", "the sign of the tax seems wrong")
        } else {
            ("profit_mismatch", "these do not give it")
        };
        let sentence = format!(
            "The profit is {}; before tax it is {}, and the tax is {}: {meaning}.",
            rupees(profit),
            rupees(before_tax),
            rupees(tax)
        );
        Some(Flag::new(code, sentence))
    }

    /// Amounts that are never negative.
    fn negative(&self) -> Option<Flag> {
        let of_flows = ["RevenueFromOperations", "InterestEarned", "Expenses", "FinanceCosts"]
            .into_iter()
            .chain(["DepreciationDepletionAndAmortisationExpense", "InterestExpended"])
            .filter(|element| self.flow(element) < 0);
        let of_balances =
            ["Assets", "CurrentAssets", "CashAndCashEquivalents", "EquityShareCapital"]
                .into_iter()
                .filter(|element| self.balances.get(element).is_some_and(|amount| amount < 0));
        let negative: Vec<&str> = of_flows.chain(of_balances).collect();
        (!negative.is_empty()).then(|| {
            let sentence = format!("Stated as negative: {}.", negative.join(", "));
            Flag::new("negative_amount", sentence)
        })
    }

    fn balance_sheet(&self) -> Option<Flag> {
        let assets = self.balances.get("Assets")?;
        let sums = ["EquityAndLiabilities", "CapitalAndLiabilities"];
        let (name, sum) = sums.iter().find_map(|sum| Some((*sum, self.balances.get(sum)?)))?;
        ((assets - sum).abs() > self.tolerance(self.balances, &["Assets", name])).then(|| {
            let sentence = format!(
                "The balance sheet does not balance: assets are {}, equity and liabilities {}.",
                rupees(assets),
                rupees(sum)
            );
            Flag::new("balance_sheet_unbalanced", sentence)
        })
    }

    fn equity(&self) -> Option<Flag> {
        let elements = ["EquityShareCapital", "OtherEquity"];
        let own = self.balances.sum(&elements)?;
        let stated = self.balances.first(&["EquityAttributableToOwnersOfParent", "Equity"])?;
        let allowed = self.tolerance(self.balances, &[elements[0], elements[1], "Equity"]);
        let others = self.balances.get("NonControllingInterest").unwrap_or(0);
        let fits = |sum: i64| (sum - stated).abs() <= allowed;
        (!fits(own) && !fits(own + others)).then(|| {
            let sentence = format!(
                "Share capital and other equity are {} together; the equity is stated as {}.",
                rupees(own),
                rupees(stated)
            );
            Flag::new("equity_mismatch", sentence)
        })
    }

    /// Amounts that were written in the unit of the printed statement instead of in rupees.
    fn unit(&self) -> Option<Flag> {
        let revenue = self.flows.first(&["RevenueFromOperations", "InterestEarned"]);
        let revenue = revenue.filter(|revenue| *revenue != 0 && revenue.abs() < self.level);
        if let Some(revenue) = revenue {
            let sentence = format!(
                "The revenue is {}, in a filing that is rounded to {}: the unit seems wrong.",
                rupees(revenue),
                rupees(self.level)
            );
            return Some(Flag::new("unit_doubtful", sentence));
        }
        let paid_up = self.flows.filled("PaidUpValueOfEquityShareCapital")?.abs();
        let capital = self.balances.filled("EquityShareCapital")?.abs();
        let far = paid_up.max(capital) / paid_up.min(capital).max(1) >= OTHER_UNIT;
        far.then(|| {
            let sentence = format!(
                "The share capital is {} in the balance sheet and {} in the results: a unit seems wrong.",
                rupees(capital),
                rupees(paid_up)
            );
            Flag::new("unit_doubtful", sentence)
        })
    }

    /// Figures that are taken from a substitute element.
    fn stand_ins(&self) -> Vec<Flag> {
        let fields = [
            (
                "share_capital_stand_in",
                "share_capital",
                ["EquityShareCapital", "Capital"],
                "PaidUpValueOfEquityShareCapital",
            ),
            (
                "reserves_stand_in",
                "reserves",
                ["OtherEquity", "ReservesAndSurplus"],
                "ReserveExcludingRevaluationReserves",
            ),
        ];
        let substituted = fields.into_iter().filter(|(_, _, meant, stand_in)| {
            self.balances.first(meant).is_none() && self.flows.filled(stand_in).is_some()
        });
        substituted
            .map(|(code, field, _, stand_in)| {
                let sentence =
                    format!("No balance sheet states it: {field} is {stand_in} of the results.");
                Flag::new(code, sentence)
            })
            .collect()
    }
}

/// An amount in whole rupees, for a sentence.
fn rupees(paise: i64) -> String {
    format!("{} rupees", paise / 100)
}
