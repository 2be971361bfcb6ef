//! Matching jobs: the decisions of people about rows, and those kept for the account.

use panji_store::StoreError;
use panji_store::ledger::{
    BulkJob, FinishedChunk, Ledger, MatchCounts, MatchFilter, Mode, NewBulkJob, NewMatchRow,
    NewSavedDecision,
};
use panji_testkit::{NOW_MS, on_every_engine};
use serde_json::{Value, json};

use super::new_account;

const FIRST: &str = "U17110MH2001PTC990501";
const SECOND: &str = "U17110MH2001PTC990502";
/// The items of the rows and the machine's decisions.
const ROWS: [(&str, &str); 4] =
    [("udaharan", "review"), ("namuna", "match"), ("udaharan", "review"), ("nobody", "none")];

async fn job(ledger: &Ledger, account_id: &str) -> BulkJob {
    let new = NewBulkJob {
        account_id,
        mode: Mode::Live,
        task: "{}",
        name: "names.csv",
        highest_price: 16,
        row_count: 8,
        most_open: 3,
        key_id: "",
        request_key: "",
        runs_from_ms: None,
    };
    let chunks = ["first".to_owned(), "second".to_owned()];
    let id = ledger.create_bulk_job(&new, &chunks, NOW_MS).await.unwrap();
    assert!(ledger.start_bulk_job(account_id, &id, "").await.unwrap());
    ledger.find_bulk_job(account_id, &id).await.unwrap().unwrap()
}

/// Processes a chunk with the machine's decisions.
async fn process(ledger: &Ledger, job: &BulkJob, number: i64) {
    let lease = ledger.lease_bulk_job("node", NOW_MS, 10).await.unwrap().unwrap();
    assert_eq!(lease.job.id, job.id);
    finish(ledger, &lease, number).await;
    ledger.release_bulk_lease(&lease, None, "", 0).await.unwrap();
}

async fn finish(ledger: &Ledger, lease: &panji_store::ledger::BulkLease, number: i64) {
    let rows: Vec<NewMatchRow> = (number * 4..)
        .zip(ROWS)
        .map(|(number, (item, decision))| {
            let cin = (decision == "match").then(|| FIRST.to_owned());
            NewMatchRow {
                number,
                item: item.to_owned(),
                decision: decision.to_owned(),
                cin: cin.clone(),
                machine_decision: decision.to_owned(),
                machine_cin: cin,
                decided_at: None,
            }
        })
        .collect();
    let words: Vec<&str> = ROWS.iter().map(|(_, decision)| *decision).collect();
    let chunk = FinishedChunk {
        number,
        rows: 4,
        credits: 6,
        output: "[]",
        counts: &words,
        match_rows: &rows,
    };
    assert!(ledger.finish_bulk_chunk(lease, &chunk, NOW_MS).await.unwrap());
}

fn decision(cin: Option<&'static str>) -> NewSavedDecision<'static> {
    NewSavedDecision {
        item: "Udaharan",
        cin,
        rejected: &[FIRST],
        person_id: "per_asha",
        max_saved: 10,
    }
}

async fn counts(ledger: &Ledger, job: &BulkJob) -> (MatchCounts, Value) {
    let stored = ledger.find_bulk_job(&job.account_id, &job.id).await.unwrap().unwrap();
    (ledger.count_match_rows(job).await.unwrap(), serde_json::from_str(&stored.counts).unwrap())
}

#[test]
fn a_decision_is_valid_for_all_rows_with_the_item_until_it_is_undone() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let job = job(&ledger, &account_id).await;
        assert_eq!(ledger.decide_match(&job, 0, &decision(None), NOW_MS).await.unwrap(), 0);
        process(&ledger, &job, 0).await;
        let machine = MatchCounts { matched: 1, review: 2, none: 1, by_person: 0 };
        assert_eq!(counts(&ledger, &job).await.0, machine);

        let chosen = decision(Some(SECOND));
        assert_eq!(ledger.decide_match(&job, 2, &chosen, NOW_MS + 5).await.unwrap(), 2);
        let (now, stored) = counts(&ledger, &job).await;
        assert_eq!(now, MatchCounts { matched: 3, review: 0, none: 1, by_person: 2 });
        assert_eq!(stored, json!({ "match": 3, "none": 1, "review": 0 }));
        let rows = ledger.list_match_rows(&job, MatchFilter::ByPerson, 0, 10).await.unwrap();
        let rows: Vec<_> = rows.iter().map(|row| (row.number, row.cin.as_deref())).collect();
        assert_eq!(rows, [(0, Some(SECOND)), (2, Some(SECOND))]);
        let matched = MatchFilter::Decision("match");
        let rows = ledger.list_match_rows(&job, matched, 1, 1).await.unwrap();
        assert_eq!((rows.len(), rows[0].number, rows[0].person_id.as_deref()), (1, 1, None));

        assert_eq!(ledger.undo_match(&job, 0).await.unwrap(), 2);
        assert_eq!(ledger.undo_match(&job, 0).await.unwrap(), 0, "there is nothing more to undo");
        let (now, stored) = counts(&ledger, &job).await;
        assert_eq!((now, stored), (machine, json!({ "match": 1, "none": 1, "review": 2 })));
        assert_eq!(ledger.count_match_decisions((&account_id, Mode::Live)).await.unwrap(), 0);
    });
}

#[test]
fn counts_are_right_when_a_person_decides_while_the_job_runs() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let job = job(&ledger, &account_id).await;
        let lease = ledger.lease_bulk_job("node", NOW_MS, 10_000).await.unwrap().unwrap();
        finish(&ledger, &lease, 0).await;
        ledger.decide_match(&job, 0, &decision(None), NOW_MS).await.unwrap();
        finish(&ledger, &lease, 1).await;
        let (now, stored) = counts(&ledger, &job).await;
        assert_eq!(now, MatchCounts { matched: 2, review: 2, none: 4, by_person: 2 });
        assert_eq!(stored, json!({ "match": 2, "none": 4, "review": 2 }));
    });
}

#[test]
fn decisions_are_kept_for_the_account_and_mode_within_a_limit_and_can_be_deleted() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let other = new_account(&ledger).await;
        let job = job(&ledger, &account_id).await;
        process(&ledger, &job, 0).await;
        let owner = (account_id.as_str(), Mode::Live);
        let items = ["udaharan", "unknown"].map(str::to_owned);
        let find = async |owner| ledger.find_match_decisions(owner, &items).await.unwrap();
        assert_eq!(find(owner).await, [None, None]);

        ledger.decide_match(&job, 0, &decision(None), NOW_MS).await.unwrap();
        let kept = find(owner).await[0].clone().unwrap();
        assert_eq!((kept.item.as_str(), kept.cin.as_deref()), ("Udaharan", None));
        assert_eq!((kept.rejected, kept.person_id.as_str()), (vec![FIRST.to_owned()], "per_asha"));
        assert_eq!(find((&account_id, Mode::Test)).await, [None, None]);
        assert_eq!(find((&other, Mode::Live)).await, [None, None]);

        let full = NewSavedDecision { max_saved: 1, ..decision(Some(SECOND)) };
        let refused = ledger.decide_match(&job, 1, &full, NOW_MS).await;
        assert!(matches!(refused, Err(StoreError::Conflict(_))), "{refused:?}");
        assert_eq!(counts(&ledger, &job).await.0.by_person, 2, "nothing has changed");
        ledger.decide_match(&job, 0, &full, NOW_MS + 1).await.unwrap();
        let kept = ledger.list_match_decisions(owner, 0, 10).await.unwrap();
        assert_eq!((kept.len(), kept[0].cin.as_deref()), (1, Some(SECOND)), "it was replaced");

        ledger.decide_match(&job, 3, &decision(None), NOW_MS + 2).await.unwrap();
        let kept = ledger.list_match_decisions(owner, 0, 1).await.unwrap();
        assert_eq!(kept[0].decided_at, NOW_MS + 2, "the newest is first");
        assert!(ledger.delete_match_decision(owner, &kept[0].item_hash).await.unwrap());
        assert!(!ledger.delete_match_decision(owner, &kept[0].item_hash).await.unwrap());
        assert_eq!(ledger.delete_match_decisions(owner).await.unwrap(), 1);
        assert_eq!(counts(&ledger, &job).await.0.by_person, 3, "results of the job stay");
    });
}

#[test]
fn decisions_are_erased_with_the_account_and_rows_with_the_job() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let job = job(&ledger, &account_id).await;
        process(&ledger, &job, 0).await;
        ledger.decide_match(&job, 0, &decision(None), NOW_MS).await.unwrap();
        let section = panji_store::ledger::EXPORT_SECTIONS
            .iter()
            .find(|section| section.name == "match_decisions")
            .unwrap();
        assert_eq!(ledger.list_export_rows(&account_id, section, "").await.unwrap().len(), 1);
        ledger.erase_account(&account_id, NOW_MS).await.unwrap().unwrap();
        assert_eq!(ledger.list_export_rows(&account_id, section, "").await.unwrap(), []);
        assert_eq!(ledger.count_match_rows(&job).await.unwrap(), MatchCounts::default());
    });
}

#[test]
fn only_a_job_that_awaits_approval_can_be_changed() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = new_account(&ledger).await;
        let job = job(&ledger, &account_id).await;
        assert!(!ledger.change_bulk_task(&account_id, &job.id, "[]").await.unwrap());
    });
}
