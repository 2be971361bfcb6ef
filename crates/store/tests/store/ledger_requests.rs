//! Reading usage: the log by pages and filters, and sums that do not change when rows are rolled
//! up.

use panji_store::calendar::ist_day;
use panji_store::ledger::{Debit, Mode, RequestFilter, UsageGroup, request_ids_from};
use panji_testkit::{NOW_MS, on_every_engine};

use crate::{DAY_MS, account_with, call, charge};

fn request_id(at_ms: i64, number: u128) -> String {
    let ms = u64::try_from(at_ms).unwrap();
    format!("req_{}", ulid::Ulid::from_parts(ms, number))
}

fn call_at(account_id: &str, at_ms: i64, number: u128, operation: &'static str) -> Debit {
    Debit { operation, at_ms, ..call(account_id, &request_id(at_ms, number), 3) }
}

fn everything() -> RequestFilter {
    RequestFilter {
        mode: Mode::Live,
        from_ms: 0,
        to_ms: NOW_MS + 10 * DAY_MS,
        operation: String::new(),
        key_id: String::new(),
        min_status: 0,
        max_status: 999,
        before_id: String::new(),
    }
}

#[test]
fn the_log_is_read_newest_first_page_by_page_and_by_filter() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        for number in 0..5 {
            let at_ms = NOW_MS + i64::try_from(number).unwrap() * DAY_MS;
            let operation = if number == 2 { "getGst" } else { "getCompany" };
            charge(&ledger, call_at(&account_id, at_ms, number, operation), 0).await;
        }
        let list = async |filter: RequestFilter, limit| {
            let rows = ledger.list_requests(&account_id, &filter, limit).await.unwrap();
            rows.into_iter().map(|row| row.request_id).collect::<Vec<_>>()
        };
        let id = |number: u8| request_id(NOW_MS + i64::from(number) * DAY_MS, number.into());
        assert_eq!(list(everything(), 2).await, [id(4), id(3)]);
        let older = RequestFilter { before_id: id(3), ..everything() };
        assert_eq!(list(older, 9).await, [id(2), id(1), id(0)]);
        let gst = RequestFilter { operation: "getGst".into(), ..everything() };
        assert_eq!(list(gst, 9).await, [id(2)]);
        let days =
            RequestFilter { from_ms: NOW_MS + DAY_MS, to_ms: NOW_MS + 3 * DAY_MS, ..everything() };
        assert_eq!(list(days, 9).await, [id(2), id(1)]);
        let failed = RequestFilter { min_status: 400, ..everything() };
        assert_eq!(list(failed, 9).await, [""; 0]);
        let key = RequestFilter { key_id: "key_namuna".into(), ..everything() };
        assert_eq!(list(key, 9).await.len(), 5);
        assert_eq!(list(RequestFilter { mode: Mode::Test, ..everything() }, 9).await, [""; 0]);
        let found = ledger.find_request(&account_id, &id(2)).await.unwrap().unwrap();
        assert_eq!((found.operation.as_str(), found.credits), ("getGst", 3));
        assert_eq!(ledger.find_request("acc_other", &id(2)).await.unwrap(), None);
        assert!(request_ids_from(NOW_MS) <= id(0) && request_ids_from(NOW_MS + 1) > id(0));
    });
}

#[test]
fn sums_are_the_same_before_and_after_the_roll_up() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        for number in 0..6 {
            let at_ms = NOW_MS + i64::try_from(number / 3).unwrap() * DAY_MS;
            charge(&ledger, call_at(&account_id, at_ms, number, "getGst"), 0).await;
        }
        let (first, last) = (ist_day(NOW_MS), ist_day(NOW_MS + DAY_MS));
        let sum = async |first: &str, last: &str| {
            let mut groups: Vec<UsageGroup> =
                ledger.sum_usage(&account_id, Mode::Live, (first, last)).await.unwrap();
            groups.sort_by(|one, other| one.day.cmp(&other.day));
            groups.into_iter().map(|group| (group.day, group.calls, group.credits)).collect()
        };
        let before: Vec<(String, i64, i64)> = sum(&first, &last).await;
        assert_eq!(before, [(first.clone(), 3, 9), (last.clone(), 3, 9)]);
        assert_eq!(ledger.roll_up_usage(&last).await.unwrap(), 3);
        assert_eq!(sum(&first, &last).await, before);
        assert_eq!(sum(&last, &last).await, before[1..]);
    });
}
