//! Rules about charges and capital.

use panji_store::register::{Charge, FinancialYear};

use super::*;

#[test]
fn open_charges_above_the_net_worth_are_a_finding() {
    let rule = |amount: Option<i64>, status: &str, net_worth: Option<i64>| {
        let mut stored = records_without_findings();
        stored.charges = vec![Charge {
            cin: CIN.into(),
            charge_id: "99000001".into(),
            lender: "Kalpit Bank".into(),
            amount,
            status: status.into(),
            ..Charge::default()
        }];
        stored.years = vec![FinancialYear {
            cin: CIN.into(),
            to_date: "2025-03-31".into(),
            from_date: "2024-04-01".into(),
            basis: "standalone".into(),
            period_type: "year".into(),
            financial_year: "2024-25".into(),
            net_worth,
            ..FinancialYear::default()
        }];
        outcome_of("charges_above_net_worth", stored)
    };
    assert_eq!(rule(Some(1_001), "open", Some(1_000)), Found(1));
    assert_eq!(rule(Some(1_001), "modified", Some(1_000)), Found(1));
    assert_eq!(rule(Some(1_000), "open", Some(1_000)), Nothing, "equal");
    assert_eq!(rule(Some(9_999), "satisfied", Some(1_000)), Nothing);
    assert_eq!(rule(Some(1), "open", Some(-1_000)), Found(1), "a negative net worth");
    assert_eq!(rule(Some(9_999), "open", None), NotChecked, "no net worth is known");
    assert_eq!(rule(None, "open", Some(1_000)), NotChecked, "the amount is not known");
}

#[test]
fn a_new_company_with_a_high_capital_is_a_finding() {
    let rule = |day: &str, paid_up: Option<i64>| {
        outcome_of(
            "new_with_high_capital",
            company(|company| {
                company.incorporated_on = own(day);
                company.paid_up_capital = paid_up;
            }),
        )
    };
    let ten_crore = 100_000_000 * 100;
    assert_eq!(rule("2025-07-01", Some(ten_crore)), Found(1));
    assert_eq!(rule("2025-07-01", Some(ten_crore - 1)), Nothing);
    assert_eq!(rule("2025-06-30", Some(ten_crore)), Nothing, "a year ago");
    assert_eq!(rule("2025-07-01", None), NotChecked);
}
