//! Settings: embedded defaults, overridden by panji.toml, then the environment, then flags.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use serde::Deserialize;
use toml::{Table, Value};

pub mod certificate;
pub mod error;
pub mod ip_networks;
mod layers;
pub mod operation;
mod sales;
mod sso;
mod traces;
pub mod url;
mod webhooks;

use certificate::CertificateFiles;
use error::{ConfigError, ValueError};
use ip_networks::ProxyHeader;
use layers::{assign, find, overlay, read_file, take_environment, warning_about};
use operation::Operation;
pub use sales::{PaymentSettings, SellerSettings};
pub use sso::SsoSettings;
pub use traces::TraceSettings;
pub use webhooks::WebhookSettings;

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
    pub replica_lag_seconds: NonZeroU64,
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
    /// Attempts to log in, to sign up or to request a link by email.
    pub log_in_limit: GuessSettings,
    pub free_quota: QuotaSettings,
    pub limits: LimitSettings,
    pub console: ConsoleSettings,
    pub sso: SsoSettings,
    pub mcp: McpSettings,
    pub mail: MailSettings,
    pub payments: PaymentSettings,
    pub seller: SellerSettings,
    pub bulk_jobs: BulkJobSettings,
    pub watch: WatchSettings,
    pub webhooks: WebhookSettings,
    pub tracing: TraceSettings,
    /// Retention of single usage rows; daily sums are kept.
    pub usage: RetentionSettings,
    pub audit_log: RetentionSettings,
    pub unpaid_orders: RetentionSettings,
    pub import_rejects: RetentionSettings,
    /// Events of accounts, paid for or not.
    pub events: RetentionSettings,
    pub prices: Prices,
    /// A warning about ignored environment variables.
    #[serde(skip)]
    pub warning: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateSettings {
    /// Sustained requests per second.
    pub per_second: NonZeroU32,
    /// The most requests at once.
    pub burst: NonZeroU32,
}

/// The limits on attempts to guess keys or passwords.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuessSettings {
    /// Sustained requests per minute.
    pub per_minute: NonZeroU32,
    /// The most requests at once.
    pub burst: NonZeroU32,
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
    pub documents_per_page: NonZeroU32,
    pub bulk_verify_items: NonZeroUsize,
    pub bulk_enrich_cins: NonZeroUsize,
    pub match_items: NonZeroUsize,
    /// Free suggestions and previews of the reconciliation service, per account, mode and day in India.
    pub suggestions_per_day: NonZeroU32,
    pub body_bytes: NonZeroUsize,
    pub header_bytes: NonZeroUsize,
    pub path_bytes: NonZeroUsize,
    pub query_characters: NonZeroUsize,
    pub request_seconds: NonZeroU64,
    pub bulk_request_seconds: NonZeroU64,
    pub header_seconds: NonZeroU64,
    pub write_seconds: NonZeroU64,
    pub in_flight: NonZeroUsize,
    pub charge_queue: NonZeroUsize,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsoleSettings {
    /// Whether new users can sign up by themselves.
    pub sign_up: bool,
    /// Per client address.
    pub sign_ups_per_day: NonZeroU32,
    pub session_days: NonZeroU32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpSettings {
    /// Credits; a tool call that can cost more needs a confirmation.
    pub confirm_above: u32,
    /// Names of this service in addition to that of `public_url`, separated by commas.
    pub allowed_hosts: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailSettings {
    /// Empty to send no email.
    pub smtp_url: String,
    pub from: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BulkJobSettings {
    pub rows: NonZeroUsize,
    pub file_bytes: NonZeroUsize,
    pub open_per_account: NonZeroU32,
    pub keep_days: NonZeroU32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatchSettings {
    /// Watch lists of one account and mode.
    pub max_lists: NonZeroU32,
    /// Members of one watch list.
    pub max_members: NonZeroU32,
    /// Open streams of one account and mode on one node.
    pub max_streams: NonZeroU32,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionSettings {
    pub keep_days: NonZeroU32,
}

/// Credits per operation, and per capital section.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub struct Prices(BTreeMap<String, u32>);

impl Prices {
    /// The price of one call, or of one item or event where the operation is priced by them. Bulk
    /// calls of verifications and enrichments have none: they cost the sum of their items.
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
    /// Merges the settings and checks them.
    pub fn load(
        overrides: &Overrides,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Config, ConfigError> {
        let mut settings: Table = DEFAULTS.parse().expect("the embedded defaults are valid TOML");
        if let Some((path, text)) = read_file(overrides)? {
            let file: Table = text.parse().map_err(|cause| ConfigError::MalformedFile {
                path: path.clone(),
                cause: Box::new(cause),
            })?;
            overlay(&mut settings, file, "", &path)?;
        }
        let unknown = take_environment(&mut settings, environment)?;
        for (dotted, text) in &overrides.settings {
            let flag = dotted.replace(['_', '.'], "-");
            find(&mut settings, dotted)
                .ok_or_else(|| ValueError::Unknown { name: dotted.clone() })
                .and_then(|setting| assign(setting, dotted, text))
                .map_err(|cause| ConfigError::Flag { flag, cause })?;
        }
        let mut config = read_settings(settings)?;
        config.warning = warning_about(&unknown);
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ConfigError> {
        if !self.read_database_url.is_empty() && self.database_url.is_empty() {
            return Err(ConfigError::ReplicaOfEmbedded);
        }
        self.trusted_networks()?;
        self.webhooks.networks()?;
        CertificateFiles::of(self)?;
        self.metrics_address()?;
        self.payments.check()?;
        self.sso.check()?;
        self.tracing.check()?;
        self.seller.check(self.payments.has_razorpay())?;
        Ok(())
    }

    /// Whether credits can be bought with test payments: where they are enabled, or where only this
    /// machine can reach the service.
    pub fn allows_test_payments(&self) -> bool {
        let local_only = self.is_local_only();
        !self.payments.has_razorpay() && (self.payments.test_payments || local_only)
    }

    /// Whether only this machine can reach the service.
    pub fn is_local_only(&self) -> bool {
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
    pub fn metrics_address(&self) -> Result<Option<SocketAddr>, ConfigError> {
        if self.metrics_listen.is_empty() {
            return Ok(None);
        }
        let address = self.metrics_listen.parse();
        address
            .map(Some)
            .map_err(|_| ConfigError::MetricsListen { given: self.metrics_listen.clone() })
    }

    /// Whether this process terminates TLS itself.
    pub fn serves_tls(&self) -> bool {
        !self.tls_cert.is_empty()
    }
}

/// Converts the settings to their types. The error may display the value: settings that can contain
/// a secret are text, and any text is valid.
fn read_settings(settings: Table) -> Result<Config, ConfigError> {
    let settings = Value::Table(settings);
    serde_path_to_error::deserialize(settings.clone()).map_err(|error| {
        let name = error.path().to_string();
        let value = name.split('.').try_fold(&settings, |value, key| value.get(key));
        match value.filter(|value| !value.is_table()).cloned() {
            // Only the types that exclude it refuse a 0.
            Some(Value::Integer(0)) => ConfigError::Zero { name },
            given => ConfigError::Value { name, given, cause: Box::new(error.into_inner()) },
        }
    })
}

#[cfg(test)]
mod tests;
