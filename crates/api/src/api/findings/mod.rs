//! Findings: rules over what the register has about a company. Each rule is a pure function; one whose data is
//! not known says so, because unknown is not "nothing found".

mod identity;
mod money;
mod people;
mod rule;
mod rules;
mod status;
#[cfg(test)]
mod tests;

use jiff::civil::Date;
use panji_store::calendar::ist_day;
use panji_store::ledger::Mode;

use self::rule::Outcome;
use self::rules::rules;
use super::call::Call;
use super::company_records::CompanyRecords;
use super::wire::{CheckedRule, CompanyFindings, UncheckedRule};
use crate::databases::sandbox;
use crate::http::error::{ApiError, ApiResult};

/// What stands out about a company
///
/// Checks a set of rules against everything in the register: status, overdue filings, charges above the net worth,
/// GST registrations, the directors' other companies, similar names, recent changes. Each finding has its evidence with
/// sources and dates, and the rule with its threshold and where that comes from. `not_checked` lists the rules whose data is
/// not known. A finding is a fact, not an accusation.
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/findings",
    operation_id = "getCompanyFindings",
    tag = "Companies",
    params(("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI.")),
    responses((status = 200, body = CompanyFindings)),
)]
pub async fn get_company_findings(call: Call) -> ApiResult {
    let (call, company) = call.company().await?;
    let day = day_of(call.caller.mode, call.context.at_ms)?;
    let register_span = call.context.span("register");
    let records = CompanyRecords::read(call.dataset(), company, day).await?;
    drop(register_span);
    call.respond(&findings(&records)).await
}

/// The day for which rules are checked: today in India; for the sandbox the day of its data, so that its responses are
/// the same on every day.
pub fn day_of(mode: Mode, at_ms: i64) -> Result<Date, ApiError> {
    let day = match mode {
        Mode::Test => sandbox::DATA_DAY.to_owned(),
        Mode::Live => ist_day(at_ms),
    };
    day.parse().map_err(|_| ApiError::internal("the clock shows no day"))
}

/// Checks all rules.
pub fn findings(records: &CompanyRecords) -> CompanyFindings {
    let (mut findings, mut checked, mut not_checked) = (Vec::new(), Vec::new(), Vec::new());
    for rule in rules() {
        let code = rule.code.into();
        match (rule.check)(records) {
            Outcome::NotChecked(reason) => not_checked.push(UncheckedRule { code, reason }),
            Outcome::Nothing => checked.push(CheckedRule { code, findings: 0, rule: rule.text() }),
            Outcome::Found(found) => {
                checked.push(CheckedRule { code, findings: found.len(), rule: rule.text() });
                let is_risk = |found: &rule::Found| found.is_risk;
                findings.extend(
                    found
                        .into_iter()
                        .map(|found| ((is_risk(&found), found.severity), rule.finding(found))),
                );
            }
        }
    }
    // Stable: findings of equal weight stay in the order of the rules.
    findings.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    CompanyFindings {
        cin: records.company.cin.to_string(),
        name: records.company.name.to_string(),
        checked_on: records.day.to_string(),
        findings: findings.into_iter().map(|(_, finding)| finding).collect(),
        checked,
        not_checked,
    }
}
