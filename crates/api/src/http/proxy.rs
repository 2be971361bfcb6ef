//! The client's address behind trusted proxies.

use std::net::{IpAddr, SocketAddr};
use std::sync::Once;

use axum::http::HeaderMap;
use ipnet::IpNet;
use rfc7239::NodeName;

use crate::config::Config;
use crate::config::error::ConfigError;
use crate::config::ip_networks::ProxyHeader;

/// The settings of the proxies in front of this service.
pub struct Proxies {
    behind_proxy: bool,
    trusted: Vec<IpNet>,
    header: ProxyHeader,
    warned: Once,
}

impl Proxies {
    pub fn of(config: &Config) -> Result<Proxies, ConfigError> {
        let trusted = config.trusted_networks()?;
        let (behind_proxy, header) = (config.behind_proxy, config.proxy_header);
        Ok(Proxies { behind_proxy, trusted, header, warned: Once::new() })
    }

    fn trust(&self, address: IpAddr) -> bool {
        self.behind_proxy && self.trusted.iter().any(|network| network.contains(&address))
    }

    /// The client's address. Each proxy appends the address that called it, so the list is read
    /// from the end for as long as the addresses are trusted proxies.
    pub fn client_address(&self, connected: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = connected.to_canonical();
        if !self.trust(client) {
            if self.behind_proxy && headers.contains_key(self.header.name()) {
                self.warn_once(client);
            }
            return client;
        }
        for address in self.forwarded_addresses(headers).iter().rev() {
            // A proxy may hide its client; then the proxy's own address is used.
            let Some(address) = address else { break };
            client = *address;
            if !self.trust(client) {
                break;
            }
        }
        client
    }

    /// Warns about a header from an untrusted address. The likely cause is a proxy missing in the
    /// settings, and then all clients share one address.
    fn warn_once(&self, connected: IpAddr) {
        self.warned.call_once(|| {
            let header = self.header.name();
            tracing::warn!(
                "{header} came from {connected}, which is not in trusted_proxies, and is ignored: \
                 if that is your proxy, name it there"
            );
        });
    }

    /// The addresses in the header, in order; none for one that is hidden or malformed.
    fn forwarded_addresses(&self, headers: &HeaderMap) -> Vec<Option<IpAddr>> {
        let lines =
            headers.get_all(self.header.name()).iter().map(|line| line.to_str().unwrap_or("?"));
        match self.header {
            ProxyHeader::XForwardedFor => {
                lines.flat_map(|line| line.split(',')).map(|text| address_of(text.trim())).collect()
            }
            ProxyHeader::Forwarded => lines.flat_map(forwarded_for).collect(),
        }
    }
}

/// The `for` addresses of one `Forwarded` line; none for one that is hidden or malformed.
fn forwarded_for(line: &str) -> Vec<Option<IpAddr>> {
    rfc7239::parse(line)
        .map(|element| match element.ok()?.forwarded_for?.name {
            NodeName::Ip(address) => Some(address.to_canonical()),
            _ => None,
        })
        .collect()
}

/// An address with or without a port, IPv6 with or without brackets.
fn address_of(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let address = bare.parse().ok().or_else(with_port)?;
    Some(address.to_canonical())
}
