//! Tests of rate limits: per key, per key for bulk calls, and per address for unknown keys; and of memory
//! that must not grow with the number of calls.

use panji_store::ledger::{KeyKind, KeyText, Mode};

use crate::accounts::Account;
use crate::http::{Client, Reply};
use crate::load::bulk_body;
use crate::node::Node;
use crate::program::{Program, embedded, on_each_engine};

const PATH: &str = "/v1/verify/din/99000501";
const GUESSES: usize = 20_000;
const GUESSERS: usize = 4;
const PAST_DAY: &str = "/v1/companies/L17111MH1994PLC990011?as_of=2026-06-30";
/// Calls before memory is measured; a call reads tables of 200 kB or more.
const PAST_READS: usize = 60;
/// A round that adds less than this is stable: about 200 bytes for each key tried.
const MAX_GROWTH_KB: u64 = 4 * 1024;
/// Rounds after which memory must be stable.
const MAX_ROUNDS: usize = 5;

fn unknown_key() -> String {
    let key = KeyText::generate(KeyKind::Api, Mode::Live, |bytes| getrandom::fill(bytes).unwrap());
    key.as_str().to_owned()
}

/// The `r` of `"key";r=2;t=3`.
fn left(reply: &Reply) -> u32 {
    let field = reply.header("ratelimit").unwrap();
    let left = field.split(';').find_map(|part| part.strip_prefix("r="));
    left.unwrap().parse().unwrap()
}

fn slow(program: &Program) -> Program {
    program
        .with("PANJI_RATE_LIMIT__PER_SECOND", "1")
        .with("PANJI_RATE_LIMIT__BURST", "30")
        .with("PANJI_BULK_RATE_LIMIT__PER_SECOND", "1")
        .with("PANJI_BULK_RATE_LIMIT__BURST", "10")
}

/// Calls until the rate is exceeded; checks every response and returns the refusal.
fn exhaust(burst: u32, policy: &str, mut call: impl FnMut() -> Reply) -> Reply {
    let mut before = burst;
    // The allowance refills meanwhile, so a few more calls than the burst may pass.
    for number in 0..burst * 4 {
        let reply = call();
        let stated = reply.header("ratelimit-policy").unwrap();
        assert_eq!(stated, format!("\"{policy}\";q={burst};w={burst}"));
        if reply.status == 429 {
            assert!(number >= burst, "refused after {number} calls");
            return reply;
        }
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert!(left(&reply) < burst && left(&reply) <= before, "{:?}", reply.headers);
        before = left(&reply) + 2;
    }
    panic!("never refused");
}

#[test]
fn a_key_that_calls_too_fast_gets_429_with_retry_after() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 1_000);
        let (key, other) = (account.key("live"), account.key("live"));
        let node = slow(program).serve();
        let mut client = node.client(&key);
        let refusal = exhaust(30, "key", || client.get(PATH).unwrap());
        assert_eq!(refusal.code(), "rate_limited");
        assert!((1..=2).contains(&refusal.retry_after().unwrap()), "{:?}", refusal.headers);
        assert_eq!(left(&refusal), 0);
        assert_eq!(refusal.charged(), 0);
        assert!(refusal.json()["data"].is_null());
        assert_eq!(node.get(&other, PATH).status, 200, "another key has its own limit");

        let bulk = || node.post(&key, "/v1/bulk/verify", &[], &bulk_body(1));
        let refusal = exhaust(10, "bulk", bulk);
        assert_eq!(refusal.code(), "rate_limited");
        let seconds = refusal.retry_after().unwrap();
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        assert_eq!(bulk().status, 200, "Retry-After is right");
        account.audit();
    });
}

#[test]
fn guessing_keys_from_one_address_is_limited_while_a_valid_key_works() {
    on_each_engine(|program| {
        let account = Account::with_credits(program, 1_000);
        let key = account.key("live");
        let node = program
            .with("PANJI_GUESS_LIMIT__PER_MINUTE", "1")
            .with("PANJI_GUESS_LIMIT__BURST", "6")
            .serve();
        // Three kinds of invalid keys count alike: unknown, mistyped, and not a key at all.
        let bad = |turn: usize| match turn % 3 {
            0 => unknown_key(),
            1 => format!("{}x", &unknown_key()[..39]),
            _ => "hello".to_owned(),
        };
        for turn in 0..6 {
            let reply = node.get(&bad(turn), PATH);
            assert_eq!((reply.status, reply.code().as_str()), (401, "invalid_api_key"));
            assert_eq!(node.get(&key, PATH).status, 200);
        }
        for turn in 0..6 {
            let reply = node.get(&bad(turn), PATH);
            assert_eq!((reply.status, reply.code().as_str()), (429, "rate_limited"));
            assert!((1..=61).contains(&reply.retry_after().unwrap()), "{:?}", reply.headers);
            assert_eq!(node.get(&key, PATH).status, 200, "a valid key is not limited");
        }
        let missing = Client::new(node.address, None).get(PATH).unwrap();
        assert_eq!(missing.code(), "missing_api_key", "a missing key is not a guess");
    });
}

#[test]
fn addresses_of_one_ipv6_network_share_a_limit() {
    embedded(|program| {
        let node = program
            .with("PANJI_GUESS_LIMIT__PER_MINUTE", "1")
            .with("PANJI_GUESS_LIMIT__BURST", "3")
            .with("PANJI_BEHIND_PROXY", "true")
            .serve();
        let guess = |from: &str| {
            let mut client = node.client(&unknown_key());
            client.send("GET", PATH, &[("X-Forwarded-For", from)], b"").unwrap().status
        };
        for host in 1..=3 {
            assert_eq!(guess(&format!("2001:db8:1:2::{host}")), 401);
        }
        assert_eq!(guess("2001:db8:1:2:ffff::9"), 429, "one customer's network is one guesser");
        assert_eq!(guess("2001:db8:1:3::1"), 401, "the next network is another");
        assert_eq!(guess("192.0.2.1"), 401);
    });
}

#[test]
fn memory_stays_bounded_while_twenty_thousand_unknown_keys_are_tried() {
    embedded(|program| {
        let node = program
            .with("PANJI_GUESS_LIMIT__PER_MINUTE", "1000000")
            .with("PANJI_GUESS_LIMIT__BURST", "1000000")
            .with("RUST_LOG", "warn")
            .serve();
        // What is freed after the start would hide growth.
        guess_many(&node, GUESSES);
        // The allocator takes a while to become stable. What is kept for each key would grow in every round.
        let mut sizes = vec![resident_kb(&node)];
        while sizes.len() < 2 || sizes[sizes.len() - 1] >= sizes[sizes.len() - 2] + MAX_GROWTH_KB {
            assert!(
                sizes.len() <= MAX_ROUNDS,
                "resident memory after each round, in kB: {sizes:?}"
            );
            guess_many(&node, GUESSES);
            sizes.push(resident_kb(&node));
        }
    });
}

#[test]
fn memory_stays_bounded_while_a_past_day_is_read() {
    embedded(|program| {
        let key = Account::with_credits(program, 1_000).key("test");
        let node = program.with("PANJI_RATE_LIMIT__BURST", "1000000").serve();
        let mut client = node.client(&key);
        let mut read = |times| {
            for _ in 0..times {
                assert_eq!(client.get(PAST_DAY).unwrap().status, 200);
            }
            resident_kb(&node)
        };
        // What is freed after the start would hide growth.
        let before = read(PAST_READS);
        let after = read(4 * PAST_READS);
        assert!(after < before + 5 * MAX_GROWTH_KB, "from {before} kB to {after} kB");
    });
}

fn guess_many(node: &Node, count: usize) {
    std::thread::scope(|scope| {
        for _ in 0..GUESSERS {
            scope.spawn(|| {
                let mut connection = crate::http::connect(node.address).unwrap();
                for _ in 0..count / GUESSERS {
                    let request = format!(
                        "GET {PATH} HTTP/1.1\r\nHost: panji\r\nAuthorization: Bearer {}\r\n\r\n",
                        unknown_key()
                    );
                    std::io::Write::write_all(connection.get_mut(), request.as_bytes()).unwrap();
                    assert_eq!(crate::http::read_reply(&mut connection).unwrap().status, 401);
                }
            });
        }
    });
}

pub fn resident_kb(node: &Node) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", node.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse().unwrap()
}
