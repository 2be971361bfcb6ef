//! The routes of the console.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::response::{Redirect, Response};
use axum::{Extension, Router, middleware};
use panji_api::api::middleware::Middleware;
use panji_api::app::App;
use panji_api::http::routing::{get, post};

use super::api_call::ApiCalls;
use super::forms::{MAX_FORM_BYTES, same_origin};
use super::language::t;
use super::language_switch::{self, use_language};
use super::menu::add_menu;
use super::page_error::PageError;
use super::session::{Anonymous, SignedIn};
use super::status::StatusCache;
use super::{
    account, assets, bulk, bulk_job, bulk_outcome, bulk_templates, checkout, company, compare,
    confirmation, credits, director, enrich_matched, export, go, invitations, invoices, keys,
    log_in, log_in_link, members, network_paths, new_key, new_key_page, operator,
    operator_register, overview, page_cache, passkeys, privacy, razorpay_webhook, recovery_codes,
    report, requests, reset, review, saved_decisions, search, second_factor, shared_invitation,
    sign_up, sso, status, usage, watch, watch_events, watch_form, watch_jobs, watch_members,
    watch_search, webhook_page, webhooks,
};

/// All pages. `calls` serves the API's routes, which some pages call.
pub fn pages(app: &Arc<App>, calls: Middleware) -> Router<Arc<App>> {
    Router::new()
        .merge(before_log_in())
        .merge(own_account())
        .merge(keys_and_calls())
        .merge(credits_and_payments())
        .merge(bulk_jobs())
        .merge(webhook_pages())
        .merge(watching())
        .route("/", get(home))
        .route("/console", get(home))
        .merge(usage_and_requests())
        .route("/status", get(status::show))
        .route("/status.json", get(status::json))
        .layer(Extension(Arc::new(StatusCache::default())))
        .route("/console/language", post(language_switch::choose))
        .route("/console/go", get(go::show))
        .route("/console/operator", get(operator::show))
        .route("/console/operator/register", get(operator_register::show))
        .route("/console/operator/imports/{id}", get(operator_register::show_import))
        .route("/console/operator/accounts/{id}", get(operator::show_account))
        .route("/console/operator/accounts/{id}/grant", post(operator::grant))
        .route("/console/operator/accounts/{id}/suspend", post(operator::suspend))
        .route("/console/assets/{name}", get(assets::serve))
        .route("/console/", get(|| async { Redirect::permanent("/console") }))
        .route(
            "/console/{*path}",
            get(|| async { PageError::not_found(t("This page does not exist.")) }),
        )
        .layer(Extension(ApiCalls(calls)))
        .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
        .layer(middleware::from_fn(same_origin))
        .layer(middleware::from_fn_with_state(app.clone(), add_menu))
        .layer(middleware::from_fn_with_state(app.clone(), use_language))
}

/// The overview for a signed-in user, the sign-up page for others.
async fn home(
    signed_in: Result<SignedIn, PageError>,
    anonymous: Anonymous,
) -> Result<Response, PageError> {
    match signed_in {
        Ok(signed_in) => overview::show(signed_in).await,
        Err(PageError::LogIn { .. }) => Ok(sign_up::show(anonymous).await),
        Err(other) => Err(other),
    }
}

fn before_log_in() -> Router<Arc<App>> {
    Router::new()
        .route("/console/sign-up", get(sign_up::show).merge(post(sign_up::sign_up)))
        .route("/console/log-in", get(log_in::show).merge(post(log_in::log_in)))
        .route("/console/log-in/code", post(log_in::log_in_with_code))
        .route("/console/log-in/link", get(log_in_link::follow))
        .route("/console/log-in/passkey", post(passkeys::log_in))
        .route("/console/log-in/passkey/start", post(passkeys::start_log_in))
        .route("/console/log-in/sso", get(sso::start))
        .route(sso::CALLBACK_PATH, get(sso::finish))
        .route("/console/confirm", get(confirmation::show).merge(post(confirmation::confirm)))
        .route("/console/reset", get(reset::show).merge(post(reset::send)))
        .route(
            "/console/new-password",
            get(reset::show_new_password).merge(post(reset::set_new_password)),
        )
        .route("/console/invitation", get(invitations::show).merge(post(invitations::join)))
        .route(
            shared_invitation::PATH,
            get(shared_invitation::show).merge(post(shared_invitation::join)),
        )
        .route("/console/invited/send", post(shared_invitation::send))
}

fn own_account() -> Router<Arc<App>> {
    Router::new()
        .route("/console/log-out", post(log_in::log_out))
        .route("/console/mode", post(account::change_mode))
        .route("/console/account", get(account::show))
        .route("/console/account/name", post(account::rename))
        .route("/console/account/switch", post(account::change_account))
        .route("/console/account/password", post(account::change_password))
        .route("/console/account/sessions/end", post(account::end_other_sessions))
        .route("/console/account/second-factor", get(second_factor::show))
        .route("/console/account/second-factor/begin", post(second_factor::start))
        .route("/console/account/second-factor/confirm", post(second_factor::confirm))
        .route("/console/account/second-factor/off", post(second_factor::switch_off))
        .route("/console/account/second-factor/codes", post(recovery_codes::regenerate))
        .route("/console/account/passkeys", post(passkeys::add))
        .route("/console/account/passkeys/start", post(passkeys::start_adding))
        .route("/console/account/passkeys/remove", post(passkeys::remove))
        .route("/console/account/confirm", post(confirmation::send_again))
        .route("/console/account/data", post(privacy::download))
        .route("/console/account/delete", get(privacy::show_delete).merge(post(privacy::delete)))
        .route("/console/members", get(members::show))
        .route("/console/members/invite", post(members::invite))
        .route("/console/members/change", post(members::change))
        .route("/console/members/revoke", post(members::revoke))
        .route("/console/members/reset-link", post(members::make_reset_link))
}

fn keys_and_calls() -> Router<Arc<App>> {
    Router::new()
        .route("/console/keys", get(keys::show).merge(post(new_key::create)))
        .route("/console/keys/new", get(new_key::show))
        .route("/console/keys/{id}/new", get(new_key_page::show))
        .route("/console/keys/{id}/revoke", get(keys::show_revoke).merge(post(keys::revoke)))
        .route("/console/keys/{id}/roll", get(keys::show_roll).merge(post(keys::roll)))
        .route("/console/search", get(search::show).merge(post(search::search_live)))
        .route("/console/search/suggestions", get(search::suggest))
        .route("/console/companies/{cin}", get(company::show).merge(post(company::buy)))
        .route("/console/compare", get(compare::show).merge(post(compare::buy)))
        .route("/console/responses", get(page_cache::show_response))
        .route("/console/paths", get(network_paths::show).merge(post(network_paths::find)))
        .route("/console/companies/{cin}/report", post(report::download))
        .route("/console/companies/{cin}/watch", post(watch_form::watch_company))
        .route("/console/directors/{din}", get(director::show).merge(post(director::buy)))
}

fn usage_and_requests() -> Router<Arc<App>> {
    Router::new()
        .route("/console/usage", get(usage::show))
        .route("/console/usage/export.csv", get(export::usage_csv))
        .route("/console/requests", get(requests::show))
        .route("/console/requests/export.csv", get(export::csv))
        .route("/console/requests/new-rows", get(requests::new_rows))
        .route("/console/requests/{id}", get(requests::show_one))
}

fn credits_and_payments() -> Router<Arc<App>> {
    Router::new()
        .route("/console/credits", get(credits::show).merge(post(credits::buy)))
        .route("/console/credits/threshold", post(credits::set_alert_threshold))
        .route("/console/credits/orders/{id}", get(checkout::show))
        .route("/console/credits/orders/{id}/test-payment", post(checkout::make_test_payment))
        .route("/console/credits/orders/{id}/confirm", post(checkout::confirm))
        .route("/console/credits/orders/{id}/check", post(checkout::check_again))
        .route("/console/credits/orders/{id}/invoice", get(invoices::show))
        .route("/console/credits/orders/{id}/invoice.pdf", get(invoices::pdf))
        .route("/console/payments/razorpay/webhook", post(razorpay_webhook::receive))
}

fn webhook_pages() -> Router<Arc<App>> {
    Router::new()
        .route("/console/webhooks", get(webhooks::show).merge(post(webhooks::create)))
        .route("/console/webhooks/{id}", get(webhook_page::show))
        .route("/console/webhooks/{id}/test", post(webhook_page::test))
        .route("/console/webhooks/{id}/rotate", post(webhook_page::rotate))
        .route("/console/webhooks/{id}/change", post(webhooks::change))
        .route("/console/webhooks/{id}/state", post(webhook_page::set_state))
        .route("/console/webhooks/{id}/replay", post(webhook_page::replay))
        .route("/console/webhooks/{id}/delete", post(webhook_page::delete))
}

fn watching() -> Router<Arc<App>> {
    Router::new()
        .route("/console/watch", get(watch::show).merge(post(watch::create)))
        .route("/console/watch/digest", post(watch::set_digest))
        .route("/console/watch/events", get(watch_events::show))
        .route("/console/watch/events/read", post(watch_events::read))
        .route("/console/watch/{id}", get(watch::show_list))
        .route("/console/watch/{id}/name", post(watch::rename))
        .route("/console/watch/{id}/delete", post(watch::delete))
        .route("/console/watch/{id}/members", post(watch_members::add))
        .route("/console/watch/{id}/search", post(watch_search::search_live))
        .route("/console/watch/{id}/jobs", post(watch_jobs::add_job))
        .route("/console/watch/{id}/remove", post(watch_members::remove))
}

fn bulk_jobs() -> Router<Arc<App>> {
    Router::new()
        // The upload handler applies its own limit, from the settings.
        .route(
            "/console/bulk",
            get(bulk::show).merge(post(bulk::upload)).layer(DefaultBodyLimit::disable()),
        )
        .route("/console/bulk/{id}", get(bulk_job::show))
        .route("/console/bulk/{id}/progress", get(bulk_job::progress))
        .route("/console/bulk/{id}/columns", post(bulk_job::set_columns))
        .route("/console/bulk/{id}/review", get(review::show))
        .route("/console/bulk/{id}/review/{row}", post(review::decide))
        .route("/console/bulk/{id}/enrich", post(enrich_matched::create_job))
        .route("/console/bulk/templates/{name}", get(bulk_templates::serve))
        .route("/console/bulk/{id}/failures.csv", get(bulk_outcome::failures_csv))
        .route("/console/bulk/{id}/again", post(bulk_outcome::run_again))
        .route("/console/bulk/{id}/watch", post(watch_jobs::watch))
        .route("/console/bulk/decisions", get(saved_decisions::show))
        .route("/console/bulk/decisions/delete", post(saved_decisions::delete))
        .route("/console/bulk/{id}/start", post(bulk_job::start))
        .route("/console/bulk/{id}/cancel", post(bulk_job::cancel))
        .route("/console/bulk/{id}/results.csv", get(bulk_job::csv))
        .route("/console/bulk/{id}/results.xlsx", get(bulk_job::xlsx))
}
