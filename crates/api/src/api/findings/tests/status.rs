//! Rules about the status, filings and GST registrations.

use panji_store::register::{CompanyPan, Filing, GstFiling, GstRegistration};

use super::*;
use crate::api::company_records::GstRecords;

#[test]
fn a_status_other_than_active_is_a_finding() {
    let with = |status: &str| {
        outcome_of("company_status", company(|company| company.status = status.into()))
    };
    for status in ["struck_off", "under_liquidation", "under_cirp", "dormant", "under_strike_off"] {
        assert_eq!(with(status), Found(1), "{status}");
    }
    assert_eq!(with("active"), Nothing);
    assert_eq!(with("unknown"), NotChecked);
    assert_eq!(with("other"), NotChecked);
}

#[test]
fn filings_are_overdue_on_the_date_of_the_source() {
    let rule = |due_on: Option<&str>, filed_on: Option<&str>| {
        let mut stored = records_without_findings();
        stored.filings = vec![Filing {
            cin: CIN.into(),
            form_type: "AOC-4".into(),
            due_on: due_on.map(str::to_owned),
            filed_on: filed_on.map(str::to_owned),
            as_of: own(AS_OF),
            ..Filing::default()
        }];
        check(stored)
            .findings
            .first()
            .map(|finding| (finding.code.to_string(), finding.severity.to_string()))
    };
    let overdue = |severity: &str| Some(("overdue_filings".to_owned(), severity.to_owned()));
    assert_eq!(rule(Some("2025-10-30"), None), overdue("medium"));
    assert_eq!(rule(Some("2023-05-31"), None), overdue("high"), "three years");
    assert_eq!(rule(Some("2026-06-15"), None), None, "not due on the date of the source");
    assert_eq!(rule(Some("2025-10-30"), Some("2026-02-01")), None, "filed late");
    assert_eq!(rule(None, None), None);
}

fn gst(status: &str, filed_on: Option<&str>) -> GstRecords {
    GstRecords {
        registration: GstRegistration {
            gstin: "27ZZACK4368A1ZP".into(),
            status: status.into(),
            ..GstRegistration::default()
        },
        returns: filed_on
            .map(|day| GstFiling {
                gstin: "27ZZACK4368A1ZP".into(),
                return_type: "GSTR-3B".into(),
                status: "filed".into(),
                filed_on: own(day),
                ..GstFiling::default()
            })
            .into_iter()
            .collect(),
    }
}

fn with_gst(status: &str, gst: Vec<GstRecords>) -> StoredRecords {
    let mut stored = company(|company| company.status = status.into());
    stored.pan = Some(CompanyPan::default());
    stored.gst = gst;
    stored
}

#[test]
fn cancelled_gst_of_an_active_company_is_a_finding() {
    let rule = |stored| outcome_of("gst_cancelled_while_active", stored);
    assert_eq!(rule(with_gst("active", vec![gst("cancelled", None)])), Found(1));
    assert_eq!(rule(with_gst("active", vec![gst("cancelled_suo_moto", None)])), Found(1));
    assert_eq!(rule(with_gst("active", vec![gst("active", None)])), Nothing);
    assert_eq!(rule(with_gst("active", vec![gst("suspended", None)])), Nothing);
    assert_eq!(rule(with_gst("struck_off", vec![gst("cancelled", None)])), Nothing);
    assert_eq!(rule(with_gst("active", vec![])), NotChecked, "no registration is known");
    let kind = |gst| check(with_gst("active", gst)).findings.remove(0).kind;
    assert_eq!(kind(vec![gst("cancelled", None)]), enums::RISK);
    assert_eq!(
        kind(vec![gst("cancelled", None), gst("active", None)]),
        enums::CONTEXT,
        "one of two"
    );
}

#[test]
fn gst_returns_of_a_dormant_company_are_a_finding() {
    let rule = |stored| outcome_of("dormant_with_gst_returns", stored);
    assert_eq!(rule(with_gst("dormant", vec![gst("active", Some("2025-07-01"))])), Found(1));
    assert_eq!(
        rule(with_gst("dormant", vec![gst("active", Some("2025-06-30"))])),
        Nothing,
        "a year ago"
    );
    assert_eq!(rule(with_gst("dormant", vec![gst("active", None)])), Nothing);
    assert_eq!(rule(with_gst("active", vec![gst("active", Some("2026-05-20"))])), Nothing);
    assert_eq!(rule(company(|company| company.status = "dormant".into())), NotChecked);
}
