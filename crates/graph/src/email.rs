//! The domain of a company's email address, unless it is shared by the public.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Domains on which anyone can have an address. Two companies with such addresses have nothing in common.
const PUBLIC: &str = "126.com 163.com aol.com airtelmail.in bsnl.in dataone.in email.com eth.net \
     fastmail.com gmail.co.in gmail.com gmail.in gmx.com googlemail.com hotmail.co.in \
     hotmail.co.uk hotmail.com hotmail.in icloud.com inbox.com in.com indiatimes.com \
     lawyer.com live.co.in live.com live.in mac.com mail.com mail.ru me.com msn.com \
     mtnl.net.in outlook.com outlook.in proton.me protonmail.com qq.com rediff.com \
     rediffmail.co.in rediffmail.com rediffmail.in rocketmail.com sancharnet.in sify.com \
     satyam.net.in tutanota.com usa.net vsnl.com vsnl.in vsnl.net vsnl.net.in yahoo.co.in \
     yahoo.co.uk yahoo.com yahoo.in yandex.com ymail.com zohomail.com zohomail.in";
/// As in DNS.
const MAX_DOMAIN: usize = 253;

/// The domain of an address in lower case; none without one, and for public email providers.
pub fn email_domain(address: &str) -> Option<String> {
    let (name, domain) = address.trim().rsplit_once('@')?;
    let domain = domain.trim().trim_end_matches('.').to_ascii_lowercase();
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let well_formed = !name.is_empty()
        && domain.len() <= MAX_DOMAIN
        && domain.contains('.')
        && domain.split('.').all(is_label);
    (well_formed && !is_public(&domain)).then_some(domain)
}

fn is_public(domain: &str) -> bool {
    static KNOWN: LazyLock<FxHashSet<&str>> = LazyLock::new(|| PUBLIC.split_whitespace().collect());
    KNOWN.contains(domain)
}
