//! Everything that serving needs, made once at the start.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ipnet::IpNet;
use panji_search::Search;
use panji_store::calendar::now_ms;
use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, Key, KeyWithAccount, MAX_UNRESOLVED, Mode, RESOLVE_TIME,
};
use panji_store::register::{IndexedCompany, Replica, ReplicaFault};
use panji_store::{Ledger, Register, StoreError};
use quick_cache::sync::Cache;

use crate::accounts::mail::Mailer;
use crate::accounts::passwords::Passwords;
use crate::accounts::usage_days::UsageDays;
use crate::config::Config;
use crate::config::network::parse_network;
use crate::databases::sandbox;
use crate::databases::{IfAbsent, open_ledger, open_register_with_replica, store_sentence};
use crate::http::admission::InFlight;
use crate::http::context::{Caller, LastBalance, Via};
use crate::http::error::ErrorCode;
use crate::http::limits::Limits;
use crate::http::proxy::Proxies;
use crate::http::tls::Tls;
use crate::payments::Provider;
use crate::telemetry::metrics::Metrics;
use crate::telemetry::traces::Traces;

/// How long a key is believed before it is looked up again; revoking reaches every node within this.
const KEY_TRUST: Duration = Duration::from_secs(3);
const _: () = assert!(KEY_TRUST.as_secs() < 5, "revocation is promised within 5 seconds");
/// Keys remembered at a time.
const KEY_CACHE: usize = 10_000;

/// A register with the index over its names.
pub struct Catalogue {
    /// The records.
    pub register: Arc<Register>,
    /// The names.
    pub search: Arc<Search>,
}

/// The state of a serving process.
pub struct App {
    /// The settings.
    pub config: Config,
    /// What links in answers begin with.
    pub public_url: String,
    /// What live keys read.
    pub live: Catalogue,
    /// What test keys read.
    pub sandbox: Catalogue,
    /// Accounts, keys and credits.
    pub ledger: Arc<Ledger>,
    /// Where answers are paid for.
    pub charge_writer: ChargeWriter,
    /// Rate limits.
    pub limits: Limits,
    /// Requests under way.
    pub in_flight: InFlight,
    /// Where mail goes.
    pub mailer: Mailer,
    /// Hashes and checks passwords.
    pub passwords: Passwords,
    /// Usage of past days, as reports read it.
    pub usage_days: Arc<UsageDays>,
    /// Through whom credits are bought.
    pub payments: Provider,
    /// Wakes those who work off bulk jobs.
    pub bulk_jobs_wake: tokio::sync::Notify,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Where traces are sent, if anywhere.
    pub traces: Option<Traces>,
    /// Whose word is taken for a client's address.
    pub proxies: Proxies,
    /// HTTPS, where it is on.
    pub tls: Option<Arc<Tls>>,
    /// Whether new requests are welcome: false once the process is asked to stop.
    pub accepting: std::sync::atomic::AtomicBool,
    keys: Cache<String, Arc<TrustedKey>>,
}

/// A key as it was a moment ago.
pub struct TrustedKey {
    /// The key.
    pub key: Key,
    /// Who calls with it.
    pub caller: Arc<Caller>,
    /// The networks it may be used from.
    pub networks: Vec<IpNet>,
    looked_up: Instant,
}

impl TrustedKey {
    fn new(known: KeyWithAccount) -> TrustedKey {
        let KeyWithAccount { key, account_suspended } = known;
        let addresses = &key.allowed_addresses;
        let networks = addresses.iter().filter_map(|network| parse_network(network)).collect();
        let caller = Arc::new(Caller {
            account_id: key.account_id.clone(),
            key_id: key.id.clone(),
            mode: key.mode,
            via: Via::Key,
            suspended: account_suspended,
            monthly_cap: key.monthly_cap,
            last_used_at: key.last_used_at,
            balance: LastBalance::default(),
        });
        TrustedKey { key, caller, networks, looked_up: Instant::now() }
    }
}

impl App {
    /// Opens everything. The error is one sentence for the operator.
    pub async fn open(config: Config) -> Result<App, String> {
        let tls = Tls::open(&config, now_ms() / 1000)?;
        let proxies = Proxies::of(&config)?;
        let ledger = Arc::new(open_ledger(&config, IfAbsent::Create).await?);
        let register = Arc::new(open_register_with_replica(&config, IfAbsent::Create).await?);
        refuse_foreign(&register)?;
        let search = Search::open(&index_dir(&config)).map_err(|error| error.to_string())?;
        let live = Catalogue { register, search: Arc::new(search) };
        let options = ChargeWriterOptions {
            queue: config.limits.charge_queue,
            free_calls_per_day: i64::from(config.free_quota.calls_per_day),
            resolve_time: RESOLVE_TIME,
            max_unresolved: MAX_UNRESOLVED,
        };
        let metrics = Metrics::new(&ErrorCode::statuses()).map_err(|error| error.to_string())?;
        let commits = metrics.commits();
        let watching = Box::new(move |commit| commits.count(commit));
        let charge_writer = ChargeWriter::open_watched(ledger.clone(), options, watching)
            .map_err(|error| error.to_string())?;
        Ok(App {
            public_url: config.public_url(),
            limits: Limits::new(&config),
            in_flight: InFlight::new(config.limits.in_flight),
            mailer: Mailer::open(&config.mail)?,
            passwords: Passwords::new(),
            usage_days: Arc::new(UsageDays::new()),
            payments: Provider::open(&config)?,
            bulk_jobs_wake: tokio::sync::Notify::new(),
            traces: Traces::open(&config.tracing, metrics.spans())?,
            metrics: Arc::new(metrics),
            proxies,
            tls: tls.map(Arc::new),
            sandbox: open_sandbox().await?,
            live,
            ledger,
            charge_writer,
            accepting: std::sync::atomic::AtomicBool::new(true),
            keys: Cache::new(KEY_CACHE),
            config,
        })
    }

    /// What a mode reads.
    pub fn catalogue(&self, mode: Mode) -> &Catalogue {
        match mode {
            Mode::Test => &self.sandbox,
            Mode::Live => &self.live,
        }
    }

    /// How many calls are free today still, by how many of the quota are used up.
    pub fn free_calls_left(&self, quota_used: i64) -> i64 {
        (i64::from(self.config.free_quota.calls_per_day) - quota_used).max(0)
    }

    /// Whether the process can serve: it is not stopping, and the engines answer.
    pub async fn ready(&self) -> bool {
        self.accepting.load(std::sync::atomic::Ordering::Relaxed)
            && self.charge_writer.can_write().await
            && self.live.register.ping().await.is_ok()
    }

    /// The key with this hash, as it is now or was a moment ago.
    pub async fn find_key(&self, hash: &str) -> Result<Option<Arc<TrustedKey>>, StoreError> {
        if let Some(trusted) = self.keys.get(hash)
            && trusted.looked_up.elapsed() < KEY_TRUST
        {
            self.metrics.known_keys.inc();
            return Ok(Some(trusted));
        }
        self.metrics.looked_up_keys.inc();
        let Some(known) = self.ledger.find_key(hash).await? else {
            self.keys.remove(hash);
            return Ok(None);
        };
        let trusted = Arc::new(TrustedKey::new(known));
        self.keys.insert(hash.to_owned(), trusted.clone());
        Ok(Some(trusted))
    }
}

/// Where the search index is.
pub fn index_dir(config: &Config) -> std::path::PathBuf {
    config.data_dir.join("index")
}

/// A replica that is away may come; one of another database is a mistake.
fn refuse_foreign(register: &Register) -> Result<(), String> {
    let look = register.replica().and_then(Replica::last_look);
    match look.and_then(|look| look.fault) {
        Some(fault @ ReplicaFault::Foreign(_)) => Err(format!(
            "the setting read_database_url: {fault}. Name standbys of the server in database_url, \
             with the same database"
        )),
        _ => Ok(()),
    }
}

/// Makes the sandbox in memory.
async fn open_sandbox() -> Result<Catalogue, String> {
    let records = sandbox::records()?;
    let register =
        Register::in_memory(&records, now_ms()).await.map_err(|error| store_sentence(&error))?;
    let mut companies: Vec<IndexedCompany> = Vec::new();
    loop {
        let after = companies.last().map_or(String::new(), |company| company.cin.clone());
        let page =
            register.list_indexed(&after, 1_000).await.map_err(|error| store_sentence(&error))?;
        if page.is_empty() {
            break;
        }
        companies.extend(page);
    }
    let search = Search::in_memory(&companies).map_err(|error| error.to_string())?;
    Ok(Catalogue { register: Arc::new(register), search: Arc::new(search) })
}
