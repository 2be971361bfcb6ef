//! The rows of a job that matches names as the review displays them: the item as given, and its candidates
//! with the evidence.

use panji_api::api::jobs::match_columns::{NO_NAME, title_of};
use panji_api::api::jobs::reviewed::set_decision;
use panji_api::api::jobs::task::Task;
use panji_store::StoreError;
use panji_store::ledger::{BulkJob, MatchRow, Member};
use serde_json::Value;

use super::labels;
use super::language::{dates, in_hindi, sentence, t, t_with, translated};
use super::saved_decisions::person_name;
use super::session::SignedIn;

/// A row with its result.
pub struct DisplayedRow {
    /// The number of the row in the job, from 1.
    pub number: i64,
    /// The name; the first identifier if there is none.
    pub title: String,
    /// The other fields as they were given: label and text.
    pub given: Vec<(String, String)>,
    /// What the name seems to name, if that is no company.
    pub entity: Option<String>,
    /// `match`, `review` or `none`.
    pub decision: String,
    /// Who decided and when, if a person did.
    pub decided: Option<String>,
    pub candidates: Vec<DisplayedCandidate>,
}

pub struct DisplayedCandidate {
    /// Its key, from 1.
    pub key: usize,
    pub cin: String,
    pub name: String,
    pub status: String,
    pub former_name: Option<String>,
    /// City and state.
    pub place: String,
    pub incorporated: String,
    pub score: String,
    pub evidence: Vec<DisplayedEvidence>,
    /// Whether the row is matched with it.
    pub chosen: bool,
}

pub struct DisplayedEvidence {
    /// The verdict as a word.
    pub word: &'static str,
    /// The CSS class.
    pub class: &'static str,
    pub sentence: String,
}

impl DisplayedRow {
    /// The decision as a word.
    pub fn word(&self) -> &'static str {
        match self.decision.as_str() {
            "match" => t("matched"),
            "review" => t("needs review"),
            _ => t("no company"),
        }
    }

    /// The CSS class of the decision.
    pub fn class(&self) -> &'static str {
        match self.decision.as_str() {
            "match" => "is-good",
            "review" => "is-test",
            _ => "is-plain",
        }
    }

    pub fn is_open(&self) -> bool {
        self.decision == "review"
    }

    pub fn is_none(&self) -> bool {
        self.decision == "none"
    }
}

/// The result of a row, with what is decided now; none if it is not processed.
pub async fn read_result(
    signed_in: &SignedIn,
    (job, task): (&BulkJob, &Task),
    row: &MatchRow,
    cached: &mut Option<(i64, Vec<Value>)>,
) -> Result<Option<Value>, StoreError> {
    let size = task.chunk_rows.max(1) as i64;
    let (chunk, place) = (row.number / size, (row.number % size) as usize);
    if cached.as_ref().is_none_or(|(number, _)| *number != chunk) {
        let key = (job.account_id.as_str(), job.id.as_str());
        let stored = signed_in.app.ledger.list_bulk_chunks(key, chunk, 1).await?;
        let output = stored.into_iter().next().and_then(|(_, output)| output).unwrap_or_default();
        let results = serde_json::from_str(&output)
            .map_err(|error| StoreError::Bug(format!("job {}: {error}", job.id)))?;
        *cached = Some((chunk, results));
    }
    let results = cached.as_ref().map(|(_, results)| results.as_slice()).unwrap_or_default();
    let mut result = results.get(place).cloned();
    if let Some(result) = &mut result {
        set_decision(result, row);
    }
    Ok(result)
}

/// Rows as the page displays them.
pub async fn displayed_rows(
    signed_in: &SignedIn,
    (job, task): (&BulkJob, &Task),
    rows: &[MatchRow],
) -> Result<Vec<DisplayedRow>, StoreError> {
    let members = signed_in.app.ledger.list_members(signed_in.account_id()).await?;
    let mut cached = None;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        if let Some(result) = read_result(signed_in, (job, task), row, &mut cached).await? {
            found.push(displayed(row, &result, &members));
        }
    }
    Ok(found)
}

fn displayed(row: &MatchRow, result: &Value, members: &[Member]) -> DisplayedRow {
    let mut given: Vec<(String, String)> = result["query"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_null())
        .map(|(field, value)| (labels::label(title_of(field)), text(value)))
        .collect();
    let title = if given.is_empty() { String::new() } else { given.remove(0).1 };
    let title = if title == NO_NAME { String::new() } else { title };
    let entity = text(&result["entity"]);
    let known = ["company", "unknown", ""].contains(&entity.as_str());
    let decided = row.decided_at.map(|at_ms| {
        let who = match &row.person_id {
            Some(person_id) => person_name(person_id, members),
            // The decision is no longer saved, or was replaced in another job.
            None => t("a member of this account").to_owned(),
        };
        t_with("decided by {0}, {1}", &[&who, &dates::minute(at_ms)])
    });
    let chosen = result["company"]["cin"].as_str();
    let candidates = result["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
    DisplayedRow {
        number: row.number + 1,
        title,
        given,
        entity: (!known).then(|| labels::label(&entity)),
        decision: row.decision.clone(),
        decided,
        candidates: (1..)
            .zip(candidates)
            .map(|(key, candidate)| candidate_of(key, candidate, chosen))
            .collect(),
    }
}

fn candidate_of(key: usize, candidate: &Value, chosen: Option<&str>) -> DisplayedCandidate {
    let place = [text(&candidate["city"]), translated(text(&candidate["state"]))];
    let place: Vec<String> = place.into_iter().filter(|part| !part.is_empty()).collect();
    let evidence = candidate["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
    DisplayedCandidate {
        key,
        cin: text(&candidate["cin"]),
        name: text(&candidate["name"]),
        status: text(&candidate["status"]),
        former_name: candidate["matched_name"].as_str().map(str::to_owned),
        place: place.join(", "),
        incorporated: dates::day(&text(&candidate["incorporated_on"])),
        score: score_text(candidate["score"].as_f64().unwrap_or(0.0)),
        evidence: evidence.iter().map(evidence_of).collect(),
        chosen: chosen == candidate["cin"].as_str(),
    }
}

fn evidence_of(evidence: &Value) -> DisplayedEvidence {
    let (word, class) = match evidence["verdict"].as_str() {
        Some("agrees") => (t("Agrees"), "good"),
        Some("differs") => (t("Differs"), "bad"),
        _ => (t("Unknown"), "muted"),
    };
    DisplayedEvidence { word, class, sentence: detail(&text(&evidence["detail"])) }
}

/// A reason, which can have several parts, in the language of the page.
fn detail(text: &str) -> String {
    let Some(parts) = text.strip_suffix('.').filter(|_| in_hindi() && text.contains("; ")) else {
        return sentence(text);
    };
    let parts: Vec<String> = parts.split("; ").map(|part| sentence(&format!("{part}."))).collect();
    parts.join(" ")
}

/// A probability as a percentage that is never 0 or 100.
fn score_text(score: f64) -> String {
    match (score * 100.0).round() as i64 {
        ..1 => t("under 1%").to_owned(),
        100.. => t("over 99%").to_owned(),
        whole => format!("{whole}%"),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::language;
    use super::*;

    #[test]
    fn a_probability_is_never_displayed_as_certain() {
        assert_eq!(score_text(0.0004), "under 1%");
        assert_eq!(score_text(0.618), "62%");
        assert_eq!(score_text(0.9951), "over 99%");
    }

    #[tokio::test]
    async fn each_part_of_a_reason_is_translated() {
        let reason = "The text does not have \"mills\"; the words are in another order.";
        assert_eq!(detail(reason), reason);
        let request =
            language::Request { language: language::Language::Hindi, path: String::new() };
        let hindi = language::in_language(request, async { detail(reason) }).await;
        assert_eq!(hindi, "दिए गए नाम में \"mills\" नहीं है। शब्दों का क्रम अलग है।");
    }
}
