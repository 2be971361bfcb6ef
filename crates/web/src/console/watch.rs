//! The pages of watch lists: all lists with the email digest, and one list with its members.

use askama::Template;
use axum::Extension;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::watch::lists::{MAX_NAME, limits_of};
use panji_api::events::digest;
use panji_store::ledger::{DigestFrequency, WatchMember, Watchlist};
use serde::Deserialize;
use serde_json::json;

use super::api_call::Calls;
use super::forms::{AuthenticatedForm, Empty};
use super::labels;
use super::language::{self, amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::watch_jobs::{OfferedJob, offered_jobs};
use super::watch_search::Search;
use super::watched_lists::{Done, ListQuery, find, no_list, owner, to_list};

/// Members on one page.
const PAGE: i64 = 100;

#[derive(Template)]
#[template(path = "watch.html")]
struct ListsPage {
    layout: Layout,
    may_call: bool,
    lists: Vec<ListRow>,
    unread: i64,
    /// The frequencies of the digest, and which is chosen.
    digests: Vec<(&'static str, &'static str, bool)>,
    sends_mail: bool,
}

struct ListRow {
    id: String,
    name: String,
    members: i64,
    created: String,
}

#[derive(Default, Deserialize)]
pub struct DoneQuery {
    #[serde(default)]
    done: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<DoneQuery>,
) -> Result<Response, PageError> {
    let ledger = &signed_in.app.ledger;
    let lists = ledger.list_watchlists(owner(&signed_in)).await?;
    let chosen = ledger.find_digest_frequency(signed_in.account_id()).await?;
    let (_, unread) = ledger.count_unpaid_events(owner(&signed_in), 1_000).await?;
    let notice = match query.done.as_str() {
        "deleted" => Some(t("The watch list was deleted.")),
        "digest" => Some(t("The email digest was changed.")),
        _ => None,
    };
    let row = |list: Watchlist| ListRow {
        created: dates::day_of(list.created_at),
        id: list.id,
        name: list.name,
        members: list.members,
    };
    let label = |frequency: DigestFrequency| match frequency {
        DigestFrequency::Off => t("No email"),
        DigestFrequency::Daily => t("Every day"),
        DigestFrequency::Weekly => t("Every Monday"),
    };
    Ok(respond(&ListsPage {
        layout: signed_in.layout(Tab::Watch, t("Watch")).with_notice(notice),
        may_call: signed_in.may(Permission::MakeCalls),
        lists: lists.into_iter().map(row).collect(),
        unread,
        digests: DigestFrequency::ALL
            .map(|frequency| (frequency.as_str(), label(frequency), frequency == chosen))
            .to_vec(),
        sends_mail: signed_in.app.mailer.sends(),
    }))
}

#[derive(Deserialize)]
pub struct NameForm {
    #[serde(default)]
    name: String,
}

impl NameForm {
    fn name(&self) -> Result<&str, PageError> {
        let name = self.name.trim();
        let plain = !name.is_empty() && !name.chars().any(char::is_control);
        match plain && name.chars().count() <= MAX_NAME {
            true => Ok(name),
            false => {
                Err(PageError::bad_form(t_with("A name has 1 to {0} characters.", &[&MAX_NAME])))
            }
        }
    }
}

pub async fn create(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<NameForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let limits = limits_of(&signed_in.app.config);
    let at_ms = signed_in.context.at_ms;
    let ledger = &signed_in.app.ledger;
    let created = ledger.create_watchlist(owner(&signed_in), form.name()?, limits, at_ms).await?;
    let Some(list) = created else {
        let sentence =
            t_with("The account has {0} watch lists already. Delete one.", &[&limits.lists]);
        return Err(PageError::conflict(sentence));
    };
    Ok(to_list(&list.id, &ListQuery::default()))
}

#[derive(Deserialize)]
pub struct DigestForm {
    #[serde(default)]
    frequency: String,
}

pub async fn set_digest(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<DigestForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let frequency = DigestFrequency::from_word(&form.frequency)
        .ok_or_else(|| PageError::bad_form(t("Choose how often the digest is sent.")))?;
    let period = digest::period(frequency, signed_in.context.at_ms);
    let account_id = signed_in.account_id();
    signed_in.app.ledger.set_digest_frequency(account_id, frequency, &period).await?;
    signed_in.log("watch.digest", account_id, json!({"frequency": frequency.as_str()})).await;
    Ok(Redirect::to("/console/watch?done=digest").into_response())
}

#[derive(Template)]
#[template(path = "watch_list.html")]
struct ListPage {
    layout: Layout,
    may_call: bool,
    list: Watchlist,
    members: Vec<MemberRow>,
    next_after: Option<String>,
    /// Finished jobs whose companies can be added.
    jobs: Vec<OfferedJob>,
    search: Search,
}

struct MemberRow {
    id: String,
    kind: &'static str,
    /// The page of a company or director.
    href: Option<String>,
    added: String,
}

pub async fn show_list(
    signed_in: SignedIn,
    Extension(calls): Calls,
    Path(id): Path<String>,
    RepeatedQuery(query): RepeatedQuery<ListQuery>,
) -> Result<Response, PageError> {
    let list = find(&signed_in, &id).await?;
    let ledger = &signed_in.app.ledger;
    let members = ledger.list_watch_members(owner(&signed_in), &id, &query.after, PAGE + 1).await?;
    let has_more = members.len() as i64 > PAGE;
    let shown = members.into_iter().take(PAGE as usize).map(member_row);
    let members: Vec<MemberRow> = shown.collect();
    Ok(respond(&ListPage {
        layout: signed_in.layout(Tab::Watch, &list.name).with_notice(query.notice().as_deref()),
        may_call: signed_in.may(Permission::MakeCalls),
        next_after: members.last().filter(|_| has_more).map(|member| member.id.clone()),
        members,
        jobs: offered_jobs(&signed_in).await?,
        search: Search::of(&signed_in, &calls, &id, query.q).await?,
        list,
    }))
}

fn member_row(member: WatchMember) -> MemberRow {
    let (kind, href) = match member.kind.as_str() {
        "company" => (t("Company"), Some(format!("/console/companies/{}", member.member))),
        "director" => (t("Director"), Some(format!("/console/directors/{}", member.member))),
        _ => (t("GST registration"), None),
    };
    MemberRow { id: member.member, kind, href, added: dates::day_of(member.added_at) }
}

pub async fn rename(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<NameForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let ledger = &signed_in.app.ledger;
    let renamed = ledger.rename_watchlist(owner(&signed_in), &id, form.name()?).await?;
    renamed.ok_or_else(no_list)?;
    Ok(to_list(&id, &ListQuery::done(Done::Renamed)))
}

pub async fn delete(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    if !signed_in.app.ledger.delete_watchlist(owner(&signed_in), &id).await? {
        return Err(no_list());
    }
    signed_in.log("watch.delete", &id, json!({"mode": signed_in.mode().as_str()})).await;
    Ok(Redirect::to("/console/watch?done=deleted").into_response())
}
