//! Which addresses a webhook may have. The service must not send requests into its own network for somebody
//! else, so only addresses of the public internet are permitted, and those that the operator allows.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Unspecified,
    Loopback,
    /// Also the address under which clouds serve credentials to their machines.
    LinkLocal,
    Private,
    /// Shared by the customers of a provider (RFC 6598).
    Shared,
    Multicast,
    Documentation,
    Benchmarking,
    /// Leads to an address that is not stated, through a tunnel or a translator.
    Tunnel,
    Reserved,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Refusal::Unspecified => "an unspecified address",
            Refusal::Loopback => "a loopback address",
            Refusal::LinkLocal => "a link-local address",
            Refusal::Private => "a private address",
            Refusal::Shared => "an address of a provider's internal network",
            Refusal::Multicast => "a multicast address",
            Refusal::Documentation => "an address for documentation",
            Refusal::Benchmarking => "an address for benchmarks",
            Refusal::Tunnel => "an address of a tunnel",
            Refusal::Reserved => "a reserved address",
        })
    }
}

/// The networks of IPv4 that are not public (IANA's registry of special addresses), as address, length of the prefix
/// and reason.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32, Refusal); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, Refusal::Unspecified),
    (Ipv4Addr::new(10, 0, 0, 0), 8, Refusal::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, Refusal::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, Refusal::Loopback),
    (Ipv4Addr::new(169, 254, 0, 0), 16, Refusal::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, Refusal::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, Refusal::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, Refusal::Documentation),
    (Ipv4Addr::new(192, 88, 99, 0), 24, Refusal::Tunnel),
    (Ipv4Addr::new(192, 168, 0, 0), 16, Refusal::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, Refusal::Benchmarking),
    (Ipv4Addr::new(198, 51, 100, 0), 24, Refusal::Documentation),
    (Ipv4Addr::new(203, 0, 113, 0), 24, Refusal::Documentation),
    (Ipv4Addr::new(224, 0, 0, 0), 4, Refusal::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, Refusal::Reserved),
    // Serves the machines of a cloud, as a link-local address does in others.
    (Ipv4Addr::new(168, 63, 129, 16), 32, Refusal::LinkLocal),
];

/// The networks of IPv6 that are refused for a reason of their own. Whatever else is outside of 2000::/3, the
/// only range from which public addresses are given out, is reserved.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32, Refusal); 15] = [
    (Ipv6Addr::UNSPECIFIED, 128, Refusal::Unspecified),
    (Ipv6Addr::LOCALHOST, 128, Refusal::Loopback),
    // IPv4-compatible, deprecated.
    (Ipv6Addr::UNSPECIFIED, 96, Refusal::Tunnel),
    // NAT64 with a prefix of the local network's choice.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, Refusal::Tunnel),
    // Teredo.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, Refusal::Tunnel),
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48, Refusal::Benchmarking),
    // The rest of the protocol assignments.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, Refusal::Reserved),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, Refusal::Documentation),
    // 6to4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, Refusal::Tunnel),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, Refusal::Documentation),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, Refusal::Private),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, Refusal::LinkLocal),
    // Site-local, deprecated.
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, Refusal::Private),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, Refusal::Multicast),
    // Discarded by every router.
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, Refusal::Reserved),
];
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// The well-known prefix of NAT64: the last 32 bits are the IPv4 address that is reached.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Checks that an address belongs to the public internet.
pub fn is_public(address: IpAddr) -> Result<(), Refusal> {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) if is_within_v6(address, NAT64) => {
            is_public_v4(Ipv4Addr::from_bits(address.to_bits() as u32))
        }
        IpAddr::V6(address) => {
            let special = NOT_PUBLIC_V6
                .iter()
                .find(|(network, prefix, _)| is_within_v6(address, (*network, *prefix)));
            match special {
                Some((_, _, refusal)) => Err(*refusal),
                None if is_within_v6(address, GLOBAL_UNICAST) => Ok(()),
                None => Err(Refusal::Reserved),
            }
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> Result<(), Refusal> {
    let is_within = |network: Ipv4Addr, prefix: u32| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= prefix
    };
    match NOT_PUBLIC_V4.iter().find(|(network, prefix, _)| is_within(*network, *prefix)) {
        Some((_, _, refusal)) => Err(*refusal),
        None => Ok(()),
    }
}

fn is_within_v6(address: Ipv6Addr, (network, prefix): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ network.to_bits()).leading_zeros() >= prefix
}

/// Decides about addresses: public ones, and those in the networks that the operator allows.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    pub allowed: Vec<IpNet>,
}

impl Guard {
    pub fn check(&self, address: IpAddr) -> Result<(), Refusal> {
        let canonical = address.to_canonical();
        if self.allowed.iter().any(|network| network.contains(&canonical)) {
            return Ok(());
        }
        is_public(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: Result<(), Refusal>) {
        let parsed: IpAddr = address.parse().expect("an address");
        assert_eq!(is_public(parsed), expected, "{address}");
    }

    #[test]
    fn only_public_addresses_of_ipv4_are_permitted() {
        for public in ["8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.255.255"] {
            check(public, Ok(()));
        }
        for public in ["172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255"]
        {
            check(public, Ok(()));
        }
        for (address, refusal) in [
            ("0.0.0.0", Refusal::Unspecified),
            ("0.1.2.3", Refusal::Unspecified),
            ("10.0.0.1", Refusal::Private),
            ("10.255.255.255", Refusal::Private),
            ("100.64.0.0", Refusal::Shared),
            ("100.127.255.255", Refusal::Shared),
            ("127.0.0.1", Refusal::Loopback),
            ("127.255.255.255", Refusal::Loopback),
            ("168.63.129.16", Refusal::LinkLocal),
            ("169.254.0.1", Refusal::LinkLocal),
            ("169.254.169.254", Refusal::LinkLocal),
            ("172.16.0.1", Refusal::Private),
            ("172.31.255.255", Refusal::Private),
            ("192.0.0.8", Refusal::Reserved),
            ("192.0.2.1", Refusal::Documentation),
            ("192.88.99.1", Refusal::Tunnel),
            ("192.168.1.1", Refusal::Private),
            ("198.18.0.1", Refusal::Benchmarking),
            ("198.19.255.255", Refusal::Benchmarking),
            ("198.51.100.7", Refusal::Documentation),
            ("203.0.113.7", Refusal::Documentation),
            ("224.0.0.1", Refusal::Multicast),
            ("239.255.255.255", Refusal::Multicast),
            ("240.0.0.1", Refusal::Reserved),
            ("255.255.255.255", Refusal::Reserved),
        ] {
            check(address, Err(refusal));
        }
    }

    #[test]
    fn only_public_addresses_of_ipv6_are_permitted() {
        for public in ["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450::1", "3ffe::1"] {
            check(public, Ok(()));
        }
        for (address, refusal) in [
            ("::", Refusal::Unspecified),
            ("::1", Refusal::Loopback),
            ("::7f00:1", Refusal::Tunnel),
            ("::8.8.8.8", Refusal::Tunnel),
            ("64:ff9b:1::1", Refusal::Tunnel),
            ("100::1", Refusal::Reserved),
            ("2001::1", Refusal::Tunnel),
            ("2001:2::1", Refusal::Benchmarking),
            ("2001:10::1", Refusal::Reserved),
            ("2001:20::1", Refusal::Reserved),
            ("2001:db8::1", Refusal::Documentation),
            ("2002:7f00:1::1", Refusal::Tunnel),
            ("2002:808:808::1", Refusal::Tunnel),
            ("3fff::1", Refusal::Documentation),
            ("4000::1", Refusal::Reserved),
            ("5f00::1", Refusal::Reserved),
            ("fc00::1", Refusal::Private),
            ("fd00:ec2::254", Refusal::Private),
            ("fe80::1", Refusal::LinkLocal),
            ("fec0::1", Refusal::Private),
            ("ff02::1", Refusal::Multicast),
        ] {
            check(address, Err(refusal));
        }
    }

    #[test]
    fn an_address_of_ipv4_inside_ipv6_is_judged_as_the_one_that_is_reached() {
        check("::ffff:127.0.0.1", Err(Refusal::Loopback));
        check("::ffff:169.254.169.254", Err(Refusal::LinkLocal));
        check("::ffff:10.1.2.3", Err(Refusal::Private));
        check("::ffff:8.8.8.8", Ok(()));
        check("64:ff9b::127.0.0.1", Err(Refusal::Loopback));
        check("64:ff9b::169.254.169.254", Err(Refusal::LinkLocal));
        check("64:ff9b::8.8.8.8", Ok(()));
    }

    #[test]
    fn the_operator_can_allow_networks() {
        let allowed = vec!["127.0.0.0/8".parse().expect("a network")];
        let guard = Guard { allowed };
        let check = |text: &str| guard.check(text.parse().expect("an address"));
        assert_eq!(check("127.0.0.1"), Ok(()));
        assert_eq!(check("::ffff:127.0.0.1"), Ok(()));
        assert_eq!(check("::1"), Err(Refusal::Loopback));
        assert_eq!(check("10.0.0.1"), Err(Refusal::Private));
    }
}
