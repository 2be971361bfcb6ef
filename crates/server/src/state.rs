//! Everything that serving needs, made once at the start.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ipnet::{IpNet, Ipv4Net};
use panji_search::Search;
use panji_store::calendar::now_ms;
use panji_store::engine::{PostgresOptions, Workload};
use panji_store::ledger::{ChargeDesk, DOUBT_TIME, DeskOptions, KeyWithAccount, Mode, Secret};
use panji_store::register::{IndexedCompany, Replica, ReplicaFault};
use panji_store::{Engine, Ledger, Register, StoreError};
use quick_cache::sync::Cache;

use crate::backup;
use crate::config::Config;
use crate::console::mail::Mailer;
use crate::console::passwords::Passwords;
use crate::console::usage_sums::UsageDays;
use crate::in_flight::InFlight;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::payments::Provider;
use crate::proxy::Proxies;
use crate::sandbox;
use crate::tls::Tls;
use crate::traces::Traces;

/// How long a key is believed before it is looked up again; revoking reaches every node within this.
const KEY_TRUST: Duration = Duration::from_secs(3);
/// Keys remembered at a time.
const KEY_CACHE: usize = 10_000;
/// The PostgreSQL schemas.
pub(crate) const REGISTER_SCHEMA: &str = "panji_register";
pub(crate) const LEDGER_SCHEMA: &str = "panji_ledger";

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
    pub desk: ChargeDesk,
    /// Rate limits.
    pub limits: Limits,
    /// Requests under way.
    pub in_flight: InFlight,
    /// Where mail goes.
    pub mailer: Mailer,
    /// Hashes and checks passwords.
    pub passwords: Passwords,
    /// Usage of past days, as reports read it.
    pub usage_days: UsageDays,
    /// Through whom credits are bought.
    pub payments: Provider,
    /// Wakes those who work off bulk jobs.
    pub bulk_jobs_wake: tokio::sync::Notify,
    /// What is counted.
    pub metrics: Metrics,
    /// Where traces are sent, if anywhere.
    pub traces: Option<Traces>,
    /// Whose word is taken for a client's address.
    pub proxies: Proxies,
    /// HTTPS, where it is on.
    pub tls: Option<Tls>,
    /// Whether new requests are welcome: false once the process is asked to stop.
    pub accepting: std::sync::atomic::AtomicBool,
    keys: Cache<String, Arc<TrustedKey>>,
}

/// A key as it was a moment ago.
pub struct TrustedKey {
    /// The key and its account.
    pub known: KeyWithAccount,
    /// The networks it may be used from.
    pub networks: Vec<IpNet>,
    looked_up: Instant,
}

impl App {
    /// Opens everything. The error is one sentence for the operator.
    pub async fn open(config: Config) -> Result<App, String> {
        let tls = Tls::open(&config, now_ms() / 1000)?;
        let proxies = Proxies::of(&config)?;
        let ledger = Arc::new(open_ledger(&config).await?);
        let register = Arc::new(open_register_with_replica(&config).await?);
        refuse_foreign(&register)?;
        let search = Search::open(&index_dir(&config)).map_err(|error| error.to_string())?;
        let live = Catalogue { register, search: Arc::new(search) };
        let options = DeskOptions {
            queue: config.limits.charge_queue,
            free_calls_per_day: i64::from(config.free_quota.calls_per_day),
            doubt_time: DOUBT_TIME,
        };
        let metrics = Metrics::new().map_err(|error| error.to_string())?;
        let commits = metrics.commits();
        let watching = Box::new(move |commit| commits.count(commit));
        let desk = ChargeDesk::open_watched(ledger.clone(), options, watching)
            .map_err(|error| error.to_string())?;
        Ok(App {
            public_url: config.public_url(),
            limits: Limits::new(&config),
            in_flight: InFlight::new(config.limits.in_flight),
            mailer: Mailer::open(&config.mail)?,
            passwords: Passwords::new(),
            usage_days: UsageDays::new(),
            payments: Provider::open(&config)?,
            bulk_jobs_wake: tokio::sync::Notify::new(),
            traces: Traces::open(&config.tracing, metrics.spans())?,
            metrics,
            proxies,
            tls,
            sandbox: open_sandbox().await?,
            live,
            ledger,
            desk,
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

    /// Whether the process can serve: it is not stopping, and the engines answer.
    pub async fn ready(&self) -> bool {
        self.accepting.load(std::sync::atomic::Ordering::Relaxed)
            && self.desk.can_write().await
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
        let addresses = &known.key.allowed_addresses;
        let networks = addresses.iter().filter_map(|network| parse_network(network)).collect();
        let trusted = Arc::new(TrustedKey { known, networks, looked_up: Instant::now() });
        self.keys.insert(hash.to_owned(), trusted.clone());
        Ok(Some(trusted))
    }
}

/// Where the search index is.
pub fn index_dir(config: &Config) -> std::path::PathBuf {
    config.data_dir.join("index")
}

/// A network in CIDR form, or one address. An IPv4 network that is written as a part of IPv6, as
/// `::ffff:203.0.113.0/120`, is the IPv4 network: callers are known by their canonical addresses.
pub fn parse_network(text: &str) -> Option<IpNet> {
    let network: IpNet =
        text.parse().ok().or_else(|| text.parse::<std::net::IpAddr>().ok().map(Into::into))?;
    let mapped = match network {
        IpNet::V6(v6) if v6.prefix_len() >= 96 => v6.addr().to_ipv4_mapped(),
        _ => None,
    };
    let within = mapped.and_then(|v4| Ipv4Net::new(v4, network.prefix_len() - 96).ok());
    Some(within.map_or(network, IpNet::V4))
}

/// Opens the ledger that the settings name.
pub async fn open_ledger(config: &Config) -> Result<Ledger, String> {
    let path = config.data_dir.join("secret.key");
    let made_now = !path.exists();
    let secret = read_or_make_secret(&config.data_dir)?;
    let engine = open_engine(config, "ledger.db", LEDGER_SCHEMA, Workload::Ledger).await?;
    let ledger = Ledger::open(engine, secret, now_ms()).await;
    if ledger.is_err() && made_now {
        // It does not fit the ledger that is there; the right one shall find its place empty.
        let _ = std::fs::remove_file(&path);
    }
    ledger.map_err(|error| store_sentence(&error))
}

/// Opens the register that the settings name.
pub async fn open_register(config: &Config, workload: Workload) -> Result<Register, String> {
    let engine = open_engine(config, "register.db", REGISTER_SCHEMA, workload).await?;
    Register::open(engine, now_ms()).await.map_err(|error| store_sentence(&error))
}

/// Opens it together with the replica that the settings name, which is looked at once.
pub async fn open_register_with_replica(config: &Config) -> Result<Register, String> {
    let mut register = open_register(config, Workload::Register).await?;
    if config.read_database_url.is_empty() {
        return Ok(register);
    }
    let options =
        PostgresOptions { url: config.read_database_url.clone(), schema: REGISTER_SCHEMA };
    let max_lag = Duration::from_secs(config.replica_lag_seconds);
    let attached = register.attach_replica(options, max_lag).await;
    attached
        .map_err(|error| format!("the setting read_database_url: {}", store_sentence(&error)))?;
    register.look_at_replica().await.map_err(|error| store_sentence(&error))?;
    Ok(register)
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

async fn open_engine(
    config: &Config,
    file: &str,
    schema: &'static str,
    workload: Workload,
) -> Result<Engine, String> {
    make_data_dir(&config.data_dir)?;
    backup::check_restored(&config.data_dir)?;
    let engine = if config.database_url.is_empty() {
        Engine::open_sqlite(&config.data_dir.join(file), workload)
    } else {
        Engine::open_postgres(PostgresOptions { url: config.database_url.clone(), schema }).await
    };
    engine.map_err(|error| store_sentence(&error))
}

/// Makes the data directory for its owner only: it holds who pays, and the secret.
pub(crate) fn make_data_dir(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| format!("the data directory {} cannot be made: {error}", path.display()))
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

/// The ledger's secret, in a file that only its owner can read. Nodes that share a ledger share it.
fn read_or_make_secret(data_dir: &Path) -> Result<Secret, String> {
    make_data_dir(data_dir)?;
    let path = data_dir.join("secret.key");
    let sentence = |error: std::io::Error| format!("the secret {}: {error}", path.display());
    if !path.exists() {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| format!("no random bytes: {error}"))?;
        write_secret(&path, &bytes).map_err(sentence)?;
    }
    let bytes = std::fs::read(&path).map_err(sentence)?;
    let bytes: [u8; 32] = bytes.try_into().map_err(|_| {
        format!("the secret {} is damaged: it must have 32 bytes. Restore it", path.display())
    })?;
    Ok(Secret::new(bytes))
}

/// Writes the secret beside its place and links it in, so that it is there whole or not at all, and
/// the first of several starters wins.
fn write_secret(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    let linked = std::fs::hard_link(&draft, path);
    std::fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A store error as a sentence for the operator.
pub fn store_sentence(error: &StoreError) -> String {
    match error {
        StoreError::Conflict(reason)
        | StoreError::Unavailable(reason)
        | StoreError::Undecided(reason) => reason.clone(),
        StoreError::Bug(_) => error.to_string(),
    }
}
