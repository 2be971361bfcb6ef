//! Two-factor authentication: a six-digit code from an authenticator app.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::app::App;
use panji_store::calendar::now_ms;
use panji_store::ledger::Person;
use qrcode::QrCode;
use qrcode::render::svg;
use serde::Deserialize;
use serde_json::json;
use totp_rs::{Builder, Totp};

use super::forms::{AuthenticatedForm, Empty, PasswordProof};
use super::language::{filters, t};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::page_error::PageError;
use super::recovery_codes;
use super::session::{SignedIn, random_token};

#[derive(Template)]
#[template(path = "second_factor.html")]
struct SecondFactorPage {
    layout: Layout,
    qr: String,
    secret: String,
    error: Option<String>,
}

/// The first code, which proves that the app has the secret.
#[derive(Deserialize)]
pub struct Confirmation {
    code: String,
}

/// Creates a secret. Codes are required only after it is confirmed.
pub async fn start(
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    if signed_in.session.person.totp_since.is_none() {
        let nonce = random_token()?;
        signed_in.app.ledger.set_totp(&signed_in.session.person.id, Some(&nonce), None).await?;
    }
    Ok(Redirect::to("/console/account/second-factor").into_response())
}

/// Displays the secret until it is confirmed.
pub async fn show(signed_in: SignedIn) -> Result<Response, PageError> {
    match page(&signed_in, None)? {
        Some(page) => Ok(respond(&page)),
        None => Ok(Redirect::to("/console/account").into_response()),
    }
}

/// Enables two-factor authentication if the code is correct.
pub async fn confirm(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Confirmation>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    let person = &signed_in.session.person;
    // The page with the recovery codes was reloaded.
    if person.totp_since.is_some() {
        return Ok(Redirect::to("/console/account").into_response());
    }
    if !accept(&signed_in.app, person, &form.code).await? {
        let error =
            t("This code is wrong. Check that the time on your phone is correct.").to_owned();
        let page = page(&signed_in, Some(error))?.ok_or_else(PageError::invalid_link)?;
        return Ok(respond_with_errors(&page));
    }
    let nonce = person.totp_nonce.as_deref();
    signed_in.app.ledger.set_totp(&person.id, nonce, Some(now_ms())).await?;
    signed_in.log("second_factor.on", &person.id, json!({})).await;
    let notice = t("Two-factor authentication is on. A code is required at your next log-in.");
    recovery_codes::generate_and_show(&signed_in, notice).await
}

/// Disables two-factor authentication; requires the password.
pub async fn switch_off(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<PasswordProof>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    let person = &signed_in.session.person;
    if !form.verify_password(&signed_in).await? {
        return Ok(Redirect::to("/console/account?done=wrong-password").into_response());
    }
    signed_in.app.ledger.set_totp(&person.id, None, None).await?;
    signed_in.log("second_factor.off", &person.id, json!({})).await;
    Ok(Redirect::to("/console/account?done=second-factor-off").into_response())
}

/// Whether a code is valid now and was not used before.
pub async fn accept(app: &App, person: &Person, code: &str) -> Result<bool, PageError> {
    let Some(totp) = totp(app, person)? else { return Ok(false) };
    let code: String = code.chars().filter(char::is_ascii_digit).collect();
    let now = now_ms() / 1000;
    let Some(step) = totp.check(&code, now.unsigned_abs()) else { return Ok(false) };
    let step = i64::try_from(step).map_err(|error| PageError::internal(error.to_string()))?;
    Ok(app.ledger.use_totp_step(&person.id, step).await?)
}

fn page(
    signed_in: &SignedIn,
    error: Option<String>,
) -> Result<Option<SecondFactorPage>, PageError> {
    let person = &signed_in.session.person;
    if person.totp_since.is_some() {
        return Ok(None);
    }
    let Some(totp) = totp(&signed_in.app, person)? else { return Ok(None) };
    let code = QrCode::new(totp.to_url().map_err(|e| PageError::internal(e.to_string()))?)
        .map_err(|error| PageError::internal(error.to_string()))?;
    let qr = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
    // The SVG is embedded in a page, so its XML declaration is removed.
    let qr = qr.find("<svg").map_or(String::new(), |start| qr[start..].to_owned());
    let layout = signed_in.layout(Tab::Account, t("Two-factor authentication"));
    Ok(Some(SecondFactorPage { layout, qr, secret: totp.secret().to_base32(), error }))
}

fn totp(app: &App, person: &Person) -> Result<Option<Totp>, PageError> {
    let Some(nonce) = &person.totp_nonce else { return Ok(None) };
    let built = Builder::new()
        .with_secret(app.ledger.totp_secret(&person.id, nonce))
        .with_account_name(person.email.replace(':', "_"))
        .with_issuer(Some("Panji"))
        .build();
    built.map(Some).map_err(|error| PageError::internal(error.to_string()))
}
