//! Tests of what limits a job: its highest price, the cap and the permissions of the key, the rate, and
//! the number of open jobs.

use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, NewKey};

use crate::ask::get;
use crate::jobs::{FIRST, SECOND, act, create, new_job, process, run_job, status_of};
use crate::server::serve;

#[test]
fn a_job_that_can_cost_more_than_its_limit_is_refused() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let list = format!("{FIRST}\n{SECOND}\n");
        let send =
            async |query: &str| server.send(create(query, "text/csv", &*list).key(&key)).await;
        let response = send("operation=bulkVerify&auto_approve=true").await;
        assert_eq!(
            (response.code(), &response.json["error"]["param"]),
            ("invalid_parameter", &"max_credits".into())
        );
        let response = send("operation=bulkVerify&auto_approve=true&max_credits=1").await;
        assert_eq!((response.status, response.code()), (402, "max_credits_exceeded"));
        let response = send("operation=bulkVerify&max_credits=1").await;
        assert_eq!(response.code(), "max_credits_exceeded", "also without auto_approve");
        let listed = server.send(get("/v1/jobs").key(&key)).await;
        assert_eq!(listed.data()["total"], 0, "a refused job is not stored");
        let response = send("operation=bulkVerify&auto_approve=true&max_credits=2").await;
        assert_eq!(status_of(response.expect_data()), "running");
        let job = process(server, &key, response.data()["id"].as_str().unwrap()).await;
        assert_eq!((status_of(&job), &job["credits_charged"]), ("done", &2.into()));
    });
}

#[test]
fn the_cap_and_the_permissions_of_the_key_hold_for_its_jobs() {
    serve(&[("limits.bulk_verify_items", "1")], async |server| {
        let account_id = server.new_account().await;
        let new_key = async |new| server.new_key(&account_id, Mode::Test, new).await;
        let capped = new_key(NewKey { monthly_cap: Some(1), ..NewKey::default() }).await;
        let free = new_key(NewKey::default()).await;
        let list = format!("{FIRST}\n{SECOND}\n99000101\n");
        let id = new_job(server, &capped, "operation=bulkVerify", &list).await;
        let job = run_job(server, &capped, &id).await;
        assert_eq!((status_of(&job), &job["rows_done"]), ("paused", &1.into()));
        assert!(job["reason"].as_str().unwrap().contains("1 of its 1 credit"), "{job}");
        let job = run_job(server, &free, &id).await;
        assert_eq!((status_of(&job), &job["credits_charged"]), ("done", &3.into()));

        let only_jobs = ["createJob", "approveJob", "listJobs"].map(str::to_owned).to_vec();
        let narrow = new_key(NewKey { allowed_operations: only_jobs, ..NewKey::default() }).await;
        let refused =
            server.send(create("operation=bulkVerify", "text/csv", FIRST).key(&narrow)).await;
        assert_eq!(refused.code(), "endpoint_not_allowed");
        let id = new_job(server, &free, "operation=bulkVerify", &list).await;
        let refused = server.send(act(&id, "approve").key(&narrow)).await;
        assert_eq!(refused.code(), "endpoint_not_allowed");

        let revoked = new_key(NewKey::default()).await;
        server.send(act(&id, "approve").key(&revoked)).await.expect_data();
        assert!(server.app.ledger.revoke_key(&revoked.id, now_ms()).await.unwrap());
        let job = process(server, &free, &id).await;
        assert_eq!((status_of(&job), &job["credits_charged"]), ("paused", &0.into()));
        assert!(job["reason"].as_str().unwrap().contains("revoked"), "{job}");
        assert_eq!(status_of(&run_job(server, &free, &id).await), "done");
    });
}

#[test]
fn creating_jobs_is_limited_in_rate_and_number() {
    let settings = [
        ("bulk_rate_limit.per_second", "1"),
        ("bulk_rate_limit.burst", "2"),
        ("bulk_jobs.open_per_account", "1"),
    ];
    serve(&settings, async |server| {
        let key = server.test_key().await;
        let send =
            async || server.send(create("operation=bulkVerify", "text/csv", FIRST).key(&key)).await;
        let first = send().await;
        assert!(first.header("ratelimit-policy").unwrap().starts_with("\"bulk\""));
        let mut refused = send().await;
        assert_eq!((refused.status, refused.code()), (409, "job_conflict"));
        for _ in 0..100 {
            refused = send().await;
            if refused.status == 429 {
                break;
            }
        }
        assert_eq!(refused.code(), "rate_limited");
    });
}
