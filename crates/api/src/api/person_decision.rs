//! Decisions of people about items of matching jobs: the item as a text, and the result with such a
//! decision in it. The score and the candidates are unchanged.

use panji_store::calendar::rfc3339;
use panji_store::ledger::{NewMatchRow, SavedDecision};
use serde_json::{Value, json};

use crate::locale::dates;

/// The field of evidence about the decision of a person.
pub const FIELD: &str = "person_decision";

/// What a person decided.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The company meant; none if no candidate is.
    pub cin: Option<&'a str>,
    pub at_ms: i64,
}

/// The text by which an item of a later list is recognized as the same: all fields as they were
/// read, in lower case, without punctuation.
pub fn item_text(query: &Value) -> String {
    let fields = query.as_object().into_iter().flatten();
    let given = fields.filter(|(_, value)| !value.is_null());
    let lines: Vec<String> = given
        .map(|(field, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_lowercase);
            let separates = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
            let words: Vec<&str> = text.split(separates).filter(|word| !word.is_empty()).collect();
            format!("{field}: {}", words.join(" "))
        })
        .collect();
    lines.join("\n")
}

/// The item as a person reads it.
pub fn item_label(query: &Value) -> String {
    let fields = query.as_object().into_iter().flatten();
    let texts = fields.filter_map(|(_, value)| match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    });
    texts.collect::<Vec<_>>().join(", ")
}

/// Whether a saved decision is valid for a result: "none of these" is about the companies that the
/// person has seen, so another first candidate must be reviewed again.
pub fn is_valid_for(saved: &SavedDecision, result: &Value) -> bool {
    let first = result["candidates"][0]["cin"].as_str();
    saved.cin.is_some() || first.is_none_or(|first| saved.rejected.iter().any(|cin| cin == first))
}

/// Sets the decision of a person, or the machine's own without one. A company that is not among the
/// candidates cannot be chosen: then the machine's decision stays.
pub fn apply(result: &mut Value, decided: Option<Decided<'_>>) {
    if !result.is_object() {
        return;
    }
    restore(result);
    let Some(decided) = decided else { return };
    let machine = result["decision"].take();
    let company = decided.cin.map(|cin| company_of(result, |found| found["cin"] == cin));
    if company.as_ref().is_some_and(Value::is_null) {
        result["decision"] = machine;
        return;
    }
    let day = dates::day_of(decided.at_ms);
    let (verdict, detail) = match decided.cin {
        Some(_) => (
            "agrees",
            format!("A member of this account decided on {day} that this company is meant."),
        ),
        None => (
            "differs",
            format!("A member of this account decided on {day} that no candidate is meant."),
        ),
    };
    for candidate in candidates(result) {
        if decided.cin.is_none_or(|cin| candidate["cin"] == cin)
            && let Value::Array(evidence) = &mut candidate["evidence"]
        {
            let one =
                json!({ "field": FIELD, "verdict": verdict, "detail": detail, "weight": 0.0 });
            evidence.insert(0, one);
        }
    }
    result["decision"] = if decided.cin.is_some() { "match" } else { "none" }.into();
    result["company"] = company.unwrap_or_default();
    result["person_decision"] =
        json!({ "decided_at": rfc3339(decided.at_ms), "machine_decision": machine });
}

/// Sets the machine's decision again.
fn restore(result: &mut Value) {
    let person = result["person_decision"].take();
    let Some(machine) = person["machine_decision"].as_str() else { return };
    result["decision"] = machine.into();
    for candidate in candidates(result) {
        if let Value::Array(evidence) = &mut candidate["evidence"] {
            evidence.retain(|one| one["field"] != FIELD);
        }
    }
    let is_match = machine == "match";
    result["company"] = if is_match { company_of(result, |_| true) } else { Value::Null };
}

fn candidates(result: &mut Value) -> &mut [Value] {
    result["candidates"].as_array_mut().map(Vec::as_mut_slice).unwrap_or_default()
}

/// The first candidate of a kind as a company, without its evidence; null if there is none.
fn company_of(result: &Value, is_meant: impl Fn(&Value) -> bool) -> Value {
    let listed = result["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut company = listed.iter().find(|found| is_meant(found)).cloned().unwrap_or_default();
    if let Value::Object(fields) = &mut company {
        fields.shift_remove("evidence");
    }
    company
}

/// What was decided for a row, to be stored with its result.
pub fn row_of(number: i64, result: &Value) -> NewMatchRow {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let decision = text(&result["decision"]).unwrap_or_else(|| "none".to_owned());
    let person = &result["person_decision"];
    let machine_decision = text(&person["machine_decision"]).unwrap_or_else(|| decision.clone());
    let machine_cin = text(&result["candidates"][0]["cin"]).filter(|_| machine_decision == "match");
    NewMatchRow {
        number,
        item: item_text(&result["query"]),
        decision,
        cin: text(&result["company"]["cin"]),
        machine_decision,
        machine_cin,
        decided_at: person["decided_at"].as_str().and_then(dates::instant),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result() -> Value {
        json!({
            "query": { "name": "M/S. Namuna  Inds (III) Ltd.", "cin": null, "state": "Kerala" },
            "decision": "match",
            "company": { "cin": "A", "score": 0.9 },
            "score": 0.9,
            "candidates": [
                { "cin": "A", "score": 0.9, "evidence": [] },
                { "cin": "B", "score": 0.1, "evidence": [] },
            ],
            "person_decision": null,
        })
    }

    #[test]
    fn an_item_is_the_same_without_punctuation_and_case_but_with_all_its_fields() {
        let text = item_text(&result()["query"]);
        assert_eq!(text, "name: m s namuna inds iii ltd\nstate: kerala");
        assert_eq!(
            item_text(&json!({ "name": "m/s namuna inds iii ltd", "state": "KERALA" })),
            text
        );
        assert_ne!(item_text(&json!({ "name": "m/s namuna inds iii ltd" })), text);
        assert_ne!(
            item_text(&json!({ "name": "a", "city": "b" })),
            item_text(&json!({ "name": "a b" }))
        );
        assert_eq!(item_label(&result()["query"]), "M/S. Namuna  Inds (III) Ltd., Kerala");
    }

    #[test]
    fn a_decision_is_applied_and_taken_back_without_a_trace() {
        let mut decided = result();
        apply(&mut decided, Some(Decided { cin: Some("B"), at_ms: 0 }));
        assert_eq!(
            (&decided["decision"], &decided["company"]["cin"]),
            (&json!("match"), &json!("B"))
        );
        assert_eq!(decided["score"], 0.9, "the score stays the machine's");
        assert_eq!(decided["candidates"][1]["evidence"][0]["verdict"], "agrees");
        assert_eq!(decided["candidates"][0]["evidence"], json!([]));
        let row = row_of(7, &decided);
        assert_eq!((row.cin.as_deref(), row.machine_cin.as_deref()), (Some("B"), Some("A")));
        assert_eq!((row.decided_at, row.machine_decision.as_str()), (Some(0), "match"));

        apply(&mut decided, Some(Decided { cin: None, at_ms: 86_400_000 }));
        assert_eq!((&decided["decision"], &decided["company"]), (&json!("none"), &Value::Null));
        let evidence = decided["candidates"][1]["evidence"].as_array().expect("a list");
        assert_eq!(evidence.len(), 1, "one decision is valid at a time");
        assert!(evidence[0]["detail"].as_str().expect("text").contains("2 Jan 1970"));

        apply(&mut decided, None);
        assert_eq!(decided, result());
        apply(&mut decided, Some(Decided { cin: Some("C"), at_ms: 0 }));
        assert_eq!(decided, result(), "a company that is not there cannot be chosen");
    }

    #[test]
    fn a_kept_rejection_is_not_about_companies_that_were_not_displayed() {
        let saved = |cin: Option<&str>, rejected: &[&str]| SavedDecision {
            item_hash: String::new(),
            item: String::new(),
            cin: cin.map(str::to_owned),
            rejected: rejected.iter().map(|cin| (*cin).to_owned()).collect(),
            person_id: String::new(),
            decided_at: 0,
        };
        assert!(is_valid_for(&saved(None, &["B", "A"]), &result()));
        assert!(!is_valid_for(&saved(None, &["B"]), &result()));
        assert!(is_valid_for(&saved(None, &[]), &json!({ "candidates": [] })));
        assert!(is_valid_for(&saved(Some("B"), &[]), &result()));
    }
}
