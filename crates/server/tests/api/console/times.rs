//! Tests that times on pages are marked as Indian time.

use panji_store::calendar::now_ms;

use super::browser::{Browser, Page};
use crate::server::serve_embedded;

/// Counts the times of day on a page, each of which must end with IST.
#[track_caller]
fn count_times(page: &Page) -> usize {
    let text = page.text.as_str();
    let digits = |from: usize| {
        text.get(from..from + 2).is_some_and(|two| two.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut times = 0;
    for (at, _) in text.match_indices(':') {
        let follows_seconds = at >= 3 && text.as_bytes()[at - 3] == b':';
        if at < 2 || follows_seconds || !digits(at - 2) || !digits(at + 1) {
            continue;
        }
        let seconds = text[at + 3..].starts_with(':') && digits(at + 4);
        let rest = &text[at + if seconds { 6 } else { 3 }..];
        assert!(rest.starts_with(" IST"), "{}: {:.40}", page.path, &text[at - 20..]);
        times += 1;
    }
    times
}

#[test]
fn every_time_of_day_ends_with_ist() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, "asha@firm.example").await;
        browser.send("/console/keys", &[("mode", "test"), ("expires", "2999-12-31")]).await;
        let list = browser.open("/console/keys").await;
        let roll =
            format!("/console/keys/key_{}/roll", list.between("/console/keys/key_", "/roll"));
        let account = server.app.ledger.find_account("asha@firm.example").await.unwrap().unwrap();
        server.grant(&account.id, 500).await;
        server.app.ledger.set_operator(&account.id, Some(now_ms())).await.unwrap();
        browser.open("/console/companies/L17111MH1994PLC990011").await;
        browser.open("/console/bulk").await;
        let file = b"L17111MH1994PLC990011";
        browser.send_file("/console/bulk", &[("work", "verify")], file).await;
        assert_eq!(count_times(&list), 1);
        assert_eq!(count_times(&browser.send(&roll, &[("overlap_hours", "24")]).await), 1);
        for path in [
            "/console",
            "/console/requests",
            "/console/credits",
            "/console/account",
            "/console/bulk",
        ] {
            assert!(count_times(&browser.open(path).await) > 0, "{path} has no time");
        }
        let operator = format!("/console/operator/accounts/{}", account.id);
        assert!(count_times(&browser.open(&operator).await) > 0);
    });
}
