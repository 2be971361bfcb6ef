//! The register's lists: their order, and their pages.

use panji_store::Table;
use panji_store::register::{
    Appointment, CompanyPan, Director, Document, DocumentFilter, GstRegistration, IndexedDirector,
    Origin, Record, Register,
};
use panji_testkit::on_every_engine;
use panji_testkit::records::{self, CIN, DIN, GSTIN, PAN};

use super::register::{OTHER_CIN, THIRD_CIN, store, store_one};

#[test]
fn documents_are_listed_in_pages_newest_first() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let documents: Vec<Document> = [
            ("2026-01-02", "b.pdf", Some("2024-25")),
            ("2026-01-02", "a.pdf", Some("2025-26")),
            ("2026-01-02", "B.pdf", None),
            ("2025-12-31", "c.pdf", Some("2024-25")),
            ("2025-01-01", "d.pdf", Some("2023-24")),
            ("2024-12-31", "e.pdf", Some("2023-24")),
        ]
        .map(|(date, name, year)| records::document(CIN, date, name, year))
        .into();
        let batch: Vec<Record> = documents.iter().rev().cloned().map(Record::Document).collect();
        store(&register, &batch).await;
        let other = records::document(OTHER_CIN, "2025-06-01", "other.pdf", Some("2024-25"));
        store_one(&register, Record::Document(other)).await;

        let check = async |filter: DocumentFilter, expected: &[&str]| {
            let count = register.count_documents(CIN, &filter).await.unwrap();
            assert_eq!(count, expected.len() as i64, "{filter:?}");
            let mut names = Vec::new();
            for offset in (0..=expected.len() as i64).step_by(2) {
                let page = register.list_documents(CIN, &filter, 2, offset).await.unwrap();
                assert!(page.len() <= 2);
                names.extend(page.into_iter().map(|document| document.file_name));
            }
            assert_eq!(names, expected, "{filter:?}");
        };
        let all = ["b.pdf", "a.pdf", "B.pdf", "c.pdf", "d.pdf", "e.pdf"];
        check(DocumentFilter::All, &all).await;
        check(DocumentFilter::FiledIn(2026), &all[..3]).await;
        check(DocumentFilter::FiledIn(2025), &all[3..5]).await;
        check(DocumentFilter::FiledIn(2023), &[]).await;
        check(DocumentFilter::ForFinancialYear("2024-25".into()), &["b.pdf", "c.pdf"]).await;
        check(DocumentFilter::ForFinancialYear("2019-20".into()), &[]).await;
    });
}

#[test]
fn a_person_has_one_directorship_per_company_current_ones_first() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let appointment =
            |cin, from, to| Record::Appointment(records::appointment(cin, DIN, from, to));
        let batch = [
            Record::Company(records::company(CIN, "Udaharan Textiles Private Limited")),
            // Left and appointed again: the current appointment counts, though another started
            // later.
            appointment(CIN, "2001-05-14", None),
            appointment(CIN, "2010-01-01", Some("2012-01-01")),
            // Left twice: the latest counts. The company itself is not in the register.
            appointment(OTHER_CIN, "2015-01-01", Some("2016-01-01")),
            appointment(OTHER_CIN, "2018-01-01", Some("2019-01-01")),
            appointment(THIRD_CIN, "2020-01-01", None),
            // Of another person.
            Record::Appointment(records::appointment(CIN, "99000502", "2002-01-01", None)),
        ];
        store(&register, &batch).await;
        let directorships = register.list_directorships(DIN).await.unwrap();
        let seen: Vec<(&str, &str, Option<&str>)> = directorships
            .iter()
            .map(|directorship| {
                (
                    directorship.cin.as_str(),
                    directorship.appointed_on.as_str(),
                    directorship.ceased_on.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                (THIRD_CIN, "2020-01-01", None),
                (CIN, "2001-05-14", None),
                (OTHER_CIN, "2018-01-01", Some("2019-01-01")),
            ]
        );
        assert_eq!(directorships[0].company_name, None);
        assert_eq!(
            directorships[1].company_name.as_deref(),
            Some("Udaharan Textiles Private Limited")
        );
        assert_eq!(directorships[1].company_status.as_deref(), Some("active"));
        assert_eq!(register.count_directorships(DIN).await.unwrap(), (2, 1));
    });
}

#[test]
fn registrations_of_a_pan_are_listed_active_ones_first() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let batch = [
            Record::Gst(records::gst("06ZZZCU0501Z1Z2", PAN, "cancelled")),
            Record::Gst(records::gst("29ZZZCU0501Z1Z1", PAN, "active")),
            Record::Gst(records::gst(GSTIN, PAN, "active")),
            Record::Gst(records::gst("33ZZZCU0502Z1Z1", "ZZZCU0502Z", "active")),
        ];
        store(&register, &batch).await;
        let listed = register.list_gst_registrations(PAN).await.unwrap();
        let gstins: Vec<&str> = listed.iter().map(|gst| gst.gstin.as_str()).collect();
        assert_eq!(gstins, [GSTIN, "29ZZZCU0501Z1Z1", "06ZZZCU0501Z1Z2"]);
        let counts = register.count_gst_registrations(&["ZZZCU0503Z", PAN, "ZZZCU0502Z"]).await;
        assert_eq!(counts.unwrap(), [0, 3, 1]);
    });
}

#[test]
fn the_origin_of_a_pan_is_the_newest_record_with_it() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let of_day = |gstin: &str, as_of: Option<&str>| {
            let as_of = as_of.map(str::to_owned);
            Record::Gst(GstRegistration { as_of, ..records::gst(gstin, PAN, "active") })
        };
        let batch = [
            of_day("06ZZZCU0501Z1Z2", None),
            of_day(GSTIN, Some("2026-02-01")),
            of_day("29ZZZCU0501Z1Z1", Some("2025-02-01")),
        ];
        store(&register, &batch).await;
        let found = register.find_gst_origins(&["ZZZCU0503Z", PAN]).await.unwrap();
        assert_eq!(found[0], None);
        assert_eq!(found[1].as_ref().unwrap().as_of.as_deref(), Some("2026-02-01"));
        assert_eq!(register.find_company_pan_origins(&[PAN]).await.unwrap(), [None]);
        let stored =
            CompanyPan { cin: CIN.into(), pan: PAN.into(), as_of: None, source: "panji".into() };
        store(&register, &[Record::Pan(stored)]).await;
        let found = register.find_company_pan_origins(&[PAN]).await.unwrap();
        assert_eq!(found, [Some(Origin { as_of: None, source: "panji".into() })]);
    });
}

/// Stores the records in reverse and checks that they are listed in the given order.
async fn check_order<T>(
    register: &Register,
    expected: Vec<T>,
    record: fn(T) -> Record,
    list: impl AsyncFn() -> Vec<T>,
) where
    T: Table + Clone + std::fmt::Debug,
{
    let batch: Vec<Record> = expected.iter().rev().cloned().map(record).collect();
    store(register, &batch).await;
    assert_eq!(list().await, expected);
}

#[test]
fn each_section_is_listed_in_its_documented_order() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let appointments = vec![
            records::appointment(CIN, "99000503", "2020-01-01", None),
            records::appointment(CIN, "99000501", "2019-01-01", Some("2021-01-01")),
            records::appointment(CIN, "99000502", "2019-01-01", None),
            records::appointment(CIN, "99000501", "", None),
        ];
        check_order(&register, appointments, Record::Appointment, async || {
            register.list_appointments(CIN).await.unwrap()
        })
        .await;
        let charges = vec![
            records::charge(CIN, "1", Some("2021-01-01")),
            records::charge(CIN, "b", Some("2020-01-01")),
            records::charge(CIN, "a", Some("2020-01-01")),
            records::charge(CIN, "B", Some("2020-01-01")),
            records::charge(CIN, "9", None),
        ];
        check_order(&register, charges, Record::Charge, async || {
            register.list_charges(CIN).await.unwrap()
        })
        .await;
        let years = vec![
            records::financial_year(CIN, 2025, "standalone"),
            records::financial_year(CIN, 2025, "consolidated"),
            records::financial_year(CIN, 2024, "standalone"),
        ];
        check_order(&register, years, Record::FinancialYear, async || {
            register.list_financial_years(CIN).await.unwrap()
        })
        .await;
    });
}

#[test]
fn each_compliance_list_has_its_documented_order() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let mut unplanned = records::filing(CIN, "DIR-12", None);
        unplanned.filed_on = Some("2025-10-15".into());
        let filings = vec![
            records::filing(CIN, "MGT-7", Some("2025-11-29")),
            unplanned,
            records::filing(CIN, "AOC-4", Some("2024-10-30")),
            records::filing(CIN, "aoc-4", Some("2024-10-30")),
            records::filing(CIN, "ADT-1", None),
        ];
        check_order(&register, filings, Record::Filing, async || {
            register.list_filings(CIN).await.unwrap()
        })
        .await;
        let ratings = vec![
            records::rating(CIN, "tulya", "2025-08-02"),
            records::rating(CIN, "Mapak Ratings", "2025-08-01"),
            records::rating(CIN, "Tulya Ratings", "2025-08-01"),
            records::rating(CIN, "mapak", "2025-08-01"),
        ];
        check_order(&register, ratings, Record::Rating, async || {
            register.list_credit_ratings(CIN).await.unwrap()
        })
        .await;
        let establishments = vec![records::epfo(CIN, "GJ1"), records::epfo(CIN, "MH1")];
        check_order(&register, establishments, Record::Epfo, async || {
            register.list_epfo_establishments(CIN).await.unwrap()
        })
        .await;
        let returns = vec![
            records::gst_filing(GSTIN, "2025-12", "GSTR-1"),
            records::gst_filing(GSTIN, "2025-12", "GSTR-3B"),
            records::gst_filing(GSTIN, "2025-11", "GSTR-1"),
        ];
        check_order(&register, returns, Record::GstFiling, async || {
            register.list_gst_filings(GSTIN).await.unwrap()
        })
        .await;
    });
}

#[test]
fn persons_are_listed_for_the_index_in_pages_also_those_whom_only_appointments_name() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let din = |number: usize| format!("99{number:06}");
        let mut batch = Vec::new();
        for number in 0..9 {
            // Some have a record, some an appointment, some both.
            if number % 3 != 0 {
                batch.push(Record::Director(Director {
                    din: din(number),
                    name: format!("Person {number}"),
                    status: "approved".into(),
                    source: "panji".into(),
                    ..Director::default()
                }));
            }
            if number % 3 != 1 {
                for cin in [CIN, OTHER_CIN] {
                    batch.push(Record::Appointment(Appointment {
                        cin: cin.into(),
                        din: din(number),
                        appointed_on: "2020-01-01".into(),
                        name: format!("Appointed {number} {}", if cin == CIN { "A" } else { "B" }),
                        designation: "director".into(),
                        source: "panji".into(),
                        ..Appointment::default()
                    }));
                }
            }
        }
        store(&register, &batch).await;
        for limit in [1, 2, 3, 100] {
            let mut listed: Vec<IndexedDirector> = Vec::new();
            loop {
                let after = listed.last().map_or(String::new(), |person| person.din.clone());
                let page = register.list_indexed_directors(&after, limit).await.unwrap();
                if page.is_empty() {
                    break;
                }
                listed.extend(page);
            }
            let dins: Vec<String> = listed.iter().map(|person| person.din.clone()).collect();
            assert_eq!(dins, (0..9).map(din).collect::<Vec<_>>(), "pages of {limit}");
            for person in &listed {
                let found = register.find_indexed_director(&person.din).await.unwrap();
                assert_eq!(found.as_ref(), Some(person));
            }
            assert_eq!((&*listed[0].name, &*listed[0].status), ("Appointed 0 A", "unknown"));
            assert_eq!(listed[0].other_names, ["Appointed 0 B"]);
            assert_eq!((&*listed[1].name, &*listed[1].status), ("Person 1", "approved"));
            assert_eq!(listed[2].other_names, ["Appointed 2 A", "Appointed 2 B"]);
        }
        assert_eq!(register.find_indexed_director("99999999").await.unwrap(), None);
    });
}
