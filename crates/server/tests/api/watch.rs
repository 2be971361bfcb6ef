//! Tests of watch lists and of the events of their members, from an import to the response.

use axum::http::Method;
use panji_api::events::fan_out;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, NewKey};
use panji_store::register::Record;
use panji_testkit::records::{self, CIN, DIN};
use serde_json::{Value, json};

use crate::ask::{Ask, Response, ask, get, post};
use crate::responses_live::{GSTIN, one_of_each};
use crate::server::{Key, Server, serve, serve_embedded};

/// Stores the events of the register for their watchers.
pub async fn fan_out(server: &Server) {
    while fan_out::step(&server.app).await.unwrap() {}
}

/// A register with one record of each kind, whose later changes are events.
pub async fn begin(server: &Server) {
    server.import(&one_of_each()).await;
    server.app.live.register.start_events(now_ms()).await.unwrap();
    fan_out(server).await;
}

/// An import that changes the status of the company; each call makes another status.
pub async fn change_status(server: &Server, status: &str) {
    let mut company = records::company(CIN, "Udaharan Textiles Private Limited");
    company.status = status.to_owned();
    server.app.live.register.store_batch(&[Record::Company(company)], now_ms()).await.unwrap();
    fan_out(server).await;
}

pub async fn watch(server: &Server, key: &Key, members: &[&str]) -> String {
    let created = server.send(post("/v1/watchlists", &json!({ "name": "Borrowers" })).key(key));
    let id = created.await.expect_data()["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/watchlists/{id}/members");
    let added = server.send(post(path, &json!({ "members": members })).key(key)).await;
    assert_eq!(added.expect_data()["changed"], members.len());
    id
}

async fn events(server: &Server, key: &Key, query: &str) -> Response {
    server.send(get(format!("/v1/events?{query}")).key(key)).await
}

fn types(response: &Response) -> Vec<&str> {
    let events = response.expect_data()["events"].as_array().unwrap();
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn seqs(response: &Response) -> Vec<i64> {
    let events = response.expect_data()["events"].as_array().unwrap();
    events.iter().map(|event| event["seq"].as_i64().unwrap()).collect()
}

fn with_body(method: Method, path: &str, body: &Value) -> Ask {
    post(path, body).method(method)
}

#[test]
fn a_list_is_created_renamed_listed_and_deleted() {
    serve(&[("watch.max_lists", "2")], async |server| {
        let key = server.test_key().await;
        let id = watch(server, &key, &["L17111MH1994PLC990011"]).await;
        let path = format!("/v1/watchlists/{id}");
        let renamed = server
            .send(with_body(Method::PATCH, &path, &json!({ "name": " Suppliers " })).key(&key));
        assert_eq!(renamed.await.expect_data()["name"], "Suppliers");
        let fetched = server.send(get(&path).key(&key)).await;
        assert_eq!(fetched.expect_data()["members"], 1);
        watch(server, &key, &["99000104"]).await;
        let body = json!({ "name": "Third" });
        let third = server.send(post("/v1/watchlists", &body).key(&key)).await;
        assert_eq!((third.status, third.code()), (409, "watchlist_limit"));
        let other = server.test_key().await;
        for request in
            [get(&path), ask(Method::DELETE, &path), with_body(Method::PATCH, &path, &body)]
        {
            let response = server.send(request.key(&other)).await;
            assert_eq!((response.status, response.code()), (404, "watchlist_not_found"));
        }
        let deleted = server.send(ask(Method::DELETE, &path).key(&key)).await;
        assert_eq!(deleted.expect_data()["deleted"], true);
        assert_eq!(server.send(get(&path).key(&key)).await.code(), "watchlist_not_found");
        let lists = server.send(get("/v1/watchlists").key(&key)).await;
        assert_eq!(lists.expect_data()["total"], 1);
        for body in
            [json!({}), json!({ "name": "" }), json!({ "name": "a\nb" }), json!({ "name": 7 })]
        {
            let refused = server.send(post("/v1/watchlists", &body).key(&key)).await;
            assert_eq!(refused.code(), "invalid_body", "{body}");
        }
        assert_eq!(server.balance(&key).await, 10_000, "lists are free");
    });
}

#[test]
fn members_are_added_and_removed_with_a_result_for_each_value() {
    serve(&[("watch.max_members", "3")], async |server| {
        let key = server.test_key().await;
        let id = watch(server, &key, &["L17111MH1994PLC990011"]).await;
        let path = format!("/v1/watchlists/{id}/members");
        let values =
            ["l17111mh1994plc990011", "99000104", "ZZDCK9534Q", "nonsense", "27ZZDCK9534Q1ZN"];
        let added = server.send(post(&path, &json!({ "members": values })).key(&key)).await;
        let data = added.expect_data();
        let words: Vec<&str> = data["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["result"].as_str().unwrap())
            .collect();
        assert_eq!(words, ["present", "added", "invalid", "invalid", "added"]);
        assert_eq!(
            (&data["changed"], &data["unchanged"], &data["invalid"]),
            (&json!(2), &json!(1), &json!(2))
        );
        assert_eq!(data["results"][2]["error"]["code"], "invalid_identifier");
        assert_eq!(data["watchlist"]["members"], 3);
        let more = server.send(post(&path, &json!({ "members": ["99000105"] })).key(&key)).await;
        assert_eq!(more.code(), "watchlist_limit");
        let page = server.send(get(format!("{path}?limit=2")).key(&key)).await;
        let members = page.expect_data()["members"].as_array().unwrap();
        assert_eq!((members.len(), &members[0]["kind"]), (2, &json!("gst")));
        let next = page.expect_data()["next_after"].as_str().unwrap();
        let rest = server.send(get(format!("{path}?after={next}")).key(&key)).await;
        assert_eq!(rest.expect_data()["members"].as_array().unwrap().len(), 1);
        assert_eq!(rest.expect_data()["next_after"], Value::Null);
        let body = json!({ "members": ["99000104", "99000105"] });
        let removed = server.send(with_body(Method::DELETE, &path, &body).key(&key)).await;
        assert_eq!(removed.expect_data()["results"][0]["result"], "removed");
        assert_eq!(removed.expect_data()["results"][1]["result"], "absent");
        let empty = server.send(post(&path, &json!({ "members": [] })).key(&key)).await;
        assert_eq!(empty.code(), "batch_empty");
        let many = vec!["99000104"; 1_001];
        let many = server.send(post(&path, &json!({ "members": many })).key(&key)).await;
        assert_eq!(many.code(), "batch_too_large");
    });
}

#[test]
fn an_imported_change_is_an_event_of_those_who_watch_it_and_is_paid_for_once() {
    serve(&[], async |server| {
        begin(server).await;
        let key = server.live_key(100).await;
        let other_account = server.live_key(100).await;
        watch(server, &key, &[CIN, DIN, GSTIN]).await;
        watch(server, &other_account, &["U17110MH2001PTC990999"]).await;
        change_status(server, "struck_off").await;
        let first = events(server, &key, "").await;
        assert_eq!(types(&first), ["company.status_changed"]);
        assert_eq!((first.charged(), first.remaining()), (1, 99));
        let event = &first.expect_data()["events"][0];
        assert_eq!(event["subject"]["id"], CIN);
        assert!(event["id"].as_str().unwrap().starts_with("evt_"));
        let status =
            event["changes"].as_array().unwrap().iter().find(|one| one["field"] == "status");
        assert_eq!(status.unwrap()["to"], "struck_off");
        let again = events(server, &key, "").await;
        assert_eq!((again.charged(), again.data()), (0, first.data()), "the same, free");
        let another_key = server.new_key(&key.account_id, Mode::Live, NewKey::default()).await;
        assert_eq!(events(server, &another_key, "").await.charged(), 0);
        assert_eq!(types(&events(server, &other_account, "").await), [""; 0]);
        let next = first.expect_data()["next_after"].as_i64().unwrap();
        assert_eq!(types(&events(server, &key, &format!("after={next}")).await), [""; 0]);
        change_status(server, "active").await;
        let later = events(server, &key, &format!("after={next}")).await;
        assert_eq!((types(&later), later.charged()), (vec!["company.status_changed"], 1));
    });
}

#[test]
fn a_balance_pays_for_events_in_order_and_the_others_wait() {
    serve(&[], async |server| {
        begin(server).await;
        let key = server.live_key(2).await;
        watch(server, &key, &[CIN]).await;
        let nothing = events(server, &key, "").await;
        assert_eq!((nothing.charged(), types(&nothing).len()), (0, 0));
        for status in ["struck_off", "active", "amalgamated"] {
            change_status(server, status).await;
        }
        let limited = get("/v1/events").key(&key).header("panji-max-credits", "1");
        let one = server.send(limited).await;
        assert_eq!((seqs(&one).len(), one.charged()), (1, 1));
        assert_eq!(one.expect_data()["has_more"], true);
        let two = events(server, &key, "").await;
        assert_eq!((seqs(&two).len(), two.charged(), two.remaining()), (2, 1, 0));
        let last = two.expect_data()["next_after"].as_i64().unwrap();
        let refused = events(server, &key, &format!("after={last}")).await;
        assert_eq!(refused.code(), "insufficient_credits");
        // The same where there is no event: a refusal says nothing about what there is.
        let beyond = events(server, &key, &format!("after={}", last + 1_000)).await;
        assert_eq!(
            (beyond.code(), &beyond.json["error"]),
            (refused.code(), &refused.json["error"])
        );
        let paid = events(server, &key, "").await;
        assert_eq!(
            (seqs(&paid), paid.charged()),
            (seqs(&two), 0),
            "what is paid for stays readable"
        );
        server.grant(&key.account_id, 10).await;
        let rest = events(server, &key, &format!("after={last}")).await;
        assert_eq!((seqs(&rest).len(), rest.charged()), (1, 1));
    });
}

#[test]
fn events_are_filtered_and_the_caps_of_a_key_hold() {
    serve(&[], async |server| {
        begin(server).await;
        let key = server.live_key(100).await;
        let list = watch(server, &key, &[CIN]).await;
        let other = watch(server, &key, &[DIN]).await;
        change_status(server, "struck_off").await;
        let query = format!("watchlist={list}&types=company.status_changed,charge.created&limit=5");
        assert_eq!(types(&events(server, &key, &query).await), ["company.status_changed"]);
        assert_eq!(types(&events(server, &key, &format!("watchlist={other}")).await), [""; 0]);
        assert_eq!(types(&events(server, &key, "types=charge.created").await), [""; 0]);
        for (query, code) in [
            ("watchlist=wl_none", "watchlist_not_found"),
            ("types=company.exploded", "invalid_parameter"),
            ("types=", "invalid_parameter"),
            ("after=-1", "invalid_parameter"),
            ("limit=101", "invalid_parameter"),
        ] {
            assert_eq!(events(server, &key, query).await.code(), code, "{query}");
        }
        let new = NewKey { monthly_cap: Some(1), ..NewKey::default() };
        let capped = server.new_key(&key.account_id, Mode::Live, new).await;
        change_status(server, "active").await;
        change_status(server, "amalgamated").await;
        let response = events(server, &capped, "").await;
        assert_eq!((seqs(&response).len(), response.charged()), (2, 1), "one was paid for before");
        let last = response.expect_data()["next_after"].as_i64().unwrap();
        let refused = events(server, &capped, &format!("after={last}")).await;
        assert_eq!(refused.code(), "spend_cap_reached");
    });
}

#[test]
fn a_cursor_from_before_what_is_kept_has_expired() {
    serve(&[], async |server| {
        begin(server).await;
        let key = server.live_key(100).await;
        watch(server, &key, &[CIN]).await;
        change_status(server, "struck_off").await;
        let first = seqs(&events(server, &key, "").await)[0];
        server.app.ledger.delete_expired_watched_events(now_ms() + 1_000).await.unwrap();
        change_status(server, "active").await;
        let expired = events(server, &key, "after=0").await;
        assert_eq!((expired.status, expired.code()), (410, "cursor_expired"));
        let oldest = expired.json["error"]["oldest"].as_i64().unwrap();
        assert!(oldest > first);
        let kept = events(server, &key, &format!("after={}", oldest - 1)).await;
        assert_eq!(seqs(&kept), [oldest]);
        assert_eq!(seqs(&events(server, &key, "").await), [oldest]);
    });
}

#[test]
fn readers_at_the_same_time_pay_once() {
    serve(&[], async |server| {
        begin(server).await;
        let key = server.live_key(100).await;
        watch(server, &key, &[CIN]).await;
        for status in ["struck_off", "active", "amalgamated", "dissolved"] {
            change_status(server, status).await;
        }
        let readers: Vec<_> = (0..12).map(|_| events(server, &key, "")).collect();
        let responses = futures_util::future::join_all(readers).await;
        assert_eq!(responses.iter().map(Response::charged).sum::<i64>(), 4);
        assert!(responses.iter().all(|response| seqs(response).len() == 4));
        assert_eq!(server.balance(&key).await, 96);
    });
}

#[test]
fn a_script_of_events_runs_in_the_sandbox() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let simulate = |body: Value| post("/v1/sandbox/simulate", &body).key(&key);
        let unwatched = server.send(simulate(json!({}))).await;
        assert_eq!(unwatched.expect_data()["watched"], false);
        assert_eq!(unwatched.expect_data()["events"], json!([]));
        let list = watch(server, &key, &["L17111MH1994PLC990011", "27ZZDCK9534Q1ZN"]).await;
        let all = server.send(simulate(json!({}))).await;
        let made = all.expect_data()["events"].as_array().unwrap();
        assert_eq!(made.len(), 12);
        assert_eq!(all.expect_data()["watchlists"], json!([list]));
        let read = events(server, &key, "limit=100").await;
        assert_eq!(read.charged(), 12);
        let read: Vec<&Value> = read.expect_data()["events"].as_array().unwrap().iter().collect();
        for (made, read) in made.iter().zip(read) {
            assert_eq!((&made["id"], &made["seq"]), (&read["id"], &read["seq"]));
            assert!(!read["changes"].as_array().unwrap().is_empty(), "{read}");
        }
        let some = server.send(simulate(json!({ "types": ["charge.created"] }))).await;
        assert_eq!(some.expect_data()["events"][0]["seq"], 13);
        for (body, code) in [
            (json!({ "types": ["x"] }), "invalid_body"),
            (json!({ "cin": "nonsense" }), "invalid_identifier"),
            (json!({ "cin": "U17111MH1994PTC999999" }), "company_not_found"),
        ] {
            assert_eq!(server.send(simulate(body)).await.code(), code);
        }
        let live = server.live_key(10).await;
        let refused = server.send(post("/v1/sandbox/simulate", &json!({})).key(&live)).await;
        assert_eq!((refused.status, refused.code()), (403, "endpoint_not_allowed"));
    });
}
