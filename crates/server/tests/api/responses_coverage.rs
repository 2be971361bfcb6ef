//! Tests of `coverage`: what an empty list means, and what it costs.

use panji_store::register::{Company, Record};
use panji_testkit::records::{self, CIN};
use serde_json::{Value, json};

use crate::ask::get;
use crate::server::serve;

const NAME: &str = "Udaharan Textiles Private Limited";

#[test]
fn of_a_company_known_only_by_its_identity_no_section_is_claimed_or_charged() {
    serve(&[], async |server| {
        server.import(&[Record::PartialCompany(records::company(CIN, NAME))]).await;
        let key = server.live_key(100).await;
        for section in ["pan", "directors", "charges", "financials", "compliance", "documents"] {
            let path = format!("/v1/companies/{CIN}/{section}");
            let response = server.send(get(path).key(&key)).await;
            let data = response.expect_data();
            assert_eq!(data["coverage"], "none", "{section}");
            assert_eq!(data["as_of"], Value::Null, "{section}");
            assert_eq!(data["source"], Value::Null, "{section}");
            for total in ["total", "total_documents"] {
                assert_eq!(data.get(total).unwrap_or(&Value::Null), &Value::Null, "{section}");
            }
            assert_eq!(response.charged(), 0, "{section}");
        }
        let profile = server.send(get(format!("/v1/companies/{CIN}/profile")).key(&key)).await;
        let profile = profile.expect_data();
        assert_eq!(profile["company"]["coverage"], "partial");
        assert_eq!(profile["charges"]["open"], json!({ "count": null, "amount": null }));
        assert_eq!(profile["directors"]["coverage"], "none");
        assert_eq!(profile["capital"]["coverage"], "full");
    });
}

#[test]
fn an_identity_that_a_newer_source_changed_is_no_longer_complete() {
    serve(&[], async |server| {
        let key = server.live_key(100).await;
        for (as_of, expected) in [("2026-01-10", "full"), ("2026-03-31", "partial")] {
            let statement = r#"{"coverage":"full","as_of":"2026-01-10","source":"panji"}"#;
            let company = Company {
                coverage: format!(r#"{{"company":{statement}}}"#),
                as_of: Some(as_of.to_owned()),
                ..records::company(CIN, NAME)
            };
            server.import(&[Record::PartialCompany(company)]).await;
            let response = server.send(get(format!("/v1/companies/{CIN}")).key(&key)).await;
            assert_eq!(response.expect_data()["coverage"], expected, "{as_of}");
        }
    });
}

#[test]
fn an_empty_list_of_a_source_that_lists_everything_means_none_and_is_charged() {
    serve(&[], async |server| {
        let statement = r#"{"coverage":"full","as_of":"2026-01-10","source":"mca_company_json"}"#;
        let company = Company {
            coverage: format!(r#"{{"charges":{statement}}}"#),
            ..records::company(CIN, NAME)
        };
        server.import(&[Record::PartialCompany(company)]).await;
        let key = server.live_key(100).await;
        let response = server.send(get(format!("/v1/companies/{CIN}/charges")).key(&key)).await;
        let expected = json!({
            "cin": CIN,
            "total": 0,
            "open": { "count": 0, "amount": 0 },
            "charges": [],
            "coverage": "full",
            "as_of": "2026-01-10",
            "source": "mca_company_json",
        });
        assert_eq!(response.expect_data(), &expected);
        assert_eq!(response.charged(), 3);
    });
}
