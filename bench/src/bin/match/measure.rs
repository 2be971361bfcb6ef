//! Measures matching on the half of the companies that the weights were not fitted on.

use std::collections::HashMap;
use std::time::Duration;

use panji_bench::golden::random::Random;
use panji_bench::report::print_progress;
use panji_search::{MatchDecision, MatchResult, Model, SearchRequest};

use super::lists::{Listing, Of, PLANS, list};
use super::register::SplitRegister;

/// The seed of the lists.
pub const SEED: u64 = 23;
/// Bins of the calibration error.
const BINS: usize = 10;
/// The score from which a caller would accept search's first hit.
const BELIEVED: f64 = 0.8;

#[derive(Default)]
struct Counts {
    items: usize,
    matched: usize,
    right: usize,
    reviewed: usize,
    /// The right company is the first or among the three candidates.
    first: usize,
    listed: usize,
    acceptance_rate: usize,
    believed_right: usize,
}

#[derive(Default)]
struct Calibration {
    /// Items, sum of scores, right ones.
    bins: [(usize, f64, usize); BINS],
}

impl Calibration {
    fn add(&mut self, score: f64, right: bool) {
        let bin = &mut self.bins[((score * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + 1, bin.1 + score, bin.2 + usize::from(right));
    }

    /// The expected calibration error.
    fn error(&self) -> f64 {
        let total: usize = self.bins.iter().map(|bin| bin.0).sum();
        let error: f64 = self.bins.iter().map(|bin| (bin.1 - bin.2 as f64).abs()).sum();
        error / total.max(1) as f64
    }
}

pub fn measure(
    register: &SplitRegister,
    model: &Model,
    items: usize,
    failures: bool,
) -> anyhow::Result<String> {
    let mut random = Random::new(SEED);
    let mut calibration = Calibration::default();
    let (mut time, mut count) = (Duration::ZERO, 0);
    let mut rows = Vec::new();
    for plan in &PLANS {
        let listings = list(register, plan, 1, items, &mut random);
        let started = computing();
        let results = listings
            .iter()
            .map(|listing| {
                let item = listing.item();
                let candidates = register.search.match_candidates(&item)?;
                Ok(candidates.decide_by(model, &item, &HashMap::new(), 3))
            })
            .collect::<anyhow::Result<Vec<MatchResult>>>()?;
        time += computing().saturating_sub(started);
        count += listings.len();
        let mut counts = Counts::default();
        for (listing, result) in listings.iter().zip(&results) {
            let right = judge(&mut counts, listing, result, failures);
            calibration.add(result.score, right);
            judge_search(&mut counts, register, listing)?;
        }
        rows.push(row(plan.title, plan.of == Of::Absent, &counts));
    }
    let section = format!(
        "\n### {}: {} companies, {} more left out\n\n| list | items | matches that are right | matched | \
         reviewed | right one first | among three | search's first hit from {BELIEVED} on: right | found by it |\n\
         |---|---|---|---|---|---|---|---|---|\n{}\n\nExpected calibration error: {:.3}. {:.0} items a second and core.\n\n{}",
        register.title,
        register.present.len(),
        register.absent.len(),
        rows.join("\n"),
        calibration.error(),
        count as f64 / time.as_secs_f64(),
        plot(&calibration),
    );
    print_progress(&section);
    Ok(section)
}

fn judge(counts: &mut Counts, listing: &Listing, result: &MatchResult, failures: bool) -> bool {
    let is_meant = |cin: &String| Some(cin) == listing.cin.as_ref();
    let first = result.candidates.first();
    let right = first.is_some_and(|first| is_meant(&first.company.cin));
    counts.items += 1;
    counts.first += usize::from(right);
    counts.listed +=
        usize::from(result.candidates.iter().any(|candidate| is_meant(&candidate.company.cin)));
    match result.decision {
        MatchDecision::Match => {
            counts.matched += 1;
            counts.right += usize::from(right);
        }
        MatchDecision::Review => counts.reviewed += 1,
        MatchDecision::None => {}
    }
    let wrong = result.decision == MatchDecision::Match && !right;
    let missed = result.decision != MatchDecision::Match && listing.cin.is_some();
    if failures && (wrong || missed) {
        let word = result.decision.as_str();
        let (name, score) = (first.map(|first| &first.company.name), result.score);
        let evidence: Vec<String> = first.map_or_else(Vec::new, |first| {
            first.evidence.iter().map(|one| format!("{} {}", one.field, one.detail)).collect()
        });
        print_progress(&format!(
            "{word} {score:.3} «{}» {name:?} right {right} {evidence:?}",
            listing.name
        ));
    }
    right
}

fn judge_search(
    counts: &mut Counts,
    register: &SplitRegister,
    listing: &Listing,
) -> anyhow::Result<()> {
    let state = listing.state.as_deref();
    let request =
        SearchRequest { text: &listing.name, limit: 1, state, ..SearchRequest::default() };
    let hits = register.search.find(&request)?;
    if let Some(first) = hits.companies.first().filter(|first| first.score >= BELIEVED) {
        counts.acceptance_rate += 1;
        counts.believed_right += usize::from(Some(&first.cin) == listing.cin.as_ref());
    }
    Ok(())
}

pub fn share(part: usize, of: usize) -> String {
    match of {
        0 => "–".to_owned(),
        _ => format!("{:.2} %", 100.0 * part as f64 / of as f64),
    }
}

fn row(title: &str, absent: bool, counts: &Counts) -> String {
    let right = |part, of| if absent { "–".to_owned() } else { share(part, of) };
    format!(
        "| {title} | {} | {} | {} | {} | {} | {} | {} | {} |",
        counts.items,
        right(counts.right, counts.matched),
        share(counts.matched, counts.items),
        share(counts.reviewed, counts.items),
        right(counts.first, counts.items),
        right(counts.listed, counts.items),
        right(counts.believed_right, counts.acceptance_rate),
        share(counts.acceptance_rate, counts.items),
    )
}

/// The calibration as a table with bars: the share that is right in each range of scores.
fn plot(calibration: &Calibration) -> String {
    let mut lines = vec![
        "| score | items | mean score | right | |".to_owned(),
        "|---|---|---|---|---|".to_owned(),
    ];
    for (at, (items, scores, right)) in calibration.bins.iter().enumerate() {
        if *items == 0 {
            continue;
        }
        let (mean, share) = (scores / *items as f64, *right as f64 / *items as f64);
        let bar = "█".repeat((share * 20.0).round() as usize);
        let from = at as f64 / BINS as f64;
        lines.push(format!("| {from:.1}– | {items} | {mean:.3} | {share:.3} | {bar} |"));
    }
    lines.join("\n") + "\n"
}

/// The time that this thread has computed.
fn computing() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
