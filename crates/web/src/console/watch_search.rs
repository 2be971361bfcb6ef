//! Finding companies to add on the page of a watch list. A search costs what it costs on the search page.

use axum::Extension;
use axum::extract::Path;
use axum::response::Response;
use panji_api::accounts::roles::Permission;
use panji_api::config::operation::Operation;
use serde::Deserialize;

use super::api_call::{ApiCalls, ApiResponse, Calls};
use super::forms::AuthenticatedForm;
use super::page_cache::run_to_completion;
use super::page_error::PageError;
use super::search::{self, Found};
use super::session::SignedIn;
use super::watched_lists::{ListQuery, find, owner, to_list};

/// A search on the page of a list.
#[derive(Default)]
pub struct Search {
    pub text: String,
    pub response: Option<ApiResponse>,
    /// With whether each is on the list.
    pub results: Vec<(Found, bool)>,
    pub total: usize,
    pub price: i64,
    pub free_left: i64,
}

impl Search {
    /// The stored results; in test mode, searches if there are none.
    pub async fn of(
        signed_in: &SignedIn,
        calls: &ApiCalls,
        list: &str,
        text: String,
    ) -> Result<Search, PageError> {
        if !signed_in.may(Permission::MakeCalls) {
            return Ok(Search::default());
        }
        let response = search::stored(signed_in, calls, &text).await?;
        let (found, total) = search::found(response.as_ref())?;
        let mut results = Vec::new();
        for one in found {
            let lists = signed_in.app.ledger.list_watchlists_of(owner(signed_in), &one.cin).await?;
            results.push((one, lists.iter().any(|id| id == list)));
        }
        Ok(Search {
            text,
            response,
            results,
            total,
            price: signed_in.app.config.prices.of(Operation::SearchCompanies),
            free_left: signed_in.free_calls_left().await?,
        })
    }
}

#[derive(Deserialize)]
pub struct SearchForm {
    #[serde(default)]
    q: String,
}

/// Searches in live mode, which may cost credits, and redirects to the page with the results.
pub async fn search_live(
    Extension(calls): Calls,
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<SearchForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    find(&signed_in, &id).await?;
    run_to_completion(async move {
        search::store(&signed_in, &calls, &form.q).await?;
        Ok(to_list(&id, &ListQuery::search(form.q)))
    })
    .await
}
