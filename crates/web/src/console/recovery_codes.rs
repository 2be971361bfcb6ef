//! Recovery codes, for a log-in without the authenticator app.

use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use panji_store::calendar::now_ms;
use panji_store::ledger::Person;
use serde_json::json;

use super::forms::{AuthenticatedForm, PasswordProof};
use super::language::{amounts, filters, t};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::session::{Anonymous, SignedIn};

const CODES_PER_SET: usize = 10;
/// Per code; 53 bits of entropy.
const DIGITS: usize = 16;

#[derive(Template)]
#[template(path = "recovery_codes.html")]
struct CodesPage {
    layout: Layout,
    codes: Vec<String>,
}

/// Replaces the recovery codes and displays the new ones, once.
pub async fn generate_and_show(signed_in: &SignedIn, notice: &str) -> Result<Response, PageError> {
    let codes = (0..CODES_PER_SET).map(|_| random_code()).collect::<Result<Vec<_>, _>>()?;
    let person_id = &signed_in.session.person.id;
    signed_in.app.ledger.set_recovery_codes(person_id, &codes).await?;
    signed_in.log("second_factor.codes", person_id, json!({"codes": CODES_PER_SET})).await;
    let layout = signed_in.layout(Tab::Account, t("Recovery codes")).with_notice(Some(notice));
    let codes = codes.iter().map(|code| grouped(code)).collect();
    Ok(respond(&CodesPage { layout, codes }))
}

/// Replaces the recovery codes; requires the password.
pub async fn regenerate(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<PasswordProof>,
) -> Result<Response, PageError> {
    signed_in.require_own_log_in()?;
    if signed_in.session.person.totp_since.is_none() {
        return Ok(Redirect::to("/console/account").into_response());
    }
    if !form.verify_password(&signed_in).await? {
        return Ok(Redirect::to("/console/account?done=wrong-password-codes").into_response());
    }
    generate_and_show(&signed_in, t("Your previous recovery codes no longer work.")).await
}

/// Accepts a recovery code instead of a code from the app, and invalidates it. The person is
/// notified by email.
pub async fn accept(anonymous: &Anonymous, person: &Person, text: &str) -> Result<bool, PageError> {
    let (app, code) = (&anonymous.app, digits_of(text));
    let is_valid = code.len() == DIGITS
        && person.totp_since.is_some()
        && app.ledger.use_recovery_code(&person.id, &code, now_ms()).await?;
    if !is_valid {
        return Ok(false);
    }
    let left = app.ledger.count_recovery_codes(&person.id).await?;
    anonymous.log(&person.id, "second_factor.recovery", None, json!({"left": left})).await;
    let text = format!(
        "Someone, probably you, logged in to Panji with a recovery code instead of a code from the \
         authenticator app. {} left.\n\nIf it was not you, change your password and generate new \
         codes now: {}/console/account\n",
        amounts::counted(left, "code is", "codes are"),
        app.public_url
    );
    app.mailer.send(&person.email, "A recovery code was used to log in to Panji", &text);
    Ok(true)
}

fn random_code() -> Result<String, PageError> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| PageError::internal(error.to_string()))?;
    // 2^64 is more than a thousand times the number of codes, so the bias of the modulo is small.
    Ok(format!("{:016}", u64::from_le_bytes(bytes) % 10_u64.pow(DIGITS as u32)))
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// For example 1234 5678 9012 3456.
fn grouped(code: &str) -> String {
    let mut text = String::new();
    for (index, digit) in code.chars().enumerate() {
        if index > 0 && index % 4 == 0 {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_sixteen_digits_in_groups_and_is_read_with_any_separators() {
        let code = random_code().expect("random bytes");
        assert_eq!(code.len(), DIGITS);
        assert_ne!(code, random_code().expect("random bytes"));
        assert_eq!(grouped("1234567890123456"), "1234 5678 9012 3456");
        assert_eq!(digits_of(" 1234-5678 90123456\n"), "1234567890123456");
    }
}
