//! The account of a key, its usage, and single requests.

use std::collections::BTreeMap;

use panji_store::calendar::rfc3339;
use panji_store::ledger::{Key, Request, UsageGroup};
use serde::Serialize;
use utoipa::ToSchema;

use super::enums;

/// The account, the key and the terms of the caller.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Account {
    /// Whose key it is.
    pub account: AccountIdentity,
    /// The mode of the key.
    #[schema(value_type = enums::KeyMode)]
    pub mode: &'static str,
    /// The balance in this mode.
    pub credits_remaining: i64,
    /// The free calls of today.
    pub free_quota: FreeQuota,
    /// The key of this call.
    pub key: AccountKey,
    /// The rate limit of each key; bulk calls have their own.
    pub rate_limit: AccountRateLimit,
    /// Credits per call, by operation id; null where a call costs the sum of its items.
    pub prices: BTreeMap<&'static str, Option<i64>>,
}

/// An account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AccountIdentity {
    /// The account's id.
    pub id: String,
    /// The account's name.
    pub name: String,
}

/// The daily free quota of searchCompanies and getCompany together.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FreeQuota {
    /// Free calls per day; 0 while the account has no free quota.
    pub limit: i64,
    /// Free calls used today.
    pub used: i64,
    /// When the next day begins in India.
    pub resets_at: String,
}

/// A key, without its secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AccountKey {
    /// The key's id.
    pub id: String,
    /// The key's name; null if it has none.
    pub name: Option<String>,
    /// The last four characters of the key.
    pub last4: String,
    /// When it stops working; null if never.
    pub expires_at: Option<String>,
    /// The operations that it may call; empty for all.
    pub allowed_operations: Vec<String>,
    /// The networks that it may be used from; empty for all.
    pub allowed_addresses: Vec<String>,
    /// The most credits that it may spend in a calendar month in India; null for no cap.
    pub monthly_cap: Option<i64>,
    /// The credits that it has spent this month.
    pub spent_this_month: i64,
}

/// A sustained rate and a burst.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct AccountRateLimit {
    /// Sustained requests per second.
    pub per_second: u32,
    /// The most requests at once.
    pub burst: u32,
}

impl AccountKey {
    pub fn new(key: &Key, spent_this_month: i64) -> AccountKey {
        let hint: Vec<char> = key.hint.chars().collect();
        AccountKey {
            id: key.id.clone(),
            name: Some(key.name.clone()).filter(|name| !name.is_empty()),
            last4: hint[hint.len().saturating_sub(4)..].iter().collect(),
            expires_at: key.expires_at.map(rfc3339),
            allowed_operations: key.allowed_operations.clone(),
            allowed_addresses: key.allowed_addresses.clone(),
            monthly_cap: key.monthly_cap,
            spent_this_month,
        }
    }
}

/// What the rows of a usage report are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageGroupBy {
    Day,
    Operation,
    Key,
}

impl UsageGroupBy {
    pub const ALL: [UsageGroupBy; 3] =
        [UsageGroupBy::Day, UsageGroupBy::Operation, UsageGroupBy::Key];
    /// The words of the parameter `group_by`.
    pub const WORDS: [&str; 3] = ["day", "operation", "key"];

    pub fn from_word(word: &str) -> Option<UsageGroupBy> {
        UsageGroupBy::ALL.into_iter().find(|known| known.as_str() == word)
    }

    pub fn as_str(self) -> &'static str {
        UsageGroupBy::WORDS[self as usize]
    }

    fn of(self, group: &UsageGroup) -> &str {
        match self {
            UsageGroupBy::Day => &group.day,
            UsageGroupBy::Operation => &group.operation,
            UsageGroupBy::Key => &group.key_id,
        }
    }
}

/// Calls and credits of a period.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Usage {
    /// The first day of the period, in India.
    #[schema(format = Date)]
    pub from: String,
    /// The last day of the period, in India.
    #[schema(format = Date)]
    pub to: String,
    /// What the rows are about.
    #[schema(value_type = enums::UsageGroups)]
    pub group_by: &'static str,
    /// The sums of the period.
    pub total: UsageSums,
    /// One row per day, operation or key with calls; days in order, the others by calls.
    pub rows: Vec<UsageSummary>,
}

/// The sums of a period.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct UsageSums {
    /// All calls, failed ones included.
    pub calls: i64,
    /// The calls that the free quota paid.
    pub free_calls: i64,
    /// The credits charged.
    pub credits: i64,
    /// The calls that failed.
    pub errors: i64,
}

/// The sums of one day, operation or key.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct UsageSummary {
    /// The day in India; null unless grouped by day.
    #[schema(format = Date)]
    pub day: Option<String>,
    /// The operation id; null unless grouped by operation.
    pub operation: Option<String>,
    /// The id of the key, `console` for calls from the console; null unless grouped by key.
    pub key: Option<String>,
    /// All calls, failed ones included.
    pub calls: i64,
    /// The calls that the free quota paid.
    pub free_calls: i64,
    /// The credits charged.
    pub credits: i64,
    /// The calls that failed.
    pub errors: i64,
}

impl UsageSums {
    fn add(&mut self, group: &UsageGroup) {
        self.calls += group.calls;
        self.free_calls += group.free_calls;
        self.credits += group.credits;
        self.errors += if group.status >= 400 { group.calls } else { 0 };
    }
}

impl Usage {
    pub fn new(days: (String, String), by: UsageGroupBy, groups: &[UsageGroup]) -> Usage {
        let mut total = UsageSums::default();
        let mut sums: BTreeMap<&str, UsageSums> = BTreeMap::new();
        for group in groups {
            total.add(group);
            sums.entry(by.of(group)).or_default().add(group);
        }
        let mut rows: Vec<UsageSummary> = sums
            .into_iter()
            .map(|(name, sums)| UsageSummary::new(by, name.to_owned(), sums))
            .collect();
        if by != UsageGroupBy::Day {
            // The sort is stable: equal numbers stay in the order of their names.
            rows.sort_by_key(|row| std::cmp::Reverse(row.calls));
        }
        let (from, to) = days;
        Usage { from, to, group_by: by.as_str(), total, rows }
    }
}

impl UsageSummary {
    fn new(by: UsageGroupBy, name: String, sums: UsageSums) -> UsageSummary {
        let UsageSums { calls, free_calls, credits, errors } = sums;
        let row = UsageSummary { calls, free_calls, credits, errors, ..UsageSummary::default() };
        match by {
            UsageGroupBy::Day => UsageSummary { day: Some(name), ..row },
            UsageGroupBy::Operation => UsageSummary { operation: Some(name), ..row },
            UsageGroupBy::Key => UsageSummary { key: Some(name), ..row },
        }
    }
}

/// An earlier request, without its response.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PastRequest {
    /// The request's id.
    pub id: String,
    /// The operation id.
    pub operation: String,
    /// What was asked for: the value in the path, or the text of a search; digits of a PAN are redacted. Null if
    /// the request names nothing, as a bulk call, and if it is not recorded.
    pub subject: Option<String>,
    /// The HTTP status of the response.
    pub status: i64,
    /// The error code; null for a success, and if it is not recorded.
    #[schema(value_type = Option<enums::ErrorCode>)]
    pub error_code: Option<String>,
    /// The credits charged.
    pub credits: i64,
    /// Whether the free quota paid it.
    pub free: bool,
    /// The id of the key; `console` for a call from the console.
    pub key: String,
    /// The mode of the key.
    #[schema(value_type = enums::KeyMode)]
    pub mode: &'static str,
    /// When the request arrived.
    pub requested_at: String,
    /// The milliseconds until the response was ready, without the wait for the charge; null if it is not
    /// recorded.
    pub duration_ms: Option<f64>,
}

impl From<Request> for PastRequest {
    fn from(request: Request) -> PastRequest {
        PastRequest {
            id: request.request_id,
            operation: request.operation,
            subject: request.subject,
            status: request.status,
            error_code: request.error_code,
            credits: request.credits,
            free: request.free,
            key: request.key_id,
            mode: request.mode.as_str(),
            requested_at: rfc3339(request.at_ms),
            duration_ms: request.duration_us.map(milliseconds),
        }
    }
}

/// Milliseconds with two decimals.
fn milliseconds(microseconds: i64) -> f64 {
    (microseconds as f64 / 10.0).round() / 100.0
}
