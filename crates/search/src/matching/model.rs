//! The probability that a company is the one meant: a conditional logistic model with weights from a
//! file that `bench/run match --fit` writes.
//!
//! Each candidate has a logit by its comparison with the item, and so has "none of them". The
//! probabilities of all of these are in proportion to the exponentials of their logits, and sum to 1.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The features of a candidate.
pub const PAIR_FEATURES: [&str; 30] = [
    "equal",
    "of_query",
    "of_name",
    "query_missing",
    "name_missing",
    "misspelled",
    "out_of_order",
    "mistakes",
    "continued",
    "mass",
    "former_name",
    "form_agrees",
    "form_private_differs",
    "form_differs",
    "number_on_one_side",
    "number_differs",
    "state_agrees",
    "state_differs",
    "city_agrees",
    "city_differs",
    "pincode_agrees",
    "pincode_near",
    "pincode_differs",
    "address_agrees",
    "address_differs",
    "year_agrees",
    "year_differs",
    "director_agrees",
    "director_differs",
    "light",
];

/// The features of "none of the candidates".
pub const NONE_FEATURES: [&str; 3] = ["bias", "no_company", "truncated"];

/// Values of the features of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features(pub [f64; PAIR_FEATURES.len()]);

impl Default for Features {
    fn default() -> Features {
        Features([0.0; PAIR_FEATURES.len()])
    }
}

impl Features {
    pub fn set(&mut self, name: &str, value: f64) {
        if let Some(at) = PAIR_FEATURES.iter().position(|feature| *feature == name) {
            self.0[at] = value;
        }
    }
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WeightsFile {
    pair: HashMap<String, f64>,
    none: HashMap<String, f64>,
    /// From this probability on, and with no contradiction, an item is matched.
    match_from: f64,
    /// If all candidates together have a lower probability, no company is meant.
    none_below: f64,
}

#[derive(Clone, Debug)]
pub struct Model {
    pair: [f64; PAIR_FEATURES.len()],
    none: [f64; NONE_FEATURES.len()],
    pub match_from: f64,
    pub none_below: f64,
}

/// What is wrong with a file of weights.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("no feature is called {0}")]
    UnknownFeature(String),
    #[error("{0} has no weight")]
    MissingWeight(&'static str),
}

impl Model {
    /// The model of the file.
    pub fn get() -> &'static Model {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| {
            Model::parse(include_str!("weights.json")).expect("a test reads the file of weights")
        })
    }

    /// The model of a file's text.
    pub fn parse(text: &str) -> Result<Model, WeightsError> {
        let file: WeightsFile = serde_json::from_str(text)?;
        Ok(Model {
            pair: in_order(&PAIR_FEATURES, &file.pair)?,
            none: in_order(&NONE_FEATURES, &file.none)?,
            match_from: file.match_from,
            none_below: file.none_below,
        })
    }

    /// The weight of a feature of a candidate.
    pub fn weight(&self, feature: &str) -> f64 {
        PAIR_FEATURES.iter().position(|name| *name == feature).map_or(0.0, |at| self.pair[at])
    }

    /// The logit of a candidate.
    pub fn logit(&self, features: &Features) -> f64 {
        dot(&self.pair, &features.0)
    }

    /// The probability of each candidate by their logits; what is missing to 1 is the probability of
    /// "none of them".
    pub fn probabilities(&self, logits: &[f64], none: &[f64; NONE_FEATURES.len()]) -> Vec<f64> {
        let none = dot(&self.none, none);
        let most = logits.iter().copied().fold(none, f64::max);
        let exponentials: Vec<f64> = logits.iter().map(|logit| (logit - most).exp()).collect();
        let sum = exponentials.iter().sum::<f64>() + (none - most).exp();
        exponentials.into_iter().map(|one| one / sum).collect()
    }
}

fn in_order<const N: usize>(
    names: &[&'static str; N],
    weights: &HashMap<String, f64>,
) -> Result<[f64; N], WeightsError> {
    if let Some(unknown) = weights.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(WeightsError::UnknownFeature(unknown.clone()));
    }
    let mut ordered = [0.0; N];
    for (at, name) in names.iter().enumerate() {
        let weight = weights.get(*name).ok_or(WeightsError::MissingWeight(name))?;
        ordered[at] = *weight;
    }
    Ok(ordered)
}

fn dot(weights: &[f64], values: &[f64]) -> f64 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(values: &[(&str, f64)]) -> Features {
        let mut features = Features::default();
        for (name, value) in values {
            assert!(PAIR_FEATURES.contains(name), "{name}");
            features.set(name, *value);
        }
        features
    }

    const EQUAL: [(&str, f64); 4] =
        [("equal", 1.0), ("of_query", 1.0), ("of_name", 1.0), ("mass", 0.6)];

    #[test]
    fn the_file_has_a_finite_weight_for_each_feature() {
        let model = Model::parse(include_str!("weights.json")).expect("the file is read");
        assert!(model.pair.iter().chain(&model.none).all(|weight| weight.is_finite()));
        assert!(model.none_below < model.match_from && model.match_from < 1.0);
        assert!(Model::parse("{}").is_err());
        let other = include_str!("weights.json").replace("\"misspelled\"", "\"other\"");
        let error = Model::parse(&other).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("no feature is called other"));
    }

    #[test]
    fn obvious_cases_are_in_order() {
        let model = Model::get();
        let logit = |values: &[(&str, f64)]| model.logit(&features(values));
        let equal = logit(&EQUAL);
        let with = |more: &[(&'static str, f64)]| logit(&[&EQUAL[..], more].concat());
        assert!(with(&[("form_agrees", 1.0)]) > with(&[("form_differs", 1.0)]));
        assert!(with(&[("form_differs", 1.0)]) < equal);
        assert!(with(&[("state_agrees", 1.0)]) > with(&[("state_differs", 1.0)]));
        assert!(with(&[("pincode_agrees", 1.0)]) > with(&[("pincode_near", 1.0)]));
        assert!(with(&[("pincode_near", 1.0)]) > with(&[("pincode_differs", 1.0)]));
        assert!(with(&[("number_differs", 1.0)]) < equal);
        assert!(with(&[("director_agrees", 1.0)]) > with(&[("director_differs", 1.0)]));
        let part =
            logit(&[("of_query", 1.0), ("of_name", 0.5), ("name_missing", 0.8), ("mass", 0.4)]);
        assert!(part < equal, "{part} {equal}");
        let other = logit(&[
            ("of_query", 0.3),
            ("of_name", 0.3),
            ("query_missing", 0.8),
            ("name_missing", 0.8),
            ("mistakes", 1.0),
        ]);
        assert!(other < part, "{other} {part}");
    }

    #[test]
    fn probabilities_sum_to_less_than_one_and_follow_the_logits() {
        let model = Model::get();
        let equal = model.logit(&features(&EQUAL));
        let sure = model.probabilities(&[equal + 1.0, equal - 9.0], &[1.0, 0.0, 0.0]);
        assert!(sure[0] > model.match_from && sure[1] < 0.01, "{sure:?}");
        let shared = model.probabilities(&[equal, equal, equal], &[1.0, 0.0, 0.0]);
        assert!(shared.iter().all(|one| *one == shared[0] && *one < 0.34), "{shared:?}");
        assert!(shared.iter().sum::<f64>() < 1.0);
        assert!(model.probabilities(&[], &[1.0, 0.0, 0.0]).is_empty());
        let far = model.probabilities(&[-900.0, 900.0], &[1.0, 0.0, 0.0]);
        assert_eq!(far, [0.0, 1.0], "no overflow");
    }
}
