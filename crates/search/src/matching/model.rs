//! The probability that a company is the one meant: a logistic model in two steps, with weights
//! from a file that `bench/run match --fit` writes.
//!
//! The first step compares the item with each company. The second step looks at the best company
//! beside the others: its lead, and how many have the same name.

use std::collections::HashMap;
use std::sync::OnceLock;

/// The features of the first step.
pub const PAIR_FEATURES: [&str; 31] = [
    "bias",
    "equal",
    "of_query",
    "of_name",
    "query_missing",
    "name_missing",
    "misspelt",
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

/// The features of the second step.
pub const FIRST_FEATURES: [&str; 6] = ["bias", "logit", "lead", "same_names", "no_company", "cut"];

/// Logits are limited to this distance from 0.
pub const MOST_LOGIT: f64 = 12.0;
/// A larger lead tells nothing more.
pub const MOST_LEAD: f64 = 6.0;

/// Values of the features of the first step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features(pub [f64; PAIR_FEATURES.len()]);

impl Default for Features {
    fn default() -> Features {
        let mut values = [0.0; PAIR_FEATURES.len()];
        values[0] = 1.0;
        Features(values)
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
    first: HashMap<String, f64>,
    /// From this probability on, and with no contradiction, an item is matched.
    match_from: f64,
    /// Below this probability no company is meant.
    none_below: f64,
}

#[derive(Clone, Debug)]
pub struct Model {
    pair: [f64; PAIR_FEATURES.len()],
    first: [f64; FIRST_FEATURES.len()],
    pub match_from: f64,
    pub none_below: f64,
}

impl Model {
    /// The model of the file.
    pub fn get() -> &'static Model {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| {
            Model::parse(include_str!("weights.json")).expect("a test reads the file of weights")
        })
    }

    /// The model of a file's text; the error names what is wrong.
    pub fn parse(text: &str) -> Result<Model, String> {
        let file: WeightsFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Model {
            pair: in_order(&PAIR_FEATURES, &file.pair)?,
            first: in_order(&FIRST_FEATURES, &file.first)?,
            match_from: file.match_from,
            none_below: file.none_below,
        })
    }

    /// The weight of a feature of the first step.
    pub fn weight(&self, feature: &str) -> f64 {
        PAIR_FEATURES.iter().position(|name| *name == feature).map_or(0.0, |at| self.pair[at])
    }

    /// The logit of one company by itself.
    pub fn logit(&self, features: &Features) -> f64 {
        dot(&self.pair, &features.0).clamp(-MOST_LOGIT, MOST_LOGIT)
    }

    /// The probability that the first company is the one meant.
    pub fn probability(&self, first: &[f64; FIRST_FEATURES.len()]) -> f64 {
        sigmoid(dot(&self.first, first))
    }
}

fn in_order<const N: usize>(
    names: &[&str; N],
    weights: &HashMap<String, f64>,
) -> Result<[f64; N], String> {
    if let Some(unknown) = weights.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(format!("no feature is called {unknown}"));
    }
    let mut ordered = [0.0; N];
    for (at, name) in names.iter().enumerate() {
        let weight = weights.get(*name).ok_or_else(|| format!("{name} has no weight"))?;
        ordered[at] = *weight;
    }
    Ok(ordered)
}

fn dot(weights: &[f64], values: &[f64]) -> f64 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
}

pub fn sigmoid(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
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
        assert!(model.pair.iter().chain(&model.first).all(|weight| weight.is_finite()));
        assert!(model.none_below < model.match_from && model.match_from < 1.0);
        assert!(Model::parse("{}").is_err());
        let other = include_str!("weights.json").replace("\"misspelt\"", "\"other\"");
        assert_eq!(Model::parse(&other).err().as_deref(), Some("no feature is called other"));
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
        assert!(part < equal && part < 0.0, "{part} {equal}");
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
    fn a_lead_counts_and_equal_names_of_others_count_against() {
        let model = Model::get();
        let clear = model.probability(&[1.0, 4.0, 6.0, 0.0, 0.0, 0.0]);
        let close = model.probability(&[1.0, 4.0, 0.2, 0.0, 0.0, 0.0]);
        let shared = model.probability(&[1.0, 4.0, 0.0, 1.4, 0.0, 0.0]);
        assert!(clear > close && close > shared, "{clear} {close} {shared}");
        assert!(clear > model.match_from);
    }
}
