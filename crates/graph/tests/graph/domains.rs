//! Which email domains link companies.

use panji_graph::email_domain;

#[test]
fn a_domain_of_one_owner_is_kept_and_a_public_one_is_not() {
    for (address, domain) in [
        ("cs@Kalpanik.Example", Some("kalpanik.example")),
        (" accounts@sub.kalpanik.example. ", Some("sub.kalpanik.example")),
        ("someone@gmail.com", None),
        ("someone@REDIFFMAIL.COM", None),
        ("someone@yahoo.co.in", None),
        ("kalpanik.example", None),
        ("@kalpanik.example", None),
        ("a@localhost", None),
        ("a@b..example", None),
        ("a@[EMAIL]", None),
        ("", None),
    ] {
        assert_eq!(email_domain(address).as_deref(), domain, "{address}");
    }
}
