//! Tests of lists that are refused: the response says what is wrong and where, nothing is stored and
//! nothing is charged.

use crate::ask::get;
use crate::jobs::create;
use crate::server::serve_embedded;

const VERIFY: &str = "operation=bulkVerify";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const CSV: &str = "text/csv";
const LINES: &str = "application/x-ndjson";
const JSON: &str = "application/json";
const COMPOUND: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0\0\0";

/// The query, the media type, the body; and the code, the parameter and a part of the message.
type Case<'a> = (&'a str, &'a str, Vec<u8>, &'a str, Option<&'a str>, &'a str);

fn lists() -> Vec<Case<'static>> {
    let body = Some("body");
    let utf_16: Vec<u8> = "cin\nx\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let long = format!("id,note\n99000101,{}\n", "a".repeat(40_000));
    vec![
        (VERIFY, CSV, b"".to_vec(), "batch_empty", body, "The list is empty."),
        (VERIFY, CSV, b"\n , \n\n".to_vec(), "batch_empty", body, "The list is empty."),
        (VERIFY, CSV, b"cin\n".to_vec(), "batch_empty", body, "a heading and no rows"),
        (VERIFY, CSV, b"1\n".repeat(4), "batch_too_large", body, "at most 3 rows"),
        (VERIFY, CSV, utf_16, "invalid_body", body, "The list is not text"),
        (VERIFY, CSV, long.into_bytes(), "invalid_body", body, "Row 2 has a cell of more"),
        (
            VERIFY,
            CSV,
            ",".repeat(200).into_bytes(),
            "invalid_body",
            body,
            "Row 1 has more than 100",
        ),
        (
            "operation=bulkVerify&type_column=kind",
            CSV,
            b"kind,id\ndin,99000101\ntan,99000102\n".to_vec(),
            "invalid_body",
            body,
            "Row 3: the type “tan”",
        ),
        (
            VERIFY,
            LINES,
            b"\"1\"\n{\"value\":\n".to_vec(),
            "invalid_body",
            body,
            "Row 2 is not valid",
        ),
        (VERIFY, LINES, b"\"1\"\n\"\xE9\"\n".to_vec(), "invalid_body", body, "Line 2 is not UTF-8"),
        (
            VERIFY,
            LINES,
            b"{\"a\":[]}\n".to_vec(),
            "invalid_body",
            body,
            "Row 1: a must be a string",
        ),
        (
            VERIFY,
            LINES,
            b"{\"value\":\"99000101\",\"type\":\"tan\"}\n".to_vec(),
            "invalid_body",
            body,
            "Row 1: the type “tan”",
        ),
        (VERIFY, XLSX, b"id\n1\n".to_vec(), "invalid_body", body, "not an XLSX file"),
        (VERIFY, XLSX, COMPOUND.to_vec(), "invalid_body", body, "protected by a password"),
        (VERIFY, XLSX, b"PK\x03\x04broken".to_vec(), "invalid_body", body, "it is damaged"),
    ]
}

fn columns() -> Vec<Case<'static>> {
    let column = Some("column");
    vec![
        (VERIFY, CSV, b"a,b\nx,y\n".to_vec(), "invalid_parameter", column, "No column contains"),
        (
            VERIFY,
            CSV,
            b"pan,gstin\nZZACK4368A,27ZZACK4368A1ZP\n".to_vec(),
            "invalid_parameter",
            column,
            "Columns 1 (“pan”) and 2 (“gstin”) both contain identifiers",
        ),
        (
            "operation=bulkVerify&column=id",
            CSV,
            b"id,ID\n99000101,99000102\n".to_vec(),
            "invalid_parameter",
            column,
            "both called “id”",
        ),
        (
            "operation=bulkVerify&column=nowhere",
            CSV,
            b"id\n99000101\n".to_vec(),
            "invalid_parameter",
            column,
            "No column is called “nowhere”",
        ),
    ]
}

fn parameters() -> Vec<Case<'static>> {
    let list = || b"99000101\n".to_vec();
    let invalid = "invalid_parameter";
    vec![
        ("", CSV, list(), invalid, Some("operation"), "operation is missing"),
        ("operation=getCompany", CSV, list(), invalid, Some("operation"), "must be bulkVerify"),
        ("operation=bulkEnrich", CSV, list(), invalid, Some("fields"), "fields is missing"),
        (
            "operation=bulkEnrich&fields=shoes",
            CSV,
            list(),
            invalid,
            Some("fields"),
            "one of company",
        ),
        (
            "operation=bulkVerify&fields=pan",
            CSV,
            list(),
            invalid,
            Some("fields"),
            "bulkEnrich only",
        ),
        ("operation=bulkVerify&type=tan", CSV, list(), invalid, Some("type"), "cin, din"),
        ("operation=bulkVerify&max_credits=-1", CSV, list(), invalid, Some("max_credits"), "whole"),
        ("operation=bulkVerify&name=", CSV, list(), invalid, Some("name"), "printable"),
        (
            "operation=bulkVerify",
            "text/plain",
            list(),
            "unsupported_media_type",
            Some("content-type"),
            "text/csv",
        ),
        (
            "operation=bulkVerify",
            JSON,
            b"{\"items\":[]}".to_vec(),
            invalid,
            Some("operation"),
            "in the body",
        ),
        ("", JSON, b"{\"items\":[]}".to_vec(), invalid, Some("operation"), "missing"),
        (
            "",
            JSON,
            b"{\"operation\":\"bulkVerify\",\"items\":[]}".to_vec(),
            "batch_empty",
            Some("body"),
            "empty",
        ),
        ("", JSON, b"{\"surprise\":1}".to_vec(), "invalid_body", Some("surprise"), "unknown field"),
        (
            "",
            JSON,
            b"{\"operation\":\"bulkVerify\",\"items\":[[]]}".to_vec(),
            "invalid_body",
            Some("items[0]"),
            "a string or an object",
        ),
    ]
}

#[test]
fn a_list_or_parameter_that_is_wrong_is_refused_with_its_place() {
    let settings = [("bulk_jobs.rows", "3"), ("bulk_jobs.file_bytes", "100000")];
    serve_embedded(&settings, async |server| {
        let key = server.test_key().await;
        for (query, media_type, body, code, param, part) in
            lists().into_iter().chain(columns()).chain(parameters())
        {
            let what = format!("{query} {media_type} {}", String::from_utf8_lossy(&body));
            let what: String = what.chars().take(200).collect();
            let response = server.send(create(query, media_type, body).key(&key)).await;
            assert_eq!(response.code(), code, "{what}: {}", response.json);
            assert_eq!(response.json["error"]["param"].as_str(), param, "{what}");
            let message = response.json["error"]["message"].as_str().unwrap();
            assert!(message.contains(part), "{what}: {message}");
        }
        let large = create(VERIFY, CSV, "1".repeat(100_001)).key(&key);
        assert_eq!(server.send(large).await.code(), "body_too_large");
        let packed = create(VERIFY, CSV, "1").key(&key).header("content-encoding", "gzip");
        assert_eq!(server.send(packed).await.code(), "unsupported_media_type");
        assert_eq!(server.send(get("/v1/jobs").key(&key)).await.data()["total"], 0);
        assert_eq!(server.balance(&key).await, 10_000);
    });
}

#[test]
fn the_format_of_results_is_checked() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let job = server.send(create(VERIFY, CSV, "99000101").key(&key)).await;
        let id = job.expect_data()["id"].as_str().unwrap();
        for (query, param) in [
            ("format=pdf", "format"),
            ("format=csv&page=2", "page"),
            ("limit=1001", "limit"),
            ("page=0", "page"),
        ] {
            let response =
                server.send(get(format!("/v1/jobs/{id}/results?{query}")).key(&key)).await;
            assert_eq!(response.code(), "invalid_parameter", "{query}");
            assert_eq!(response.json["error"]["param"], param, "{query}");
        }
        let keyed = get(format!("/v1/jobs/{id}/results?format=csv")).key(&key);
        let response = server.send(keyed.header("idempotency-key", "1")).await;
        assert_eq!(response.json["error"]["param"], "Idempotency-Key");
    });
}
