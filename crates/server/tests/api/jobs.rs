//! Tests of jobs over the API: priced first, approved, processed, charged once, and the same as the
//! console's.

use axum::http::Method;
use panji_server::serve::start_workers;
use panji_store::ledger::{Mode, NewKey};
use panji_testkit::on_both_engines;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::ask::{Ask, Response, ask, get, post};
use crate::console::browser::Browser;
use crate::errors::ledger_engine;
use crate::server::{Key, Server, serve, serve_embedded};

/// Companies of the sandbox.
pub const FIRST: &str = "L17111MH1994PLC990011";
pub const SECOND: &str = "U72900KA2017PTC990462";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Runs `work` while the node processes jobs, and stops the workers.
pub async fn with_workers<T>(server: &Server, work: impl AsyncFnOnce() -> T) -> T {
    let (stop, stopped) = watch::channel(false);
    let workers = start_workers(&server.app, &stopped);
    let outcome = work().await;
    stop.send(true).unwrap();
    for worker in workers {
        worker.await.unwrap();
    }
    outcome
}

/// A new job with this list.
pub fn create(query: &str, media_type: &str, list: impl Into<Vec<u8>>) -> Ask {
    ask(Method::POST, format!("/v1/jobs?{query}")).header("content-type", media_type).body(list)
}

pub fn act(id: &str, action: &str) -> Ask {
    ask(Method::POST, format!("/v1/jobs/{id}/{action}"))
}

async fn fetch(server: &Server, key: &Key, id: &str) -> Value {
    server.send(get(format!("/v1/jobs/{id}")).key(key)).await.expect_data().clone()
}

/// Creates a job; returns its id.
pub async fn new_job(server: &Server, key: &Key, query: &str, list: &str) -> String {
    let response = server.send(create(query, "text/csv", list).key(key)).await;
    response.expect_data()["id"].as_str().unwrap().to_owned()
}

/// Processes a running job until it stops; returns it.
pub async fn process(server: &Server, key: &Key, id: &str) -> Value {
    let wait = async || {
        let started = std::time::Instant::now();
        loop {
            let job = fetch(server, key, id).await;
            if job["status"] != "running" {
                return job;
            }
            assert!(started.elapsed().as_secs() < 600, "{job}");
            panji_testkit::pause().await;
        }
    };
    with_workers(server, wait).await
}

/// Approves a job and processes it until it stops.
pub async fn run_job(server: &Server, key: &Key, id: &str) -> Value {
    server.send(act(id, "approve").key(key)).await.expect_data();
    process(server, key, id).await
}

pub fn status_of(job: &Value) -> &str {
    job["status"].as_str().unwrap()
}

#[test]
fn a_job_is_priced_approved_processed_and_returned_in_every_format() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let list = format!("Name,Id\n=1+1,{FIRST}\nRavi,99000101\n,what is it\n");
        let response = server
            .send(create("operation=bulkVerify&name=suppliers", "text/csv", list).key(&key))
            .await;
        assert_eq!(response.charged(), 0, "a job is free to create");
        let job = response.expect_data().clone();
        let id = job["id"].as_str().unwrap();
        assert!(id.starts_with("job_") && id.len() == 30, "{id}");
        assert_eq!(
            (status_of(&job), &job["operation"]),
            ("awaiting_approval", &"bulkVerify".into())
        );
        assert_eq!((&job["rows"], &job["rows_done"]), (&3.into(), &0.into()));
        assert_eq!((&job["highest_price"], &job["credits_charged"]), (&2.into(), &0.into()));
        assert_eq!(job["counts"], json!({ "valid": 0, "invalid": 0 }));
        let before = with_workers(server, async || fetch(server, &key, id).await).await;
        assert_eq!(before, job, "nothing runs before it is approved");
        assert_eq!(server.balance(&key).await, 10_000);

        let approved = server.send(act(id, "approve").key(&key)).await;
        assert_eq!((status_of(approved.expect_data()), approved.charged()), ("running", 0));
        let job = process(server, &key, id).await;
        assert_eq!((status_of(&job), &job["rows_done"]), ("done", &3.into()));
        assert_eq!(job["credits_charged"], 2);
        assert_eq!(job["counts"], json!({ "valid": 2, "invalid": 1 }));
        assert!(job["ended_at"].is_string() && job["reason"].is_null(), "{job}");
        assert_eq!(server.balance(&key).await, 9_998);

        let path = format!("/v1/jobs/{id}/results");
        let results = server.send(get(&path).key(&key)).await.expect_data().clone();
        assert_eq!(results["job"], job);
        let rows = results["results"].as_array().unwrap();
        assert_eq!(rows[0]["input"], json!({ "Name": "=1+1", "Id": FIRST }));
        assert_eq!(rows[0]["result"]["result"]["found"], true);
        assert_eq!((&rows[2]["row"], &rows[2]["result"]["type"]), (&3.into(), &Value::Null));
        let file = server.send_unchecked(get(&path).query("format=csv").key(&key)).await;
        assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
        let text = String::from_utf8(file.bytes.to_vec()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("Name,Id,verify.type,verify.value,verify.valid"), "{text}");
        assert!(lines[1].starts_with(&format!("'=1+1,{FIRST},cin,{FIRST},yes")), "{text}");
        assert_eq!(lines.len(), 4);
        let file = server.send_unchecked(get(&path).query("format=xlsx").key(&key)).await;
        assert_eq!(file.header("content-type"), Some(XLSX));
        assert!(sheet_text(&file.bytes).contains("Kalpanik Industries Limited"));
        assert_eq!(server.balance(&key).await, 9_998, "results are free");
    });
}

/// The first sheet of a spreadsheet as CSV.
fn sheet_text(bytes: &[u8]) -> String {
    use std::io::Write;
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let limits = panji_import::SheetLimits { expanded_bytes: 1 << 24, csv_bytes: 1 << 24 };
    panji_import::first_sheet_csv(file, limits).unwrap()
}

#[test]
fn companies_are_enriched_from_json_lines_and_a_repeated_one_is_charged_once() {
    // Small chunks, so that the repeat is in another one.
    serve(&[("limits.bulk_enrich_cins", "2")], async |server| {
        let key = server.test_key().await;
        let twice = FIRST.to_lowercase();
        let list = format!(
            "{{\"cin\":\"{FIRST}\",\"ref\":\"a\"}}\n\"{SECOND}\"\n\"U99999XX2000PTC000001\"\n{{\"ref\":\"d\"}}\n\"{twice}\"\n"
        );
        let query = "operation=bulkEnrich&fields=company.name,financials";
        let response = server.send(create(query, "application/x-ndjson", list).key(&key)).await;
        let id = response.expect_data()["id"].as_str().unwrap();
        assert_eq!(response.data()["highest_price"], 33);
        let job = run_job(server, &key, id).await;
        assert_eq!((status_of(&job), &job["credits_charged"]), ("done", &22.into()));
        assert_eq!(job["counts"], json!({ "found": 3, "not_found": 2 }));
        assert_eq!(server.balance(&key).await, 10_000 - 22);
        let path = format!("/v1/jobs/{id}/results?limit=2&page=3");
        let last = server.send(get(path).key(&key)).await;
        let last = last.expect_data()["results"].as_array().unwrap();
        assert_eq!((last.len(), &last[0]["row"]), (1, &5.into()));
        let result = &last[0]["result"];
        assert_eq!((&result["requested"], &result["credits"]), (&twice.into(), &0.into()));
        assert_eq!(result["company"], json!({ "name": "Kalpanik Industries Limited" }));
        assert!(result["financials"]["years"].is_array());
        let past = server.send(get(format!("/v1/jobs/{id}/results?page=9")).key(&key)).await;
        assert_eq!(past.expect_data()["results"], json!([]));
    });
}

#[test]
fn spreadsheets_and_json_bodies_are_lists_too() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let mut workbook = rust_xlsxwriter::Workbook::new();
        let sheet = workbook.add_worksheet();
        sheet.write_string(0, 0, "Supplier").unwrap().write_string(0, 1, "DIN").unwrap();
        sheet.write_string(2, 0, "Asha").unwrap().write_number(2, 1, 99_000_101.0).unwrap();
        let file = workbook.save_to_buffer().unwrap();
        let query = "operation=bulkVerify&type=din&column=DIN";
        let id = server.send(create(query, XLSX, file).key(&key)).await;
        let id = id.expect_data()["id"].as_str().unwrap();
        let job = run_job(server, &key, id).await;
        assert_eq!((status_of(&job), &job["counts"]["valid"]), ("done", &1.into()), "{job}");

        let body = json!({
            "operation": "bulkVerify", "name": "two", "auto_approve": true, "max_credits": 2,
            "items": [{ "type": "din", "value": "99000101" }, FIRST],
        });
        let response = server.send(post("/v1/jobs", &body).key(&key)).await;
        assert_eq!(status_of(response.expect_data()), "running");
        let job = process(server, &key, response.data()["id"].as_str().unwrap()).await;
        assert_eq!((status_of(&job), &job["credits_charged"]), ("done", &2.into()));
    });
}

#[test]
fn the_console_and_the_api_have_the_same_jobs() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        let key = server.new_key(&account.id, Mode::Test, NewKey::default()).await;
        let id = new_job(server, &key, "operation=bulkVerify&name=from+the+API", FIRST).await;
        browser.open("/console/bulk").await.expect("from the API");
        let page = browser.open(&format!("/console/bulk/{id}")).await;
        page.expect("Highest price: 1 credit");
        browser.send(&format!("/console/bulk/{id}/start"), &[]).await;
        assert_eq!(status_of(&process(server, &key, &id).await), "done");
        browser.open(&format!("/console/bulk/{id}/results.csv")).await.expect("Kalpanik");

        browser.open("/console/bulk").await;
        let page =
            browser.send_file("/console/bulk", &[("work", "verify")], SECOND.as_bytes()).await;
        let uploaded = page.path.rsplit('/').next().unwrap().to_owned();
        let listed = server.send(get("/v1/jobs").key(&key)).await;
        assert_eq!((&listed.data()["total"], &listed.data()["page"]), (&2.into(), &1.into()));
        assert_eq!(listed.data()["jobs"][0]["id"], uploaded);
        assert_eq!(status_of(&run_job(server, &key, &uploaded).await), "done");
        browser.open(&format!("/console/bulk/{uploaded}")).await.expect("done");
    });
}

#[test]
fn jobs_are_listed_newest_first_in_pages() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.insert(0, new_job(server, &key, "operation=bulkVerify", FIRST).await);
        }
        let first = server.send(get("/v1/jobs?limit=2").key(&key)).await;
        let second = server.send(get("/v1/jobs?limit=2&page=2").key(&key)).await;
        let id = |response: &Response, at: usize| response.data()["jobs"][at]["id"].clone();
        assert_eq!([id(&first, 0), id(&first, 1), id(&second, 0)], ids[..]);
        assert_eq!((&first.data()["total"], id(&second, 1)), (&3.into(), Value::Null));
        let link = first.header("link").unwrap();
        assert!(link.contains("/v1/jobs?page=2&limit=2>; rel=\"next\""), "{link}");
    });
}

#[test]
fn a_job_of_another_account_or_mode_does_not_exist() {
    serve(&[], async |server| {
        let owner = server.test_key().await;
        let id = new_job(server, &owner, "operation=bulkVerify", FIRST).await;
        let live = server.new_key(&owner.account_id, Mode::Live, NewKey::default()).await;
        for other in [server.test_key().await, live] {
            let paths = [
                get(format!("/v1/jobs/{id}")),
                get(format!("/v1/jobs/{id}/results")),
                get(format!("/v1/jobs/{id}/results?format=csv")),
                act(&id, "approve"),
                act(&id, "cancel"),
            ];
            for ask in paths {
                let path = ask.path.clone();
                let response = server.send(ask.key(&other)).await;
                assert_eq!((response.status, response.code()), (404, "job_not_found"), "{path}");
            }
            assert_eq!(server.send(get("/v1/jobs").key(&other)).await.data()["total"], 0);
        }
        assert_eq!(status_of(&fetch(server, &owner, &id).await), "awaiting_approval");
        for path in ["/v1/jobs/job_1", "/v1/jobs/%FF", "/v1/jobs/x'--/results"] {
            assert_eq!(server.send(get(path).key(&owner)).await.code(), "job_not_found");
        }
    });
}

#[test]
fn a_cancelled_job_is_not_processed_and_cannot_be_approved() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let id = new_job(server, &key, "operation=bulkVerify", FIRST).await;
        server.send(act(&id, "approve").key(&key)).await.expect_data();
        let again = server.send(act(&id, "approve").key(&key)).await;
        assert_eq!(status_of(again.expect_data()), "running", "an approval can be repeated");
        for _ in 0..2 {
            let response = server.send(act(&id, "cancel").key(&key)).await;
            assert_eq!(status_of(response.expect_data()), "cancelled");
        }
        let refused = server.send(act(&id, "approve").key(&key)).await;
        assert_eq!((refused.status, refused.code()), (409, "job_conflict"));
        assert_eq!(process(server, &key, &id).await["rows_done"], 0);
        let results = server.send(get(format!("/v1/jobs/{id}/results")).key(&key)).await;
        assert_eq!(results.data()["results"][0]["result"], Value::Null);
        let done = new_job(server, &key, "operation=bulkVerify", FIRST).await;
        run_job(server, &key, &done).await;
        let refused = server.send(act(&done, "cancel").key(&key)).await;
        assert_eq!(refused.code(), "job_conflict");
        let response = server.send(act(&done, "approve").key(&key)).await;
        assert_eq!(status_of(response.expect_data()), "done");
    });
}

#[test]
fn a_repeat_under_an_idempotency_key_creates_no_second_job() {
    on_both_engines(async |databases| {
        let server = Server::on(&databases, &[]).await;
        let key = server.test_key().await;
        let query = "operation=bulkVerify&auto_approve=true&max_credits=9";
        let keyed = |query: &str, list: &str| {
            create(query, "text/csv", list).key(&key).header("idempotency-key", "order 17")
        };
        let first = server.send(keyed(query, FIRST)).await;
        let id = first.expect_data()["id"].as_str().unwrap();
        let repeat = server.send(keyed(query, FIRST)).await;
        assert_eq!(repeat.bytes, first.bytes);
        assert_eq!(repeat.header("idempotent-replayed"), Some("true"));
        assert_eq!(server.send(keyed(query, SECOND)).await.code(), "idempotency_mismatch");
        let other = server.send(keyed("operation=bulkVerify", FIRST)).await;
        assert_eq!(other.code(), "idempotency_mismatch", "the parameters count, too");
        let approve = act(id, "approve").key(&key).header("idempotency-key", "approval");
        let approved = server.send(approve.clone()).await;
        assert_eq!(server.send(approve).await.bytes, approved.bytes);
        // The node was killed after it had stored the job and before it responded.
        let engine = ledger_engine(&databases).await;
        engine.execute("delete from idempotency", &[]).await.unwrap();
        let repeat = server.send(keyed(query, FIRST)).await;
        assert_eq!(repeat.expect_data()["id"], id);
        assert_eq!(server.send(get("/v1/jobs").key(&key)).await.data()["total"], 1);
        server.close().await;
    });
}
