//! Tests of kills while changed files are imported: every stream and every webhook gets every event, in
//! order, and no event is charged twice.
//!
//! `PANJI_TEST_EVENT_KILLS=full` makes it larger than `./test` has time for.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::accounts::Account;
use crate::event_receivers::{Delivery, EventReceiver};
use crate::event_streams::{Addresses, Reader, Streamed};
use crate::node::Node;
use crate::program::{Program, embedded, on_postgres, random_below, wait_for};

const SIZE_VARIABLE: &str = "PANJI_TEST_EVENT_KILLS";
const ACCOUNTS: usize = 4;
/// Companies that every import changes.
const COMPANIES: usize = 24;
const CREDITS: i64 = 10_000_000;
/// The most messages that arrive between two kills.
const MAX_MESSAGES: u64 = 100;
/// At every fifth kill, the node is killed while it is starting.
const EARLY: usize = 5;
/// Every third import is killed too and run again.
const STOPPED_IMPORT: i64 = 3;

#[derive(Clone, Copy)]
struct Size {
    streams: usize,
    receivers: usize,
    kills: usize,
}

const QUICK: Size = Size { streams: 16, receivers: 4, kills: 6 };
const FULL: Size = Size { streams: 64, receivers: 8, kills: 50 };

#[allow(clippy::disallowed_methods, reason = "who runs the test chooses its size")]
fn size() -> Size {
    match std::env::var(SIZE_VARIABLE).as_deref() {
        Err(_) => QUICK,
        Ok("full") => FULL,
        Ok(other) => panic!("{SIZE_VARIABLE} is {other}: it can only be full, or not set"),
    }
}

#[test]
fn killed_nodes_lose_no_event_and_charge_none_twice_on_the_embedded_engine() {
    embedded(|program| kill_repeatedly(program, 1, size()));
}

#[test]
fn three_nodes_that_are_killed_lose_no_event_and_charge_none_twice_on_postgres() {
    on_postgres(|program| kill_repeatedly(program, 3, size()));
}

fn kill_repeatedly(program: &Program, nodes: usize, size: Size) {
    let started = Instant::now();
    let program = program
        .with("PANJI_WEBHOOKS__ALLOW_HTTP", "true")
        .with("PANJI_WEBHOOKS__ALLOWED_NETWORKS", "127.0.0.0/8");
    finish_import(start_import(&program, 0));
    let mut cluster = Cluster::start(&program, nodes);
    let watchers: Vec<Watcher> =
        (0..ACCOUNTS).map(|number| Watcher::start(&program, &cluster, number, size)).collect();
    let (rounds, stop) = (AtomicI64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let importing = scope.spawn(|| import_until(&program, &watchers, &rounds, &stop));
        for kill in 1..=size.kills {
            // Deliveries of a node that was killed pause, imports go on.
            let imports = rounds.load(Ordering::Relaxed) + 2;
            let messages = arrived(&watchers) + random_below(MAX_MESSAGES) as usize;
            wait_for("messages arrive, or imports end", || {
                arrived(&watchers) > messages || rounds.load(Ordering::Relaxed) >= imports
            });
            std::thread::sleep(Duration::from_millis(random_below(300)));
            cluster.kill_one(kill % EARLY == 0);
        }
        stop.store(true, Ordering::Relaxed);
        importing.join().unwrap();
    });
    let rounds = rounds.load(Ordering::Relaxed);
    let killing = started.elapsed().as_secs();
    wait_for("every stream and every receiver has all events", || {
        watchers.iter().all(|watcher| watcher.has_all(rounds))
    });
    let lists: Vec<Vec<Value>> = watchers.iter().map(|one| one.list(&cluster)).collect();
    drop(cluster);
    let mut figures = Figures::default();
    for (watcher, list) in watchers.into_iter().zip(lists) {
        watcher.check(rounds, &list, &mut figures);
    }
    let _ = writeln!(
        std::io::stderr(),
        "{nodes} nodes, {} kills, {rounds} imports, {figures:?}, {killing} + {} s",
        size.kills,
        started.elapsed().as_secs() - killing
    );
}

#[derive(Debug, Default)]
#[allow(dead_code, reason = "printed")]
struct Figures {
    events: usize,
    streamed: usize,
    connections: usize,
    delivered: usize,
    messages: usize,
    refused: usize,
}

/// The nodes, each with its own data directory.
struct Cluster {
    nodes: Vec<(Program, Option<Node>)>,
    addresses: Addresses,
}

impl Cluster {
    fn start(program: &Program, count: usize) -> Cluster {
        let first = program.serve();
        let mut nodes = vec![(program.clone(), Some(first))];
        for number in 1..count {
            let program = program.another(&format!("node-{number}"));
            let node = program.serve();
            nodes.push((program, Some(node)));
        }
        let cluster = Cluster { nodes, addresses: Addresses::default() };
        cluster.publish();
        cluster
    }

    fn publish(&self) {
        let serving = self.nodes.iter().filter_map(|(_, node)| node.as_ref());
        *self.addresses.lock().unwrap() = serving.map(|node| node.address).collect();
    }

    fn any(&self) -> &Node {
        self.nodes.iter().find_map(|(_, node)| node.as_ref()).unwrap()
    }

    /// Kills one of the nodes and starts it again.
    fn kill_one(&mut self, early: bool) {
        let index = random_below(self.nodes.len() as u64) as usize;
        let (program, node) = &mut self.nodes[index];
        node.take().unwrap().kill();
        let program = program.clone();
        self.publish();
        if early {
            let node =
                Node::launch(&|address| program.command(&["--listen", &address.to_string()]));
            std::thread::sleep(Duration::from_millis(random_below(400)));
            node.kill();
        }
        self.nodes[index].1 = Some(program.serve());
        self.publish();
    }
}

/// An account with a watch list, its streams and its receivers.
struct Watcher {
    account: Account,
    key: String,
    members: Vec<String>,
    streams: Vec<Reader>,
    receivers: Vec<EventReceiver>,
}

impl Watcher {
    fn start(program: &Program, cluster: &Cluster, number: usize, size: Size) -> Watcher {
        let account = Account::create(program, &format!("watcher-{number}@example.in"));
        account.grant(CREDITS);
        let key = account.key("live");
        // Every company has three watchers.
        let watched = (0..COMPANIES).filter(|company| company % ACCOUNTS != number);
        let members: Vec<String> = watched.map(cin).collect();
        let node = cluster.any();
        let post = |path: &str, body: Value| {
            let reply = node.post(&key, path, &[], &body.to_string());
            assert!(reply.status < 300, "{}", reply.text());
            reply.json()["data"].clone()
        };
        let list = post("/v1/watchlists", json!({ "name": "Borrowers" }));
        let path = format!("/v1/watchlists/{}/members", list["id"].as_str().unwrap());
        post(&path, json!({ "members": members }));
        let receivers: Vec<EventReceiver> =
            (0..size.receivers / ACCOUNTS).map(|_| EventReceiver::start()).collect();
        for receiver in &receivers {
            let url = format!("http://{}/events", receiver.address);
            post("/v1/webhooks", json!({ "url": url }));
        }
        let stream = |_| Reader::start(&cluster.addresses, &key);
        let streams = (0..size.streams / ACCOUNTS).map(stream).collect();
        Watcher { account, key, members, streams, receivers }
    }

    fn has_all(&self, rounds: i64) -> bool {
        let events = rounds as usize * self.members.len();
        self.streams.iter().all(|stream| stream.received() >= events)
            && self.receivers.iter().all(|receiver| receiver.accepted() >= events)
    }

    /// All its events, as listEvents returns them, which costs nothing any more.
    fn list(&self, cluster: &Cluster) -> Vec<Value> {
        let mut client = cluster.any().client(&self.key);
        let (mut events, mut after) = (Vec::new(), 0);
        loop {
            let reply = client.get(&format!("/v1/events?after={after}&limit=100")).unwrap();
            assert_eq!(reply.charged(), 0, "they were paid for: {}", reply.text());
            let data = reply.json()["data"].clone();
            after = data["next_after"].as_i64().unwrap();
            events.extend(data["events"].as_array().unwrap().iter().cloned());
            if data["has_more"] == false {
                return events;
            }
        }
    }

    fn check(self, rounds: i64, list: &[Value], figures: &mut Figures) {
        check_list(rounds, &self.members, list);
        figures.events += list.len();
        for stream in self.streams {
            let (events, connections) = stream.finish();
            check_stream(&events, list);
            figures.streamed += events.len();
            figures.connections += connections;
        }
        for receiver in self.receivers {
            let deliveries = receiver.finish();
            figures.delivered += check_deliveries(&deliveries, list);
            figures.messages += deliveries.len();
            figures.refused += deliveries.iter().filter(|delivery| !delivery.accepted).count();
        }
        let events = list.len() as i64;
        assert_eq!(self.account.balance("live"), CREDITS - events, "each event once");
        assert_eq!(self.account.charges().values().sum::<i64>(), events);
        self.account.audit();
    }
}

/// The messages at all receivers so far.
fn arrived(watchers: &[Watcher]) -> usize {
    watchers.iter().flat_map(|watcher| &watcher.receivers).map(EventReceiver::arrived).sum()
}

fn number_of(event: &Value) -> i64 {
    event["seq"].as_i64().unwrap()
}

fn subject_of(event: &Value) -> &str {
    event["subject"]["id"].as_str().unwrap()
}

/// Checks that the events are those of the imports: each changed the capital of each company once.
fn check_list(rounds: i64, members: &[String], list: &[Value]) {
    assert!(list.is_sorted_by(|one, next| number_of(one) < number_of(next)));
    let mut by_subject: BTreeMap<&str, Vec<(i64, i64)>> = BTreeMap::new();
    for event in list {
        assert_eq!(event["type"], "company.capital_changed", "{event}");
        let change = &event["changes"][0];
        let value = |of: &str| change[of].as_f64().map(|rupees| rupees as i64);
        let values = value("from").zip(value("to"));
        by_subject.entry(subject_of(event)).or_default().push(values.expect("both values"));
    }
    let expected: Vec<(i64, i64)> =
        (1..=rounds).map(|round| (capital(round - 1), capital(round))).collect();
    assert_eq!(by_subject.len(), members.len());
    for member in members {
        assert_eq!(by_subject[member.as_str()], expected, "{member}");
    }
}

/// Checks that a stream had every event exactly once, in order.
fn check_stream(events: &[Streamed], list: &[Value]) {
    let ids: Vec<i64> = events.iter().map(|event| event.id).collect();
    let expected: Vec<i64> = list.iter().map(number_of).collect();
    assert_eq!(ids, expected, "without gap or repeat");
    assert!(events.iter().zip(list).all(|(event, listed)| event.data == *listed));
}

/// Checks that every event arrived with one body, and first deliveries in the order of their subject.
fn check_deliveries(deliveries: &[Delivery], list: &[Value]) -> usize {
    let mut bodies: BTreeMap<&str, &str> = BTreeMap::new();
    let mut last: BTreeMap<String, i64> = BTreeMap::new();
    for delivery in deliveries {
        let first = *bodies.entry(&delivery.id).or_insert(&delivery.body);
        assert_eq!(first, delivery.body, "{} has two bodies", delivery.id);
    }
    let mut seen = BTreeSet::new();
    for delivery in deliveries.iter().filter(|delivery| seen.insert(&delivery.id)) {
        let event = delivery.event();
        let before = last.insert(subject_of(&event).to_owned(), number_of(&event));
        assert!(before < Some(number_of(&event)), "{event} after {before:?}");
    }
    let accepted: BTreeSet<&str> =
        deliveries.iter().filter(|one| one.accepted).map(|one| one.id.as_str()).collect();
    assert_eq!(accepted.len(), list.len(), "every event was accepted");
    for event in list {
        let body: Value = serde_json::from_str(bodies[event["id"].as_str().unwrap()]).unwrap();
        assert_eq!(body["data"], *event);
    }
    accepted.len()
}

/// Imports changed files until it is told to stop. A file follows when the one before has reached a
/// stream of each account.
fn import_until(program: &Program, watchers: &[Watcher], rounds: &AtomicI64, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let round = rounds.load(Ordering::Relaxed) + 1;
        if round % STOPPED_IMPORT == 0 {
            let mut running = start_import(program, round);
            std::thread::sleep(Duration::from_millis(random_below(400)));
            running.kill().unwrap();
            running.wait().unwrap();
        }
        finish_import(start_import(program, round));
        rounds.store(round, Ordering::Relaxed);
        wait_for("the events reach a stream", || {
            let reached = |watcher: &Watcher| {
                let events = round as usize * watcher.members.len();
                watcher.streams.iter().any(|stream| stream.received() >= events)
            };
            watchers.iter().all(reached)
        });
    }
}

/// Starts an import of all companies with the values of a round.
fn start_import(program: &Program, round: i64) -> Child {
    let mut command = program.command(&["import", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for company in 0..COMPANIES {
        let record = json!({
            "record": "company", "cin": cin(company), "name": format!("Udaharan {company} Limited"),
            "status_text": "Active", "capital": { "paid_up": capital(round) }, "as_of": "2026-01-10",
        });
        writeln!(input, "{record}").unwrap();
    }
    child
}

fn finish_import(child: Child) {
    let finished = child.wait_with_output().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stderr));
}

/// The number of a fictitious company.
fn cin(company: usize) -> String {
    format!("U17110MH2001PLC99{company:04}")
}

/// The paid-up capital of every company after a round, in rupees.
fn capital(round: i64) -> i64 {
    100_000 + round
}
