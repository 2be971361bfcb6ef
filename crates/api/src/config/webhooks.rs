//! The settings of webhooks.

use std::num::NonZeroU32;

use ipnet::IpNet;
use serde::Deserialize;

use super::error::ConfigError;
use super::ip_networks::parse_network;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebhookSettings {
    /// Webhooks of an account in each mode.
    pub per_account: NonZeroU32,
    /// Whether messages may be sent without TLS.
    pub allow_http: bool,
    /// Networks, in addition to the public internet, to which messages may be sent, separated by commas.
    pub allowed_networks: String,
    /// Retention of attempts.
    pub keep_days: NonZeroU32,
}

impl WebhookSettings {
    pub fn networks(&self) -> Result<Vec<IpNet>, ConfigError> {
        let entries = self.allowed_networks.split(',').map(str::trim);
        let networks = entries.filter(|text| !text.is_empty()).map(|text| {
            parse_network(text)
                .ok_or_else(|| ConfigError::AllowedNetworks { given: text.to_owned() })
        });
        networks.collect()
    }
}
