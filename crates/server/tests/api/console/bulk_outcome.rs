//! Tests of what a finished job says: counts, reasons, results, and its failures.

use super::browser::Browser;
use super::bulk::{results, send, start, wait_while_running};
use crate::jobs::with_workers;
use crate::server::{serve, serve_embedded};

const EMAIL: &str = "asha@firm.example";
const FIRST: &str = "L17111MH1994PLC990011";

#[test]
fn a_finished_job_has_a_summary_its_results_and_its_failures_as_a_new_job() {
    serve(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let file = format!("Id,Note\n{FIRST},one\nU17110MH2001PTC000001,two\nwhat,three\n");
        let (job, _) = send(&mut browser, &[("work", "verify")], file.as_bytes()).await;
        start(&mut browser, &job).await;
        with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
        let page = browser.open(&job).await;
        page.expect("<dt>Valid</dt><dd>1 row</dd>").expect("<dt>Invalid</dt><dd>2 rows</dd>");
        page.expect("1 row: well-formed, but not in the register");
        page.expect("1 row: the type of the value is unknown");
        page.expect("Kalpanik Industries Limited").expect("all 3");

        let failures = browser.open(&format!("{job}/failures.csv")).await;
        assert!(failures.text.starts_with("Id,Note,verify.type"), "{}", failures.text);
        assert_eq!(failures.text.lines().count(), 3, "{}", failures.text);
        assert!(!failures.text.contains(FIRST), "{}", failures.text);

        let again = browser.send(&format!("{job}/again"), &[]).await;
        again.expect("Highest price: 1 credit").expect("<mark>Id</mark>").expect(", failures");
        start(&mut browser, &again.path).await;
        with_workers(server, async || wait_while_running(&mut browser, &again.path).await).await;
        assert_eq!(results(&mut browser, &again.path).await.len(), 3);
    });
}

#[test]
fn a_job_without_failures_cannot_be_run_again_and_templates_are_read_as_lists() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        for (name, work) in [("verify", "verify"), ("enrich", "enrich"), ("match", "match")] {
            let template = browser.open(&format!("/console/bulk/templates/{name}.csv")).await;
            assert_eq!(template.status, 200);
            let fields = [("work", work), ("columns", "company.name")];
            let (job, page) = send(&mut browser, &fields, template.text.as_bytes()).await;
            assert!(job.starts_with("/console/bulk/"), "{job}");
            page.expect("Highest price");
            start(&mut browser, &job).await;
            with_workers(server, async || wait_while_running(&mut browser, &job).await).await;
            let refused = browser.send(&format!("{job}/again"), &[]).await;
            assert_eq!(refused.status, 409, "{work}: {}", refused.text);
        }
        assert_eq!(browser.open("/console/bulk/templates/other.csv").await.status, 404);
    });
}
