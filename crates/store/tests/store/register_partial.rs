//! Sources that state a part of a company's fields.

use panji_store::register::{Company, Record, Stored};
use panji_testkit::on_every_engine;
use panji_testkit::records::{self, CIN};

use super::register::{OTHER_CIN, store_one};

/// A source that has only a name, a status and an address.
fn partial_company(as_of: &str) -> Company {
    Company {
        cin: CIN.into(),
        name: "Udaharan Vastra Private Limited".into(),
        kind: "company".into(),
        status: "unknown".into(),
        address: Some("7 Nadi Marg, Thane".into()),
        state: Some("Goa".into()),
        state_code: Some("GA".into()),
        former_names: "[]".into(),
        former_cins: "[]".into(),
        coverage: "{}".into(),
        as_of: Some(as_of.into()),
        source: "partial".into(),
        ..Company::default()
    }
}

#[test]
fn a_partial_source_changes_only_the_fields_it_has() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let full = Company {
            city: Some("Mumbai".into()),
            former_names: r#"[{"name":"Purana Limited","until":null}]"#.into(),
            former_cins: format!(r#"["{OTHER_CIN}"]"#),
            members: Some(7),
            last_agm_on: Some("2025-09-30".into()),
            ..records::company(CIN, "Udaharan Textiles Private Limited")
        };
        store_one(&register, Record::Company(full.clone())).await;

        let newer = Record::PartialCompany(partial_company("2026-02-01"));
        let Stored::Changed(columns) = store_one(&register, newer.clone()).await else {
            panic!("the name and the address are different")
        };
        assert!(columns.contains(&"name") && columns.contains(&"address"), "{columns:?}");
        assert!(!columns.contains(&"status") && !columns.contains(&"members"), "{columns:?}");
        let expected = Company {
            name: "Udaharan Vastra Private Limited".into(),
            address: Some("7 Nadi Marg, Thane".into()),
            city: None,
            district: None,
            pincode: None,
            country: None,
            state: Some("Goa".into()),
            state_code: Some("GA".into()),
            as_of: Some("2026-02-01".into()),
            source: "partial".into(),
            ..full
        };
        // The former number still works, too.
        assert_eq!(register.find_company(OTHER_CIN).await.unwrap(), Some(expected.clone()));

        assert_eq!(store_one(&register, newer).await, Stored::Unchanged);
        let older = Record::PartialCompany(partial_company("2020-01-01"));
        assert_eq!(store_one(&register, older).await, Stored::Older);
        assert_eq!(register.find_company(CIN).await.unwrap(), Some(expected));
    });
}

#[test]
fn an_older_or_undated_source_fills_the_fields_that_the_newer_one_does_not_state() {
    on_every_engine(async |databases| {
        for (number, as_of) in [(CIN, Some("2025-12-31")), (OTHER_CIN, None)] {
            let register = databases.register().await;
            let master = records::company(number, "Udaharan Textiles Private Limited");
            store_one(&register, Record::PartialCompany(master.clone())).await;
            let portal = Company {
                name: "Udaharan Vastra Private Limited".into(),
                former_names: r#"[{"name":"Purana Limited","until":null}]"#.into(),
                last_agm_on: Some("2025-09-30".into()),
                coverage: r#"{"charges":{"coverage":"full","as_of":null,"source":"portal"}}"#
                    .into(),
                as_of: as_of.map(str::to_owned),
                source: "portal".into(),
                ..master.clone()
            };
            let stored = store_one(&register, Record::PartialCompany(portal.clone())).await;
            assert_eq!(stored, Stored::Changed(vec!["former_names", "last_agm_on", "coverage"]));
            let expected = Company {
                former_names: portal.former_names.clone(),
                last_agm_on: portal.last_agm_on.clone(),
                coverage: portal.coverage.clone(),
                ..master
            };
            assert_eq!(register.find_company(number).await.unwrap(), Some(expected));
            let again = store_one(&register, Record::PartialCompany(portal)).await;
            assert_eq!(again, Stored::Older);
        }
    });
}

#[test]
fn the_newer_statement_about_a_section_counts() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let stated = |as_of: &str, level: &str| Company {
            coverage: format!(
                r#"{{"charges":{{"coverage":"{level}","as_of":"{as_of}","source":"panji"}}}}"#
            ),
            as_of: Some(as_of.to_owned()),
            ..records::company(CIN, "Udaharan Textiles Private Limited")
        };
        for (as_of, level) in
            [("2026-01-10", "full"), ("2026-03-31", "partial"), ("2026-02-28", "full")]
        {
            store_one(&register, Record::PartialCompany(stated(as_of, level))).await;
        }
        let company = register.find_company(CIN).await.unwrap().unwrap();
        assert_eq!(company.coverage, stated("2026-03-31", "partial").coverage);
    });
}

#[test]
fn a_partial_record_of_an_unknown_company_is_stored_unchanged() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let company = partial_company("2026-02-01");
        let stored = store_one(&register, Record::PartialCompany(company.clone())).await;
        assert_eq!(stored, Stored::New);
        assert_eq!(register.find_company(CIN).await.unwrap(), Some(company));
        assert_eq!(register.list_changes(0, 9).await.unwrap()[0].resource, "company");
    });
}
