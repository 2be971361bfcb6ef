//! Fits the weights on one half of the companies and writes them.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, anyhow};
use panji_bench::golden::chance::Chance;
use panji_bench::report::say;
use panji_search::{Candidates, Decision, FIRST_FEATURES, Model, PAIR_FEATURES};
use serde_json::{Value, json};

use super::lists::{Columns, Listing, list};
use super::register::Listed;

const SEED: u64 = 11;
/// How strongly a weight stays at its former value: what the lists do not have keeps it.
const RIDGE: f64 = 2.0;
/// The compared companies of an item that are learnt from.
const LEARNT: usize = 8;
/// Steps of Newton's method.
const STEPS: usize = 15;
/// The share of right matches and of matched absent names that the threshold must reach.
const RIGHT: f64 = 0.9975;
const ABSENT_MATCHED: f64 = 0.003;
/// Below this probability no company is meant.
const NONE_BELOW: f64 = 0.15;

/// Features that the lists do not show: their weights stay. A list has no former names, so that every
/// former name found would count as a mistake.
const HELD: [&str; 1] = ["former_name"];

struct Learnt<'a> {
    listing: Listing,
    candidates: Candidates,
    register: &'a Listed,
}

pub fn fit(registers: &[Listed], items: usize) -> anyhow::Result<()> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/search/src/matching/weights.json");
    let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let mut weights: Value = serde_json::from_str(&text)?;
    let model = Model::parse(&text).map_err(|error| anyhow!(error))?;
    let learnt = learn(registers, items)?;
    say(&format!("{} items", learnt.len()));
    let mut rows: Vec<(Vec<f64>, bool)> = Vec::new();
    for item in &learnt {
        let result =
            item.candidates.decide_by(&model, &item.listing.item(), &HashMap::new(), LEARNT);
        rows.extend(result.candidates.into_iter().map(|candidate| {
            let right = item.listing.cin.as_ref() == Some(&candidate.company.cin);
            (candidate.features, right)
        }));
    }
    let prior = read_weights(&weights["pair"], &PAIR_FEATURES)?;
    let mut fitted = regress(&rows, &prior);
    for (at, _) in PAIR_FEATURES.iter().enumerate().filter(|(_, name)| HELD.contains(name)) {
        fitted[at] = prior[at];
    }
    write_weights(&mut weights["pair"], &PAIR_FEATURES, &fitted);
    let model = Model::parse(&weights.to_string()).map_err(|error| anyhow!(error))?;
    let rows: Vec<(Vec<f64>, bool)> = learnt
        .iter()
        .filter_map(|item| {
            let result =
                item.candidates.decide_by(&model, &item.listing.item(), &HashMap::new(), 1);
            let first = result.candidates.first()?;
            let right = item.listing.cin.as_ref() == Some(&first.company.cin);
            Some((result.features, right))
        })
        .collect();
    let prior = read_weights(&weights["first"], &FIRST_FEATURES)?;
    write_weights(&mut weights["first"], &FIRST_FEATURES, &regress(&rows, &prior));
    weights["none_below"] = json!(NONE_BELOW);
    weights["match_from"] = json!(threshold(&learnt, &weights)?);
    std::fs::write(&file, format!("{}\n", serde_json::to_string_pretty(&weights)?))?;
    say(&format!("wrote {}", file.display()));
    Ok(())
}

/// The items of the even companies, and of the even absent ones.
fn learn(registers: &[Listed], items: usize) -> anyhow::Result<Vec<Learnt<'_>>> {
    let mut learnt = Vec::new();
    for register in registers {
        let mut chance = Chance::new(SEED);
        for (defects, columns) in [
            (1, Columns::Some),
            (3, Columns::Some),
            (1, Columns::NameAndState),
            (3, Columns::NameAndState),
            (1, Columns::Name),
            (3, Columns::Name),
            (0, Columns::Name),
        ] {
            for (companies, absent) in [(&register.present, false), (&register.absent, true)] {
                let step = (companies.len() / 2 / items.max(1)).max(1);
                let half = companies.iter().step_by(2).step_by(step).take(items);
                for listing in list(half, absent, defects, columns, &mut chance) {
                    let candidates = register.search.match_candidates(&listing.item())?;
                    learnt.push(Learnt { listing, candidates, register });
                }
            }
        }
        say(&format!("{}: searched", register.title));
    }
    Ok(learnt)
}

/// The lowest threshold with enough right matches and few enough matched absent names, in the
/// worst of the registers.
fn threshold(learnt: &[Learnt<'_>], weights: &Value) -> anyhow::Result<f64> {
    let mut trial = weights.clone();
    trial["match_from"] = json!(NONE_BELOW + 0.01);
    let model = Model::parse(&trial.to_string()).map_err(|error| anyhow!(error))?;
    let mut judged: Vec<(usize, f64, bool, bool)> = Vec::new();
    let mut absent: HashMap<usize, usize> = HashMap::new();
    for item in learnt {
        let register = std::ptr::from_ref(item.register) as usize;
        let result = item.candidates.decide_by(&model, &item.listing.item(), &HashMap::new(), 1);
        *absent.entry(register).or_default() += usize::from(item.listing.cin.is_none());
        if result.decision == Decision::Match {
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

/// Logistic regression by Newton's method, drawn towards the prior.
fn regress(rows: &[(Vec<f64>, bool)], prior: &[f64]) -> Vec<f64> {
    let size = prior.len();
    let mut weights = prior.to_vec();
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> =
            weights.iter().zip(prior).map(|(weight, prior)| RIDGE * (weight - prior)).collect();
        let mut hessian = vec![vec![0.0; size]; size];
        for (at, row) in hessian.iter_mut().enumerate() {
            row[at] = RIDGE;
        }
        for (values, right) in rows {
            let logit: f64 = weights.iter().zip(values).map(|(weight, value)| weight * value).sum();
            let probability = 1.0 / (1.0 + (-logit).exp());
            let error = probability - f64::from(u8::from(*right));
            let spread = (probability * (1.0 - probability)).max(1e-6);
            for one in (0..size).filter(|one| values[*one] != 0.0) {
                gradient[one] += error * values[one];
                for other in 0..size {
                    hessian[one][other] += spread * values[one] * values[other];
                }
            }
        }
        let step = solve(hessian, gradient);
        for (weight, step) in weights.iter_mut().zip(&step) {
            *weight -= step.clamp(-2.0, 2.0);
        }
    }
    weights
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
