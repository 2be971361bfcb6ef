//! The route table: each operation's route together with its description.

use std::sync::Arc;

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use super::jobs::handlers as jobs;
use super::middleware::Middleware;
use super::network::handlers as network;
use super::watch::{feed, lists, members, simulate};
use super::webhooks::handlers as webhooks;
use super::{
    account, bulk, companies, director_search, directors, events, findings, gst, matching, report,
    search, verify,
};
use crate::app::App;
use crate::config::operation::Operation;
use crate::http::error::{ApiError, ErrorCode};

/// How long a browser may cache the response to a preflight.
const PREFLIGHT_SECONDS: u64 = 86_400;

pub fn operations() -> OpenApiRouter<Arc<App>> {
    use Operation as Op;
    OpenApiRouter::new()
        .routes(operation(Op::SearchCompanies, routes!(search::search_companies)))
        .routes(operation(Op::GetCompany, routes!(companies::get_company)))
        .routes(operation(Op::GetCompanyPan, routes!(companies::get_company_pan)))
        .routes(operation(Op::GetCompanyProfile, routes!(companies::get_company_profile)))
        .routes(operation(Op::GetCompanyFinancials, routes!(companies::get_company_financials)))
        .routes(operation(Op::GetCompanyDirectors, routes!(companies::get_company_directors)))
        .routes(operation(Op::GetCompanyCharges, routes!(companies::get_company_charges)))
        .routes(operation(Op::GetCompanyCompliance, routes!(companies::get_company_compliance)))
        .routes(operation(Op::ListCompanyDocuments, routes!(companies::list_company_documents)))
        .routes(operation(Op::GetDirector, routes!(directors::get_director)))
        .routes(operation(Op::ListDirectorCompanies, routes!(directors::list_director_companies)))
        .routes(operation(Op::VerifyCin, routes!(verify::verify_cin)))
        .routes(operation(Op::VerifyDin, routes!(verify::verify_din)))
        .routes(operation(Op::VerifyGstin, routes!(verify::verify_gstin)))
        .routes(operation(Op::VerifyPan, routes!(verify::verify_pan)))
        .routes(operation(Op::GetGst, routes!(gst::get_gst)))
        .routes(operation(Op::SearchByPan, routes!(gst::search_by_pan)))
        .routes(operation(Op::BulkVerify, routes!(bulk::bulk_verify)))
        .routes(operation(Op::BulkEnrich, routes!(bulk::bulk_enrich)))
        .routes(operation(Op::GetAccount, routes!(account::get_account)))
        .routes(operation(Op::GetUsage, routes!(account::get_usage)))
        .routes(operation(Op::GetRequest, routes!(account::get_request)))
        .routes(operation(Op::CreateJob, routes!(jobs::create_job, jobs::list_jobs)))
        .routes(operation(Op::GetJob, routes!(jobs::get_job)))
        .routes(operation(Op::ApproveJob, routes!(jobs::approve_job)))
        .routes(operation(Op::CancelJob, routes!(jobs::cancel_job)))
        .routes(operation(Op::GetJobResults, routes!(jobs::get_job_results)))
        .routes(operation(Op::MatchCompanies, routes!(matching::match_companies)))
        .routes(operation(Op::ListCompanyEvents, routes!(events::list_company_events)))
        .routes(operation(Op::GetCompanyNetwork, routes!(network::get_company_network)))
        .routes(operation(Op::FindPaths, routes!(network::find_paths)))
        .routes(operation(Op::GetCompanyFindings, routes!(findings::get_company_findings)))
        .routes(operation(Op::SearchDirectors, routes!(director_search::search_directors)))
        .routes(operation(Op::GetCompanyReport, routes!(report::get_company_report)))
        .merge(watch_operations())
        .merge(webhook_operations())
}

fn watch_operations() -> OpenApiRouter<Arc<App>> {
    use Operation as Op;
    let lists = routes!(lists::create_watchlist, lists::list_watchlists);
    let list = routes!(lists::get_watchlist, lists::rename_watchlist, lists::delete_watchlist);
    let members = routes!(members::add_members, members::list_members, members::remove_members);
    OpenApiRouter::new()
        .routes(operation(Op::CreateWatchlist, lists))
        .routes(operation(Op::GetWatchlist, list))
        .routes(operation(Op::AddWatchMembers, members))
        .routes(operation(Op::ListEvents, routes!(feed::list_events)))
        .routes(operation(Op::SimulateEvents, routes!(simulate::simulate_events)))
}

fn webhook_operations() -> OpenApiRouter<Arc<App>> {
    use Operation as Op;
    let all = routes!(webhooks::create_webhook, webhooks::list_webhooks);
    let one = routes!(webhooks::get_webhook, webhooks::update_webhook, webhooks::delete_webhook);
    let rotate = routes!(webhooks::rotate_webhook_secret);
    OpenApiRouter::new()
        .routes(operation(Op::CreateWebhook, all))
        .routes(operation(Op::GetWebhook, one))
        .routes(operation(Op::RotateWebhookSecret, rotate))
        .routes(operation(Op::TestWebhook, routes!(webhooks::test_webhook)))
        .routes(operation(Op::ListWebhookAttempts, routes!(webhooks::list_webhook_attempts)))
        .routes(operation(Op::ReplayWebhookEvents, routes!(webhooks::replay_webhook_events)))
}

/// The operations behind the middleware, for calls from inside the process.
pub fn calls(app: &Arc<App>) -> Middleware {
    let (operations, _) = operations().split_for_parts();
    Middleware::around(operations.with_state(app.clone()), app.clone())
}

/// Adds the preflight response and the refusal of other methods to a route. HEAD is refused because
/// a call that returns no data must not be charged.
fn operation(
    operation: Operation,
    (schemas, paths, methods): UtoipaMethodRouter<Arc<App>>,
) -> UtoipaMethodRouter<Arc<App>> {
    let serves = |method: Method| Operation::at(&method, operation.path()).is_some();
    let served = [Method::GET, Method::POST, Method::PATCH, Method::DELETE].map(serves);
    let allow = match served {
        [true, true, false, true] => "GET, POST, DELETE, OPTIONS",
        [true, false, true, true] => "GET, PATCH, DELETE, OPTIONS",
        [true, true, ..] => "GET, POST, OPTIONS",
        [false, true, ..] => "POST, OPTIONS",
        [_, false, ..] => "GET, OPTIONS",
    };
    let refuse = move || async move { not_allowed(allow) };
    let methods =
        methods.options(move || async move { preflight(allow) }).head(refuse).fallback(refuse);
    (schemas, paths, methods)
}

pub fn not_allowed(allow: &'static str) -> ApiError {
    let message = format!("This path does not support that method: it supports {allow}.");
    ApiError { allow: Some(allow), ..ApiError::new(ErrorCode::MethodNotAllowed, message) }
}

/// A preflight carries no key, so all get the same response. The response to a live key has no CORS
/// header, so a page cannot read it.
pub(super) fn preflight(allow: &'static str) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(allow));
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "authorization, content-type, idempotency-key, last-event-id, panji-max-credits, \
             x-request-id",
        ),
    );
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS.into());
    response
}
