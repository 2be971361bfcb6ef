//! Tests of jobs that match names.

use panji_store::ledger::NewSavedDecision;
use panji_testkit::NOW_MS;
use serde_json::{Value, json};

use crate::ask::{get, post};
use crate::jobs::{create, run_job};
use crate::server::serve;

const LIST: &str = "\
Sr No,Vendor Name,State,City,Remarks
1,M/S KALPANIK INDS LTD,MH,Mumbai,first
2,Smt. Chaya Namuna,,,a person
3,,MH,,a row without a name
4,KALPANIK LOGISTICS P LTD,Maharashtra,Thane,=1+1
";

#[test]
fn names_of_a_list_are_matched_and_charged_by_decision() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let query = "operation=matchCompanies&name=vendors";
        let created = server.send(create(query, "text/csv", LIST).key(&key)).await;
        let job = created.expect_data();
        assert_eq!((&job["rows"], &job["highest_price"]), (&json!(4), &json!(8)));
        assert_eq!(job["counts"], json!({ "match": 0, "review": 0, "none": 0 }));
        let id = job["id"].as_str().unwrap().to_owned();
        let done = run_job(server, &key, &id).await;
        assert_eq!(done["status"], "done", "{done}");
        let counts = &done["counts"];
        let count = |word: &str| counts[word].as_i64().unwrap();
        assert_eq!((count("match") + count("review"), count("none")), (2, 2), "{counts}");
        assert_eq!(done["credits_charged"], 4);
        let rows = server.send(get(format!("/v1/jobs/{id}/results")).key(&key)).await;
        let rows = rows.expect_data()["results"].as_array().unwrap().clone();
        assert_eq!(rows[0]["input"]["Vendor Name"], "M/S KALPANIK INDS LTD");
        assert_eq!(rows[0]["result"]["query"]["city"], "Mumbai");
        assert_eq!(rows[1]["result"]["entity"], "person");
        assert_eq!(rows[2]["result"]["decision"], "none");
        let first = &rows[0]["result"]["candidates"][0];
        assert_eq!(first["name"], "Kalpanik Industries Limited");
        let csv = server.send_unchecked(get(format!("/v1/jobs/{id}/results?format=csv")).key(&key));
        assert_eq!(csv.await.status, 200);
    });
}

#[test]
fn a_column_of_names_is_found_by_its_heading_or_its_content() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let query = "operation=matchCompanies";
        for list in [
            "Kalpanik Industries Ltd\nNamuna Textiles Pvt Ltd\n",
            "id,Party\n1,Kalpanik\n2,Namuna\n",
            "1,Kalpanik Industries Ltd\n2,Namuna Textiles Pvt Ltd\n",
            "Borrower,State,City\nKalpanik Industries Ltd,MH,\nNamuna Textiles Pvt Ltd,,\n",
        ] {
            let response = server.send(create(query, "text/csv", list).key(&key)).await;
            assert_eq!(response.expect_data()["rows"], 2, "{list}");
        }
        let lines = "{\"name\":\"Kalpanik Industries\",\"state\":\"MH\"}\n";
        let response = server.send(create(query, "application/x-ndjson", lines).key(&key)).await;
        assert_eq!(response.expect_data()["rows"], 1);
        let two = "name,name\nA Ltd,B Ltd\n";
        let refused = server.send(create(query, "text/csv", two).key(&key)).await;
        assert_eq!(
            (refused.status, refused.json["error"]["param"].clone()),
            (400, Value::from("column"))
        );
    });
}

#[test]
fn a_decision_of_a_person_is_used_in_later_jobs_and_not_in_single_calls() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let list = "name\nNaya Roop Packaging\nKalpanik Industries Limited\n";
        let run = async || {
            let created =
                server.send(create("operation=matchCompanies", "text/csv", list).key(&key));
            let id = created.await.expect_data()["id"].as_str().unwrap().to_owned();
            let done = run_job(server, &key, &id).await;
            let rows = server.send(get(format!("/v1/jobs/{id}/results")).key(&key)).await;
            let results = rows.expect_data()["results"].as_array().unwrap().clone();
            (done, results.iter().map(|row| row["result"].clone()).collect::<Vec<Value>>())
        };
        let (first, results) = run().await;
        assert_eq!(results[0]["decision"], "review", "{}", results[0]);
        assert_eq!(results[0]["person_decision"], Value::Null);
        assert_eq!(first["credits_charged"], 4);
        let second = results[0]["candidates"][1]["cin"].as_str().unwrap().to_owned();
        let ledger = &server.app.ledger;
        let id = first["id"].as_str().unwrap();
        let job = ledger.find_bulk_job(&key.account_id, id).await.unwrap().unwrap();
        let shown = results[1]["candidates"].as_array().unwrap();
        let shown: Vec<&str> = shown.iter().map(|one| one["cin"].as_str().unwrap()).collect();
        for (row, cin, rejected) in [(0, Some(second.as_str()), &[][..]), (1, None, &shown)] {
            let new = NewSavedDecision {
                item: "an item",
                cin,
                rejected,
                person_id: "per_asha",
                max_saved: 10,
            };
            assert_eq!(ledger.decide_match(&job, row, &new, NOW_MS).await.unwrap(), 1);
        }

        let (later, results) = run().await;
        assert_eq!(later["counts"], json!({ "match": 1, "review": 0, "none": 1 }));
        assert_eq!(later["credits_charged"], 2, "none costs nothing, whoever decided it");
        let chosen = &results[0];
        assert_eq!(
            (&chosen["decision"], &chosen["company"]["cin"]),
            (&json!("match"), &json!(second))
        );
        assert_eq!(chosen["person_decision"]["machine_decision"], "review");
        assert_eq!(chosen["score"], chosen["candidates"][0]["score"], "it stays the machine's");
        assert_eq!(chosen["candidates"][1]["evidence"][0]["field"], "person_decision");
        assert_eq!(results[1]["decision"], "none");
        assert_eq!(results[1]["person_decision"]["machine_decision"], "match");
        let earlier = server.send(get(format!("/v1/jobs/{id}")).key(&key)).await;
        assert_eq!(earlier.expect_data()["counts"], json!({ "match": 1, "review": 0, "none": 1 }));

        let body = json!({ "items": [{ "name": "Naya Roop Packaging" }] });
        let single = server.send(post("/v1/companies/match", &body).key(&key)).await;
        let single = &single.data()["results"][0];
        assert_eq!(
            (&single["decision"], &single["person_decision"]),
            (&json!("review"), &Value::Null)
        );
    });
}
