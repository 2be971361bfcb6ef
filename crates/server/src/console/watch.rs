//! The pages of watch lists: all lists with the mail digest, and one list with its members.

use askama::Template;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::StoreError;
use panji_store::ledger::{
    BulkJob, DigestFrequency, JobState, MAX_MEMBERS_AT_ONCE, MatchFilter, Mode, WatchMember,
    Watchlist,
};
use serde::Deserialize;
use serde_json::json;

use super::forms::{AuthenticatedForm, Empty};
use super::frame::{Frame, Tab, respond};
use super::problem::Problem;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use crate::accounts::roles::Permission;
use crate::api::watch::lists::{MAX_NAME, limits_of};
use crate::api::watch::member_id::{MemberId, parse_member, present_numbers};
use crate::events::digest;
use crate::locale::{amounts, dates};

/// Members on one page.
const PAGE: i64 = 100;
/// Values of one pasted text.
const MAX_PASTED: usize = 5_000;
/// Matching jobs that are offered.
const MAX_JOBS: usize = 20;
/// Rows of a matching job read at a time.
const ROWS_PER_READ: i64 = 1_000;
/// Malformed values that a message repeats.
const MAX_SHOWN: usize = 5;

#[derive(Template)]
#[template(path = "watch.html")]
struct ListsPage {
    frame: Frame,
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
pub struct NoticeQuery {
    #[serde(default)]
    notice: String,
    #[serde(default)]
    after: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<NoticeQuery>,
) -> Result<Response, Problem> {
    let ledger = &signed_in.app.ledger;
    let lists = ledger.list_watchlists(owner(&signed_in)).await?;
    let chosen = ledger.find_digest_frequency(signed_in.account_id()).await?;
    let (_, unread) = ledger.count_unpaid_events(owner(&signed_in), 1_000).await?;
    let notice = match query.notice.as_str() {
        "deleted" => Some("The watch list was deleted."),
        "digest" => Some("The mail digest was changed."),
        _ => None,
    };
    let row = |list: Watchlist| ListRow {
        created: dates::day_of(list.created_at),
        id: list.id,
        name: list.name,
        members: list.members,
    };
    let label = |frequency: DigestFrequency| match frequency {
        DigestFrequency::Off => "No mail",
        DigestFrequency::Daily => "Every day",
        DigestFrequency::Weekly => "Every Monday",
    };
    Ok(respond(&ListsPage {
        frame: signed_in.frame(Tab::Watch, "Watch").with_notice(notice),
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
    fn name(&self) -> Result<&str, Problem> {
        let name = self.name.trim();
        let plain = !name.is_empty() && !name.chars().any(char::is_control);
        match plain && name.chars().count() <= MAX_NAME {
            true => Ok(name),
            false => Err(Problem::bad_form(format!("A name has 1 to {MAX_NAME} characters"))),
        }
    }
}

pub async fn create(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<NameForm>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let limits = limits_of(&signed_in.app.config);
    let at_ms = signed_in.context.at_ms;
    let ledger = &signed_in.app.ledger;
    let created = ledger.create_watchlist(owner(&signed_in), form.name()?, limits, at_ms).await?;
    let Some(list) = created else {
        let sentence = format!("The account has {} watch lists already. Delete one.", limits.lists);
        return Err(Problem::conflict(sentence));
    };
    Ok(to_list(&list.id, ""))
}

#[derive(Deserialize)]
pub struct DigestForm {
    #[serde(default)]
    frequency: String,
}

pub async fn set_digest(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<DigestForm>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let frequency = DigestFrequency::from_word(&form.frequency)
        .ok_or_else(|| Problem::bad_form("Choose how often the mail comes"))?;
    let period = digest::period(frequency, signed_in.context.at_ms);
    let account_id = signed_in.account_id();
    signed_in.app.ledger.set_digest_frequency(account_id, frequency, &period).await?;
    signed_in.log("watch.digest", account_id, json!({"frequency": frequency.as_str()})).await;
    Ok(Redirect::to("/console/watch?notice=digest").into_response())
}

#[derive(Template)]
#[template(path = "watch_list.html")]
struct ListPage {
    frame: Frame,
    may_call: bool,
    list: Watchlist,
    members: Vec<MemberRow>,
    next_after: Option<String>,
    /// Finished matching jobs: id, name and matched rows.
    jobs: Vec<(String, String, i64)>,
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
    Path(id): Path<String>,
    RepeatedQuery(query): RepeatedQuery<NoticeQuery>,
) -> Result<Response, Problem> {
    let list = find(&signed_in, &id).await?;
    let ledger = &signed_in.app.ledger;
    let members = ledger.list_watch_members(owner(&signed_in), &id, &query.after, PAGE + 1).await?;
    let has_more = members.len() as i64 > PAGE;
    let shown = members.into_iter().take(PAGE as usize).map(member_row);
    let members: Vec<MemberRow> = shown.collect();
    let notice: String = query.notice.chars().take(400).collect();
    Ok(respond(&ListPage {
        frame: signed_in
            .frame(Tab::Watch, &list.name)
            .with_notice(Some(notice.as_str()).filter(|notice| !notice.is_empty())),
        may_call: signed_in.may(Permission::MakeCalls),
        next_after: members.last().filter(|_| has_more).map(|member| member.id.clone()),
        members,
        jobs: finished_jobs(&signed_in).await?,
        list,
    }))
}

fn member_row(member: WatchMember) -> MemberRow {
    let (kind, href) = match member.kind.as_str() {
        "company" => ("Company", Some(format!("/console/companies/{}", member.member))),
        "director" => ("Director", Some(format!("/console/directors/{}", member.member))),
        _ => ("GST registration", None),
    };
    MemberRow { id: member.member, kind, href, added: dates::day_of(member.added_at) }
}

async fn finished_jobs(signed_in: &SignedIn) -> Result<Vec<(String, String, i64)>, Problem> {
    let ledger = &signed_in.app.ledger;
    let jobs = ledger.list_bulk_jobs(signed_in.account_id(), signed_in.mode()).await?;
    let mut finished = Vec::new();
    for job in jobs.into_iter().filter(|job| job.state == JobState::Done).take(MAX_JOBS) {
        let matched = ledger.count_match_rows(&job).await?.matched;
        if matched > 0 {
            finished.push((job.id, job.name, matched));
        }
    }
    Ok(finished)
}

pub async fn rename(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<NameForm>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let ledger = &signed_in.app.ledger;
    let renamed = ledger.rename_watchlist(owner(&signed_in), &id, form.name()?).await?;
    renamed.ok_or_else(no_list)?;
    Ok(to_list(&id, "The watch list was renamed."))
}

pub async fn delete(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    if !signed_in.app.ledger.delete_watchlist(owner(&signed_in), &id).await? {
        return Err(no_list());
    }
    signed_in.log("watch.delete", &id, json!({"mode": signed_in.mode().as_str()})).await;
    Ok(Redirect::to("/console/watch?notice=deleted").into_response())
}

#[derive(Deserialize)]
pub struct MembersForm {
    #[serde(default)]
    members: String,
}

/// Adds pasted identifiers, separated by spaces, commas, semicolons or lines.
pub async fn add(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<MembersForm>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    find(&signed_in, &id).await?;
    let separates = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '|');
    let values = form.members.split(separates).filter(|value| !value.is_empty());
    let values: Vec<&str> = values.take(MAX_PASTED + 1).collect();
    if values.len() > MAX_PASTED {
        return Err(Problem::bad_form(format!("Paste at most {MAX_PASTED} identifiers at a time")));
    }
    let this_year = panji_store::calendar::ist_year(signed_in.context.at_ms);
    let (mut members, mut malformed) = (Vec::new(), Vec::new());
    for value in values {
        match parse_member(value, this_year) {
            Ok(member) => members.push(member),
            Err(_) => malformed.push(value),
        }
    }
    let added = add_members(&signed_in, &id, members).await?;
    let mut notice = format!("{} added.", amounts::counted(added, "member was", "members were"));
    if !malformed.is_empty() {
        let shown: Vec<String> = malformed
            .iter()
            .take(MAX_SHOWN)
            .map(|value| format!("“{}”", value.chars().take(40).collect::<String>()))
            .collect();
        let count = malformed.len() as i64;
        let counted = amounts::counted(count, "value is malformed", "values are malformed");
        notice.push_str(&format!(" {counted}: {}", shown.join(", ")));
        notice.push_str(if malformed.len() > MAX_SHOWN { " and others." } else { "." });
    }
    Ok(to_list(&id, &notice))
}

async fn add_members(
    signed_in: &SignedIn,
    id: &str,
    mut members: Vec<MemberId>,
) -> Result<i64, Problem> {
    let limits = limits_of(&signed_in.app.config);
    let mut added = 0;
    let register = &signed_in.app.catalogue(signed_in.mode()).register;
    for chunk in members.chunks_mut(MAX_MEMBERS_AT_ONCE) {
        present_numbers(register, chunk).await.map_err(|error| Problem::internal(error.message))?;
        let chunk: Vec<(&str, &str)> =
            chunk.iter().map(|member| (member.id.as_str(), member.kind.as_str())).collect();
        let ledger = &signed_in.app.ledger;
        let at_ms = signed_in.context.at_ms;
        let outcome = ledger.add_watch_members(owner(signed_in), id, &chunk, limits, at_ms).await;
        let outcome = outcome.map_err(|error| match error {
            StoreError::Conflict(_) => Problem::conflict(format!(
                "A watch list has at most {} members. Remove some, or use another list.",
                amounts::grouped(limits.members)
            )),
            other => other.into(),
        })?;
        let outcome = outcome.ok_or_else(no_list)?;
        let new = panji_store::ledger::AddedMember::Added;
        added += outcome.iter().filter(|one| **one == new).count() as i64;
    }
    Ok(added)
}

#[derive(Deserialize)]
pub struct JobForm {
    #[serde(default)]
    job: String,
}

/// Adds the companies that a finished matching job has found.
pub async fn add_job(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<JobForm>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    find(&signed_in, &id).await?;
    let job = signed_in.app.ledger.find_bulk_job(signed_in.account_id(), &form.job).await?;
    let job = job.filter(|job| job.mode == signed_in.mode());
    let job = job.ok_or_else(|| Problem::not_found("This list does not exist."))?;
    let members = matched_companies(&signed_in, &job).await?;
    let added = add_members(&signed_in, &id, members).await?;
    let counted = amounts::counted(added, "company was", "companies were");
    Ok(to_list(&id, &format!("{counted} added from {}.", job.name)))
}

async fn matched_companies(signed_in: &SignedIn, job: &BulkJob) -> Result<Vec<MemberId>, Problem> {
    let this_year = panji_store::calendar::ist_year(signed_in.context.at_ms);
    let mut members = Vec::new();
    let mut from = 0;
    loop {
        let ledger = &signed_in.app.ledger;
        let rows = ledger.list_match_rows(job, MatchFilter::All, from, ROWS_PER_READ).await?;
        let Some(last) = rows.last() else { return Ok(members) };
        from = last.number + 1;
        let cins = rows.iter().filter_map(|row| row.cin.as_deref());
        members.extend(cins.filter_map(|cin| parse_member(cin, this_year).ok()));
    }
}

#[derive(Deserialize)]
pub struct RemoveForm {
    #[serde(default)]
    member: String,
}

pub async fn remove(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<RemoveForm>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::MakeCalls)?;
    let ledger = &signed_in.app.ledger;
    let removed = ledger.remove_watch_members(owner(&signed_in), &id, &[&form.member]).await?;
    removed.ok_or_else(no_list)?;
    Ok(to_list(&id, "The member was removed."))
}

pub fn owner(signed_in: &SignedIn) -> (&str, Mode) {
    (signed_in.account_id(), signed_in.mode())
}

async fn find(signed_in: &SignedIn, id: &str) -> Result<Watchlist, Problem> {
    let found = signed_in.app.ledger.find_watchlist(owner(signed_in), id).await?;
    found.ok_or_else(no_list)
}

fn no_list() -> Problem {
    Problem::not_found("This watch list does not exist in this mode.")
}

fn to_list(id: &str, notice: &str) -> Response {
    let id = crate::http::encoding::encoded(id);
    match notice {
        "" => Redirect::to(&format!("/console/watch/{id}")).into_response(),
        notice => {
            let notice = crate::http::encoding::encoded(notice);
            Redirect::to(&format!("/console/watch/{id}?notice={notice}")).into_response()
        }
    }
}
