//! The endpoints of watch lists.

use axum::extract::Request;
use panji_store::ledger::{self, WatchLimits};

use crate::api::body::{BodyPath, Fields, FromBody, Json};
use crate::api::bulk::read_body;
use crate::api::call::Call;
use crate::api::wire::{DeletedWatchlist, Watchlist, WatchlistRequest, Watchlists};
use crate::config::Config;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

/// The longest name of a list, in characters.
pub const MAX_NAME: usize = 100;

impl FromBody for WatchlistRequest {
    fn from_body(body: Json<'_>) -> Result<WatchlistRequest, ApiError> {
        let mut fields = Fields::of(body, &BodyPath::Root, &["name"])?;
        let name = fields.text("name")?.trim().to_owned();
        let plain = !name.is_empty() && !name.chars().any(char::is_control);
        if !plain || name.chars().count() > MAX_NAME {
            let what = format!("1 to {MAX_NAME} characters without control characters");
            return Err(BodyPath::Field(&BodyPath::Root, "name").must_be(&what));
        }
        Ok(WatchlistRequest { name })
    }
}

/// Create a watch list
///
/// A list of companies, directors and GST registrations. From the moment that one is a member, the
/// events about it are collected for the account, and read with listEvents, as a stream or by webhook. Free.
#[utoipa::path(
    post,
    path = "/v1/watchlists",
    operation_id = "createWatchlist",
    tag = "Watch",
    request_body = WatchlistRequest,
    responses((status = 200, body = Watchlist)),
)]
pub async fn create_watchlist(call: Call, request: Request) -> ApiResult {
    let (body, new) = read_body::<WatchlistRequest>(&call, request).await?;
    if let Some(first) = call.claim(&body).await? {
        return Ok(first);
    }
    let limits = limits_of(&call.app.config);
    let (owner, now_ms) = (call.owner(), call.context.at_ms);
    let created = call.app.ledger.create_watchlist(owner, &new.name, limits, now_ms).await?;
    let Some(list) = created else {
        let message = format!("The account has {} watch lists already: delete one.", limits.lists);
        return Err(ApiError::new(ErrorCode::WatchlistLimit, message));
    };
    call.check_funds().await?.respond(&Watchlist::from(list)).await
}

/// List the watch lists
///
/// The watch lists of the account in the mode of the key, oldest first. Free.
#[utoipa::path(
    get,
    path = "/v1/watchlists",
    operation_id = "listWatchlists",
    tag = "Watch",
    responses((status = 200, body = Watchlists)),
)]
pub async fn list_watchlists(call: Call) -> ApiResult {
    let stored = call.app.ledger.list_watchlists(call.owner()).await?;
    let watchlists: Vec<Watchlist> = stored.into_iter().map(Watchlist::from).collect();
    let total = i64::try_from(watchlists.len()).unwrap_or(i64::MAX);
    call.check_funds().await?.respond(&Watchlists { total, watchlists }).await
}

/// Fetch a watch list
///
/// The name of a watch list and the number of its members. Free.
#[utoipa::path(
    get,
    path = "/v1/watchlists/{id}",
    operation_id = "getWatchlist",
    tag = "Watch",
    params(("id" = String, Path, description = "The id of the watch list.")),
    responses((status = 200, body = Watchlist)),
)]
pub async fn get_watchlist(call: Call) -> ApiResult {
    let list = find(&call).await?;
    call.check_funds().await?.respond(&Watchlist::from(list)).await
}

/// Rename a watch list
///
/// Gives a watch list another name; its members stay. Free.
#[utoipa::path(
    patch,
    path = "/v1/watchlists/{id}",
    operation_id = "renameWatchlist",
    tag = "Watch",
    params(("id" = String, Path, description = "The id of the watch list.")),
    request_body = WatchlistRequest,
    responses((status = 200, body = Watchlist)),
)]
pub async fn rename_watchlist(call: Call, request: Request) -> ApiResult {
    let (body, new) = read_body::<WatchlistRequest>(&call, request).await?;
    if let Some(first) = call.claim_at_id(&body).await? {
        return Ok(first);
    }
    let id = call.path_value("id");
    let renamed = call.app.ledger.rename_watchlist(call.owner(), id, &new.name).await?;
    let list = renamed.ok_or_else(not_found)?;
    call.check_funds().await?.respond(&Watchlist::from(list)).await
}

/// Delete a watch list
///
/// Deletes a watch list with its members. Events that were collected stay. Free.
#[utoipa::path(
    delete,
    path = "/v1/watchlists/{id}",
    operation_id = "deleteWatchlist",
    tag = "Watch",
    params(("id" = String, Path, description = "The id of the watch list.")),
    responses((status = 200, body = DeletedWatchlist)),
)]
pub async fn delete_watchlist(call: Call) -> ApiResult {
    let id = call.path_value("id").to_owned();
    if let Some(first) = call.claim_at_id(&[]).await? {
        return Ok(first);
    }
    if !call.app.ledger.delete_watchlist(call.owner(), &id).await? {
        return Err(not_found());
    }
    call.check_funds().await?.respond(&DeletedWatchlist { id, deleted: true }).await
}

pub fn limits_of(config: &Config) -> WatchLimits {
    WatchLimits {
        lists: config.watch.max_lists.get().into(),
        members: config.watch.max_members.get().into(),
    }
}

/// The list in the path. A list of another account or mode does not exist for this caller.
pub async fn find(call: &Call) -> Result<ledger::Watchlist, ApiError> {
    let found = call.app.ledger.find_watchlist(call.owner(), call.path_value("id")).await?;
    found.ok_or_else(not_found)
}

pub fn not_found() -> ApiError {
    ApiError::from_code(ErrorCode::WatchlistNotFound).param("id")
}
