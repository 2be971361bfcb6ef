//! Watch lists and their events through the tools.

use serde_json::json;

use super::client::{CIN, call, content, error};
use crate::ask::post;
use crate::server::serve_embedded;

#[test]
fn a_list_is_made_filled_and_its_events_are_read_and_paid_for_once() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let before = server.balance(&key).await;
        let made = json!({ "action": "create", "name": "Borrowers" });
        let made = call(server, &key, "watchlists", made).await;
        let id = content(&made)["data"]["id"].as_str().unwrap().to_owned();
        let members = json!({ "action": "add", "id": id, "members": [CIN, "99000101", "hello"] });
        let added = call(server, &key, "watchlists", members).await;
        let added = &content(&added)["data"];
        assert_eq!((&added["changed"], &added["invalid"]), (&json!(2), &json!(1)));
        let removed = json!({ "action": "remove", "id": id, "members": ["99000101"] });
        assert_eq!(content(&call(server, &key, "watchlists", removed).await)["data"]["changed"], 1);
        let listed = json!({ "action": "members", "id": id, "limit": 1 });
        let listed = call(server, &key, "watchlists", listed).await;
        assert_eq!(content(&listed)["data"]["members"][0]["id"], CIN);
        let lists = call(server, &key, "watchlists", json!({})).await;
        assert_eq!(content(&lists)["data"]["watchlists"][0]["members"], 1);
        assert_eq!(server.balance(&key).await, before, "lists are free");

        let types = json!({ "types": ["company.status_changed", "charge.created"] });
        server.send(post("/v1/sandbox/simulate", &types).key(&key)).await.expect_data();
        let wanted = json!({ "watchlist": id, "types": "company.status_changed,charge.created" });
        let events = call(server, &key, "watch_events", wanted.clone()).await;
        let events = content(&events);
        let count = events["data"]["events"].as_array().unwrap().len();
        assert_eq!((count, &events["credits_charged"]), (2, &json!(2)));
        let again = call(server, &key, "watch_events", wanted).await;
        assert_eq!(content(&again)["credits_charged"], 0);
        let rest = json!({ "after": events["data"]["next_after"] });
        let rest = call(server, &key, "watch_events", rest).await;
        assert_eq!(content(&rest)["data"]["events"], json!([]));
    });
}

#[test]
fn a_key_may_do_with_lists_what_it_may_do_over_the_api() {
    serve_embedded(&[], async |server| {
        let key = server.test_key().await;
        let other = server.test_key().await;
        let made = json!({ "action": "create", "name": "Mine" });
        let made = call(server, &key, "watchlists", made).await;
        let id = &content(&made)["data"]["id"];
        let foreign = json!({ "action": "add", "id": id, "members": [CIN] });
        let refused = call(server, &other, "watchlists", foreign).await;
        assert_eq!(error(&refused)["code"], "watchlist_not_found");
        let many = call(server, &key, "watch_events", json!({ "limit": 21 })).await;
        assert_eq!(error(&many)["code"], "confirmation_required");
        let few = call(server, &key, "watch_events", json!({ "limit": 20 })).await;
        assert_eq!(content(&few)["credits_charged"], 0);
    });
}
