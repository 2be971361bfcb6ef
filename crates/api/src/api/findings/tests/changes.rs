//! Rules about recent changes of the name and the office.

use super::*;
use crate::api::registered_office::OfficeChange;

#[test]
fn a_change_of_name_within_twelve_months_is_a_finding() {
    let rule = |until: &str| {
        let names = format!(r#"[{{"name":"Purana Naam Limited","until":{until}}}]"#);
        outcome_of("recent_name_change", company(|company| company.former_names = names))
    };
    assert_eq!(rule(r#""2025-07-01""#), Found(1));
    assert_eq!(rule(r#""2025-06-30""#), Nothing, "a year ago");
    assert_eq!(rule(r#""2026-07-01""#), Nothing, "in the future");
    assert_eq!(rule("null"), Nothing, "the day is not known");
}

#[test]
fn a_change_of_office_within_twelve_months_is_a_finding() {
    let rule = |day: &str| {
        let mut stored = records_without_findings();
        let change = OfficeChange { changed_on: day.into(), ..OfficeChange::default() };
        stored.office_changes = Some(vec![change]);
        outcome_of("recent_office_change", stored)
    };
    assert_eq!(rule("2025-07-01"), Found(1));
    assert_eq!(rule("2025-06-30"), Nothing);
    assert_eq!(outcome_of("recent_office_change", records_without_findings()), NotChecked);
}
