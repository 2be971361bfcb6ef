//! Tests of keys: which are accepted, from where, for what, and the limit on guessing.

use panji_store::calendar::now_ms;
use panji_store::ledger::{Mode, NewKey};

use crate::ask::{Ask, get};
use crate::server::{Key, Server, new_key_text, serve};

const COMPANY: &str = "/v1/companies/L17111MH1994PLC990011";

fn with(authorization: impl AsRef<[u8]>) -> Ask {
    get(COMPANY).header("authorization", authorization)
}

async fn restricted(server: &Server, new: NewKey) -> Key {
    let account_id = server.new_account().await;
    server.new_key(&account_id, Mode::Test, new).await
}

#[test]
fn only_a_complete_key_in_a_bearer_header_is_accepted() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let text = &key.text;
        for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            assert_eq!(server.send(with(format!("{scheme} {text}"))).await.status, 200, "{scheme}");
        }
        assert_eq!(server.send(with(format!("Bearer   {text}  "))).await.status, 200);
        let mut mistyped = text.clone();
        let last = if mistyped.ends_with('A') { 'B' } else { 'A' };
        mistyped.pop();
        mistyped.push(last);
        let swapped = text.replace("pk_test_", "pk_live_");
        for wrong in [
            String::new(),
            "Bearer".to_owned(),
            "Bearer ".to_owned(),
            text.clone(),
            format!("Basic {text}"),
            format!("Token {text}"),
            format!("Bearer\t{text}"),
            format!("Bearer {}", &text[..text.len() - 1]),
            format!("Bearer {text}A"),
            format!("Bearer {mistyped}"),
            format!("Bearer {swapped}"),
            format!("Bearer {}", text.to_lowercase()),
            format!("Bearer {}", text.replace("pk_", "sk_")),
            format!("Bearer {text} {text}"),
            format!("Bearer {text},Bearer {text}"),
            format!("Bearer \"{text}\""),
            format!("Bearer {}", "x".repeat(8_000)),
            "Bearer pk_test_".to_owned(),
            "Bearer sk_live_51H8…".to_owned(),
            format!("Bearer {}", new_key_text(Mode::Live).as_str()),
        ] {
            let response = server.send(with(&wrong)).await;
            assert_eq!(response.code(), "invalid_api_key", "{wrong}");
            assert!(!response.json.to_string().contains(text.as_str()), "the key is not repeated");
        }
        assert_eq!(server.send(with(b"Bearer \xFF\xFE")).await.code(), "invalid_api_key");
        let twice = with(format!("Bearer {text}")).key(&key);
        assert_eq!(server.send(twice).await.code(), "invalid_api_key");
        assert_eq!(server.send(get(COMPANY)).await.code(), "missing_api_key");
        let in_query = get(COMPANY).query(&format!("api_key={text}"));
        assert_eq!(server.send(in_query).await.code(), "missing_api_key");
    });
}

#[test]
fn a_key_of_another_service_is_unknown_here() {
    serve(&[], async |server| {
        let directory = tempfile::tempdir().unwrap();
        let other = Server::open(directory.path(), None, &[]).await;
        let foreign = other.test_key().await;
        assert_eq!(other.send(get(COMPANY).key(&foreign)).await.status, 200);
        assert_eq!(server.send(get(COMPANY).key(&foreign)).await.code(), "invalid_api_key");
        other.close().await;
    });
}

#[test]
fn a_key_works_until_it_expires() {
    serve(&[], async |server| {
        let expiring = |at| NewKey { expires_at: Some(at), ..NewKey::default() };
        let later = restricted(server, expiring(now_ms() + 3_600_000)).await;
        assert_eq!(server.send(get(COMPANY).key(&later)).await.status, 200);
        let expired = restricted(server, expiring(now_ms() - 1)).await;
        assert_eq!(server.send(get(COMPANY).key(&expired)).await.code(), "expired_api_key");
    });
}

#[test]
fn a_key_is_used_only_from_its_addresses() {
    serve(&[], async |server| {
        let allowed = [
            "10.1.0.0/16",
            "192.0.2.7",
            "2001:db8::/32",
            "::ffff:198.51.100.7",
            "::ffff:203.0.113.0/120",
        ];
        let allowed = allowed.map(str::to_owned).to_vec();
        let new = NewKey { allowed_addresses: allowed, ..NewKey::default() };
        let key = restricted(server, new).await;
        for (address, status) in [
            ("10.1.2.3", 200),
            ("192.0.2.7", 200),
            ("2001:db8::1", 200),
            ("::ffff:10.1.2.3", 200),
            ("198.51.100.7", 200),
            ("::ffff:198.51.100.7", 200),
            ("203.0.113.200", 200),
            ("198.51.100.8", 403),
            ("203.0.114.1", 403),
            ("10.2.0.1", 403),
            ("192.0.2.8", 403),
            ("2001:db9::1", 403),
        ] {
            let response = server.send(get(COMPANY).key(&key).from(address)).await;
            assert_eq!(response.status, status, "{address}");
        }
        let claimed = get(COMPANY).key(&key).from("10.2.0.1").header("x-forwarded-for", "10.1.2.3");
        assert_eq!(server.send(claimed).await.code(), "ip_not_allowed", "no proxy is trusted");
    });
}

#[test]
fn behind_proxies_the_last_address_that_is_not_a_proxy_counts() {
    let settings =
        [("behind_proxy", "true"), ("trusted_proxies", "127.0.0.1, 198.51.100.0/24, fd00::/8")];
    serve(&settings, async |server| {
        let new = NewKey { allowed_addresses: vec!["10.1.0.0/16".to_owned()], ..NewKey::default() };
        let key = restricted(server, new).await;
        for (connected, forwarded, status) in [
            ("127.0.0.1", "10.1.2.3", 200),
            ("127.0.0.1", "203.0.113.9, 10.1.2.3", 200),
            ("127.0.0.1", "10.1.2.3, 203.0.113.9", 403),
            ("127.0.0.1", "10.1.2.3, 198.51.100.7", 200),
            ("127.0.0.1", "10.1.2.3, 198.51.100.7, 198.51.100.8", 200),
            ("::ffff:198.51.100.7", "10.1.2.3:4711", 200),
            ("fd00::1", "[::ffff:10.1.2.3]:4711", 200),
            ("127.0.0.1", "10.1.2.3, unknown", 403),
            ("127.0.0.1", "10.1.2.3, unknown, 198.51.100.7", 403),
            ("127.0.0.1", "nonsense", 403),
            ("127.0.0.1", "", 403),
            ("203.0.113.9", "10.1.2.3", 403),
        ] {
            let ask = get(COMPANY).key(&key).from(connected).header("x-forwarded-for", forwarded);
            assert_eq!(server.send(ask).await.status, status, "{connected} says {forwarded}");
        }
        let other = get(COMPANY).key(&key).from("127.0.0.1").header("forwarded", "for=10.1.2.3");
        assert_eq!(server.send(other).await.status, 403, "a header that the proxies do not set");
    });
}

#[test]
fn proxies_may_send_the_forwarded_header_of_rfc_7239() {
    serve(&[("behind_proxy", "true"), ("proxy_header", "Forwarded")], async |server| {
        let new = NewKey { allowed_addresses: vec!["10.1.0.0/16".to_owned()], ..NewKey::default() };
        let key = restricted(server, new).await;
        for (forwarded, status) in [
            ("for=10.1.2.3;proto=https", 200),
            ("for=203.0.113.9, For=\"10.1.2.3:4711\";by=127.0.0.1", 200),
            ("for=10.1.2.3, for=\"[2001:db8::1]\"", 403),
            ("for=10.1.2.3, for=_hidden", 403),
            ("for=10.1.2.3, proto=https", 403),
            ("for=\"10.1.2.3, for=203.0.113.9", 403),
        ] {
            let ask = get(COMPANY).key(&key).from("127.0.0.1").header("forwarded", forwarded);
            assert_eq!(server.send(ask).await.status, status, "{forwarded}");
        }
        let other = get(COMPANY).key(&key).from("127.0.0.1").header("x-forwarded-for", "10.1.2.3");
        assert_eq!(server.send(other).await.status, 403, "a header that the proxies do not set");
    });
}

#[test]
fn a_key_calls_only_its_operations() {
    serve(&[], async |server| {
        let allowed = vec!["getCompany".to_owned(), "verifyPan".to_owned()];
        let key =
            restricted(server, NewKey { allowed_operations: allowed, ..NewKey::default() }).await;
        assert_eq!(server.send(get(COMPANY).key(&key)).await.status, 200);
        let pan = get("/v1/verify/pan/ZZACK4368A").key(&key);
        assert_eq!(server.send(pan).await.status, 200);
        let refused = get(format!("{COMPANY}/pan")).key(&key);
        assert_eq!(server.send(refused).await.code(), "endpoint_not_allowed");
    });
}

#[test]
fn all_keys_of_a_suspended_account_are_refused() {
    serve(&[], async |server| {
        let account_id = server.new_account().await;
        server.app.ledger.set_suspended(&account_id, Some(now_ms())).await.unwrap();
        for mode in Mode::ALL {
            let key = server.new_key(&account_id, mode, NewKey::default()).await;
            assert_eq!(server.send(get(COMPANY).key(&key)).await.code(), "account_suspended");
        }
        server.app.ledger.set_suspended(&account_id, None).await.unwrap();
        let key = server.new_key(&account_id, Mode::Test, NewKey::default()).await;
        assert_eq!(server.send(get(COMPANY).key(&key)).await.status, 200);
    });
}

#[test]
fn guessing_keys_is_limited_per_address() {
    let tight = [("guess_limit.per_minute", "1"), ("guess_limit.burst", "3")];
    serve(&tight, async |server| {
        let guess = |address: &str| {
            let unknown = new_key_text(Mode::Live);
            with(format!("Bearer {}", unknown.as_str())).from(address)
        };
        for _ in 0..3 {
            assert_eq!(server.send(guess("192.0.2.1")).await.code(), "invalid_api_key");
        }
        let refused = server.send(guess("192.0.2.1")).await;
        assert_eq!(refused.code(), "rate_limited");
        let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=61).contains(&seconds));
        let garbage = with("Bearer nonsense").from("192.0.2.1");
        assert_eq!(server.send(garbage).await.code(), "rate_limited");
        assert_eq!(server.send(guess("192.0.2.2")).await.code(), "invalid_api_key");
        let key = server.test_key().await;
        let known = get(COMPANY).key(&key).from("192.0.2.1");
        assert_eq!(server.send(known).await.status, 200, "guesses do not limit a valid key");
    });
}
