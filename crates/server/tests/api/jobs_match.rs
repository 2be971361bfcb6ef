//! Tests of jobs that match names.

use serde_json::{Value, json};

use crate::ask::get;
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
        ] {
            let answer = server.send(create(query, "text/csv", list).key(&key)).await;
            assert_eq!(answer.expect_data()["rows"], 2, "{list}");
        }
        let lines = "{\"name\":\"Kalpanik Industries\",\"state\":\"MH\"}\n";
        let answer = server.send(create(query, "application/x-ndjson", lines).key(&key)).await;
        assert_eq!(answer.expect_data()["rows"], 1);
        let two = "name,name\nA Ltd,B Ltd\n";
        let refused = server.send(create(query, "text/csv", two).key(&key)).await;
        assert_eq!(
            (refused.status, refused.json["error"]["param"].clone()),
            (400, Value::from("column"))
        );
    });
}
