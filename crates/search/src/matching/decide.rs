//! Decides which of the candidates is the company meant.

use std::collections::HashMap;

use super::compare::{Evidence, compare};
use super::fields::{CompanyDetails, MatchItem};
use super::model::{FIRST_FEATURES, Features, MOST_LEAD, Model, sigmoid};
use super::name_fit::{NameFit, Numbers};
use super::{Candidates, Entity};
use crate::find::Found;

/// Matched words with less weight than one rare word tell little.
const LIGHT: f64 = 0.5;
/// The lead in logits that a match needs over the second company.
const CLEAR_LEAD: f64 = 0.7;
/// The probability of a company that an identifier names and whose name does not contradict.
const IDENTIFIED: f64 = 0.995;
/// The probability of a company that an identifier names and whose name contradicts.
const CONTRADICTED: f64 = 0.5;
/// From these shares of its words on, a name does not contradict an identifier.
const NO_CONTRADICTION: f64 = 0.6;

/// The fields of evidence that are about names.
const OF_NAMES: [&str; 4] = ["name", "legal_form", "number", "former_name"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Match,
    Review,
    None,
}

impl Decision {
    pub const ALL: [Decision; 3] = [Decision::Match, Decision::Review, Decision::None];

    /// The word in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Decision::Match => "match",
            Decision::Review => "review",
            Decision::None => "none",
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
    pub decision: Decision,
    /// The probability that the first candidate is the one meant.
    pub score: f64,
    /// Its distance to the score of the second.
    pub margin: Option<f64>,
    /// The likeliest first.
    pub candidates: Vec<MatchCandidate>,
    /// The values of the second step, in the order of `FIRST_FEATURES`; empty without candidates.
    pub features: Vec<f64>,
}

/// A candidate with everything that the decision needs.
struct Judged<'a> {
    company: &'a Found,
    fit: &'a NameFit,
    key: &'a str,
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
        let mut judged: Vec<Judged<'_>> = self
            .compared
            .iter()
            .map(|compared| {
                let details = details.get(&compared.company.cin).unwrap_or(&unknown);
                let (company, fit) = (&compared.company, &compared.fit);
                let (mut features, evidence) =
                    compare(item, company, compared.former, fit, details, model);
                features.set("light", f64::from(u8::from(fit.mass < LIGHT)));
                let logit = model.logit(&features);
                Judged { company, fit, key: &compared.key, features, evidence, logit }
            })
            .collect();
        judged.sort_by(|a, b| {
            b.logit.total_cmp(&a.logit).then_with(|| a.company.cin.cmp(&b.company.cin))
        });
        let Some(first) = judged.first() else {
            return MatchResult {
                entity: self.entity,
                decision: Decision::None,
                score: 0.0,
                margin: None,
                candidates: Vec::new(),
                features: Vec::new(),
            };
        };
        let values = self.first_features(&judged);
        let score = model.probability(&values);
        let decision = self.decision(first, &values, score, model);
        let candidates = judged
            .into_iter()
            .enumerate()
            .take(limit)
            .map(|(at, judged)| MatchCandidate {
                score: round(if at == 0 { score } else { sigmoid(judged.logit).min(1.0 - score) }),
                company: judged.company.clone(),
                evidence: judged.evidence,
                features: judged.features.0.to_vec(),
            })
            .collect();
        let result = MatchResult {
            entity: self.entity,
            decision,
            score: round(score),
            margin: None,
            candidates,
            features: values.to_vec(),
        };
        result.identified(item, self, details).with_margin()
    }

    fn first_features(&self, judged: &[Judged<'_>]) -> [f64; FIRST_FEATURES.len()] {
        let first = &judged[0];
        let second = judged.get(1);
        let lead = second.map_or(MOST_LEAD, |second| (first.logit - second.logit).min(MOST_LEAD));
        let same = judged[1..]
            .iter()
            .filter(|other| other.key == first.key && first.logit - other.logit < CLEAR_LEAD);
        [
            1.0,
            first.logit,
            lead,
            (1.0 + same.count() as f64).ln(),
            f64::from(u8::from(self.entity.is_no_company())),
            f64::from(u8::from(self.cut)),
        ]
    }

    fn decision(
        &self,
        first: &Judged<'_>,
        values: &[f64; FIRST_FEATURES.len()],
        score: f64,
        model: &Model,
    ) -> Decision {
        let (lead, same_names) = (values[2], values[3]);
        if self.entity.is_no_company() && !first.fit.is_nearly_equal() || score < model.none_below {
            return Decision::None;
        }
        let contradicted = first.fit.numbers != Numbers::Same || same_names > 0.0;
        match score >= model.match_from && lead >= CLEAR_LEAD && !contradicted {
            true => Decision::Match,
            false => Decision::Review,
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
            true => (Decision::Match, IDENTIFIED),
            false => (Decision::Review, CONTRADICTED),
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
