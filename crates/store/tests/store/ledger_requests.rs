//! Reading usage: the log by pages and filters, and sums that do not change when rows are rolled
//! up.

use panji_store::calendar::ist_day;
use panji_store::ledger::{
    Debit, HealthHour, HealthMinutes, Mode, NewKey, RequestDetails, RequestFilter, UsageGroup,
    request_ids_from,
};
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
    RequestFilter { to_ms: NOW_MS + 10 * DAY_MS, ..RequestFilter::all(Mode::Live) }
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
        let newer = RequestFilter { after_id: id(2), ..everything() };
        assert_eq!(list(newer, 9).await, [id(4), id(3)]);
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

#[test]
fn the_log_is_searched_by_subject_message_code_price_and_duration() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1_000).await;
        for (number, (subject, message)) in
            [("Kalpanik 50%", None), ("99999404", Some("No such_director."))]
                .into_iter()
                .enumerate()
        {
            let number = u8::try_from(number).unwrap();
            let details = RequestDetails {
                subject: Some(subject.into()),
                duration_us: Some(1_000 * i64::from(number)),
                target: Some("GET /v1/directors/99999404".into()),
                error_message: message.map(Into::into),
                person_id: Some("per_1".into()),
            };
            let call = call_at(&account_id, NOW_MS, number.into(), "getDirector");
            charge(&ledger, Debit { details, ..call }, 0).await;
        }
        let list = async |filter: RequestFilter| {
            let rows = ledger.list_requests(&account_id, &filter, 9).await.unwrap();
            rows.into_iter().filter_map(|row| row.subject).collect::<Vec<_>>()
        };
        let text = |text: &str| RequestFilter { text: text.to_owned(), ..everything() };
        assert_eq!(list(text("KALPANIK")).await, ["Kalpanik 50%"]);
        assert_eq!(list(text("0%")).await, ["Kalpanik 50%"], "not a wildcard");
        assert_eq!(list(text("SUCH_D")).await, ["99999404"]);
        assert_eq!(list(text("such-d")).await, [""; 0], "not a wildcard");
        let slow = RequestFilter { min_duration_us: 500, ..everything() };
        assert_eq!(list(slow).await, ["99999404"]);
        assert_eq!(list(RequestFilter { min_credits: 4, ..everything() }).await, [""; 0]);
        let failed = RequestFilter { error_code: "company_not_found".into(), ..everything() };
        assert_eq!(list(failed).await, [""; 0]);
        let day = ist_day(NOW_MS);
        let sums = ledger.sum_usage(&account_id, Mode::Live, (&day, &day)).await.unwrap();
        assert_eq!((sums.len(), sums[0].calls), (1, 2));
        assert_eq!(sums[0].person_id.as_deref(), Some("per_1"));
    });
}

#[test]
fn a_key_that_expires_soon_is_reported_once() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let account_id = account_with(&ledger, 1).await;
        let create = async |byte: u8, days: i64| {
            let text = panji_store::ledger::KeyText::generate(
                panji_store::ledger::KeyKind::Api,
                Mode::Live,
                |bytes| bytes.fill(byte),
            );
            let new = NewKey { expires_at: Some(NOW_MS + days * DAY_MS), ..NewKey::default() };
            ledger.create_key(&account_id, &text, new, NOW_MS).await.unwrap().id
        };
        let long = create(1, 30).await;
        let revoked = create(2, 30).await;
        create(3, 3).await;
        ledger.revoke_key(&revoked, NOW_MS).await.unwrap();
        let take = async |days: i64| {
            let keys = ledger.take_expiring_keys(NOW_MS + days * DAY_MS).await.unwrap();
            keys.into_iter().map(|key| key.id).collect::<Vec<_>>()
        };
        assert_eq!(take(1).await, [""; 0], "made for a short time");
        assert_eq!(take(22).await, [""; 0], "too early");
        assert_eq!(take(24).await, [long]);
        assert_eq!(take(25).await, [""; 0], "once");
    });
}

#[test]
fn minutes_of_health_are_added_up_by_hour_and_deleted_by_age() {
    on_every_engine(async |databases| {
        let ledger = databases.ledger().await;
        let minutes = |operational, down| HealthMinutes { operational, degraded: 0, down };
        for (hour, minutes) in [(7, minutes(3, 0)), (7, minutes(0, 2)), (5, minutes(1, 0))] {
            ledger.add_health(HealthHour { hour, minutes }).await.unwrap();
        }
        let kept = ledger.list_health(6).await.unwrap();
        assert_eq!(kept, [HealthHour { hour: 7, minutes: minutes(3, 2) }]);
        assert_eq!(ledger.delete_expired_health(7).await.unwrap(), 1);
        assert_eq!(ledger.list_health(0).await.unwrap().len(), 1);
    });
}
