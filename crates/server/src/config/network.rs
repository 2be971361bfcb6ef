//! Addresses and networks in the settings.

use ipnet::{IpNet, Ipv4Net};
use serde::Deserialize;

use super::Config;

/// The header in which the proxies name the client. Only one is read: a proxy that fills the one
/// passes the other on as the client wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ProxyHeader {
    /// What most proxies write.
    #[serde(rename = "X-Forwarded-For")]
    XForwardedFor,
    /// What RFC 7239 describes.
    #[serde(rename = "Forwarded")]
    Forwarded,
}

impl ProxyHeader {
    /// The header's name.
    pub fn name(self) -> &'static str {
        match self {
            ProxyHeader::XForwardedFor => "x-forwarded-for",
            ProxyHeader::Forwarded => "forwarded",
        }
    }
}

impl Config {
    /// The networks of the proxies that are trusted.
    pub fn trusted_networks(&self) -> Result<Vec<IpNet>, String> {
        let listed = self.trusted_proxies.split(',').map(str::trim);
        let networks = listed.filter(|text| !text.is_empty()).map(|text| {
            parse_network(text).ok_or_else(|| {
                format!("the setting trusted_proxies: {text:?} is no address and no network")
            })
        });
        networks.collect()
    }
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
