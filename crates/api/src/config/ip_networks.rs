//! Settings about the proxy in front of the service, and the networks that settings and keys name.

use ipnet::{IpNet, Ipv4Net};
use serde::Deserialize;

use super::Config;
use super::error::ConfigError;

/// The header that contains the client's address. Only one is read: a proxy that sets one passes
/// the other on as the client sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ProxyHeader {
    /// Written by most proxies.
    #[serde(rename = "X-Forwarded-For")]
    XForwardedFor,
    /// RFC 7239.
    #[serde(rename = "Forwarded")]
    Forwarded,
}

impl ProxyHeader {
    pub fn name(self) -> &'static str {
        match self {
            ProxyHeader::XForwardedFor => "x-forwarded-for",
            ProxyHeader::Forwarded => "forwarded",
        }
    }
}

impl Config {
    pub fn trusted_networks(&self) -> Result<Vec<IpNet>, ConfigError> {
        let entries = self.trusted_proxies.split(',').map(str::trim);
        let networks = entries.filter(|text| !text.is_empty()).map(|text| {
            parse_network(text)
                .ok_or_else(|| ConfigError::TrustedProxies { given: text.to_owned() })
        });
        networks.collect()
    }
}

/// A network in CIDR form, or one address. An IPv4-mapped IPv6 network such as
/// `::ffff:203.0.113.0/120` becomes the IPv4 network, because client addresses are compared in
/// canonical form.
pub fn parse_network(text: &str) -> Option<IpNet> {
    let network: IpNet =
        text.parse().ok().or_else(|| text.parse::<std::net::IpAddr>().ok().map(Into::into))?;
    let mapped = match network {
        IpNet::V6(v6) if v6.prefix_len() >= 96 => v6.addr().to_ipv4_mapped(),
        _ => None,
    };
    let v4_network = mapped.and_then(|v4| Ipv4Net::new(v4, network.prefix_len() - 96).ok());
    Some(v4_network.map_or(network, IpNet::V4))
}
