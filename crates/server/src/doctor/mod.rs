//! The doctor: checks the installation without changing it, and reports problems with advice.

mod databases;
mod files;
mod machine;
mod sso;

use panji_api::config::Config;
use serde::Serialize;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    pub verdict: CheckStatus,
    pub found: String,
    /// What to do; none if the verdict is ok.
    pub advice: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    Ok,
    /// It works, and could be better.
    Warning,
    /// It does not work, or breaks a guarantee.
    Failure,
}

impl CheckStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Warning => "warning",
            CheckStatus::Failure => "FAILURE",
        }
    }
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Finding {
        Finding { check, verdict: CheckStatus::Ok, found: found.into(), advice: None }
    }

    fn warning(check: &'static str, found: impl Into<String>, advice: &str) -> Finding {
        let advice = Some(advice.to_owned());
        Finding { check, verdict: CheckStatus::Warning, found: found.into(), advice }
    }

    fn failure(check: &'static str, found: impl Into<String>, advice: &str) -> Finding {
        let advice = Some(advice.to_owned());
        Finding { check, verdict: CheckStatus::Failure, found: found.into(), advice }
    }
}

/// Runs all checks. A thorough check reads the embedded databases completely.
pub async fn examine(config: &Config, thorough: bool, now_ms: i64) -> Vec<Finding> {
    let mut findings = files::examine(config, now_ms);
    findings.extend(databases::examine(config, thorough, now_ms).await);
    findings.extend(machine::examine(config, now_ms));
    findings.extend(sso::examine(config, now_ms).await);
    findings
}
