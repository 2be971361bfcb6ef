//! The endpoints of the members of a watch list.

use axum::extract::Request;
use panji_store::StoreError;
use panji_store::calendar::rfc3339;
use panji_store::ledger::{AddedMember, MAX_MEMBERS_PER_CALL};

use super::lists::{find, limits_of, not_found};
use super::member_id::{MemberId, parse_member, present_numbers};
use crate::api::body::{BodyPath, Fields, FromBody, Json, read_text};
use crate::api::bulk::{check_count, read_body};
use crate::api::call::Call;
use crate::api::wire::{
    ItemError, WatchMember, WatchMemberResult, WatchMemberResults, WatchMembers,
    WatchMembersRequest,
};
use crate::http::error::{ApiError, ApiResult, ErrorCode};

const MAX_PAGE: i64 = 1_000;
const DEFAULT_PAGE: i64 = 100;
/// How many characters of a malformed value a result repeats.
const MAX_ECHOED: usize = 100;

impl FromBody for WatchMembersRequest {
    fn from_body(body: Json<'_>) -> Result<WatchMembersRequest, ApiError> {
        let mut fields = Fields::of(body, &BodyPath::Root, &["members"])?;
        Ok(WatchMembersRequest { members: fields.array("members", read_text)? })
    }
}

/// Add members to a watch list
///
/// Up to 1,000 CINs, LLPINs, FCRNs, DINs and GSTINs at a time. A former CIN is stored as the current one.
/// A member need not be in the register yet. Malformed values are reported one by one; the others are
/// added. Free.
#[utoipa::path(
    post,
    path = "/v1/watchlists/{id}/members",
    operation_id = "addWatchMembers",
    tag = "Watch",
    params(("id" = String, Path, description = "The id of the watch list.")),
    request_body = WatchMembersRequest,
    responses((status = 200, body = WatchMemberResults)),
)]
pub async fn add_members(call: Call, request: Request) -> ApiResult {
    let (body, sent) = read_body::<WatchMembersRequest>(&call, request).await?;
    check_count("members", sent.members.len(), MAX_MEMBERS_PER_CALL)?;
    if let Some(first) = call.claim_at_id(&body).await? {
        return Ok(first);
    }
    let read = read_members(&call, sent.members).await?;
    let members: Vec<(&str, &str)> =
        read.members.iter().map(|member| (member.id.as_str(), member.kind.as_str())).collect();
    let limits = limits_of(&call.app.config);
    let (id, now_ms) = (call.path_value("id"), call.context.at_ms);
    let ledger = &call.app.ledger;
    let added = ledger.add_watch_members(call.owner(), id, &members, limits, now_ms).await;
    let added = added.map_err(|error| match error {
        StoreError::Conflict(_) => too_many(limits.members),
        other => other.into(),
    })?;
    let words = added.ok_or_else(not_found)?.into_iter().map(|added| match added {
        AddedMember::Added => ("added", true),
        AddedMember::Present => ("present", false),
    });
    respond(call, read.finish(words)).await
}

/// Remove members from a watch list
///
/// Up to 1,000 at a time. Events about them that were collected stay. Free.
#[utoipa::path(
    delete,
    path = "/v1/watchlists/{id}/members",
    operation_id = "removeWatchMembers",
    tag = "Watch",
    params(("id" = String, Path, description = "The id of the watch list.")),
    request_body = WatchMembersRequest,
    responses((status = 200, body = WatchMemberResults)),
)]
pub async fn remove_members(call: Call, request: Request) -> ApiResult {
    let (body, sent) = read_body::<WatchMembersRequest>(&call, request).await?;
    check_count("members", sent.members.len(), MAX_MEMBERS_PER_CALL)?;
    if let Some(first) = call.claim_at_id(&body).await? {
        return Ok(first);
    }
    let read = read_members(&call, sent.members).await?;
    let members: Vec<&str> = read.members.iter().map(|member| member.id.as_str()).collect();
    let id = call.path_value("id");
    let removed = call.app.ledger.remove_watch_members(call.owner(), id, &members).await?;
    let words = removed
        .ok_or_else(not_found)?
        .into_iter()
        .map(|removed| if removed { ("removed", true) } else { ("absent", false) });
    respond(call, read.finish(words)).await
}

/// List the members of a watch list
///
/// In the order of their identifiers, page by page: `after` is the identifier after which the page
/// begins. Free.
#[utoipa::path(
    get,
    path = "/v1/watchlists/{id}/members",
    operation_id = "listWatchMembers",
    tag = "Watch",
    params(
        ("id" = String, Path, description = "The id of the watch list."),
        ("after" = Option<String>, Query, description = "The `next_after` of the page before."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 1000, description = "Members per page; 100 if left out."),
    ),
    responses((status = 200, body = WatchMembers)),
)]
pub async fn list_members(call: Call) -> ApiResult {
    let limit = call.query.number("limit", 1..=MAX_PAGE)?.unwrap_or(DEFAULT_PAGE);
    let after = call.query.get("after").unwrap_or_default();
    let list = find(&call).await?;
    let stored = call.app.ledger.list_watch_members(call.owner(), &list.id, after, limit).await?;
    let full = i64::try_from(stored.len()).is_ok_and(|found| found == limit);
    let last = stored.last().map(|member| member.member.clone());
    let members = stored
        .into_iter()
        .map(|member| WatchMember {
            id: member.member,
            kind: member.kind,
            added_at: rfc3339(member.added_at),
        })
        .collect();
    let next_after = last.filter(|_| full);
    call.check_funds()
        .await?
        .respond(&WatchMembers { total: list.members, members, next_after })
        .await
}

/// The values of a request as they were read.
struct ReadMembers {
    /// Of each value, in order.
    results: Vec<WatchMemberResult>,
    /// The well-formed ones.
    members: Vec<MemberId>,
    /// For each of them, its place among the values.
    places: Vec<usize>,
}

impl ReadMembers {
    /// Adds the results of the well-formed values: a word, and whether the list was changed.
    fn finish(mut self, words: impl Iterator<Item = (&'static str, bool)>) -> MemberOutcome {
        let mut changed = 0;
        for (place, (word, has_changed)) in self.places.iter().zip(words) {
            self.results[*place].result = word;
            changed += usize::from(has_changed);
        }
        let well_formed = self.places.len();
        MemberOutcome { changed, unchanged: well_formed - changed, results: self.results }
    }
}

struct MemberOutcome {
    changed: usize,
    unchanged: usize,
    results: Vec<WatchMemberResult>,
}

async fn read_members(call: &Call, values: Vec<String>) -> Result<ReadMembers, ApiError> {
    let (mut results, mut members, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (place, value) in values.into_iter().enumerate() {
        let parsed = parse_member(&value, call.this_year());
        let error = parsed
            .as_ref()
            .err()
            .map(|error| ItemError { code: error.code.as_str(), message: error.message.clone() });
        results.push(WatchMemberResult {
            value: value.chars().take(MAX_ECHOED).collect(),
            id: None,
            kind: None,
            result: "invalid",
            error,
        });
        if let Ok(member) = parsed {
            members.push(member);
            places.push(place);
        }
    }
    let register = &call.app.dataset(call.caller.mode).register;
    present_numbers(register, &mut members).await?;
    for (place, member) in places.iter().zip(&members) {
        results[*place].id = Some(member.id.clone());
        results[*place].kind = Some(member.kind.as_str());
    }
    Ok(ReadMembers { results, members, places })
}

async fn respond(call: Call, outcome: MemberOutcome) -> ApiResult {
    let watchlist = find(&call).await?.into();
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let invalid = outcome.results.len() - outcome.changed - outcome.unchanged;
    let data = WatchMemberResults {
        watchlist,
        changed: count(outcome.changed),
        unchanged: count(outcome.unchanged),
        invalid: count(invalid),
        results: outcome.results,
    };
    call.check_funds().await?.respond(&data).await
}

fn too_many(most: i64) -> ApiError {
    let message = format!(
        "A watch list has at most {most} members: remove some, or use another list. Nothing was added."
    );
    ApiError::new(ErrorCode::WatchlistLimit, message).param("members")
}
