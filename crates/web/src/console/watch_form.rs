//! The form that puts something on a watch list, for the pages of other things: a company, a finished job.

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use panji_api::accounts::roles::Permission;
use panji_api::api::watch::lists::{MAX_NAME, limits_of};
use panji_api::api::watch::member_id::parse_member;
use panji_api::http::encoding::encoded;
use panji_store::calendar::ist_year;
use panji_store::ledger::Watchlist;
use serde::Deserialize;

use super::forms::AuthenticatedForm;
use super::language::{filters, t, t_with};
use super::page_error::PageError;
use super::session::SignedIn;
use super::watch_members::add_members;
use super::watched_lists::{ListQuery, find, owner, to_list};

/// The name of a list that the first watched company makes.
const FIRST_LIST: &str = "My companies";

/// A button with a choice of lists; for what is on a list already, a link to that list.
#[derive(Template)]
#[template(path = "watch_form.html")]
pub struct WatchForm {
    form_token: String,
    action: String,
    label: &'static str,
    lists: Vec<Watchlist>,
    on: Option<Watchlist>,
}

impl WatchForm {
    /// For a company; none if the member may not change lists.
    pub async fn for_company(
        signed_in: &SignedIn,
        cin: &str,
    ) -> Result<Option<WatchForm>, PageError> {
        let action = format!("/console/companies/{}/watch", encoded(cin));
        let Some(form) = WatchForm::new(signed_in, action, t("Watch|do")).await? else {
            return Ok(None);
        };
        let on = signed_in.app.ledger.list_watchlists_of(owner(signed_in), cin).await?;
        let on = form.lists.iter().find(|list| on.contains(&list.id)).cloned();
        Ok(Some(WatchForm { on, ..form }))
    }

    /// For the companies of a finished job.
    pub async fn for_job(signed_in: &SignedIn, id: &str) -> Result<Option<WatchForm>, PageError> {
        WatchForm::new(signed_in, format!("/console/bulk/{}/watch", encoded(id)), t("Watch these"))
            .await
    }

    async fn new(
        signed_in: &SignedIn,
        action: String,
        label: &'static str,
    ) -> Result<Option<WatchForm>, PageError> {
        if !signed_in.may(Permission::MakeCalls) {
            return Ok(None);
        }
        let lists = signed_in.app.ledger.list_watchlists(owner(signed_in)).await?;
        let form_token = signed_in.form_token();
        Ok(Some(WatchForm { form_token, action, label, lists, on: None }))
    }
}

#[derive(Deserialize)]
pub struct ListForm {
    /// Empty for a new list.
    #[serde(default)]
    list: String,
}

/// The list that was chosen; a new one of this name if none was.
pub async fn chosen_list(
    signed_in: &SignedIn,
    form: &ListForm,
    name: &str,
) -> Result<Watchlist, PageError> {
    if !form.list.is_empty() {
        return find(signed_in, &form.list).await;
    }
    let limits = limits_of(&signed_in.app.config);
    let name: String = name.chars().take(MAX_NAME).collect();
    let (ledger, at_ms) = (&signed_in.app.ledger, signed_in.context.at_ms);
    let created = ledger.create_watchlist(owner(signed_in), &name, limits, at_ms).await?;
    created.ok_or_else(|| {
        let sentence =
            t_with("The account has {0} watch lists already. Delete one.", &[&limits.lists]);
        PageError::conflict(sentence)
    })
}

/// Puts a company on a list.
pub async fn watch_company(
    Path(cin): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<ListForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let this_year = ist_year(signed_in.context.at_ms);
    let member =
        parse_member(&cin, this_year).map_err(|error| PageError::bad_form(error.message))?;
    let list = chosen_list(&signed_in, &form, FIRST_LIST).await?;
    let added = add_members(&signed_in, &list.id, vec![member]).await?;
    Ok(to_list(&list.id, &ListQuery::added(added)))
}
