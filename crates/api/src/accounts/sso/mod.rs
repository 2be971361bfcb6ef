//! Single sign-on by OpenID Connect: the authorization code flow with PKCE. Everything that is read from the
//! provider has a limit of size and time. The provider is named by the operator, so it may be in a private
//! network.

mod discovery;
mod fetch;
mod ring_verifier;
mod token;

use std::sync::Mutex;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hyper::header::AUTHORIZATION;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::config::SsoSettings;
use discovery::Cache;
use fetch::Fetcher;
pub use fetch::NoSsoCertificates;

/// The path that the provider sends the browser back to.
pub const CALLBACK_PATH: &str = "/console/log-in/sso/callback";
/// Characters of an authorization code.
const MAX_CODE: usize = 4_096;
/// Bytes of that path with its query, in which the code is the longest part.
pub const MAX_CALLBACK_BYTES: usize = 2 * MAX_CODE;
/// Groups of a person that are read.
const MAX_GROUPS: usize = 2_000;
/// Characters of a person's name and of the id at the provider. OpenID Connect allows 255 for the id.
const MAX_TEXT: usize = 255;

/// Why nobody could be identified. The texts are for the operator's log.
#[derive(Debug, thiserror::Error)]
pub enum SsoError {
    /// No connection, or a response that no provider should send.
    #[error("the identity provider: {0}")]
    Provider(String),
    /// The response cannot be trusted.
    #[error("the identity provider's token: {0}")]
    Token(String),
}

/// The secrets of one attempt to log in. Each is derived for its purpose, so none reveals another.
pub struct Attempt {
    pub state: String,
    pub nonce: String,
    /// The PKCE verifier, 43 to 128 characters.
    pub verifier: String,
}

/// A person as the provider describes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifiedPerson {
    /// The permanent id at the provider.
    pub subject: String,
    /// None if the provider does not say it, or does not say that it is verified.
    pub verified_email: Option<String>,
    pub name: Option<String>,
    pub groups: Vec<String>,
}

pub struct Sso {
    pub settings: SsoSettings,
    redirect_uri: String,
    fetcher: Fetcher,
    cache: Mutex<Cache>,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: Option<String>,
}

impl Sso {
    /// None if single sign-on is off.
    pub fn open(
        settings: &SsoSettings,
        public_url: &str,
    ) -> Result<Option<Sso>, NoSsoCertificates> {
        if !settings.is_on() {
            return Ok(None);
        }
        ring_verifier::install();
        Ok(Some(Sso {
            settings: settings.clone(),
            redirect_uri: format!("{public_url}{CALLBACK_PATH}"),
            fetcher: Fetcher::open()?,
            cache: Mutex::default(),
        }))
    }

    /// The provider's page where the person logs in.
    pub async fn authorization_url(
        &self,
        attempt: &Attempt,
        now_ms: i64,
    ) -> Result<String, SsoError> {
        let endpoint = &self.discover(now_ms).await?.authorization_endpoint;
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&attempt.verifier));
        let fields = [
            ("response_type", "code"),
            ("client_id", &self.settings.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("scope", &self.settings.scopes),
            ("state", &attempt.state),
            ("nonce", &attempt.nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        Ok(format!("{endpoint}{separator}{}", encode_form(&fields)))
    }

    /// Exchanges the code of a callback for the person's identity.
    pub async fn identify(
        &self,
        code: &str,
        attempt: &Attempt,
        now_ms: i64,
    ) -> Result<IdentifiedPerson, SsoError> {
        if code.is_empty() || code.len() > MAX_CODE {
            return Err(SsoError::Token("the code is missing or too long".to_owned()));
        }
        let tokens = self.exchange(code, attempt, now_ms).await?;
        let mut claims = self.verify(&tokens.id_token, &attempt.nonce, now_ms).await?;
        if let Some(more) = self.ask_for_missing(&claims, &tokens, now_ms).await? {
            for (name, value) in more {
                // The signed token has priority.
                claims.entry(name).or_insert(value);
            }
        }
        self.read_claims(&claims)
    }

    async fn exchange(
        &self,
        code: &str,
        attempt: &Attempt,
        now_ms: i64,
    ) -> Result<Tokens, SsoError> {
        let provider = self.discover(now_ms).await?;
        let (id, secret) = (&*self.settings.client_id, &*self.settings.client_secret);
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect_uri),
            ("code_verifier", &attempt.verifier),
        ];
        let mut headers = Vec::new();
        if secret.is_empty() {
            fields.push(("client_id", id));
        } else if provider.takes_basic_authentication() {
            let credentials = format!("{}:{}", encode(id), encode(secret));
            let credentials = BASE64_STANDARD.encode(credentials);
            headers.push((AUTHORIZATION, format!("Basic {credentials}")));
        } else {
            fields.extend([("client_id", id), ("client_secret", secret)]);
        }
        let body = encode_form(&fields);
        let response = self.fetcher.post_form(&provider.token_endpoint, body, &headers).await?;
        serde_json::from_value(response)
            .map_err(|_| SsoError::Provider("the response contains no ID token".to_owned()))
    }

    /// The claims of the userinfo endpoint, if the ID token lacks the email address or the groups.
    async fn ask_for_missing(
        &self,
        claims: &Map<String, Value>,
        tokens: &Tokens,
        now_ms: i64,
    ) -> Result<Option<Map<String, Value>>, SsoError> {
        let complete =
            claims.contains_key("email") && find(claims, &self.settings.groups_claim).is_some();
        let provider = self.discover(now_ms).await?;
        let (Some(endpoint), Some(token)) = (&provider.userinfo_endpoint, &tokens.access_token)
        else {
            return Ok(None);
        };
        if complete {
            return Ok(None);
        }
        let headers = [(AUTHORIZATION, format!("Bearer {token}"))];
        let response = self.fetcher.get(endpoint, &headers).await?;
        let Value::Object(more) = response else {
            return Err(SsoError::Provider("the userinfo is not an object".to_owned()));
        };
        // Otherwise it may describe another person.
        if more.get("sub") != claims.get("sub") {
            return Err(SsoError::Token("the userinfo is about another person".to_owned()));
        }
        Ok(Some(more))
    }

    fn read_claims(&self, claims: &Map<String, Value>) -> Result<IdentifiedPerson, SsoError> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::trim);
        let subject = text("sub").filter(|subject| !subject.is_empty());
        let subject = subject.filter(|subject| subject.chars().count() <= MAX_TEXT);
        let subject = subject.ok_or_else(|| SsoError::Token("sub is missing".to_owned()))?;
        let verified = find(claims, &self.settings.email_verified_claim).is_some_and(is_true);
        let email = text("email").filter(|email| verified && !email.is_empty());
        let name = text("name").filter(|name| !name.is_empty());
        let groups = match find(claims, &self.settings.groups_claim) {
            Some(Value::String(group)) => vec![group.clone()],
            Some(Value::Array(groups)) => {
                let groups = groups.iter().filter_map(Value::as_str).take(MAX_GROUPS);
                groups.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        Ok(IdentifiedPerson {
            subject: subject.to_owned(),
            verified_email: email.map(str::to_lowercase),
            name: name.map(|name| name.chars().take(MAX_TEXT).collect()),
            groups,
        })
    }
}

/// A claim by its name, or by a path with dots.
fn find<'a>(claims: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    claims.get(path).or_else(|| {
        let (first, rest) = path.split_once('.')?;
        find(claims.get(first)?.as_object()?, rest)
    })
}

/// Some providers send text or a number.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::String(text) => text == "true" || text == "1",
        other => other.as_i64() == Some(1),
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn encode_form(fields: &[(&str, &str)]) -> String {
    let fields = fields.iter().map(|(name, value)| format!("{name}={}", encode(value)));
    fields.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn claims_are_found_by_name_or_path_and_true_has_several_forms() {
        let claims = json!({
            "groups": ["a"], "https://id.example.in/roles": "b", "realm_access": {"roles": ["c"]},
        });
        let claims = claims.as_object().expect("an object");
        assert_eq!(find(claims, "groups"), Some(&json!(["a"])));
        assert_eq!(find(claims, "https://id.example.in/roles"), Some(&json!("b")));
        assert_eq!(find(claims, "realm_access.roles"), Some(&json!(["c"])));
        assert_eq!(find(claims, "realm_access.groups"), None);
        assert_eq!(find(claims, "groups.roles"), None);
        for (value, expected) in [
            (json!(true), true),
            (json!("true"), true),
            (json!(1), true),
            (json!(false), false),
            (json!("false"), false),
            (json!(null), false),
            (json!(["true"]), false),
        ] {
            assert_eq!(is_true(&value), expected, "{value}");
        }
    }
}
