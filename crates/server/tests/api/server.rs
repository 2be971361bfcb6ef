//! A server in this process: the real state and routes over a new data directory, and callers with
//! keys.

use std::path::Path;
use std::sync::Arc;

use panji_api::api::middleware::Middleware;
use panji_api::app::{App, Dataset, open_sandbox};
use panji_api::config::{Config, Overrides};
use panji_api::http::compression::Compressed;
use panji_api::http::service::HttpService;
use panji_server::serve::site::site;
use panji_store::calendar::now_ms;
use panji_store::ledger::{EntryKind, KeyKind, KeyText, Mode, NewKey};
use panji_store::register::Record;
use panji_testkit::{Databases, on_both_engines};
use tokio::sync::{OnceCell, watch};

use crate::ask::{Ask, Response};
use crate::{described, shape};

/// Built once: it is never written, and building it takes longer than most tests.
static SANDBOX: OnceCell<Dataset> = OnceCell::const_new();

/// Rates that no test reaches by accident.
const NO_LIMITS: [(&str, &str); 9] = [
    ("rate_limit.per_second", "1000000"),
    ("rate_limit.burst", "1000000"),
    ("bulk_rate_limit.per_second", "1000000"),
    ("bulk_rate_limit.burst", "1000000"),
    ("guess_limit.per_minute", "1000000"),
    ("guess_limit.burst", "1000000"),
    ("log_in_limit.per_minute", "1000000"),
    ("log_in_limit.burst", "1000000"),
    ("console.sign_ups_per_day", "1000000"),
];

pub struct Server {
    pub app: Arc<App>,
    site: Compressed<Middleware>,
}

/// A key with its account.
#[derive(Clone, Debug)]
pub struct Key {
    pub text: String,
    pub id: String,
    pub account_id: String,
    pub mode: Mode,
}

/// Runs a test against a server on each engine. At the end the ledger is audited.
pub fn serve(settings: &[(&str, &str)], test: impl AsyncFn(&Server)) {
    on_both_engines(async |databases| {
        let server = Server::on(&databases, settings).await;
        test(&server).await;
        server.close().await;
    });
}

/// Runs a test that does not depend on the engine, against a server on the embedded one.
pub fn serve_embedded(settings: &[(&str, &str)], test: impl AsyncFnOnce(&Server)) {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let server = Server::open(directory.path(), None, settings).await;
        test(&server).await;
        server.close().await;
    });
}

impl Server {
    pub async fn on(databases: &Databases, settings: &[(&str, &str)]) -> Server {
        Server::open(databases.directory(), databases.database_url(), settings).await
    }

    pub async fn open(
        directory: &Path,
        database_url: Option<&str>,
        settings: &[(&str, &str)],
    ) -> Server {
        let databases = [
            ("data_dir", directory.to_str().unwrap()),
            ("database_url", database_url.unwrap_or_default()),
        ];
        let all = NO_LIMITS.iter().chain(&databases).chain(settings);
        let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        let overrides = Overrides { file: None, settings: all.map(own).collect() };
        let config = Config::load(&overrides, std::iter::empty()).unwrap();
        let sandbox = SANDBOX.get_or_init(async || open_sandbox().await.unwrap()).await.clone();
        let app = Arc::new(App::open(config, sandbox).await.unwrap());
        Server { site: site(app.clone()), app }
    }

    /// Stops, and audits the ledger.
    pub async fn close(&self) {
        self.app.charge_writer.close();
        assert_eq!(self.app.ledger.audit().await.unwrap().differences, []);
    }

    /// Sends a request and checks the response against the general contract and the OpenAPI
    /// description.
    pub async fn send(&self, ask: Ask) -> Response {
        let (method, path) = (ask.method.clone(), ask.path.clone());
        let response = self.send_unchecked(ask).await;
        shape::check(&method, &path, &response);
        described::check(&method, &path, &response);
        response
    }

    /// Sends a request without checks, for responses that are not JSON.
    pub async fn send_unchecked(&self, ask: Ask) -> Response {
        let response = self.site.respond(ask.into_request()).await;
        Response::read(response).await
    }

    /// The response with its body unread, for streams.
    pub async fn respond(&self, ask: Ask) -> axum::response::Response {
        self.site.respond(ask.into_request()).await
    }

    pub async fn new_account(&self) -> String {
        let email = format!("{}@example.in", ulid::Ulid::generate());
        self.app.ledger.create_account(&email, "Namuna Traders", now_ms()).await.unwrap().id
    }

    /// A test key of a new account.
    pub async fn test_key(&self) -> Key {
        let account_id = self.new_account().await;
        self.new_key(&account_id, Mode::Test, NewKey::default()).await
    }

    /// A live key of a new account with some credits.
    pub async fn live_key(&self, credits: i64) -> Key {
        let account_id = self.new_account().await;
        if credits > 0 {
            self.grant(&account_id, credits).await;
        }
        self.new_key(&account_id, Mode::Live, NewKey::default()).await
    }

    pub async fn grant(&self, account_id: &str, credits: i64) {
        let ledger = &self.app.ledger;
        ledger
            .add_entry(account_id, Mode::Live, EntryKind::Purchase, credits, None, now_ms())
            .await
            .unwrap();
    }

    pub async fn new_key(&self, account_id: &str, mode: Mode, new: NewKey) -> Key {
        let text = new_key_text(mode);
        let key = self.app.ledger.create_key(account_id, &text, new, now_ms()).await.unwrap();
        let account_id = account_id.to_owned();
        Key { text: text.as_str().to_owned(), id: key.id, account_id, mode }
    }

    /// A reconciliation token of an account.
    pub async fn new_token(&self, account_id: &str, mode: Mode, new: NewKey) -> Key {
        let text = KeyText::generate(KeyKind::Reconcile, mode, |bytes| {
            getrandom::fill(bytes).unwrap();
        });
        let operations = ["matchCompanies", "bulkEnrich"].map(str::to_owned).to_vec();
        let monthly_cap = new.monthly_cap.or(Some(10_000));
        let new = NewKey { allowed_operations: operations, monthly_cap, ..new };
        let key = self.app.ledger.create_key(account_id, &text, new, now_ms()).await.unwrap();
        let account_id = account_id.to_owned();
        Key { text: text.as_str().to_owned(), id: key.id, account_id, mode }
    }

    /// The balance of the key's account in the key's mode.
    pub async fn balance(&self, key: &Key) -> i64 {
        let snapshot = self.app.ledger.find_balance(&key.account_id, key.mode, now_ms());
        snapshot.await.unwrap().unwrap().balance
    }

    /// Stores records in the live register and waits until they are in the index and the graph.
    pub async fn import(&self, records: &[Record]) {
        let live = &self.app.live;
        live.register.store_batch(records, now_ms()).await.unwrap();
        live.register.start_events(now_ms()).await.unwrap();
        let newest = live.register.newest_change().await.unwrap();
        for search in [&live.search, &live.directors] {
            let (stop, stopped) = watch::channel(false);
            let following = panji_search::follow(search.clone(), live.register.clone(), stopped);
            let follower = tokio::spawn(following);
            while search.indexed_change() != Some(newest) {
                assert!(!follower.is_finished(), "the follower ended");
                panji_testkit::pause().await;
            }
            stop.send(true).unwrap();
            follower.await.unwrap();
        }
        let (stop, stopped) = watch::channel(false);
        let follower =
            tokio::spawn(panji_graph::follow(live.graph.clone(), live.register.clone(), stopped));
        while live.graph.indexed_change() != Some(newest) {
            assert!(!follower.is_finished(), "the follower ended");
            panji_testkit::pause().await;
        }
        stop.send(true).unwrap();
        follower.await.unwrap();
    }
}

/// A well-formed key that does not exist.
pub fn new_key_text(mode: Mode) -> KeyText {
    KeyText::generate(KeyKind::Api, mode, |bytes| getrandom::fill(bytes).unwrap())
}
