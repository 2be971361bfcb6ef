//! Download of all data of an account, and deletion of the account.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::stream;
use panji_api::accounts::personal_data::{ExportPosition, erasure_event, next_part};
use panji_api::accounts::roles::Permission;
use panji_api::app::App;
use panji_store::calendar::{ist_day, now_ms};
use panji_store::ledger::Mode;
use serde::Deserialize;
use serde_json::json;

use super::forms::{AuthenticatedForm, Empty};
use super::language::{amounts, filters, t};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::page_error::PageError;
use super::session::{SignedIn, remove_cookie};

#[derive(Template)]
#[template(path = "account_delete.html")]
struct DeletePage {
    layout: Layout,
    account_name: String,
    email: String,
    credits: i64,
    lost_credits: String,
    password_error: Option<String>,
}

#[derive(Deserialize)]
pub struct Deletion {
    password: String,
}

/// Returns all data of the account as a file.
pub async fn download(
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::OwnAccount)?;
    signed_in.log("account.export", signed_in.account_id(), json!({})).await;
    let start = (signed_in.app.clone(), ExportPosition::start(signed_in.account_id()));
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"panji-account-{}.json\"", ist_day(now_ms())),
        ),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    Ok((headers, Body::from_stream(stream::try_unfold(start, next))).into_response())
}

async fn next(
    (app, position): (Arc<App>, ExportPosition),
) -> Result<Option<(String, (Arc<App>, ExportPosition))>, std::io::Error> {
    let part = next_part(&app.ledger, position).await.map_err(std::io::Error::other)?;
    Ok(part.map(|(text, position)| (text, (app, position))))
}

pub async fn show_delete(signed_in: SignedIn) -> Result<Response, PageError> {
    signed_in.require(Permission::OwnAccount)?;
    Ok(respond(&page(&signed_in, None).await?))
}

async fn page(
    signed_in: &SignedIn,
    password_error: Option<String>,
) -> Result<DeletePage, PageError> {
    let ledger = &signed_in.app.ledger;
    let snapshot = ledger.find_balance(signed_in.account_id(), Mode::Live, now_ms()).await?;
    let credits = snapshot.map_or(0, |snapshot| snapshot.balance);
    Ok(DeletePage {
        layout: signed_in.layout(Tab::Account, t("Delete account")),
        account_name: signed_in.session.account.name.clone(),
        email: signed_in.session.person.email.clone(),
        credits,
        lost_credits: amounts::counted(credits, "credit", "credits"),
        password_error,
    })
}

/// Erases the account; requires the password.
pub async fn delete(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Deletion>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::OwnAccount)?;
    let (app, person) = (&signed_in.app, &signed_in.session.person);
    if let Some(seconds) = app.limits.count_log_in(signed_in.context.address, &person.email) {
        return Err(PageError::too_many(seconds));
    }
    if !app.passwords.check(form.password, person.password_hash.clone()).await? {
        let error = t("The password is wrong.").to_owned();
        return Ok(respond_with_errors(&page(&signed_in, Some(error)).await?));
    }
    if let Some(erasure) = app.ledger.erase_account(signed_in.account_id(), now_ms()).await? {
        signed_in.log("account.erase", signed_in.account_id(), erasure_event(&erasure)).await;
    }
    let mut response = Redirect::to("/console/log-in?done=deleted").into_response();
    remove_cookie(app, &mut response);
    Ok(response)
}
