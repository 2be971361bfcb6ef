//! Tests of the metrics page: what it counts, where it is served, and that it contains no customer
//! data.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;

use crate::accounts::{Account, CIN, DIN, RECORDS};
use crate::http::Client;
use crate::node::{Node, free_address};
use crate::program::{Program, embedded, on_each_engine, wait_for};

/// A node with a metrics address.
pub struct NodeWithMetrics {
    pub node: Node,
    metrics: SocketAddr,
}

impl NodeWithMetrics {
    pub fn start(program: &Program) -> NodeWithMetrics {
        let metrics = Cell::new(free_address());
        let node = Node::start_with(|address| {
            metrics.set(free_address());
            let (listen, metrics) = (address.to_string(), metrics.get().to_string());
            program.command(&["--listen", &listen, "--metrics-listen", &metrics])
        });
        NodeWithMetrics { node, metrics: metrics.get() }
    }

    pub fn page(&self) -> String {
        let reply = Client::new(self.metrics, None).get("/metrics").unwrap();
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4"));
        reply.text()
    }

    /// The value of a series on the page.
    pub fn value(&self, series: &str) -> f64 {
        let page = self.page();
        let line = page.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        let line = line.unwrap_or_else(|| panic!("{series} is not on the page:\n{page}"));
        line.parse().unwrap()
    }
}

#[test]
fn calls_credits_commits_and_imports_are_counted() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 100);
        let (live, test) = (account.key("live"), account.key("test"));
        let watched = NodeWithMetrics::start(program);
        let director = format!("/v1/directors/{DIN}");
        for _ in 0..3 {
            assert_eq!(watched.node.get(&live, &director).status, 200);
        }
        assert_eq!(watched.node.get(&test, &director).status, 404);
        assert_eq!(watched.node.get("none", &director).status, 401);
        assert_eq!(watched.node.get(&live, "/nowhere").status, 404);
        let counted = |series: &str| watched.value(series);
        let requests = |operation: &str, status: u16| {
            let labels = format!("operation=\"{operation}\",status=\"{status}\"");
            counted(&format!("panji_requests_total{{{labels}}}"))
        };
        assert_eq!(requests("getDirector", 200), 3.0);
        assert_eq!(requests("getDirector", 404), 1.0);
        assert_eq!(requests("getDirector", 401), 1.0);
        assert_eq!(requests("none", 404), 1.0);
        let seconds = "panji_request_duration_seconds_count{operation=\"getDirector\"}";
        assert_eq!(counted(seconds), 5.0);
        let credits = |mode: &str| {
            let labels = format!("mode=\"{mode}\",operation=\"getDirector\"");
            counted(&format!("panji_credits_charged_total{{{labels}}}"))
        };
        assert_eq!((credits("live"), credits("test")), (6.0, 0.0));
        wait_for("the failed call is written too", || counted("panji_commit_rows_sum") == 4.0);
        assert_eq!(
            counted("panji_commit_rows_count"),
            counted("panji_commit_duration_seconds_count")
        );
        assert_eq!(counted("panji_commits_failed_total"), 0.0);
        assert_eq!(counted("panji_charge_queue_length"), 0.0);
        assert!(counted("panji_key_lookups_total{source=\"cache\"}") >= 1.0);
        assert!(counted("panji_key_lookups_total{source=\"ledger\"}") >= 2.0);
        assert_eq!(counted("panji_import_rows{outcome=\"read\"}"), 2.0);
        assert_eq!(counted("panji_import_rows{outcome=\"new\"}"), 2.0);
        assert_eq!(counted("panji_import_running"), 0.0);
        wait_for("the index has caught up", || counted("panji_index_lag_changes") == 0.0);
        assert_eq!(counted("panji_register_newest_change"), 2.0);
        for database in ["ledger", "register"] {
            let open = ["busy", "idle"].map(|state| {
                let labels = format!("database=\"{database}\",state=\"{state}\"");
                counted(&format!("panji_database_connections{{{labels}}}"))
            });
            assert!((1.0..100.0).contains(&(open[0] + open[1])), "{database}: {open:?}");
        }
        let engine = if program.embedded() { "sqlite" } else { "postgres" };
        let build = format!(
            "panji_build_info{{engine=\"{engine}\",version=\"{}\"}}",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(counted(&build), 1.0);
        assert_eq!(counted("panji_ready"), 1.0);
    });
}

#[test]
fn the_page_is_only_on_its_own_address_and_contains_no_customer_data() {
    embedded(|program| {
        let account = Account::with_credits(program, 100);
        let key = account.key("live");
        let watched = NodeWithMetrics::start(program);
        assert_eq!(watched.node.get(&key, &format!("/v1/companies/{CIN}")).status, 200);
        assert_eq!(watched.node.get(&key, "/metrics").status, 404);
        let elsewhere = Client::new(watched.metrics, Some(&key)).get("/v1/companies").unwrap();
        assert_eq!(elsewhere.status, 404, "the API is not on the address for metrics");
        let page = watched.page();
        for secret in [key.as_str(), CIN, "acc_", "namuna"] {
            assert!(!page.contains(secret), "{secret} is on the page");
        }
        drop(watched);
        let plain = program.serve();
        assert_eq!(plain.get(&key, "/metrics").status, 404);
        let taken = plain.address.to_string();
        let complaint = program.fails(&["--listen", "127.0.0.1:0", "--metrics-listen", &taken]);
        assert!(complaint.contains("cannot listen on"), "{complaint}");
        assert!(program.fails(&["--metrics-listen", "here"]).contains("metrics_listen"));
    });
}

#[test]
fn open_connections_are_counted_until_they_close() {
    embedded(|program| {
        let watched = NodeWithMetrics::start(program);
        let open: Vec<_> =
            (0..7).map(|_| crate::http::connect(watched.node.address).unwrap()).collect();
        wait_for("all are counted", || watched.value("panji_connections") == 7.0);
        drop(open);
        wait_for("all are closed", || watched.value("panji_connections") == 0.0);
    });
}

#[test]
fn open_streams_of_events_are_counted() {
    embedded(|program| {
        let key = Account::with_credits(program, 1).key("live");
        let watched = NodeWithMetrics::start(program);
        let stream = || {
            let mut connection = crate::http::connect(watched.node.address).unwrap();
            let head = format!(
                "GET /v1/events/stream HTTP/1.1\r\nhost: panji\r\nauthorization: Bearer {key}\r\n\r\n"
            );
            std::io::Write::write_all(connection.get_mut(), head.as_bytes()).unwrap();
            connection
        };
        let open = [stream(), stream()];
        wait_for("both are counted", || watched.value("panji_event_streams") == 2.0);
        drop(open);
        wait_for("both are closed", || watched.value("panji_event_streams") == 0.0);
    });
}

#[test]
fn an_import_is_reported_while_the_node_serves() {
    embedded(|program| {
        let watched = NodeWithMetrics::start(program);
        assert_eq!(watched.value("panji_register_newest_change"), 0.0);
        let imported = program.run_with_input(&["import", "-"], RECORDS);
        assert_eq!(imported.code, Some(0), "{imported:?}");
        assert_eq!(watched.value("panji_import_rows{outcome=\"read\"}"), 2.0);
        wait_for("the index follows", || watched.value("panji_index_newest_change") == 2.0);
    });
}

/// The metric names in a text: `panji_…` and `process_…`.
fn names(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("panji_") || word.starts_with("process_"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_dashboard_and_the_documentation_match_the_page() {
    embedded(|program| {
        let imported = program.run_with_input(&["import", "-"], RECORDS);
        assert_eq!(imported.code, Some(0), "{imported:?}");
        let watched = NodeWithMetrics::start(program);
        let page = watched.page();
        let served = names(&page);
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        let dashboard = std::fs::read_to_string(docs.join("grafana.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&dashboard).expect("the dashboard is JSON");
        let unknown: Vec<_> = names(&dashboard).difference(&served).cloned().collect();
        assert!(unknown.is_empty(), "docs/grafana.json asks for {unknown:?}");
        let described = std::fs::read_to_string(docs.join("monitor.md")).unwrap();
        let types = page.lines().filter_map(|line| line.strip_prefix("# TYPE panji_"));
        let missing: Vec<String> = types
            .filter_map(|line| Some(format!("panji_{}", line.split(' ').next()?)))
            .filter(|name| !described.contains(&format!("`{name}`")))
            .collect();
        assert!(missing.is_empty(), "docs/monitor.md does not describe {missing:?}");
    });
}
