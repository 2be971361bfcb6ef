//! Applies the decisions that an account has saved to the items of its matching jobs.

use panji_search::MatchDecision;
use panji_store::ledger::SavedDecision;

use super::charging::{ChargeableCall, to_envelope_data};
use super::match_request::{read_query, year_of_item};
use super::person_decision::{Decided, apply, is_valid_for, item_text};
use super::wire::{MatchRequestItem, MatchResults};
use crate::http::context::Via;
use crate::http::envelope::EnvelopeData;
use crate::http::error::ApiError;

/// The decisions of people about the items, for the jobs of the account. A single call is served
/// by the register alone: the same call gives the same response.
pub async fn find_saved(
    call: &ChargeableCall,
    items: &[MatchRequestItem],
) -> Result<Vec<Option<SavedDecision>>, ApiError> {
    if call.caller.via != Via::Job {
        return Ok(vec![None; items.len()]);
    }
    let texts: Result<Vec<String>, ApiError> = items
        .iter()
        .map(|item| {
            let query = serde_json::to_value(read_query(item, year_of_item(item)))
                .map_err(|error| ApiError::internal(error.to_string()))?;
            Ok(item_text(&query))
        })
        .collect();
    let owner = (&*call.caller.account_id, call.caller.mode);
    let mut saved = call.app.ledger.find_match_decisions(owner, &texts?).await?;
    let register = call.register();
    for decision in saved.iter_mut().flatten() {
        if let Some(cin) = &mut decision.cin
            && let Some(company) = register.find_company_reference(cin).await?
        {
            // It may have another number by now.
            *cin = company.cin;
        }
    }
    Ok(saved)
}

/// The results with the saved decisions in them, and the number of those that cost the price.
pub fn with_saved_decisions(
    results: &MatchResults,
    saved: &[Option<SavedDecision>],
) -> Result<(usize, EnvelopeData), ApiError> {
    let mut data =
        serde_json::to_value(results).map_err(|error| ApiError::internal(error.to_string()))?;
    let listed = data["results"].as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
    for (result, saved) in listed.iter_mut().zip(saved) {
        if let Some(saved) = saved.as_ref().filter(|saved| is_valid_for(saved, result)) {
            apply(result, Some(Decided { cin: saved.cin.as_deref(), at_ms: saved.decided_at }));
        }
    }
    let count = |word: &str| listed.iter().filter(|result| result["decision"] == word).count();
    let counts = [MatchDecision::Match, MatchDecision::Review, MatchDecision::None]
        .map(MatchDecision::as_str)
        .map(count);
    for (field, count) in ["matched", "review", "none"].into_iter().zip(counts) {
        data[field] = count.into();
    }
    Ok((counts[0] + counts[1], to_envelope_data(&data)?))
}
