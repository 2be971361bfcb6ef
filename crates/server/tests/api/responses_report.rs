//! Tests of the report: a PDF with the fields of the envelope in its headers.

use panji_testkit::pdf_pages;

use crate::ask::get;
use crate::server::serve;

const REPORT: &str = "/v1/companies/L17111MH1994PLC990011/report";

#[test]
fn the_report_is_a_pdf_and_its_headers_have_the_fields_of_the_envelope() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let before = server.send(get("/v1/account").key(&key)).await.remaining();
        let response = server.send(get(REPORT).header("accept", "application/pdf").key(&key)).await;
        assert_eq!(response.status, 200, "{}", response.json);
        assert_eq!(response.header("content-type"), Some("application/pdf"));
        assert_eq!(response.headers.get_all("content-type").iter().count(), 1);
        assert_eq!((response.charged(), response.remaining()), (25, before - 25));
        let name = response.header("content-disposition").unwrap();
        assert!(name.contains("report-L17111MH1994PLC990011-2026-06-30.pdf"), "{name}");
        let pages = pdf_pages(&response.bytes);
        let text = pages.join(" ").replace('\n', " ");
        for part in [
            "Kalpanik Industries Limited",
            "What stands out",
            "What is known",
            "People",
            "Charges",
            "Financial years",
            "Compliance",
            "GST registrations",
            "Findings",
            "sample data",
        ] {
            assert!(text.contains(part), "{part} is missing");
        }
        assert!(response.bytes.len() < 400_000, "{} bytes", response.bytes.len());
    });
}

#[test]
fn companies_of_every_kind_have_a_report() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for cin in ["U99999DL1956PTC990001", "ZZA-1204", "F99101", "U45203UP2007PTC990186"] {
            let response = server.send(get(format!("/v1/companies/{cin}/report")).key(&key)).await;
            assert_eq!(response.status, 200, "{cin}: {}", response.json);
            assert!(!pdf_pages(&response.bytes).is_empty(), "{cin}");
        }
    });
}

#[test]
fn a_client_that_excludes_pdf_is_refused_and_pays_nothing() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        for accept in ["application/json", "text/html, application/pdf;q=0"] {
            let response = server.send(get(REPORT).header("accept", accept).key(&key)).await;
            assert_eq!((response.status, response.code()), (406, "not_acceptable"), "{accept}");
            assert_eq!(response.charged(), 0);
        }
        assert_eq!(server.send(get(REPORT).header("accept", "*/*").key(&key)).await.status, 200);
    });
}

#[test]
fn a_repeat_under_an_idempotency_key_gets_the_same_file_without_a_second_charge() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let ask = || get(REPORT).header("idempotency-key", "report 1").key(&key);
        let first = server.send(ask()).await;
        let again = server.send(ask()).await;
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
        assert_eq!(first.bytes, again.bytes);
        assert_eq!(first.header("content-disposition"), again.header("content-disposition"));
        assert_eq!((again.charged(), again.remaining()), (25, first.remaining()));
        let now = server.send(get("/v1/account").key(&key)).await.remaining();
        assert_eq!(now, first.remaining(), "it was charged once");
    });
}
