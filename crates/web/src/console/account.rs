//! The account page: profile, password, two-factor authentication, sessions.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::passwords::PasswordError;
use panji_api::accounts::roles::Permission;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Account, LogInMethod, Mode, Role, SessionSummary};
use serde::Deserialize;
use serde_json::json;

use super::confirmation::ConfirmationNotice;
use super::forms::{AuthenticatedForm, Empty};
use super::language::{amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, Undo, respond, respond_with_errors};
use super::log_in_policy;
use super::page_error::PageError;
use super::passkeys;
use super::redirects::safe_path;
use super::repeated::RepeatedQuery;
use super::session::SignedIn;
use super::sign_up::clean_name;
use super::undo::UndoState;

/// What is undone after a renaming.
const RENAMED: &str = "account name";

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    layout: Layout,
    email: String,
    role: &'static str,
    account: Account,
    may_rename: bool,
    may_own: bool,
    others: Vec<(Account, Role)>,
    second_factor_since: Option<String>,
    codes_left: i64,
    has_password: bool,
    /// The identity provider, in a session through it.
    provider: Option<String>,
    passkeys: passkeys::Section,
    unconfirmed: Option<ConfirmationNotice>,
    sessions: Vec<SessionRow>,
    name_error: Option<String>,
    current_error: Option<String>,
    password_error: Option<String>,
    off_error: Option<String>,
    codes_error: Option<String>,
}

struct SessionRow {
    summary: SessionSummary,
    started: String,
    last_active: String,
    browser: String,
}

/// The action that redirected to a page.
#[derive(Deserialize)]
pub struct CompletedAction {
    #[serde(default)]
    pub done: String,
    #[serde(flatten)]
    pub undo_state: UndoState,
}

#[derive(Deserialize)]
pub struct PasswordChange {
    #[serde(default)]
    current_password: String,
    password: String,
}

#[derive(Deserialize)]
pub struct ModeChange {
    mode: String,
    #[serde(default)]
    next: String,
}

#[derive(Deserialize)]
pub struct AccountChange {
    account: String,
}

#[derive(Deserialize)]
pub struct Rename {
    name: String,
}

pub async fn show(
    signed_in: SignedIn,
    RepeatedQuery(query): RepeatedQuery<CompletedAction>,
) -> Result<Response, PageError> {
    let notice = match query.done.as_str() {
        "password" => Some(t("Your password was changed. All other sessions were logged out.")),
        "second-factor-off" => Some(t("Two-factor authentication is off.")),
        "confirmed" => Some(t("Your email address is confirmed.")),
        "confirmation-sent" => Some(t("We sent you the link. It expires in three days.")),
        "sessions" => Some(t("All other sessions were logged out.")),
        "passkey" => Some(t("The passkey was added. You can log in with it now.")),
        "passkey-removed" => Some(t("The passkey was removed. It no longer logs you in.")),
        "joined" => Some(t("You have joined the account. Switch to it below.")),
        "renamed" => Some(t("The account was renamed.")),
        _ => None,
    };
    let mut page = page(&signed_in).await?;
    let failure = (query.done == "confirmation-later")
        .then_some(t("The daily limit for sending the link is reached. Check your inbox and spam folder, or try again tomorrow."));
    let previous = query.undo_state.read(&signed_in).filter(|(object, _)| *object == RENAMED);
    let undo = previous.map(|(_, name)| Undo {
        action: "/console/account/name",
        fields: vec![("name", name.to_owned())],
    });
    page.layout = page.layout.with_notice(notice).with_failure(failure).with_undo(undo);
    page.off_error = (query.done == "wrong-password")
        .then(|| t("The password is wrong. Two-factor authentication is still on.").to_owned());
    page.codes_error = (query.done == "wrong-password-codes")
        .then(|| t("The password is wrong. The recovery codes were not changed.").to_owned());
    Ok(respond(&page))
}

async fn page(signed_in: &SignedIn) -> Result<AccountPage, PageError> {
    let (ledger, person) = (&signed_in.app.ledger, &signed_in.session.person);
    let now_ms = now_ms();
    let others = ledger.list_accounts_of(&person.id).await?;
    let sessions = ledger.list_sessions(&person.id, &signed_in.token, now_ms).await?;
    Ok(AccountPage {
        layout: signed_in.layout(Tab::Account, t("Account")),
        email: person.email.clone(),
        role: t(signed_in.session.role.as_str()),
        account: signed_in.session.account.clone(),
        may_rename: signed_in.may(Permission::ManageMembers),
        may_own: signed_in.may(Permission::OwnAccount),
        others: others
            .into_iter()
            .filter(|(other, _)| other.id != signed_in.account_id())
            .collect(),
        second_factor_since: person.totp_since.map(dates::day_of),
        codes_left: ledger.count_recovery_codes(&person.id).await?,
        has_password: person.password_hash.is_some(),
        provider: (signed_in.session.method == Some(LogInMethod::Sso))
            .then(|| signed_in.app.config.sso.name.clone()),
        passkeys: passkeys::Section::of(signed_in, now_ms).await?,
        unconfirmed: ConfirmationNotice::of(signed_in),
        sessions: sessions.into_iter().map(|summary| session_row(summary, now_ms)).collect(),
        name_error: None,
        current_error: None,
        password_error: None,
        off_error: None,
        codes_error: None,
    })
}

fn session_row(summary: SessionSummary, now_ms: i64) -> SessionRow {
    SessionRow {
        started: dates::minute(summary.created_at),
        last_active: dates::ago(summary.seen_at, now_ms),
        browser: match system_name(&summary.agent) {
            Some(system) => t_with("{0} on {1}", &[&browser_name(&summary.agent), &system]),
            None => browser_name(&summary.agent).to_owned(),
        },
        summary,
    }
}

/// The browser's name, from its user agent.
fn browser_name(agent: &str) -> &str {
    let known = [
        ("Edg/", "Edge"),
        ("Firefox/", "Firefox"),
        ("OPR/", "Opera"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ];
    known
        .iter()
        .find(|(part, _)| agent.contains(part))
        .map_or(t("Unknown browser"), |(_, name)| name)
}

/// The operating system, from the user agent; none if it is unknown.
fn system_name(agent: &str) -> Option<&'static str> {
    let known = [
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    known.iter().find(|(part, _)| agent.contains(part)).map(|(_, name)| *name)
}

/// Changes the password and ends all other sessions. A user without a password, who logged in with
/// a link, sets the first one.
pub async fn change_password(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<PasswordChange>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    let (app, person) = (&signed_in.app, &signed_in.session.person);
    if let Some(seconds) = app.limits.count_log_in(signed_in.context.address, &person.email) {
        return Err(PageError::too_many(seconds));
    }
    let current_hash = person.password_hash.clone();
    let first = current_hash.is_none();
    if !first && !app.passwords.check(form.current_password, current_hash).await? {
        let current_error = Some(t("The current password is wrong.").to_owned());
        let page = AccountPage { current_error, ..page(&signed_in).await? };
        return Ok(respond_with_errors(&page));
    }
    let known = [&*person.email, &person.name, "panji"];
    match app.passwords.hash(form.password, &known).await {
        Ok(hash) => {
            app.ledger.set_password(person, &hash, Some(&signed_in.token)).await?;
            signed_in.log("password.change", &person.id, json!({})).await;
            Ok(Redirect::to("/console/account?done=password").into_response())
        }
        Err(PasswordError::Weak(sentence)) => {
            let page = AccountPage { password_error: Some(sentence), ..page(&signed_in).await? };
            Ok(respond_with_errors(&page))
        }
        Err(error) => Err(error.into()),
    }
}

pub async fn end_other_sessions(
    AuthenticatedForm { signed_in, .. }: AuthenticatedForm<Empty>,
) -> Result<Response, PageError> {
    let person_id = &signed_in.session.person.id;
    let ended = signed_in.app.ledger.end_other_sessions(person_id, &signed_in.token).await?;
    signed_in.log("sessions.end", person_id, json!({"ended": ended})).await;
    Ok(Redirect::to("/console/account?done=sessions").into_response())
}

pub async fn change_mode(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<ModeChange>,
) -> Result<Response, PageError> {
    let mode = Mode::from_name(&form.mode)
        .ok_or_else(|| PageError::bad_form(t("This mode does not exist")))?;
    signed_in.app.ledger.update_session(&signed_in.token, signed_in.account_id(), mode).await?;
    Ok(Redirect::to(&safe_path(&form.next)).into_response())
}

/// Switches to another account of the user.
pub async fn change_account(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<AccountChange>,
) -> Result<Response, PageError> {
    let ledger = &signed_in.app.ledger;
    let accounts = ledger.list_accounts_of(&signed_in.session.person.id).await?;
    let account = accounts.iter().find(|(account, _)| account.id == form.account);
    let Some((account, _)) = account else {
        return Err(PageError::not_found(t("You are not a member of this account.")));
    };
    let (app, person_id) = (&signed_in.app, &signed_in.session.person.id);
    if !log_in_policy::opens(app, account, person_id, signed_in.session.method).await? {
        return Err(log_in_policy::refused_switch(&app.config.sso, account));
    }
    ledger.update_session(&signed_in.token, &form.account, Mode::Test).await?;
    Ok(Redirect::to("/console").into_response())
}

pub async fn rename(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Rename>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::ManageMembers)?;
    let Some(name) = clean_name(&form.name) else {
        let name_error = Some(t("Enter a name for the account.").to_owned());
        return Ok(respond_with_errors(&AccountPage { name_error, ..page(&signed_in).await? }));
    };
    let undo_state = UndoState::new(&signed_in, RENAMED, &signed_in.session.account.name);
    signed_in.app.ledger.rename_account(signed_in.account_id(), &name).await?;
    signed_in.log("account.rename", signed_in.account_id(), json!({})).await;
    let path = format!("/console/account?done=renamed&{}", undo_state.query());
    Ok(Redirect::to(&path).into_response())
}
