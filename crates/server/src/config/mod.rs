//! Settings: embedded defaults, overridden by panji.toml, then the environment, then flags.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;
use toml::{Table, Value};

pub mod certificate;
mod layers;
pub mod network;
pub mod operation;
mod sales;
mod traces;

use certificate::CertificateFiles;
use layers::{assign, find, overlay, read_file, take_environment, warning_about};
use network::ProxyHeader;
use operation::Operation;
pub use sales::{PaymentSettings, SellerSettings};
pub use traces::TraceSettings;

/// The embedded defaults. The file also documents all settings.
pub const DEFAULTS: &str = include_str!("../../../../config.default.toml");

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub listen: SocketAddr,
    pub data_dir: PathBuf,
    /// Empty to serve no metrics.
    pub metrics_listen: String,
    /// Empty to use the embedded engine.
    pub database_url: String,
    /// Replicas for reads of the register; empty to read from `database_url`.
    pub read_database_url: String,
    /// A replica that is further behind is not read.
    pub replica_lag_seconds: u64,
    /// The URL that clients use; empty for the listening address.
    pub public_url: String,
    /// Empty for plain HTTP.
    pub tls_cert: String,
    pub tls_key: String,
    /// A proxy in front of this service terminates TLS.
    pub behind_proxy: bool,
    /// Addresses and networks, separated by commas.
    pub trusted_proxies: String,
    pub proxy_header: ProxyHeader,
    /// Per key.
    pub rate_limit: RateSettings,
    /// Per key.
    pub bulk_rate_limit: RateSettings,
    /// Requests with an invalid key, per address.
    pub guess_limit: GuessSettings,
    /// Attempts to log in, to sign up or to request a link by mail.
    pub log_in_limit: GuessSettings,
    pub free_quota: QuotaSettings,
    pub limits: LimitSettings,
    pub console: ConsoleSettings,
    pub mail: MailSettings,
    pub payments: PaymentSettings,
    pub seller: SellerSettings,
    pub bulk_jobs: BulkJobSettings,
    pub tracing: TraceSettings,
    /// Retention of single usage rows; daily sums are kept.
    pub usage: KeepSettings,
    pub audit_log: KeepSettings,
    pub unpaid_orders: KeepSettings,
    pub import_rejects: KeepSettings,
    pub prices: Prices,
    /// A warning about ignored environment variables.
    #[serde(skip)]
    pub warning: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateSettings {
    /// Sustained requests per second.
    pub per_second: u32,
    /// The most requests at once.
    pub burst: u32,
}

/// The limits on attempts to guess keys or passwords.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuessSettings {
    /// Sustained requests per minute.
    pub per_minute: u32,
    /// The most requests at once.
    pub burst: u32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotaSettings {
    /// Per account, mode and day in India.
    pub calls_per_day: u32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitSettings {
    pub documents_per_page: u32,
    pub bulk_verify_items: usize,
    pub bulk_enrich_cins: usize,
    pub body_bytes: usize,
    pub header_bytes: usize,
    pub path_bytes: usize,
    pub query_characters: usize,
    pub request_seconds: u64,
    pub bulk_request_seconds: u64,
    pub head_seconds: u64,
    pub answer_seconds: u64,
    pub in_flight: usize,
    pub charge_queue: usize,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsoleSettings {
    /// Whether new users can sign up by themselves.
    pub sign_up: bool,
    /// Per client address.
    pub sign_ups_per_day: u32,
    pub session_days: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailSettings {
    /// Empty to send no mail.
    pub smtp_url: String,
    pub from: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BulkJobSettings {
    pub rows: usize,
    pub file_bytes: usize,
    pub open_per_account: u32,
    pub keep_days: u32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeepSettings {
    pub keep_days: u32,
}

/// Credits per operation, and per capital section.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, u32>);

impl Prices {
    /// The price of one call. Bulk calls have no price of their own: they cost the sum of their
    /// items.
    pub fn of(&self, operation: Operation) -> i64 {
        self.price(operation.id())
    }

    /// The price of the capital section of an enrichment.
    pub fn capital(&self) -> i64 {
        self.price("capital")
    }

    fn price(&self, name: &str) -> i64 {
        self.0.get(name).copied().map_or(0, i64::from)
    }
}

/// Settings from the command line, which override the file and the environment.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// A settings file named by the user; it must exist.
    pub file: Option<PathBuf>,
    pub settings: Vec<(String, String)>,
}

impl Config {
    /// Merges the settings. The error is one sentence that names the wrong setting.
    pub fn load(
        overrides: &Overrides,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Config, String> {
        let mut settings: Table = DEFAULTS.parse().expect("the embedded defaults are valid TOML");
        if let Some((path, text)) = read_file(overrides)? {
            let file: Table =
                text.parse().map_err(|error| format!("{}: {error}", path.display()))?;
            overlay(&mut settings, file, "", &path)?;
        }
        let unknown = take_environment(&mut settings, environment)?;
        for (dotted, text) in &overrides.settings {
            let flag = dotted.replace(['_', '.'], "-");
            find(&mut settings, dotted)
                .ok_or_else(|| format!("there is no setting {dotted}"))
                .and_then(|setting| assign(setting, dotted, text))
                .map_err(|reason| format!("--{flag}: {reason}"))?;
        }
        let mut config = read_settings(settings)?;
        config.warning = warning_about(&unknown);
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        let positive = [
            ("replica_lag_seconds", self.replica_lag_seconds as usize),
            ("rate_limit.per_second", self.rate_limit.per_second as usize),
            ("rate_limit.burst", self.rate_limit.burst as usize),
            ("bulk_rate_limit.per_second", self.bulk_rate_limit.per_second as usize),
            ("bulk_rate_limit.burst", self.bulk_rate_limit.burst as usize),
            ("guess_limit.per_minute", self.guess_limit.per_minute as usize),
            ("guess_limit.burst", self.guess_limit.burst as usize),
            ("log_in_limit.per_minute", self.log_in_limit.per_minute as usize),
            ("log_in_limit.burst", self.log_in_limit.burst as usize),
            ("limits.documents_per_page", self.limits.documents_per_page as usize),
            ("limits.bulk_verify_items", self.limits.bulk_verify_items),
            ("limits.bulk_enrich_cins", self.limits.bulk_enrich_cins),
            ("limits.body_bytes", self.limits.body_bytes),
            ("limits.header_bytes", self.limits.header_bytes),
            ("limits.path_bytes", self.limits.path_bytes),
            ("limits.query_characters", self.limits.query_characters),
            ("limits.request_seconds", self.limits.request_seconds as usize),
            ("limits.bulk_request_seconds", self.limits.bulk_request_seconds as usize),
            ("limits.head_seconds", self.limits.head_seconds as usize),
            ("limits.answer_seconds", self.limits.answer_seconds as usize),
            ("limits.in_flight", self.limits.in_flight),
            ("limits.charge_queue", self.limits.charge_queue),
            ("console.sign_ups_per_day", self.console.sign_ups_per_day as usize),
            ("console.session_days", self.console.session_days as usize),
            ("bulk_jobs.rows", self.bulk_jobs.rows),
            ("bulk_jobs.file_bytes", self.bulk_jobs.file_bytes),
            ("bulk_jobs.open_per_account", self.bulk_jobs.open_per_account as usize),
            ("bulk_jobs.keep_days", self.bulk_jobs.keep_days as usize),
            ("usage.keep_days", self.usage.keep_days as usize),
            ("audit_log.keep_days", self.audit_log.keep_days as usize),
            ("unpaid_orders.keep_days", self.unpaid_orders.keep_days as usize),
            ("import_rejects.keep_days", self.import_rejects.keep_days as usize),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(format!("the setting {name} must be at least 1, not 0"));
        }
        if !self.read_database_url.is_empty() && self.database_url.is_empty() {
            return Err(
                "the setting read_database_url needs database_url: the embedded engine has \
                        no replicas"
                    .to_owned(),
            );
        }
        self.trusted_networks()?;
        CertificateFiles::of(self)?;
        self.metrics_address()?;
        self.payments.check()?;
        self.tracing.check()?;
        self.seller.check(self.payments.has_razorpay())
    }

    /// Whether credits can be bought with test payments: where they are enabled, or where only this
    /// machine can reach the service.
    pub fn allows_test_payments(&self) -> bool {
        let local_only = self.reached_from_here_only();
        !self.payments.has_razorpay() && (self.payments.test_payments || local_only)
    }

    /// Whether only this machine can reach the service.
    pub fn reached_from_here_only(&self) -> bool {
        self.listen.ip().is_loopback() && !self.behind_proxy && self.public_url.is_empty()
    }

    /// The base of links in responses, without a trailing slash.
    pub fn public_url(&self) -> String {
        if self.public_url.is_empty() {
            let scheme = if self.serves_tls() { "https" } else { "http" };
            return format!("{scheme}://{}", self.listen);
        }
        self.public_url.trim_end_matches('/').to_owned()
    }

    /// Whether clients reach this service over TLS, terminated here or by a proxy.
    pub fn reached_by_https(&self) -> bool {
        self.serves_tls() || self.behind_proxy || self.public_url.starts_with("https://")
    }

    /// None if no metrics are served.
    pub fn metrics_address(&self) -> Result<Option<SocketAddr>, String> {
        if self.metrics_listen.is_empty() {
            return Ok(None);
        }
        let address = self.metrics_listen.parse();
        address.map(Some).map_err(|_| {
            format!(
                "the setting metrics_listen must be an address and a port such as 127.0.0.1:9100, not \
                 {:?}",
                self.metrics_listen
            )
        })
    }

    /// Whether this process terminates TLS itself.
    pub fn serves_tls(&self) -> bool {
        !self.tls_cert.is_empty()
    }
}

/// Converts the settings to their types. The error may display the value: settings that can contain
/// a secret are text, and any text is valid.
fn read_settings(settings: Table) -> Result<Config, String> {
    let settings = Value::Table(settings);
    serde_path_to_error::deserialize(settings.clone()).map_err(|error| {
        let path = error.path().to_string();
        let value = path.split('.').try_fold(&settings, |value, key| value.get(key));
        let value = value.filter(|value| !value.is_table());
        let value_text = value.map_or_else(String::new, |value| format!(" is {value}"));
        let cause = error.inner().to_string();
        let first_line = cause.lines().next().unwrap_or_default();
        format!("the setting {path}{value_text}: {first_line}")
    })
}

#[cfg(test)]
mod tests;
