//! Rules about the company's status, its filings and its GST registrations.

use super::rule::{Found, Level, Outcome, confidence_of, is_between, is_unknown, months_before};
use crate::api::company_records::{CompanyRecords, GstRecords};
use crate::api::wire::FindingEvidence;
use crate::locale::amounts::counted;
use crate::locale::dates;

/// An overdue filing of this age is severe: three financial years without financial statements or annual
/// returns are what section 164(2)(a) counts.
const LONG_OVERDUE_MONTHS: i64 = 36;
/// GST returns filed within this time count as current activity.
pub const RECENT_RETURNS_MONTHS: i64 = 12;

/// The statuses that are a finding: their meaning, and their severity.
const STATUSES: &[(&str, &str, Level)] = &[
    ("struck_off", "is struck off: the registrar has removed it from the register", Level::High),
    ("under_strike_off", "is under process of striking off", Level::High),
    ("under_liquidation", "is under liquidation", Level::High),
    ("under_cirp", "is under the corporate insolvency resolution process", Level::High),
    ("liquidated", "is liquidated", Level::High),
    ("dissolved", "is dissolved", Level::High),
    ("defunct", "is defunct", Level::High),
    ("vanished", "is listed as vanished", Level::High),
    ("amalgamated", "is amalgamated with another company", Level::Medium),
    ("converted_to_llp", "was converted to an LLP", Level::Medium),
    ("converted_to_company", "was converted to a company", Level::Medium),
    ("inactive", "is inactive", Level::Medium),
    ("not_available_for_efiling", "is not available for e-filing", Level::Medium),
    ("dormant", "is dormant (section 455)", Level::Low),
];

pub fn company_status(records: &CompanyRecords) -> Outcome {
    let company = &records.company;
    if matches!(&*company.status, "unknown" | "other") {
        return Outcome::not_checked(
            "No source states a status of the company that is known here.",
        );
    }
    let known = STATUSES.iter().find(|(status, ..)| *status == company.status);
    let Some((_, meaning, severity)) = known else { return Outcome::Nothing };
    let words = company.status_text.as_deref().unwrap_or(&company.status);
    Outcome::of(vec![Found {
        is_risk: *severity > Level::Low,
        severity: *severity,
        confidence: Level::High,
        sentence: format!("{} {meaning}.", company.name),
        evidence: vec![
            records.company_evidence(format!("The source states the status \"{words}\"."), None),
        ],
    }])
}

pub fn overdue_filings(records: &CompanyRecords) -> Outcome {
    let compliance = &records.compliance;
    if is_unknown(&compliance.coverage) {
        return Outcome::not_checked("No source of statutory filings was imported.");
    }
    let overdue: Vec<_> =
        compliance.roc_filings.iter().filter(|filing| filing.status == "overdue").collect();
    let Some(oldest) = overdue.iter().filter_map(|filing| filing.due_on.as_deref()).min() else {
        return Outcome::Nothing;
    };
    let evidence = overdue.iter().map(|filing| {
        let year =
            filing.financial_year.as_deref().map_or(String::new(), |year| format!(" for {year}"));
        let due = filing
            .due_on
            .as_deref()
            .map_or(String::new(), |due| format!("; it was due on {}", dates::day(due)));
        FindingEvidence {
            record: "filing".into(),
            id: Some(filing.form_type.clone()),
            name: Some(filing.description.clone()),
            detail: format!(
                "{}{year} was not filed by the date of the source{due}.",
                filing.form_type
            ),
            date: filing.due_on.clone(),
            as_of: compliance.as_of.clone(),
            source: compliance.source.clone(),
        }
    });
    let number = i64::try_from(overdue.len()).unwrap_or(i64::MAX);
    // Its age counts up to the date of the source, which says nothing about later days.
    let source_day = compliance.as_of.as_deref().and_then(|day| day.parse().ok());
    let long = *oldest <= *months_before(source_day.unwrap_or(records.day), LONG_OVERDUE_MONTHS);
    Outcome::of(vec![Found {
        is_risk: true,
        severity: if long { Level::High } else { Level::Medium },
        confidence: confidence_of(&compliance.coverage),
        sentence: format!(
            "{} {} overdue on the date of the source; the oldest was due on {}.",
            counted(number, "statutory filing", "statutory filings"),
            if number == 1 { "is" } else { "are" },
            dates::day(oldest)
        ),
        evidence: evidence.collect(),
    }])
}

/// Why the rules about GST could not be checked; none if they can be.
fn gst_unknown(records: &CompanyRecords) -> Option<Outcome> {
    if records.pan.is_none() {
        return Some(Outcome::not_checked(
            "The company's PAN is not known, so that its GST registrations are not known.",
        ));
    }
    records.gst.is_empty().then(|| {
        Outcome::not_checked("No GST registration of the company's PAN is in the register.")
    })
}

pub fn gst_cancelled_while_active(records: &CompanyRecords) -> Outcome {
    if let Some(unknown) = gst_unknown(records) {
        return unknown;
    }
    let is_cancelled = |stored: &&GstRecords| stored.registration.status.starts_with("cancelled");
    let cancelled: Vec<&GstRecords> = records.gst.iter().filter(is_cancelled).collect();
    if records.company.status != "active" || cancelled.is_empty() {
        return Outcome::Nothing;
    }
    let all = cancelled.len() == records.gst.len();
    let evidence = cancelled.iter().map(|stored| {
        let registration = &stored.registration;
        let on = registration.cancelled_on.as_deref();
        let on = on.map_or(String::new(), |day| format!(" on {}", dates::day(day)));
        FindingEvidence {
            record: "gst_registration".into(),
            id: Some(registration.gstin.clone()),
            name: Some(registration.legal_name.clone()),
            detail: format!(
                "The registration is cancelled{on} (\"{}\").",
                registration.status_text.as_deref().unwrap_or(&registration.status)
            ),
            date: registration.cancelled_on.clone(),
            as_of: registration.as_of.clone(),
            source: Some(registration.source.clone()),
        }
    });
    let (cancelled, total) = (cancelled.len(), records.gst.len());
    let sentence = match all {
        true if total == 1 => {
            "The company is active, and its one known GST registration is cancelled.".to_owned()
        }
        true => format!(
            "The company is active, and all {total} known GST registrations of its PAN are cancelled."
        ),
        false => format!(
            "The company is active, and {cancelled} of {total} known GST registrations of its PAN \
             {} cancelled.",
            if cancelled == 1 { "is" } else { "are" }
        ),
    };
    let (is_risk, severity) = if all { (true, Level::Medium) } else { (false, Level::Low) };
    let confidence = Level::Medium;
    Outcome::of(vec![Found {
        is_risk,
        severity,
        confidence,
        sentence,
        evidence: evidence.collect(),
    }])
}

pub fn dormant_with_gst_returns(records: &CompanyRecords) -> Outcome {
    if records.company.status != "dormant" {
        return Outcome::Nothing;
    }
    if let Some(unknown) = gst_unknown(records) {
        return unknown;
    }
    let since = months_before(records.day, RECENT_RETURNS_MONTHS);
    let mut evidence = Vec::new();
    for stored in &records.gst {
        let recent = stored.returns.iter().filter(|filing| {
            filing.status == "filed" && is_between(filing.filed_on.as_deref(), &since, records.day)
        });
        evidence.extend(recent.map(|filing| FindingEvidence {
            record: "gst_return".into(),
            id: Some(filing.gstin.clone()),
            name: Some(filing.return_type.clone()),
            detail: format!("{} for {} was filed.", filing.return_type, filing.period),
            date: filing.filed_on.clone(),
            as_of: filing.as_of.clone(),
            source: Some(filing.source.clone()),
        }));
    }
    if evidence.is_empty() {
        return Outcome::Nothing;
    }
    evidence.sort_by(|one, other| other.date.cmp(&one.date));
    let number = i64::try_from(evidence.len()).unwrap_or(i64::MAX);
    Outcome::of(vec![Found {
        is_risk: true,
        severity: Level::Medium,
        // A return can be nil.
        confidence: Level::Medium,
        sentence: format!(
            "The company has the status dormant, and {} filed within {RECENT_RETURNS_MONTHS} months.",
            match number {
                1 => "1 GST return was".to_owned(),
                _ => format!("{} were", counted(number, "GST return", "GST returns")),
            }
        ),
        evidence,
    }])
}
