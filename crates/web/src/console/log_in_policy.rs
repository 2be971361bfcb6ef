//! Which kinds of log-in open which account. Single sign-on belongs to one account: it opens no other, and whoever
//! uses it cannot open that account in another way. A link from the operator opens every account, for the case that
//! the identity provider fails.

use panji_api::app::App;
use panji_api::config::SsoSettings;
use panji_store::StoreError;
use panji_store::ledger::{Account, LogInMethod, Role, Session};

use super::language::t_with;
use super::page_error::PageError;

/// Whether all members of an account must log in through the identity provider.
pub fn requires_sso(settings: &SsoSettings, account: &Account) -> bool {
    settings.required && settings.is_account(account)
}

/// Whether a session may continue under the current settings.
pub fn is_still_open(settings: &SsoSettings, session: &Session) -> bool {
    match session.method {
        Some(LogInMethod::Sso) => settings.is_account(&session.account),
        Some(LogInMethod::Link) => true,
        Some(LogInMethod::Password | LogInMethod::Passkey) | None => {
            !requires_sso(settings, &session.account)
        }
    }
}

/// Whether a person who logged in like this may use one of their accounts. For older sessions the method is
/// unknown; they are treated like those with a password.
pub async fn opens(
    app: &App,
    account: &Account,
    person_id: &str,
    method: Option<LogInMethod>,
) -> Result<bool, StoreError> {
    let settings = &app.config.sso;
    if !settings.is_account(account) {
        return Ok(method != Some(LogInMethod::Sso));
    }
    match method {
        Some(LogInMethod::Sso | LogInMethod::Link) => Ok(true),
        Some(LogInMethod::Password | LogInMethod::Passkey) | None => {
            let uses_sso =
                app.ledger.has_sso_identity(&account.id, &settings.issuer, person_id).await?;
            Ok(!settings.required && !uses_sso)
        }
    }
}

/// The first account that a log-in of this kind opens.
pub async fn first_open(
    app: &App,
    accounts: Vec<(Account, Role)>,
    person_id: &str,
    method: LogInMethod,
) -> Result<Option<Account>, StoreError> {
    for (account, _) in accounts {
        if opens(app, &account, person_id, Some(method)).await? {
            return Ok(Some(account));
        }
    }
    Ok(None)
}

pub fn sso_required(settings: &SsoSettings) -> PageError {
    let name = &settings.name;
    PageError::refused_log_in(t_with(
        "You can use this account only if you log in with {0}. Go back to the log-in page and choose \
         “Continue with {0}”.",
        &[name],
    ))
}

/// The session cannot be used for this account of the person.
pub fn refused_switch(settings: &SsoSettings, account: &Account) -> PageError {
    match settings.is_account(account) {
        true => sso_required(settings),
        false => PageError::refused_log_in(t_with(
            "You logged in with {0}, which gives access to one account only. To use {1}, log out \
             and log in with your password.",
            &[&settings.name, &account.name],
        )),
    }
}
