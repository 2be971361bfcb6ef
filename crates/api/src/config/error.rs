//! Why settings cannot be used. Each error is one sentence that names the wrong setting.

use std::path::PathBuf;

use panji_ids::IdError;
use toml::Value;

use super::sales::{MAX_LARGEST, MAX_SERIES};
use super::traces::PER_THOUSAND;
use super::url::UrlError;

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the settings file {}: {cause}", .path.display())]
    UnreadableFile {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("{}: {cause}", .path.display())]
    MalformedFile {
        path: PathBuf,
        #[source]
        cause: Box<toml::de::Error>,
    },
    #[error("{}: there is no setting {name}{}", .path.display(), question(.similar))]
    UnknownInFile {
        path: PathBuf,
        name: String,
        /// The known setting with the most similar name.
        similar: Option<String>,
    },
    #[error("{}: the setting {name} must be {expected}{}", .path.display(), contrast(.given))]
    TypeInFile {
        path: PathBuf,
        name: String,
        expected: &'static str,
        /// None if the value may be a secret.
        given: Option<Value>,
    },
    #[error("the environment variable {variable}: {cause}")]
    Environment {
        variable: String,
        #[source]
        cause: ValueError,
    },
    #[error("--{flag}: {cause}")]
    Flag {
        flag: String,
        #[source]
        cause: ValueError,
    },
    #[error("the setting {name} must be at least 1, not 0")]
    Zero { name: String },
    #[error("the setting {name}{}: {}", present(.given), first_line(.cause))]
    Value {
        name: String,
        /// None if the setting is a group.
        given: Option<Value>,
        #[source]
        cause: Box<toml::de::Error>,
    },
    #[error(
        "the setting read_database_url needs database_url: the embedded engine has no replicas"
    )]
    ReplicaOfEmbedded,
    #[error(
        "the setting metrics_listen must be an address and a port such as 127.0.0.1:9100, not \
         {given:?}"
    )]
    MetricsListen { given: String },
    #[error("the setting trusted_proxies: {given:?} is neither an address nor a network")]
    TrustedProxies { given: String },
    #[error("the setting webhooks.allowed_networks: {given:?} is neither an address nor a network")]
    AllowedNetworks { given: String },
    #[error("{given} is set and {missing} is not: HTTPS needs both")]
    HalfOfCertificate { given: &'static str, missing: &'static str },
    #[error(transparent)]
    Sales(#[from] SalesError),
    #[error(transparent)]
    Traces(#[from] TracesError),
    #[error(transparent)]
    Sso(#[from] SsoSettingsError),
}

/// Why the text of one setting has the wrong type.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    #[error("there is no setting {name}")]
    Unknown { name: String },
    #[error("{name} must be a whole number, not {given:?}")]
    Number { name: String, given: String },
    #[error("{name} must be true or false, not {given:?}")]
    Boolean { name: String, given: String },
}

/// What is wrong with the settings of payments or of the seller.
#[derive(Debug, thiserror::Error)]
pub enum SalesError {
    #[error("the setting {name} is missing: Razorpay needs all three")]
    IncompleteRazorpay { name: &'static str },
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error(
        "the settings payments.smallest and payments.largest must be in order, from 1 to \
         {MAX_LARGEST}"
    )]
    Amounts,
    #[error("the setting {name} is missing: with Razorpay invoices need it")]
    IncompleteSeller { name: &'static str },
    #[error("the setting seller.gstin: {0}")]
    Gstin(#[source] IdError),
    #[error("the setting seller.invoice_series must have 1 to {MAX_SERIES} letters or digits")]
    InvoiceSeries,
}

/// What is wrong with the settings of single sign-on.
#[derive(Debug, thiserror::Error)]
pub enum SsoSettingsError {
    #[error("the setting {name} is missing: single sign-on needs it")]
    Missing { name: &'static str },
    #[error(
        "single sign-on needs at least one of the settings sso.owner_groups, \
         sso.developer_groups and sso.billing_groups"
    )]
    NoGroups,
    #[error("the setting sso.scopes must contain openid")]
    NoOpenid,
    #[error(transparent)]
    Url(#[from] UrlError),
}

/// What is wrong with the settings of traces.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    #[error("the setting tracing.sample_per_thousand must be 0 to {PER_THOUSAND}, not {given}")]
    Sample { given: u32 },
    #[error("the setting tracing.service_name must not be empty")]
    NoServiceName,
    #[error(
        "the setting tracing.otlp_endpoint must be a URL such as http://127.0.0.1:4318/v1/traces"
    )]
    Endpoint,
}

fn question(similar: &Option<String>) -> String {
    similar.as_ref().map_or_else(String::new, |similar| format!("; did you mean {similar}?"))
}

fn contrast(given: &Option<Value>) -> String {
    given.as_ref().map_or_else(String::new, |given| format!(", not {given}"))
}

fn present(given: &Option<Value>) -> String {
    given.as_ref().map_or_else(String::new, |given| format!(" is {given}"))
}

fn first_line(cause: &toml::de::Error) -> String {
    cause.to_string().lines().next().unwrap_or_default().to_owned()
}
