//! Flags of financial figures that do not add up: those that the import stored with the figures, and
//! those that a comparison with other periods shows.

use panji_store::register::{FinancialYear, ReportedPeriod};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An inconsistency in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Flag {
    /// A word for programs.
    #[schema(example = "total_income_mismatch")]
    pub code: String,
    /// The same for people.
    pub sentence: String,
}

/// A group whose revenue is less than this part of its parent's is not believed.
const LEAST_PART_OF_PARENT: i64 = 2;
/// A revenue that is above or below the others of the company by this factor is not believed.
const OTHER_UNIT: i64 = 50;
/// With fewer revenues, the usual amount is unknown.
const MIN_REVENUES: usize = 3;
/// Where the rounding of a source is not known, sums may be off by the hundredth part.
const ROUNDING_PART: i64 = 100;
/// Flags of balances that go with the balance sheet.
const OF_BALANCE_SHEET: [&str; 3] =
    ["balance_sheet_unbalanced", "equity_mismatch", "negative_amount"];
/// Flags of figures that another balance sheet replaces.
const STAND_IN_FLAGS: [&str; 2] = ["share_capital_stand_in", "reserves_stand_in"];

impl Flag {
    fn new(code: &str, sentence: String) -> Flag {
        Flag { code: code.to_owned(), sentence }
    }
}

/// The flags of a period. `periods` are all reported periods of the company.
pub fn flags_of(period: &ReportedPeriod, periods: &[ReportedPeriod]) -> Vec<Flag> {
    let figures = &period.figures;
    let mut flags = match &figures.flags {
        Some(stored) => serde_json::from_str(stored).unwrap_or_default(),
        None => unchecked(figures),
    };
    if let Some(other) = &period.balance_sheet_of {
        flags.retain(|flag| !STAND_IN_FLAGS.contains(&flag.code.as_str()));
        let stored = other.flags.as_deref().unwrap_or("[]");
        let of_other: Vec<Flag> = serde_json::from_str(stored).unwrap_or_default();
        let with_it = |flag: &Flag| OF_BALANCE_SHEET.contains(&flag.code.as_str());
        flags.extend(of_other.into_iter().filter(with_it));
        let sentence = format!(
            "The balance sheet of {} is from another filing of the same date.",
            other.to_date
        );
        flags.push(Flag::new("balance_sheet_of_other_filing", sentence));
    }
    if period.order_unknown {
        let sentence = "Filings of this period differ, and it is not known which was filed last.";
        flags.push(Flag::new("filing_order_unknown", sentence.to_owned()));
    }
    flags.extend(below_parent(figures, periods));
    flags.extend(other_unit(figures, periods));
    flags
}

/// The sums of a source that were not checked when it was read.
fn unchecked(figures: &FinancialYear) -> Vec<Flag> {
    let off =
        |one: i64, other: i64| (one - other).abs() > one.abs().max(other.abs()) / ROUNDING_PART;
    let total_income = || {
        let (total, sum) = (figures.total_income?, figures.revenue? + figures.other_income?);
        off(total, sum).then(|| {
            let sentence = format!(
                "The total income is {}; revenue and other income give {}.",
                rupees(total),
                rupees(sum)
            );
            Flag::new("total_income_mismatch", sentence)
        })
    };
    let tax_sign = || {
        let (before, tax, profit) = (figures.profit_before_tax?, figures.tax?, figures.profit?);
        (off(before - tax, profit) && !off(before + tax, profit)).then(|| {
            let sentence = format!(
                "The profit is {}; before tax it is {}, and the tax is {}: the sign of the tax seems \
                 wrong.",
                rupees(profit),
                rupees(before),
                rupees(tax)
            );
            Flag::new("tax_sign", sentence)
        })
    };
    [total_income(), tax_sign()].into_iter().flatten().collect()
}

/// A group has at least most of the revenue of its parent.
fn below_parent(figures: &FinancialYear, periods: &[ReportedPeriod]) -> Option<Flag> {
    let revenue = figures.revenue.filter(|_| figures.basis == "consolidated")?;
    let is_parent = |other: &&ReportedPeriod| {
        other.figures.basis == "standalone"
            && other.figures.to_date == figures.to_date
            && other.figures.period_type == figures.period_type
    };
    let parent = periods.iter().find(is_parent)?.figures.revenue?;
    (revenue.saturating_mul(LEAST_PART_OF_PARENT) < parent).then(|| {
        let sentence = format!(
            "The consolidated revenue is {}, far below the standalone one of {}: a unit may be wrong.",
            rupees(revenue),
            rupees(parent)
        );
        Flag::new("consolidated_below_standalone", sentence)
    })
}

/// Compares the revenue with that of the other periods of the same length and basis.
fn other_unit(figures: &FinancialYear, periods: &[ReportedPeriod]) -> Option<Flag> {
    let revenue = figures.revenue.filter(|revenue| *revenue > 0)?;
    let is_like = |other: &&FinancialYear| {
        other.basis == figures.basis && other.period_type == figures.period_type
    };
    let like = periods.iter().map(|other| &other.figures).filter(is_like);
    let mut revenues: Vec<i64> =
        like.filter_map(|other| other.revenue.filter(|revenue| *revenue > 0)).collect();
    if revenues.len() < MIN_REVENUES {
        return None;
    }
    revenues.sort_unstable();
    let usual = revenues[revenues.len() / 2];
    let far = revenue / OTHER_UNIT > usual || usual / OTHER_UNIT > revenue;
    far.then(|| {
        let sentence = format!(
            "The revenue is {}, where {} is usual for the company: a unit may be wrong.",
            rupees(revenue),
            rupees(usual)
        );
        Flag::new("unit_doubtful", sentence)
    })
}

/// An amount for a sentence: whole rupees.
fn rupees(paise: i64) -> String {
    format!("{} rupees", paise / 100)
}

#[cfg(test)]
mod tests {
    use panji_store::register::reported_periods;

    use super::*;

    const CRORE: i64 = 1_000_000_000;

    fn year(to_date: &str, basis: &str, crore: i64) -> FinancialYear {
        FinancialYear {
            to_date: to_date.into(),
            basis: basis.into(),
            period_type: "year".into(),
            revenue: Some(crore * CRORE),
            ..FinancialYear::default()
        }
    }

    fn codes(rows: &[FinancialYear]) -> Vec<Vec<String>> {
        let periods = reported_periods(rows);
        let flags = periods.iter().map(|period| flags_of(period, &periods));
        flags.map(|flags| flags.into_iter().map(|flag| flag.code).collect()).collect()
    }

    #[test]
    fn a_consolidated_revenue_far_below_the_standalone_one_is_flagged() {
        let rows =
            [year("2024-03-31", "standalone", 3_881), year("2024-03-31", "consolidated", 45)];
        let none: [&str; 0] = [];
        assert_eq!(codes(&rows), [&none[..], &["consolidated_below_standalone"]]);
        let rows =
            [year("2024-03-31", "standalone", 3_881), year("2024-03-31", "consolidated", 3_500)];
        assert_eq!(codes(&rows), [none, none]);
    }

    #[test]
    fn a_revenue_in_another_unit_than_in_other_years_is_flagged() {
        let revenues = [("2024", 38), ("2023", 3_600), ("2022", 3_400)];
        let rows = revenues.map(|(end, crore)| year(&format!("{end}-03-31"), "standalone", crore));
        let none: [&str; 0] = [];
        assert_eq!(codes(&rows), [&["unit_doubtful"][..], &none, &none]);
    }

    #[test]
    fn sums_that_were_not_checked_at_import_are_checked() {
        let mut wrong = year("2024-03-31", "standalone", 100);
        wrong.other_income = Some(5 * CRORE);
        wrong.total_income = Some(150 * CRORE);
        wrong.profit_before_tax = Some(40 * CRORE);
        wrong.tax = Some(-10 * CRORE);
        wrong.profit = Some(30 * CRORE);
        assert_eq!(codes(&[wrong.clone()]), [["total_income_mismatch", "tax_sign"]]);
        wrong.flags = Some("[]".into());
        assert_eq!(codes(&[wrong]), [[""; 0]]);
    }

    #[test]
    fn a_balance_sheet_of_another_filing_brings_its_flags_and_takes_the_stand_ins() {
        let filing = |name: &str, day: &str, flags: &str| FinancialYear {
            filing: name.into(),
            filed_on: Some(day.into()),
            flags: Some(flags.into()),
            source: "xbrl".into(),
            ..year("2024-03-31", "standalone", 100)
        };
        let mut first = filing(
            "a",
            "2024-05-01",
            r#"[{"code":"balance_sheet_unbalanced","sentence":"It does not."}]"#,
        );
        first.total_assets = Some(900 * CRORE);
        let last =
            filing("b", "2024-06-01", r#"[{"code":"reserves_stand_in","sentence":"It is."}]"#);
        assert_eq!(
            codes(&[first, last]),
            [["balance_sheet_unbalanced", "balance_sheet_of_other_filing"]]
        );
    }
}
