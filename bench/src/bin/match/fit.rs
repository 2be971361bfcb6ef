//! Fits the weights on one half of the companies and writes them.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::Context;
use panji_bench::golden::random::Random;
use panji_bench::report::print_progress;
use panji_search::{Candidates, MatchDecision, Model, NONE_FEATURES, PAIR_FEATURES};
use serde_json::{Value, json};

use super::lists::{Listing, PLANS, list};
use super::register::SplitRegister;

const SEED: u64 = 11;
/// How strongly a weight stays at its former value: what the lists do not have keeps it.
const RIDGE: f64 = 2.0;
/// The compared companies of an item that are learned from.
const LEARNED: usize = 12;
/// Steps of Newton's method.
const STEPS: usize = 25;
/// Features that never count against a candidate, or against "none of them".
const FOR: [&str; 10] = [
    "equal",
    "of_query",
    "of_name",
    "mass",
    "form_agrees",
    "state_agrees",
    "city_agrees",
    "pincode_agrees",
    "year_agrees",
    "no_company",
];
/// Features that never count for a candidate.
const AGAINST: [&str; 15] = [
    "query_missing",
    "name_missing",
    "misspelled",
    "out_of_order",
    "mistakes",
    "former_name",
    "form_private_differs",
    "form_differs",
    "number_on_one_side",
    "number_differs",
    "state_differs",
    "city_differs",
    "pincode_near",
    "pincode_differs",
    "year_differs",
];
/// The share of right matches, and of matched absent names, that the threshold must reach.
const RIGHT: f64 = 0.9965;
const ABSENT_MATCHED: f64 = 0.004;
/// If all candidates together have a lower probability, no company is meant.
const NONE_BELOW: f64 = 0.2;
/// The weights of a candidate and of "none of them", one after the other.
const WEIGHTS: usize = PAIR_FEATURES.len() + NONE_FEATURES.len();

struct Learned<'a> {
    listing: Listing,
    candidates: Candidates,
    register: &'a SplitRegister,
}

/// The file of the weights, and its text.
pub fn weights_file() -> anyhow::Result<(PathBuf, String)> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/search/src/matching/weights.json");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    Ok((file, text))
}

pub fn fit(registers: &[SplitRegister], items: usize) -> anyhow::Result<()> {
    let (file, text) = weights_file()?;
    let mut weights: Value = serde_json::from_str(&text)?;
    let model = Model::parse(&text)?;
    let learned = learn(registers, items)?;
    print_progress(&format!("{} items", learned.len()));
    let mut prior = read_weights(&weights["pair"], &PAIR_FEATURES)?;
    prior.extend(read_weights(&weights["none"], &NONE_FEATURES)?);
    let choices: Vec<Choice> = learned.iter().map(|item| choice(item, &model)).collect();
    let fitted = regress(&choices, &prior);
    let (pair, none) = fitted.split_at(PAIR_FEATURES.len());
    write_weights(&mut weights["pair"], &PAIR_FEATURES, pair);
    write_weights(&mut weights["none"], &NONE_FEATURES, none);
    weights["none_below"] = json!(NONE_BELOW);
    weights["match_from"] = json!(threshold(&learned, &weights)?);
    std::fs::write(&file, format!("{}\n", serde_json::to_string_pretty(&weights)?))?;
    print_progress(&format!("wrote {}", file.display()));
    Ok(())
}

/// What there is to choose from for one item, and the right choice.
struct Choice {
    /// The last one is "none of them".
    values: Vec<[f64; WEIGHTS]>,
    right: usize,
}

fn choice(item: &Learned<'_>, model: &Model) -> Choice {
    let result = item.candidates.decide_by(model, &item.listing.item(), &HashMap::new(), LEARNED);
    let cin = item.listing.cin.as_ref();
    let right = result.candidates.iter().position(|one| Some(&one.company.cin) == cin);
    let mut values: Vec<[f64; WEIGHTS]> = Vec::new();
    for candidate in &result.candidates {
        let mut row = [0.0; WEIGHTS];
        row[..PAIR_FEATURES.len()].copy_from_slice(&candidate.features);
        values.push(row);
    }
    let mut none = [0.0; WEIGHTS];
    none[PAIR_FEATURES.len()..].copy_from_slice(&result.none_features);
    values.push(none);
    let right = right.unwrap_or(values.len() - 1);
    Choice { values, right }
}

/// The items of one half of the companies, present and absent.
fn learn(registers: &[SplitRegister], items: usize) -> anyhow::Result<Vec<Learned<'_>>> {
    let mut learned = Vec::new();
    for register in registers {
        let mut random = Random::new(SEED);
        for plan in &PLANS {
            for listing in list(register, plan, 0, items, &mut random) {
                let candidates = register.search.match_candidates(&listing.item())?;
                learned.push(Learned { listing, candidates, register });
            }
        }
        print_progress(&format!("{}: searched", register.title));
    }
    Ok(learned)
}

/// The lowest threshold with enough right matches and few enough matched absent names, in the
/// worst of the registers.
fn threshold(learned: &[Learned<'_>], weights: &Value) -> anyhow::Result<f64> {
    let mut trial = weights.clone();
    trial["match_from"] = json!(NONE_BELOW + 0.01);
    let model = Model::parse(&trial.to_string())?;
    let mut judged: Vec<(usize, f64, bool, bool)> = Vec::new();
    let mut absent: HashMap<usize, usize> = HashMap::new();
    for item in learned {
        let register = std::ptr::from_ref(item.register) as usize;
        let result = item.candidates.decide_by(&model, &item.listing.item(), &HashMap::new(), 1);
        *absent.entry(register).or_default() += usize::from(item.listing.cin.is_none());
        if result.decision == MatchDecision::Match {
            let first = result.candidates.first().map(|first| &first.company.cin);
            let right = first == item.listing.cin.as_ref();
            judged.push((register, result.score, right, item.listing.cin.is_none()));
        }
    }
    let reaches = |threshold: f64| {
        absent.iter().all(|(register, names)| {
            let matched: Vec<_> = judged
                .iter()
                .filter(|(of, score, ..)| of == register && *score >= threshold)
                .collect();
            let present = matched.iter().filter(|(.., absent)| !absent).count();
            let right = matched.iter().filter(|(_, _, right, _)| *right).count();
            let of_absent = matched.len() - present;
            right as f64 >= RIGHT * present as f64
                && of_absent as f64 <= ABSENT_MATCHED * *names as f64
        })
    };
    let steps = (500..999).map(|step| f64::from(step) / 1_000.0);
    Ok(steps.into_iter().find(|step| reaches(*step)).unwrap_or(0.999))
}

fn read_weights(weights: &Value, names: &[&str]) -> anyhow::Result<Vec<f64>> {
    names.iter().map(|name| weights[name].as_f64().context("a weight is missing")).collect()
}

fn write_weights(weights: &mut Value, names: &[&str], values: &[f64]) {
    for (name, value) in names.iter().zip(values) {
        weights[name] = json!((value * 1_000.0).round() / 1_000.0);
    }
}

/// Conditional logistic regression by Newton's method, drawn towards the prior.
fn regress(choices: &[Choice], prior: &[f64]) -> Vec<f64> {
    let mut weights = prior.to_vec();
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> =
            weights.iter().zip(prior).map(|(weight, prior)| RIDGE * (weight - prior)).collect();
        let mut hessian = vec![vec![0.0; WEIGHTS]; WEIGHTS];
        for (at, row) in hessian.iter_mut().enumerate() {
            row[at] = RIDGE;
        }
        let likelihood: f64 =
            choices.iter().map(|one| add_choice(one, &weights, &mut gradient, &mut hessian)).sum();
        print_progress(&format!(
            "mean log likelihood {:.5}",
            likelihood / choices.len().max(1) as f64
        ));
        freeze_wrong_signs(&weights, &mut gradient, &mut hessian);
        let step = solve(hessian, gradient);
        for (at, step) in step.iter().enumerate() {
            weights[at] -= step.clamp(-2.0, 2.0);
            weights[at] = match sign(at) {
                Some(true) => weights[at].max(0.0),
                Some(false) => weights[at].min(0.0),
                None => weights[at],
            };
        }
    }
    weights
}

/// Whether a weight must not be negative, or must not be positive.
fn sign(at: usize) -> Option<bool> {
    let name = PAIR_FEATURES.iter().chain(&NONE_FEATURES).nth(at)?;
    match (FOR.contains(name), AGAINST.contains(name)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Keeps at 0 the weights that would get the wrong sign.
fn freeze_wrong_signs(weights: &[f64], gradient: &mut [f64], hessian: &mut [Vec<f64>]) {
    for at in 0..WEIGHTS {
        let wrong = match sign(at) {
            Some(true) => gradient[at] > 0.0,
            Some(false) => gradient[at] < 0.0,
            None => false,
        };
        if weights[at] == 0.0 && wrong {
            gradient[at] = 0.0;
            hessian[at].fill(0.0);
            hessian.iter_mut().for_each(|row| row[at] = 0.0);
            hessian[at][at] = 1.0;
        }
    }
}

/// Adds the part of one choice to the gradient and to the second derivatives; its log likelihood.
fn add_choice(
    choice: &Choice,
    weights: &[f64],
    gradient: &mut [f64],
    hessian: &mut [Vec<f64>],
) -> f64 {
    let logit = |values: &[f64; WEIGHTS]| -> f64 {
        weights.iter().zip(values).map(|(weight, value)| weight * value).sum()
    };
    let logits: Vec<f64> = choice.values.iter().map(logit).collect();
    let most = logits.iter().copied().fold(f64::MIN, f64::max);
    let sum: f64 = logits.iter().map(|logit| (logit - most).exp()).sum();
    let mut mean = [0.0; WEIGHTS];
    for (values, logit) in choice.values.iter().zip(&logits) {
        let probability = (logit - most).exp() / sum;
        for one in (0..WEIGHTS).filter(|one| values[*one] != 0.0) {
            mean[one] += probability * values[one];
            for other in 0..WEIGHTS {
                hessian[one][other] += probability * values[one] * values[other];
            }
        }
    }
    for one in 0..WEIGHTS {
        gradient[one] += mean[one] - choice.values[choice.right][one];
        for other in 0..WEIGHTS {
            hessian[one][other] -= mean[one] * mean[other];
        }
    }
    logits[choice.right] - most - sum.ln()
}

/// Solves a system of linear equations by elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()))
            .unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..size {
            let factor = matrix[row][column] / matrix[column][column];
            let (above, below) = matrix.split_at_mut(row);
            for (value, of_pivot) in below[0].iter_mut().zip(&above[column]).skip(column) {
                *value -= factor * of_pivot;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}
