//! Decides which of the candidates is the company meant.

use std::collections::HashMap;

use super::compare::{Evidence, compare};
use super::fields::{CompanyDetails, MatchItem};
use super::model::{Features, Model, NONE_FEATURES};
use super::name_fit::{NameFit, Numbers};
use super::{Candidates, Entity};
use crate::request::Found;

/// Matched words with less weight than one rare word are weak evidence.
const LIGHT: f64 = 0.5;
/// The probability of a company that an identifier names and whose name does not contradict.
const IDENTIFIED: f64 = 0.995;
/// The probability of a company that an identifier names and whose name contradicts.
const CONTRADICTED: f64 = 0.5;
/// From these shares of its words on, a name does not contradict an identifier.
const NO_CONTRADICTION: f64 = 0.6;

/// The fields of evidence that are about names.
const OF_NAMES: [&str; 4] = ["name", "legal_form", "number", "former_name"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchDecision {
    Match,
    Review,
    None,
}

impl MatchDecision {
    pub const ALL: [MatchDecision; 3] =
        [MatchDecision::Match, MatchDecision::Review, MatchDecision::None];

    /// The word in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            MatchDecision::Match => "match",
            MatchDecision::Review => "review",
            MatchDecision::None => "none",
        }
    }
}

/// A company that may be meant.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchCandidate {
    pub company: Found,
    /// The probability that it is the one meant.
    pub score: f64,
    pub evidence: Vec<Evidence>,
    /// The values of the features, in the order of `PAIR_FEATURES`.
    pub features: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    pub entity: Entity,
    pub decision: MatchDecision,
    /// The probability that the first candidate is the one meant.
    pub score: f64,
    /// Its distance to the score of the second.
    pub margin: Option<f64>,
    /// The likeliest first.
    pub candidates: Vec<MatchCandidate>,
    /// The values of the features of "none of them", in the order of `NONE_FEATURES`.
    pub none_features: [f64; NONE_FEATURES.len()],
}

/// A candidate with everything that the decision needs.
struct ScoredCandidate<'a> {
    company: &'a Found,
    fit: &'a NameFit,
    features: Features,
    evidence: Vec<Evidence>,
    logit: f64,
}

impl Candidates {
    /// Decides by the item, the candidates and what the register knows of them by their numbers.
    pub fn decide(
        &self,
        item: &MatchItem<'_>,
        details: &HashMap<String, CompanyDetails>,
        limit: usize,
    ) -> MatchResult {
        self.decide_by(Model::get(), item, details, limit)
    }

    /// Decides by other weights than those of the program.
    pub fn decide_by(
        &self,
        model: &Model,
        item: &MatchItem<'_>,
        details: &HashMap<String, CompanyDetails>,
        limit: usize,
    ) -> MatchResult {
        let unknown = CompanyDetails::default();
        let mut scored: Vec<ScoredCandidate<'_>> = self
            .compared
            .iter()
            .map(|compared| {
                let details = details.get(&compared.company.cin).unwrap_or(&unknown);
                let (company, fit) = (&compared.company, &compared.fit);
                let (mut features, evidence) =
                    compare(item, company, compared.former, fit, details, model);
                features.set("light", f64::from(u8::from(fit.mass < LIGHT)));
                let logit = model.logit(&features);
                ScoredCandidate { company, fit, features, evidence, logit }
            })
            .collect();
        scored.sort_by(|a, b| {
            b.logit.total_cmp(&a.logit).then_with(|| a.company.cin.cmp(&b.company.cin))
        });
        let none_features = [
            1.0,
            f64::from(u8::from(self.entity.is_no_company())),
            f64::from(u8::from(self.truncated)),
        ];
        let logits: Vec<f64> = scored.iter().map(|scored| scored.logit).collect();
        let scores = model.probabilities(&logits, &none_features);
        let decision = scored
            .first()
            .map_or(MatchDecision::None, |first| self.decision(first, &scores, model));
        let candidates: Vec<MatchCandidate> = scored
            .into_iter()
            .zip(&scores)
            .take(limit)
            .map(|(scored, score)| MatchCandidate {
                score: round(*score),
                company: scored.company.clone(),
                evidence: scored.evidence,
                features: scored.features.0.to_vec(),
            })
            .collect();
        let result = MatchResult {
            entity: self.entity,
            decision,
            score: candidates.first().map_or(0.0, |first| first.score),
            margin: None,
            candidates,
            none_features,
        };
        result.identified(item, self, details).with_margin()
    }

    /// The decision by the first candidate and the probabilities of all.
    fn decision(
        &self,
        first: &ScoredCandidate<'_>,
        scores: &[f64],
        model: &Model,
    ) -> MatchDecision {
        let any: f64 = scores.iter().sum();
        if self.entity.is_no_company() && !first.fit.is_nearly_equal() || any < model.none_below {
            return MatchDecision::None;
        }
        match scores[0] >= model.match_from && first.fit.numbers == Numbers::Same {
            true => MatchDecision::Match,
            false => MatchDecision::Review,
        }
    }
}

impl MatchResult {
    /// The result when identifiers name companies: these are first. A name or another identifier
    /// that contradicts makes a review of it.
    fn identified(
        mut self,
        item: &MatchItem<'_>,
        candidates: &Candidates,
        details: &HashMap<String, CompanyDetails>,
    ) -> MatchResult {
        let named = item.name.chars().any(char::is_alphanumeric);
        if !named {
            self.candidates.clear();
        }
        let mut first = Vec::new();
        let mut agrees = item.identified.len() == 1;
        for compared in candidates.compared.iter() {
            let cin = &compared.company.cin;
            if !item.identified.contains(cin) {
                continue;
            }
            let fit = &compared.fit;
            let likely = fit.of_query.min(fit.of_name) >= NO_CONTRADICTION;
            agrees &= !named || fit.equal || likely && fit.numbers == Numbers::Same;
            self.candidates.retain(|candidate| candidate.company.cin != *cin);
            let none = CompanyDetails::default();
            let details = details.get(cin).unwrap_or(&none);
            let (features, mut evidence) =
                compare(item, &compared.company, compared.former, fit, details, Model::get());
            if !named {
                evidence.retain(|evidence| !OF_NAMES.contains(&evidence.field));
            }
            first.push(MatchCandidate {
                company: compared.company.clone(),
                score: 0.0,
                evidence,
                features: features.0.to_vec(),
            });
        }
        if first.is_empty() {
            return self;
        }
        let (decision, score) = match agrees {
            true => (MatchDecision::Match, IDENTIFIED),
            false => (MatchDecision::Review, CONTRADICTED),
        };
        for candidate in &mut first {
            candidate.score = round(score / item.identified.len() as f64);
        }
        for other in &mut self.candidates {
            other.score = round(other.score.min(1.0 - score));
        }
        let limit = self.candidates.len().max(first.len());
        first.append(&mut self.candidates);
        first.truncate(limit.max(2));
        MatchResult { decision, score: first[0].score, candidates: first, ..self }
    }

    fn with_margin(mut self) -> MatchResult {
        self.margin = self.candidates.get(1).map(|second| round(self.score - second.score));
        self
    }
}

/// Four decimals.
fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
