//! Invented cases that trigger each rule, and near misses that do not.

use jiff::civil::{Date, date};
use panji_store::register::{
    Appointment, Charge, Company, CompanyPan, Coverage, CoverageLevel, CoverageStatement,
    CoveredSection, Directorship, Filing, FinancialYear, GstFiling, GstRegistration, Origin,
};

use super::{findings, rules};
use crate::api::dossier::{Dossier, GstHeld, Held, Person, Seat, SimilarCompany};
use crate::api::registered_office::{AddressCluster, OfficeChange};
use crate::api::wire::{CompanyFindings, words};

const TODAY: Date = date(2026, 6, 30);
const AS_OF: &str = "2026-05-31";
const CIN: &str = "U17120MH2004PTC990142";

fn own(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn origin(as_of: &str) -> Origin {
    Origin { as_of: own(as_of), source: "panji".to_owned() }
}

/// An active company all of whose sections are covered, with nothing in them.
fn quiet() -> Held {
    let mut coverage = Coverage::default();
    for section in CoveredSection::ALL {
        let (as_of, source) = (own(AS_OF), "panji".to_owned());
        let statement = CoverageStatement { coverage: CoverageLevel::Full, as_of, source };
        coverage.insert(section, statement);
    }
    Held {
        company: Company {
            cin: CIN.into(),
            name: "Namuna Vastra Private Limited".into(),
            kind: "company".into(),
            status: "active".into(),
            incorporated_on: own("2004-06-11"),
            former_names: "[]".into(),
            former_cins: "[]".into(),
            coverage: coverage.to_stored(),
            as_of: own(AS_OF),
            source: "panji".into(),
            ..Company::default()
        },
        similar: Some(Vec::new()),
        ..Held::default()
    }
}

fn check(held: Held) -> CompanyFindings {
    findings(&Dossier::new(held, TODAY))
}

#[derive(Debug, PartialEq)]
enum Said {
    Found(usize),
    Nothing,
    NotChecked,
}
use Said::{Found, NotChecked, Nothing};

/// What one rule says about a company.
fn said(code: &str, held: Held) -> Said {
    let checked = check(held);
    if checked.not_checked.iter().any(|rule| rule.code == code) {
        return NotChecked;
    }
    assert!(checked.checked.iter().any(|rule| rule.code == code), "{code} is no rule");
    match checked.findings.iter().filter(|finding| finding.code == code).count() {
        0 => Nothing,
        number => Found(number),
    }
}

fn company(change: impl FnOnce(&mut Company)) -> Held {
    let mut held = quiet();
    change(&mut held.company);
    held
}

fn seat(cin: &str, status: &str) -> Seat {
    Seat {
        seat: Directorship {
            cin: cin.into(),
            company_name: own("Udaharan Limited"),
            company_status: own(status),
            designation: "director".into(),
            designation_text: None,
            appointed_on: "2015-04-01".into(),
            ceased_on: None,
            origin: origin(AS_OF),
        },
        company_origin: Some(origin(AS_OF)),
        struck_off_on: None,
    }
}

/// A company with one director who has these seats.
fn director(seats: Vec<Seat>) -> Held {
    let mut held = quiet();
    held.appointments = vec![appointment("99000101", "2015-04-01", None)];
    let (din, name) = ("99000101".into(), "Udaharan Namuna".into());
    held.people = vec![Person { din, name, status: None, seats }];
    held
}

fn appointment(din: &str, appointed_on: &str, ceased_on: Option<&str>) -> Appointment {
    Appointment {
        cin: CIN.into(),
        din: din.into(),
        appointed_on: appointed_on.into(),
        name: "Udaharan Namuna".into(),
        designation: "director".into(),
        ceased_on: ceased_on.map(str::to_owned),
        as_of: own(AS_OF),
        source: "panji".into(),
        ..Appointment::default()
    }
}

fn seats(number: usize, class: &str, status: &str) -> Vec<Seat> {
    (0..number).map(|at| seat(&format!("U17120MH2004{class}{at:06}"), status)).collect()
}

#[test]
fn a_quiet_company_has_no_findings_and_the_codes_are_those_of_the_contract() {
    let checked = check(quiet());
    assert_eq!(checked.findings, []);
    let mut codes: Vec<&str> = checked.checked.iter().map(|rule| rule.code.as_ref()).collect();
    codes.extend(checked.not_checked.iter().map(|rule| rule.code.as_ref()));
    assert_eq!(codes.len(), words::FINDING_CODES.len());
    assert!(codes.iter().all(|code| words::FINDING_CODES.contains(code)), "{codes:?}");
    let in_order: Vec<&str> = rules().iter().map(|rule| rule.code).collect();
    assert_eq!(in_order, words::FINDING_CODES);
}

#[test]
fn a_company_of_which_nothing_is_known_is_not_checked_instead_of_clean() {
    let checked = check(company(|company| {
        company.coverage = Coverage::EMPTY.into();
        company.incorporated_on = None;
    }));
    let unknown: Vec<&str> = checked.not_checked.iter().map(|rule| rule.code.as_ref()).collect();
    for code in [
        "overdue_filings",
        "charges_above_net_worth",
        "many_directorships",
        "directorships_in_struck_off_companies",
        "director_disqualified",
        "all_directors_changed",
        "gst_cancelled_while_active",
        "recent_name_change",
        "new_with_high_capital",
        "companies_at_address",
        "recent_office_change",
    ] {
        assert!(unknown.contains(&code), "{code} {unknown:?}");
    }
    assert!(checked.not_checked.iter().all(|rule| rule.reason.ends_with('.')));
}

#[test]
fn a_status_other_than_active_is_a_finding() {
    let with =
        |status: &str| said("company_status", company(|company| company.status = status.into()));
    for status in ["struck_off", "under_liquidation", "under_cirp", "dormant", "under_strike_off"] {
        assert_eq!(with(status), Found(1), "{status}");
    }
    assert_eq!(with("active"), Nothing);
    assert_eq!(with("unknown"), NotChecked);
    assert_eq!(with("other"), NotChecked);
}

#[test]
fn more_than_twenty_directorships_are_a_finding() {
    let rule = |seats| said("many_directorships", director(seats));
    assert_eq!(rule(seats(21, "PTC", "active")), Found(1));
    assert_eq!(rule(seats(20, "PTC", "active")), Nothing, "twenty are allowed");
    assert_eq!(rule(seats(11, "PLC", "active")), Found(1), "public companies");
    assert_eq!(rule(seats(10, "PLC", "active")), Nothing, "ten public ones are allowed");
    assert_eq!(rule(seats(30, "PTC", "dormant")), Nothing, "dormant companies do not count");
    assert_eq!(rule(seats(30, "PTC", "struck_off")), Nothing);
    assert_eq!(rule(seats(30, "NPL", "active")), Nothing, "section 8 companies do not count");
    let llps = (0..30).map(|at| seat(&format!("ZZA-{at:04}"), "active")).collect();
    assert_eq!(rule(llps), Nothing, "LLPs are not companies");
    let mut left = seats(21, "PTC", "active");
    left[3].seat.ceased_on = own("2025-01-01");
    assert_eq!(rule(left), Nothing, "a seat has ended");
    let mut secretary = seats(21, "PTC", "active");
    secretary[3].seat.designation = "company_secretary".into();
    assert_eq!(rule(secretary), Nothing, "a secretary is no director");
}

#[test]
fn directorships_in_struck_off_companies_lapse_after_five_years() {
    let rule = |change: fn(&mut Seat)| {
        let mut one = seat("U22219DL2010PTC990224", "struck_off");
        change(&mut one);
        said("directorships_in_struck_off_companies", director(vec![one]))
    };
    assert_eq!(rule(|_| ()), Found(1));
    assert_eq!(rule(|seat| seat.struck_off_on = own("2021-07-01")), Found(1));
    assert_eq!(rule(|seat| seat.struck_off_on = own("2021-06-30")), Nothing, "lapsed today");
    assert_eq!(rule(|seat| seat.seat.ceased_on = own("2021-07-01")), Found(1));
    assert_eq!(rule(|seat| seat.seat.ceased_on = own("2021-06-30")), Nothing, "left before");
    assert_eq!(
        rule(|seat| seat.company_origin = Some(origin("2020-01-31"))),
        Nothing,
        "it was struck off more than five years ago already"
    );
    assert_eq!(rule(|seat| seat.seat.company_status = own("active")), Nothing);
    assert_eq!(rule(|seat| seat.seat.company_status = None), Nothing, "not in the register");
    assert_eq!(rule(|seat| seat.seat.designation = "cfo".into()), Nothing);
    assert_eq!(rule(|seat| seat.seat.cin = CIN.into()), Nothing, "the company itself");
    let dossier = director(vec![seat("U22219DL2010PTC990224", "struck_off")]);
    let finding = check(dossier).findings.remove(0);
    assert_eq!(finding.confidence, "low", "the day is not known");
    assert!(finding.sentence.contains("published as struck off"), "{}", finding.sentence);
}

#[test]
fn a_disqualified_director_is_a_finding() {
    let rule = |status: Option<&str>| {
        let mut held = director(Vec::new());
        held.people[0].status = status.map(|status| (status.to_owned(), origin(AS_OF)));
        said("director_disqualified", held)
    };
    assert_eq!(rule(Some("disqualified")), Found(1));
    assert_eq!(rule(Some("surrendered")), Found(1));
    assert_eq!(rule(Some("approved")), Nothing);
    assert_eq!(rule(Some("unknown")), NotChecked);
    assert_eq!(rule(None), NotChecked);
}

#[test]
fn filings_are_overdue_on_the_date_of_the_source() {
    let rule = |due_on: Option<&str>, filed_on: Option<&str>| {
        let mut held = quiet();
        held.filings = vec![Filing {
            cin: CIN.into(),
            form_type: "AOC-4".into(),
            due_on: due_on.map(str::to_owned),
            filed_on: filed_on.map(str::to_owned),
            as_of: own(AS_OF),
            ..Filing::default()
        }];
        check(held)
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

#[test]
fn open_charges_above_the_net_worth_are_a_finding() {
    let rule = |amount: Option<i64>, status: &str, net_worth: Option<i64>| {
        let mut held = quiet();
        held.charges = vec![Charge {
            cin: CIN.into(),
            charge_id: "99000001".into(),
            lender: "Kalpit Bank".into(),
            amount,
            status: status.into(),
            ..Charge::default()
        }];
        held.years = vec![FinancialYear {
            cin: CIN.into(),
            to_date: "2025-03-31".into(),
            from_date: "2024-04-01".into(),
            basis: "standalone".into(),
            period_type: "year".into(),
            financial_year: "2024-25".into(),
            net_worth,
            ..FinancialYear::default()
        }];
        said("charges_above_net_worth", held)
    };
    assert_eq!(rule(Some(1_001), "open", Some(1_000)), Found(1));
    assert_eq!(rule(Some(1_001), "modified", Some(1_000)), Found(1));
    assert_eq!(rule(Some(1_000), "open", Some(1_000)), Nothing, "equal");
    assert_eq!(rule(Some(9_999), "satisfied", Some(1_000)), Nothing);
    assert_eq!(rule(Some(1), "open", Some(-1_000)), Found(1), "a negative net worth");
    assert_eq!(rule(Some(9_999), "open", None), NotChecked, "no net worth is known");
    assert_eq!(rule(None, "open", Some(1_000)), NotChecked, "the amount is not known");
}

fn gst(status: &str, filed_on: Option<&str>) -> GstHeld {
    GstHeld {
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

fn with_gst(status: &str, gst: Vec<GstHeld>) -> Held {
    let mut held = company(|company| company.status = status.into());
    held.pan = Some(CompanyPan::default());
    held.gst = gst;
    held
}

#[test]
fn cancelled_gst_of_an_active_company_is_a_finding() {
    let rule = |held| said("gst_cancelled_while_active", held);
    assert_eq!(rule(with_gst("active", vec![gst("cancelled", None)])), Found(1));
    assert_eq!(rule(with_gst("active", vec![gst("cancelled_suo_moto", None)])), Found(1));
    assert_eq!(rule(with_gst("active", vec![gst("active", None)])), Nothing);
    assert_eq!(rule(with_gst("active", vec![gst("suspended", None)])), Nothing);
    assert_eq!(rule(with_gst("struck_off", vec![gst("cancelled", None)])), Nothing);
    assert_eq!(rule(with_gst("active", vec![])), NotChecked, "no registration is known");
    let kind = |gst| check(with_gst("active", gst)).findings.remove(0).kind;
    assert_eq!(kind(vec![gst("cancelled", None)]), words::RISK);
    assert_eq!(
        kind(vec![gst("cancelled", None), gst("active", None)]),
        words::CONTEXT,
        "one of two"
    );
}

#[test]
fn gst_returns_of_a_dormant_company_are_a_finding() {
    let rule = |held| said("dormant_with_gst_returns", held);
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

fn similar(change: impl FnOnce(&mut SimilarCompany)) -> Held {
    let mut other = SimilarCompany {
        company: Company {
            cin: "U17120MH1999PLC990999".into(),
            name: "Namuna Vastra Limited".into(),
            status: "struck_off".into(),
            ..Company::default()
        },
        matched_name: None,
        is_same: true,
        shares_director: false,
    };
    change(&mut other);
    let mut held = quiet();
    held.similar = Some(vec![other]);
    held
}

#[test]
fn a_name_like_that_of_a_struck_off_or_regulated_company_is_a_finding() {
    let struck_off = |held| said("name_like_struck_off_company", held);
    let regulated = |held| said("name_like_regulated_company", held);
    assert_eq!(struck_off(similar(|_| ())), Found(1));
    assert_eq!(struck_off(similar(|other| other.shares_director = true)), Nothing, "one group");
    assert_eq!(struck_off(similar(|other| other.company.status = "active".into())), Nothing);
    let active = |other: &mut SimilarCompany| other.company.status = "active".into();
    assert_eq!(regulated(similar(active)), Nothing, "neither listed nor in finance");
    assert_eq!(
        regulated(similar(|other| {
            active(other);
            other.company.listed = Some(true);
        })),
        Found(1)
    );
    let in_finance = |code: &'static str| {
        similar(move |other| {
            active(other);
            other.company.nic_code = own(code);
        })
    };
    assert_eq!(regulated(in_finance("64990")), Found(1));
    assert_eq!(regulated(in_finance("63990")), Nothing);
    let mut bank = in_finance("64990");
    bank.company.nic_code = own("65110");
    assert_eq!(regulated(bank), Nothing, "it is regulated itself");
    let mut building = quiet();
    building.similar = None;
    assert_eq!(struck_off(building), NotChecked, "the index is incomplete");
}

#[test]
fn a_change_of_name_within_twelve_months_is_a_finding() {
    let rule = |until: &str| {
        let names = format!(r#"[{{"name":"Purana Naam Limited","until":{until}}}]"#);
        said("recent_name_change", company(|company| company.former_names = names))
    };
    assert_eq!(rule(r#""2025-07-01""#), Found(1));
    assert_eq!(rule(r#""2025-06-30""#), Nothing, "a year ago");
    assert_eq!(rule(r#""2026-07-01""#), Nothing, "in the future");
    assert_eq!(rule("null"), Nothing, "the day is not known");
}

#[test]
fn a_change_of_office_within_twelve_months_is_a_finding() {
    let rule = |day: &str| {
        let mut held = quiet();
        let change = OfficeChange { changed_on: day.into(), ..OfficeChange::default() };
        held.office_changes = Some(vec![change]);
        said("recent_office_change", held)
    };
    assert_eq!(rule("2025-07-01"), Found(1));
    assert_eq!(rule("2025-06-30"), Nothing);
    assert_eq!(said("recent_office_change", quiet()), NotChecked);
}

#[test]
fn a_change_of_all_directors_is_a_finding() {
    let rule = |appointments: Vec<Appointment>| {
        let mut held = quiet();
        held.appointments = appointments;
        said("all_directors_changed", held)
    };
    let came = appointment("99000101", "2025-08-01", None);
    let went = appointment("99000102", "2010-08-01", Some("2025-08-02"));
    assert_eq!(rule(vec![came.clone(), went.clone()]), Found(1));
    assert_eq!(rule(vec![came.clone()]), Nothing, "nobody left");
    let stayed = appointment("99000103", "2011-01-01", None);
    assert_eq!(rule(vec![came.clone(), went.clone(), stayed]), Nothing, "one stayed");
    let earlier = appointment("99000102", "2010-08-01", Some("2025-06-30"));
    assert_eq!(rule(vec![came.clone(), earlier]), Nothing, "the others left earlier");
    let mut partial = company(|company| company.coverage = Coverage::EMPTY.into());
    partial.appointments = vec![came.clone(), went.clone()];
    assert_eq!(said("all_directors_changed", partial), NotChecked, "a part is known");
    let mut new = company(|company| company.incorporated_on = own("2025-07-20"));
    new.appointments = vec![came, went];
    assert_eq!(said("all_directors_changed", new), Nothing, "the company is new itself");
}

#[test]
fn a_new_company_with_a_high_capital_is_a_finding() {
    let rule = |day: &str, paid_up: Option<i64>| {
        said(
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

#[test]
fn twenty_companies_at_one_address_are_a_finding() {
    let rule = |total| {
        let mut held = quiet();
        held.address = Some(AddressCluster { total, ..AddressCluster::default() });
        said("companies_at_address", held)
    };
    assert_eq!(rule(20), Found(1));
    assert_eq!(rule(19), Nothing);
    assert_eq!(said("companies_at_address", quiet()), NotChecked);
}

#[test]
fn risks_come_before_context_and_the_most_severe_first() {
    let mut held = similar(|_| ());
    held.company.status = "struck_off".into();
    held.people = director(seats(21, "PTC", "active")).people;
    held.appointments = director(Vec::new()).appointments;
    let codes: Vec<_> =
        check(held).findings.into_iter().map(|finding| finding.code.into_owned()).collect();
    let expected = ["company_status", "many_directorships", "name_like_struck_off_company"];
    assert_eq!(codes, expected);
}
