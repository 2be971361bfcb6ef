//! Tests of bulk jobs: priced first, processed through the API's operations, charged once, returned
//! as files.

use panji_store::calendar::now_ms;
use panji_store::ledger::{EntryKind, Mode};
use serde_json::Value;

use super::browser::{Browser, Page};
use crate::jobs::with_workers;
use crate::server::{Server, serve, serve_embedded};

const EMAIL: &str = "asha@firm.example";
/// Companies of the sandbox.
const FIRST: &str = "L17111MH1994PLC990011";
const SECOND: &str = "U72900KA2017PTC990462";

/// Sends a list; returns the page with its price, and the job's path.
pub async fn send(
    browser: &mut Browser<'_>,
    fields: &[(&str, &str)],
    file: &[u8],
) -> (String, Page) {
    browser.open("/console/bulk").await;
    let page = browser.send_file("/console/bulk", fields, file).await;
    (page.path.clone(), page)
}

/// Accepts the price.
pub async fn start(browser: &mut Browser<'_>, job: &str) {
    let page = browser.send(&format!("{job}/start"), &[]).await;
    assert_eq!(page.status, 200, "{}", page.text);
}

/// Waits while a job runs; returns its progress.
pub async fn wait_while_running(browser: &mut Browser<'_>, job: &str) -> Value {
    let started = std::time::Instant::now();
    loop {
        let page = browser.open(&format!("{job}/progress")).await;
        let progress: Value = serde_json::from_str(&page.text).unwrap();
        if progress["state"] != "running" {
            return progress;
        }
        assert!(started.elapsed().as_secs() < 600, "{progress}");
        panji_testkit::pause().await;
    }
}

pub async fn results(browser: &mut Browser<'_>, job: &str) -> Vec<Vec<String>> {
    let page = browser.open(&format!("{job}/results.csv")).await;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(page.text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

async fn balance(server: &Server, mode: Mode) -> i64 {
    let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
    let balance = server.app.ledger.find_balance(&account.id, mode, now_ms());
    balance.await.unwrap().unwrap().balance
}

async fn grant(server: &Server, credits: i64) {
    let ledger = &server.app.ledger;
    let account = ledger.find_account(EMAIL).await.unwrap().unwrap();
    let entry =
        ledger.add_entry(&account.id, Mode::Live, EntryKind::Grant, credits, None, now_ms());
    entry.await.unwrap();
}

#[test]
fn a_list_is_verified_at_the_displayed_price() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let file = format!("Name,Id\n=HYPERLINK(\"x\"),{FIRST}\nRavi,99000101\n-5,what is it\n");
        let (job, page) = send(&mut browser, &[("work", "verify")], file.as_bytes()).await;
        page.expect("Highest price: 2 credits").expect("<mark>Id</mark>");
        assert_eq!(
            balance(server, Mode::Test).await,
            10_000,
            "nothing runs before it is agreed to"
        );
        start(&mut browser, &job).await;
        let progress =
            with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        assert_eq!(progress["state"], "done");
        assert_eq!(progress["text"], "3 of 3 rows · 2 credits");
        assert_eq!(balance(server, Mode::Test).await, 9_998);
        let rows = results(&mut browser, &job).await;
        assert_eq!(rows[0][..5], ["Name", "Id", "verify.type", "verify.value", "verify.valid"]);
        assert_eq!(rows[1][..5], ["'=HYPERLINK(\"x\")", FIRST, "cin", FIRST, "yes"]);
        assert_eq!(rows[1][7], "Kalpanik Industries Limited");
        assert_eq!((rows[3][0].as_str(), rows[3][2].as_str()), ("-5", ""));
        assert!(rows[3][8].contains("type of the value is unknown"));
        let sheet = browser.open(&format!("{job}/results.xlsx")).await;
        assert!(sheet.response.bytes.starts_with(b"PK"), "an XLSX file is a ZIP file");
        browser.open("/console/usage").await.expect("bulkVerify");
        let mut other = Browser::signed_up(server, "other@firm.example").await;
        for path in ["", "/progress", "/results.csv", "/results.xlsx"] {
            assert_eq!(other.open(&format!("{job}{path}")).await.status, 404);
        }
    });
}

#[test]
fn companies_are_enriched_and_a_repeated_one_is_charged_once() {
    // Small chunks, so that the repeat is in another one.
    serve(&[("limits.bulk_enrich_cins", "2")], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let twice = FIRST.to_lowercase();
        let file = format!("{FIRST}\n{SECOND}\nU99999XX2000PTC000001\nnothing\n{twice}\n{twice}\n");
        let fields = [
            ("work", "enrich"),
            ("columns", "financials.revenue"),
            ("columns", "company.name"),
            ("columns", "no such column"),
        ];
        let (job, page) = send(&mut browser, &fields, file.as_bytes()).await;
        page.expect("Highest price: 33 credits").expect("Columns added: Name, Revenue.");
        start(&mut browser, &job).await;
        let progress =
            with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        assert_eq!(progress["text"], "6 of 6 rows · 22 credits");
        assert_eq!(balance(server, Mode::Test).await, 10_000 - 22);
        let rows = results(&mut browser, &job).await;
        assert_eq!(rows[0][4..], ["company.name", "financials.revenue"]);
        let name = |row: usize| (rows[row][2].as_str(), rows[row][4].as_str());
        assert_eq!(name(1), ("yes", "Kalpanik Industries Limited"));
        assert_eq!(name(2), ("yes", "Zuv Private Limited"));
        assert_eq!(name(3), ("no", ""));
        assert_eq!(name(4), ("no", ""));
        assert_eq!((name(5), name(6)), (name(1), name(1)));
        assert_eq!(rows[5][5], rows[1][5]);
        let page = browser.send(&format!("{job}/watch"), &[]).await;
        page.expect("3 members were added.").expect(FIRST).expect("U99999XX2000PTC000001");
    });
}

#[test]
fn a_job_that_runs_out_of_credits_pauses_and_continues() {
    serve(&[("limits.bulk_verify_items", "2")], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        grant(server, 3).await;
        browser.open("/console/bulk").await;
        browser.send("/console/mode", &[("mode", "live"), ("next", "/console/bulk")]).await;
        let file = (1..=7).map(|number| format!("9900010{number}\n")).collect::<String>();
        let (job, page) = send(&mut browser, &[("work", "verify")], file.as_bytes()).await;
        page.expect("Highest price: 7 credits").expect("The balance may not be enough");
        start(&mut browser, &job).await;
        let progress =
            with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        assert_eq!((&progress["state"], &progress["done"]), (&"paused".into(), &2.into()));
        browser.open(&job).await.expect("buy credits").expect(">Continue</button>");
        assert_eq!(balance(server, Mode::Live).await, 1);
        grant(server, 100).await;
        start(&mut browser, &job).await;
        let progress =
            with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        assert_eq!(progress["text"], "7 of 7 rows · 7 credits");
        assert_eq!(balance(server, Mode::Live).await, 96);
    });
}

#[test]
fn restarted_workers_charge_each_chunk_once() {
    serve(&[("limits.bulk_verify_items", "5")], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let file: String = (0..400).map(|number| format!("{}\n", 99_000_101 + number)).collect();
        let (job, _) = send(&mut browser, &[("work", "verify")], file.as_bytes()).await;
        start(&mut browser, &job).await;
        for _ in 0..5 {
            with_workers(server, async || tokio::task::yield_now().await).await;
        }
        let progress =
            with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        assert_eq!(progress["text"], "400 of 400 rows · 400 credits");
        assert_eq!(balance(server, Mode::Test).await, 9_600);
    });
}

#[test]
fn cancelled_and_discarded_jobs_are_not_processed() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (discarded, _) = send(&mut browser, &[("work", "verify")], FIRST.as_bytes()).await;
        browser.send(&format!("{discarded}/cancel"), &[]).await.expect("New job");
        browser.open(&discarded).await.expect("cancelled");
        let (job, _) = send(&mut browser, &[("work", "verify")], FIRST.as_bytes()).await;
        start(&mut browser, &job).await;
        browser.send(&format!("{job}/cancel"), &[]).await.expect("cancelled");
        start(&mut browser, &job).await;
        let progress =
            with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        assert_eq!((&progress["state"], &progress["done"]), (&"cancelled".into(), &0.into()));
    });
}

#[test]
fn lists_beyond_the_limits_are_refused() {
    let settings = [
        ("bulk_jobs.rows", "3"),
        ("bulk_jobs.file_bytes", "500"),
        ("bulk_jobs.open_per_account", "1"),
    ];
    serve_embedded(&settings, async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let verify = [("work", "verify")];
        let refused = [
            (&verify[..], "99000101\n".repeat(4).into_bytes(), 422, "at most 3 rows"),
            (&verify, vec![b'1'; 501], 413, "at most 500 bytes"),
            (&verify, b" \n".to_vec(), 422, "The list is empty"),
            (&verify, vec![0; 9], 422, "The list is not text"),
            (
                &verify,
                b"PK\x03\x04\0\0\0\0".to_vec(),
                422,
                "The spreadsheet cannot be read: it is damaged",
            ),
            (&[("work", "enrich")], FIRST.into(), 422, "Select at least one column"),
            (
                &[("work", "verify"), ("column", "nowhere")],
                FIRST.into(),
                422,
                "No column is called",
            ),
        ];
        for (fields, file, status, sentence) in refused {
            let (_, page) = send(&mut browser, fields, &file).await;
            assert_eq!(page.status, status, "{sentence}");
            page.expect(sentence);
        }
        let (job, page) = send(&mut browser, &[("work", "verify"), ("text", FIRST)], b"").await;
        page.expect("pasted list");
        let (_, page) = send(&mut browser, &verify, FIRST.as_bytes()).await;
        assert_eq!(page.status, 422);
        page.expect("unfinished jobs of an account is 1");
        browser.open(&job).await;
        let mut anonymous = Browser::new(server);
        anonymous.cookies = browser.cookies.clone();
        let page = anonymous.send_file("/console/bulk", &verify, FIRST.as_bytes()).await;
        assert_eq!(page.status, 403, "a form without the session's token");
    });
}
