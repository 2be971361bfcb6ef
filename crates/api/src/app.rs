//! The state of a serving process, opened once at start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ipnet::IpNet;
use panji_graph::{Builder, Derived, Generation, Generations, Graph, GraphError};
use panji_search::{IndexKind, Search, SearchError};
use panji_store::calendar::now_ms;
use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, Key, KeyWithAccount, MAX_UNRESOLVED, Mode, RESOLVE_TIME,
};
use panji_store::register::{IndexedCompany, IndexedDirector, Replica, ReplicaFault};
use panji_store::{Ledger, Register, StoreError};
use quick_cache::sync::Cache;

use crate::accounts::mail::{MailError, Mailer};
use crate::accounts::passwords::Passwords;
use crate::accounts::sso::{NoSsoCertificates, Sso};
use crate::accounts::usage_days::UsageDays;
use crate::config::Config;
use crate::config::error::ConfigError;
use crate::config::ip_networks::parse_network;
use crate::databases::error::{OpenError, SandboxError};
use crate::databases::sandbox;
use crate::databases::{IfAbsent, open_ledger, open_register_with_replica};
use crate::http::admission::InFlight;
use crate::http::context::{Caller, LastBalance, Via};
use crate::http::error::ErrorCode;
use crate::http::limits::Limits;
use crate::http::proxy::Proxies;
use crate::http::streams::Streams;
use crate::http::tls::{CertificateError, Tls};
use crate::payments::Provider;
use crate::payments::razorpay::NoCertificates;
use crate::telemetry::health::Health;
use crate::telemetry::metrics::Metrics;
use crate::telemetry::traces::{SenderError, Traces};
use crate::webhooks::sender::Sender;

/// How long a key is cached before it is read from the ledger again. A revoked key is refused on
/// every node after this time.
const KEY_CACHE_TIME: Duration = Duration::from_secs(3);
const _: () = assert!(KEY_CACHE_TIME.as_secs() < 5, "revocation is promised within 5 seconds");
const KEY_CACHE_SIZE: usize = 10_000;

/// Why the service cannot start. Each error is one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Settings(#[from] ConfigError),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error(transparent)]
    Database(#[from] OpenError),
    #[error(
        "the setting read_database_url: {0}. Name replicas of the server in database_url, with \
         the same database"
    )]
    ForeignReplica(ReplicaFault),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error(transparent)]
    Metrics(#[from] prometheus::Error),
    #[error("{0}")]
    ChargeWriter(#[source] StoreError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Payments(#[from] NoCertificates),
    #[error(transparent)]
    Sso(#[from] NoSsoCertificates),
    #[error(transparent)]
    Traces(#[from] SenderError),
}

/// The register of one mode, the search indexes over the names of its companies and directors, and the graph of both.
#[derive(Clone)]
pub struct Dataset {
    pub register: Arc<Register>,
    pub search: Arc<Search>,
    pub directors: Arc<Search>,
    pub graph: Arc<Graph>,
}

/// What operators see of data that is derived from the register.
pub struct DerivedState {
    /// The name in log lines.
    pub name: &'static str,
    /// The last change of the register in it; none while it is built.
    pub indexed_change: Option<i64>,
    /// None without a complete one, and for data in memory.
    pub generation: Option<Generation>,
}

impl DerivedState {
    pub fn of(derived: &impl Derived) -> DerivedState {
        let generation = derived.generations().and_then(Generations::describe_current);
        DerivedState { name: derived.name(), indexed_change: derived.indexed_change(), generation }
    }
}

impl Dataset {
    pub fn derived(&self) -> [DerivedState; 3] {
        [
            DerivedState::of(&*self.search),
            DerivedState::of(&*self.directors),
            DerivedState::of(&*self.graph),
        ]
    }
}

pub struct App {
    pub config: Config,
    /// The base of links in responses.
    pub public_url: String,
    /// Read with live keys.
    pub live: Dataset,
    /// Read with test keys.
    pub sandbox: Dataset,
    pub ledger: Arc<Ledger>,
    /// Writes the charges of calls to the ledger, in groups.
    pub charge_writer: ChargeWriter,
    pub limits: Limits,
    /// Bounds the number of concurrent requests.
    pub in_flight: InFlight,
    pub mailer: Mailer,
    pub passwords: Passwords,
    /// None where single sign-on is off.
    pub sso: Option<Sso>,
    /// Cached usage of past days, for reports.
    pub usage_days: Arc<UsageDays>,
    /// The provider through which credits are bought.
    pub payments: Provider,
    /// Wakes the workers that process bulk jobs.
    pub bulk_jobs_wake: tokio::sync::Notify,
    /// Changes when this node has stored events of accounts, and when the process stops: wakes the
    /// streams.
    pub new_events: tokio::sync::watch::Sender<u64>,
    /// Bounds the number of open streams.
    pub streams: Streams,
    /// Sends messages to webhooks.
    pub webhooks: Sender,
    /// Wakes the worker that sends messages to webhooks.
    pub webhooks_wake: tokio::sync::Notify,
    pub metrics: Arc<Metrics>,
    /// The health of the service as this node has recorded it.
    pub health: Health,
    /// None where tracing is off.
    pub traces: Option<Traces>,
    /// Proxies whose forwarded-for header is trusted.
    pub proxies: Proxies,
    /// None where HTTPS is off.
    pub tls: Option<Arc<Tls>>,
    /// False once the process is asked to stop.
    pub accepting: std::sync::atomic::AtomicBool,
    keys: Cache<String, Arc<CachedKey>>,
}

/// A key, cached for `KEY_CACHE_TIME`.
pub struct CachedKey {
    pub key: Key,
    pub caller: Arc<Caller>,
    /// The networks the key may be used from; empty means any.
    pub networks: Vec<IpNet>,
    looked_up: Instant,
}

impl CachedKey {
    fn new(found: KeyWithAccount) -> CachedKey {
        let KeyWithAccount { key, account_suspended } = found;
        let addresses = &key.allowed_addresses;
        let networks = addresses.iter().filter_map(|network| parse_network(network)).collect();
        let caller = Arc::new(Caller {
            account_id: key.account_id.as_str().into(),
            key_id: key.id.as_str().into(),
            mode: key.mode,
            via: Via::Key,
            person_id: None,
            suspended: account_suspended,
            monthly_cap: key.monthly_cap,
            last_used_at: key.last_used_at,
            balance: LastBalance::default(),
        });
        CachedKey { key, caller, networks, looked_up: Instant::now() }
    }
}

impl App {
    /// Opens the databases, the search index and the other parts.
    pub async fn open(config: Config, sandbox: Dataset) -> Result<App, StartError> {
        let tls = Tls::open(&config, now_ms() / 1000)?;
        let proxies = Proxies::of(&config)?;
        let ledger = Arc::new(open_ledger(&config, IfAbsent::Create).await?);
        let register = Arc::new(open_register_with_replica(&config, IfAbsent::Create).await?);
        refuse_foreign_replica(&register)?;
        let search = Search::open(IndexKind::Companies, &index_dir(&config))?;
        let directors = Search::open(IndexKind::Directors, &director_index_dir(&config))?;
        let graph = Arc::new(Graph::open(&graph_dir(&config))?);
        let (search, directors) = (Arc::new(search), Arc::new(directors));
        let live = Dataset { register, search, directors, graph };
        let options = ChargeWriterOptions {
            queue: config.limits.charge_queue.get(),
            free_calls_per_day: i64::from(config.free_quota.calls_per_day),
            resolve_time: RESOLVE_TIME,
            max_unresolved: MAX_UNRESOLVED,
        };
        let metrics = Metrics::new(&ErrorCode::statuses())?;
        let commits = metrics.commits();
        let on_commit = Box::new(move |commit| commits.count(commit));
        let charge_writer = ChargeWriter::open_with_observer(ledger.clone(), options, on_commit)
            .map_err(StartError::ChargeWriter)?;
        Ok(App {
            public_url: config.public_url(),
            limits: Limits::new(&config),
            in_flight: InFlight::new(config.limits.in_flight),
            mailer: Mailer::open(&config.mail)?,
            passwords: Passwords::default(),
            sso: Sso::open(&config.sso, &config.public_url())?,
            usage_days: Arc::new(UsageDays::default()),
            payments: Provider::open(&config)?,
            bulk_jobs_wake: tokio::sync::Notify::new(),
            new_events: tokio::sync::watch::Sender::new(0),
            streams: Streams::new(config.watch.max_streams),
            webhooks: Sender::new(&config.webhooks)?,
            webhooks_wake: tokio::sync::Notify::new(),
            traces: Traces::open(&config.tracing, metrics.spans())?,
            metrics: Arc::new(metrics),
            health: Health::default(),
            proxies,
            tls: tls.map(Arc::new),
            sandbox,
            live,
            ledger,
            charge_writer,
            accepting: std::sync::atomic::AtomicBool::new(true),
            keys: Cache::new(KEY_CACHE_SIZE),
            config,
        })
    }

    /// The data that calls in this mode read.
    pub fn dataset(&self, mode: Mode) -> &Dataset {
        match mode {
            Mode::Test => &self.sandbox,
            Mode::Live => &self.live,
        }
    }

    /// The calls left in today's free quota.
    pub fn free_calls_left(&self, quota_used: i64) -> i64 {
        (i64::from(self.config.free_quota.calls_per_day) - quota_used).max(0)
    }

    /// Whether the process can serve: it is not stopping, and both databases respond.
    pub async fn ready(&self) -> bool {
        self.accepting.load(std::sync::atomic::Ordering::Relaxed)
            && self.charge_writer.can_write().await
            && self.live.register.ping().await.is_ok()
    }

    /// The key with this hash, at most `KEY_CACHE_TIME` old.
    pub async fn find_key(&self, hash: &str) -> Result<Option<Arc<CachedKey>>, StoreError> {
        if let Some(cached) = self.keys.get(hash)
            && cached.looked_up.elapsed() < KEY_CACHE_TIME
        {
            self.metrics.known_keys.inc();
            return Ok(Some(cached));
        }
        Box::pin(self.look_up_key(hash)).await
    }

    async fn look_up_key(&self, hash: &str) -> Result<Option<Arc<CachedKey>>, StoreError> {
        self.metrics.looked_up_keys.inc();
        let Some(found) = self.ledger.find_key(hash).await? else {
            self.keys.remove(hash);
            return Ok(None);
        };
        let cached = Arc::new(CachedKey::new(found));
        self.keys.insert(hash.to_owned(), cached.clone());
        Ok(Some(cached))
    }
}

pub fn index_dir(config: &Config) -> std::path::PathBuf {
    config.data_dir.join("index")
}

pub fn graph_dir(config: &Config) -> std::path::PathBuf {
    config.data_dir.join("graph")
}

/// The directory of the index of directors, next to that of companies.
pub fn director_index_dir(config: &Config) -> std::path::PathBuf {
    config.data_dir.join("index-directors")
}

/// Refuses a replica of another database, which is a mistake in the settings. A replica that does
/// not respond is accepted: it may be available again later.
fn refuse_foreign_replica(register: &Register) -> Result<(), StartError> {
    let check = register.replica().and_then(Replica::last_check);
    match check.and_then(|check| check.fault) {
        Some(fault @ ReplicaFault::OtherDatabase(_)) => Err(StartError::ForeignReplica(fault)),
        _ => Ok(()),
    }
}

/// Builds the sandbox register, its index and its graph in memory.
pub async fn open_sandbox() -> Result<Dataset, StartError> {
    let imports = sandbox::imports()?;
    let register = Register::static_with_history(&imports).await.map_err(OpenError::Store)?;
    let mut companies: Vec<IndexedCompany> = Vec::new();
    loop {
        let after = companies.last().map_or(String::new(), |company| company.cin.clone());
        let page = register.list_indexed(&after, 1_000).await.map_err(OpenError::Store)?;
        if page.is_empty() {
            break;
        }
        companies.extend(page);
    }
    let mut directors: Vec<IndexedDirector> = Vec::new();
    loop {
        let after = directors.last().map_or(String::new(), |director| director.din.clone());
        let page =
            register.list_indexed_directors(&after, 1_000).await.map_err(OpenError::Store)?;
        if page.is_empty() {
            break;
        }
        directors.extend(page);
    }
    let graph = Graph::in_memory(Builder::read_all(&register).await?);
    Ok(Dataset {
        register: Arc::new(register),
        search: Arc::new(Search::in_memory(&companies)?),
        directors: Arc::new(Search::in_memory_directors(directors)?),
        graph: Arc::new(graph),
    })
}
