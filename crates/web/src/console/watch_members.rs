//! Adding members to a watch list and removing them.

use axum::extract::Path;
use axum::response::Response;
use panji_api::accounts::roles::Permission;
use panji_api::api::watch::lists::limits_of;
use panji_api::api::watch::member_id::{MemberId, parse_member, present_numbers};
use panji_store::StoreError;
use panji_store::calendar::ist_year;
use panji_store::ledger::{AddedMember, MAX_MEMBERS_PER_CALL};
use serde::Deserialize;

use super::forms::AuthenticatedForm;
use super::language::{amounts, t_with};
use super::page_error::PageError;
use super::session::SignedIn;
use super::watched_lists::{Done, ListQuery, find, no_list, owner, to_list};

/// Values of one pasted text.
const MAX_PASTED: usize = 5_000;

#[derive(Deserialize)]
pub struct MembersForm {
    #[serde(default)]
    members: String,
    /// What was searched for, if the member was found so.
    #[serde(default)]
    q: String,
}

/// Adds pasted identifiers, separated by spaces, commas, semicolons or lines.
pub async fn add(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<MembersForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    find(&signed_in, &id).await?;
    let separates = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '|');
    let values = form.members.split(separates).filter(|value| !value.is_empty());
    let values: Vec<&str> = values.take(MAX_PASTED + 1).collect();
    if values.len() > MAX_PASTED {
        return Err(PageError::bad_form(t_with(
            "Paste at most {0} identifiers at a time.",
            &[&MAX_PASTED],
        )));
    }
    let this_year = ist_year(signed_in.context.at_ms);
    let (mut members, mut malformed) = (Vec::new(), Vec::new());
    for value in values {
        match parse_member(value, this_year) {
            Ok(member) => members.push(member),
            Err(_) => malformed.push(value),
        }
    }
    let added = add_members(&signed_in, &id, members).await?;
    let query = ListQuery { q: form.q, ..ListQuery::added(added) };
    Ok(to_list(&id, &query.with_malformed(&malformed)))
}

/// Adds members to a list; returns how many are new on it.
pub async fn add_members(
    signed_in: &SignedIn,
    id: &str,
    mut members: Vec<MemberId>,
) -> Result<i64, PageError> {
    let limits = limits_of(&signed_in.app.config);
    let mut added = 0;
    let register = &signed_in.app.dataset(signed_in.mode()).register;
    for chunk in members.chunks_mut(MAX_MEMBERS_PER_CALL) {
        present_numbers(register, chunk)
            .await
            .map_err(|error| PageError::internal(error.message))?;
        let chunk: Vec<(&str, &str)> =
            chunk.iter().map(|member| (member.id.as_str(), member.kind.as_str())).collect();
        let ledger = &signed_in.app.ledger;
        let at_ms = signed_in.context.at_ms;
        let outcome = ledger.add_watch_members(owner(signed_in), id, &chunk, limits, at_ms).await;
        let outcome = outcome.map_err(|error| match error {
            StoreError::Conflict(_) => PageError::conflict(t_with(
                "A watch list has at most {0} members. Remove some, or use another list.",
                &[&amounts::grouped(limits.members)],
            )),
            other => other.into(),
        })?;
        let outcome = outcome.ok_or_else(no_list)?;
        let new = AddedMember::Added;
        added += outcome.iter().filter(|one| **one == new).count() as i64;
    }
    Ok(added)
}

#[derive(Deserialize)]
pub struct RemoveForm {
    #[serde(default)]
    member: String,
}

pub async fn remove(
    Path(id): Path<String>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<RemoveForm>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let ledger = &signed_in.app.ledger;
    let removed = ledger.remove_watch_members(owner(&signed_in), &id, &[&form.member]).await?;
    removed.ok_or_else(no_list)?;
    Ok(to_list(&id, &ListQuery::done(Done::Removed)))
}
