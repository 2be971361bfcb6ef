//! Checks the identity provider of single sign-on.

use panji_api::accounts::sso::Sso;
use panji_api::config::Config;

use super::Finding;

const CHECK: &str = "single sign-on";
const ADVICE: &str =
    "compare sso.issuer with the issuer in the provider's discovery document; see docs/sso.md";

/// Nothing if single sign-on is off.
pub async fn examine(config: &Config, now_ms: i64) -> Option<Finding> {
    let sso = match Sso::open(&config.sso, &config.public_url()) {
        Ok(sso) => sso?,
        Err(error) => return Some(Finding::failure(CHECK, error.to_string(), ADVICE)),
    };
    Some(match sso.count_keys(now_ms).await {
        Ok(0) => Finding::failure(CHECK, "the provider publishes no signing key", ADVICE),
        Ok(keys) => Finding::ok(CHECK, format!("{} responds, keys: {keys}", config.sso.issuer)),
        Err(error) => Finding::failure(CHECK, error.to_string(), ADVICE),
    })
}
