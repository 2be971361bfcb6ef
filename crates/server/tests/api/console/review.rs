//! Tests of lists of names: the columns, the review of rows, saved decisions, and the list
//! of matched companies.

use panji_store::calendar::now_ms;
use panji_store::ledger::Mode;
use serde_json::Value;

use super::browser::{Browser, Page};
use super::bulk::{results, send, start, wait_while_running};
use crate::jobs::with_workers;
use crate::server::{Server, serve, serve_embedded};

const EMAIL: &str = "asha@firm.example";
/// A company of the sandbox.
const INDUSTRIES: &str = "L17111MH1994PLC990011";
/// Rows that the machine matches, doubts twice, and finds no company for.
const NAMES: &str = "\
Party,Region,Note
Kalpanik Industries Limited,Maharashtra,a
Naya Roop Packaging,,b
Smt. Chaya Namuna,,c
NAYA ROOP-PACKAGING.,,d
";

/// Sends a list of names, and processes it with the columns of the page.
async fn process(server: &Server, browser: &mut Browser<'_>, list: &str) -> String {
    let (job, page) = send(browser, &[("work", "match")], list.as_bytes()).await;
    assert_eq!(page.status, 200, "{}", page.text);
    start(browser, &job).await;
    let progress = with_workers(server, async || wait_while_running(browser, &job).await).await;
    assert_eq!(progress["state"], "done", "{progress}");
    job
}

/// The rows of the results by the names of their columns.
async fn table(browser: &mut Browser<'_>, job: &str) -> Vec<Value> {
    let rows = results(browser, job).await;
    let (header, rows) = rows.split_first().unwrap();
    let named = |row: &Vec<String>| {
        header.iter().cloned().zip(row.iter().map(|cell| Value::from(cell.as_str()))).collect()
    };
    rows.iter().map(named).collect()
}

/// The first candidate of a row on a page.
fn first_candidate(page: &Page, row: i64) -> String {
    let after = page.text.split(&format!("id=\"row-{row}\"")).nth(1).expect("the row");
    let start = after.find("name=\"choice\" value=\"").expect("a choice") + 21;
    after[start..start + 21].to_owned()
}

async fn actions(server: &Server) -> Vec<String> {
    let lines = server.app.ledger.list_audit_events(0, 1_000).await.unwrap();
    lines.into_iter().map(|line| line.action).collect()
}

#[test]
fn the_columns_of_a_list_are_displayed_with_its_first_rows_and_can_be_changed() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let (job, page) = send(&mut browser, &[("work", "match")], NAMES.as_bytes()).await;
        page.expect("Highest price: 8 credits").expect("2 credits for each row that is matched");
        page.expect("Kalpanik Industries Limited").expect("The first 4 rows");
        page.expect("Column 1, Party, is read as").expect("<option value=\"name\" selected>");
        assert!(!page.text.contains("<option value=\"state\" selected>"), "Region is ignored");
        for (columns, sentence) in [
            (["name", "name", ""], "Columns 1 and 2 are both read as name: choose one."),
            (["", "state", ""], "Choose the column with the names"),
        ] {
            let fields = columns.map(|column| ("columns", column));
            for path in ["columns", "start"] {
                let refused = browser.send(&format!("{job}/{path}"), &fields).await;
                assert_eq!(refused.status, 422);
                refused.expect(sentence);
            }
        }
        let short = browser.send(&format!("{job}/columns"), &[("columns", "name")]).await;
        assert_eq!(short.status, 400);
        browser.open(&job).await;
        let chosen = ["name", "state", ""].map(|column| ("columns", column));
        let page = browser.send(&format!("{job}/start"), &chosen).await;
        assert_eq!(page.status, 200, "{}", page.text);
        with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        let review = browser.open(&format!("{job}/review?show=match")).await;
        review.expect("<dt>State</dt><dd>Maharashtra</dd>");
        let ended = browser.send(&format!("{job}/columns"), &chosen).await;
        assert_eq!(ended.status, 200);
        let again = browser.open(&format!("{job}/review?show=match")).await;
        again.expect("<dt>State</dt><dd>Maharashtra</dd>");
    });
}

#[test]
fn a_list_of_names_that_cannot_be_read_is_refused_in_one_sentence_and_costs_nothing() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let protected = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 and more".to_vec();
        for (file, sentence) in [
            (
                b"name,name\nA Ltd,B Ltd\n".to_vec(),
                "Columns 1 (“name”) and 2 (“name”) both contain names",
            ),
            (b"name,state\n".to_vec(), "The list has a heading and no rows."),
            (b",,\n , \n".to_vec(), "The list is empty."),
            (b"1,2\n3,4\n".to_vec(), "No column contains names"),
            (protected, "protected by a password: save it as XLSX without one"),
        ] {
            let (_, page) = send(&mut browser, &[("work", "match")], &file).await;
            assert_eq!(page.status, 422, "{sentence}");
            page.expect(sentence);
        }
        let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
        let balance = server.app.ledger.find_balance(&account.id, Mode::Test, now_ms());
        assert_eq!(balance.await.unwrap().unwrap().balance, 10_000);
    });
}

#[test]
fn a_row_that_needs_review_is_decided_undone_and_exported_with_who_decided() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let job = process(server, &mut browser, NAMES).await;
        browser.open(&job).await.expect("Review 2 rows");
        let review = format!("{job}/review");
        let page = browser.open(&review).await;
        page.expect("id=\"row-2\"").expect("id=\"row-4\"").expect("None of these").expect("Agrees");
        assert!(!page.text.contains("id=\"row-1\""), "only rows that need review are displayed");
        let chosen = first_candidate(&page, 2);
        let fields = [("choice", chosen.as_str()), ("show", "review"), ("from", "1")];
        let page = browser.send(&format!("{review}/2"), &fields).await;
        assert_eq!(page.status, 200);
        page.expect("Row 2, Naya Roop Packaging: matched.").expect("No rows need review any more");
        let rows = table(&mut browser, &job).await;
        for row in [1, 3] {
            assert_eq!(rows[row]["panji.cin"], chosen, "equal rows are decided together");
            assert_eq!(rows[row]["panji.decided_by"], "person");
            let evidence = rows[row]["panji.evidence"].as_str().unwrap();
            assert!(evidence.starts_with("A member of this account decided on "), "{evidence}");
        }
        assert_eq!(rows[0]["panji.decided_by"], "machine");
        assert_eq!(
            (&rows[0]["panji.cin"], &rows[2]["panji.cin"]),
            (&INDUSTRIES.into(), &"".into())
        );

        let page = browser.send(&format!("{review}/4"), &[("choice", "undo")]).await;
        page.expect("id=\"row-2\"").expect("id=\"row-4\"");
        let page = browser.send(&format!("{review}/1"), &[("choice", "none")]).await;
        assert_eq!(page.status, 200);
        let rows = table(&mut browser, &job).await;
        assert_eq!(rows[0]["panji.decision"], "none", "a match can be rejected");
        assert_eq!(
            (&rows[1]["panji.decision"], &rows[1]["panji.cin"]),
            (&"review".into(), &"".into())
        );
        let page = browser.open(&format!("{review}?show=person")).await;
        page.expect("decided by asha").expect("id=\"row-1\"");
        assert_eq!(actions(server).await[2..], ["match.decide", "match.undo", "match.decide"]);
        for (row, choice, status) in [(2, "U17110MH2001PTC999999", 400), (99, "none", 404)] {
            let refused = browser.send(&format!("{review}/{row}"), &[("choice", choice)]).await;
            assert_eq!(refused.status, status, "{choice}");
        }
    });
}

#[test]
fn decisions_are_used_in_later_jobs_until_they_are_deleted() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let list = "name\nNaya Roop Packaging\nKalpanik Industries Limited\n";
        let first = process(server, &mut browser, list).await;
        let page = browser.open(&format!("{first}/review")).await;
        let chosen = first_candidate(&page, 1);
        browser.send(&format!("{first}/review/1"), &[("choice", &chosen)]).await;
        browser.send(&format!("{first}/review/2"), &[("choice", "none")]).await;

        let second = process(
            server,
            &mut browser,
            "name\n NAYA ROOP PACKAGING!\nkalpanik industries limited\n",
        )
        .await;
        browser.open(&second).await.expect("2 of 2 rows · 2 credits");
        let rows = table(&mut browser, &second).await;
        assert_eq!(
            (&rows[0]["panji.cin"], &rows[0]["panji.decided_by"]),
            (&chosen.into(), &"person".into())
        );
        assert_eq!(
            (&rows[1]["panji.decision"], &rows[1]["panji.decided_by"]),
            (&"none".into(), &"person".into())
        );
        let page = browser.open(&format!("{second}/review?show=person")).await;
        page.expect("decided by asha").expect("that no candidate is meant");

        let other = process(server, &mut browser, "name,city\nNaya Roop Packaging,Pune\n").await;
        let rows = table(&mut browser, &other).await;
        assert_eq!(rows[0]["panji.decided_by"], "machine", "it is not the same item");

        let page = browser.send(&format!("{second}/review/2"), &[("choice", "undo")]).await;
        assert_eq!(page.status, 200);
        let rows = table(&mut browser, &second).await;
        assert_eq!(
            (&rows[1]["panji.cin"], &rows[1]["panji.decision"]),
            (&INDUSTRIES.into(), &"match".into())
        );
        let rows = table(&mut browser, &first).await;
        assert_eq!(rows[1]["panji.decision"], "none", "an earlier job keeps its results");

        let page = browser.open("/console/bulk/decisions").await;
        page.expect("Naya Roop Packaging").expect("1 of at most 1,00,000");
        let hash = page.between("name=\"item\" value=\"", "\"").to_owned();
        browser
            .send("/console/bulk/decisions/delete", &[("item", &hash)])
            .await
            .expect("No decisions yet");
        let third = process(server, &mut browser, list).await;
        let rows = table(&mut browser, &third).await;
        assert_eq!(rows[0]["panji.decided_by"], "machine");
        assert_eq!(rows[0]["panji.decision"], "review");
    });
}

#[test]
fn matched_companies_become_a_job_to_enrich_with_the_columns_of_the_first() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let job = process(server, &mut browser, NAMES).await;
        browser.open(&job).await.expect(">Watch these</button>");
        let page = browser.send(&format!("{job}/watch"), &[]).await;
        page.expect("<h1>list.csv</h1>").expect("1 member was added.");
        let page = browser.send(&format!("{job}/enrich"), &[]).await;
        page.expect("list.csv, enriched")
            .expect("Highest price: 1 credit")
            .expect("awaiting approval");
        let enriched = page.path.clone();
        start(&mut browser, &enriched).await;
        with_workers(server, async || wait_while_running(&mut browser, &enriched).await).await;
        let rows = table(&mut browser, &enriched).await;
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (&rows[0]["Party"], &rows[0]["Note"]),
            (&"Kalpanik Industries Limited".into(), &"a".into())
        );
        assert_eq!(rows[0]["company.status"], "active");
        assert_eq!(rows[0]["matched_cin"], INDUSTRIES);
        let nothing = process(server, &mut browser, "name\nSmt. Chaya Namuna\n").await;
        let page = browser.send(&format!("{nothing}/enrich"), &[]).await;
        assert_eq!(page.status, 409);
        page.expect("No row of this job is matched with a company yet.");
    });
}

#[test]
fn a_review_belongs_to_the_account_and_needs_the_token_and_the_permission() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let job = process(server, &mut browser, NAMES).await;
        let review = format!("{job}/review");
        let refused = browser.send_bare(&format!("{review}/2"), &[("choice", "none")]).await;
        assert_eq!(refused.status, 403);
        let mut other = Browser::signed_up(server, "other@firm.example").await;
        assert_eq!(other.open(&review).await.status, 404);
        assert_eq!(other.send(&format!("{review}/2"), &[("choice", "none")]).await.status, 404);
        assert_eq!(other.send(&format!("{job}/enrich"), &[]).await.status, 404);
        assert_eq!(other.send(&format!("{job}/columns"), &[("columns", "name")]).await.status, 404);
        let (verify, _) = send(&mut browser, &[("work", "verify")], b"99000501\n").await;
        assert_eq!(browser.open(&format!("{verify}/review")).await.status, 404);
    });
}
