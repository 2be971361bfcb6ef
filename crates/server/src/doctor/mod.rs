//! The doctor: looks at the set-up without changing it, and says what is wrong and what to do.

mod databases;
mod files;
mod machine;

use serde::Serialize;

use crate::config::Config;

/// What one look found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: &'static str,
    /// How it is.
    pub verdict: Verdict,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub advice: Option<String>,
}

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// It works, and could be better.
    Warning,
    /// It does not work, or breaks a promise.
    Failure,
}

impl Verdict {
    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Warning => "warning",
            Verdict::Failure => "FAILURE",
        }
    }
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Finding {
        Finding { check, verdict: Verdict::Ok, found: found.into(), advice: None }
    }

    fn warning(check: &'static str, found: impl Into<String>, advice: &str) -> Finding {
        let advice = Some(advice.to_owned());
        Finding { check, verdict: Verdict::Warning, found: found.into(), advice }
    }

    fn failure(check: &'static str, found: impl Into<String>, advice: &str) -> Finding {
        let advice = Some(advice.to_owned());
        Finding { check, verdict: Verdict::Failure, found: found.into(), advice }
    }
}

/// Looks at everything. A thorough look reads the embedded databases from end to end.
pub async fn examine(config: &Config, thorough: bool, now_ms: i64) -> Vec<Finding> {
    let mut findings = files::examine(config, now_ms);
    findings.extend(databases::examine(config, thorough, now_ms).await);
    findings.extend(machine::examine(config, now_ms));
    findings
}
