//! Scores the results of golden queries.

use std::collections::HashSet;

use super::{Golden, Slice};

/// The scores of one slice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Score {
    /// The number of queries.
    pub queries: usize,
    /// The share of queries whose first result was right.
    pub success_at_1: f64,
    /// The share of right results among the first ten, of at most ten.
    pub recall_at_10: f64,
    /// The mean reciprocal rank of the first right result.
    pub mrr: f64,
}

/// The results of a query: indexes of companies, best first.
pub type Results = Vec<u32>;

/// Scores the results of the queries of a slice.
pub fn score<'a>(slice: Slice, searched: impl Iterator<Item = (&'a Golden, &'a Results)>) -> Score {
    let mut score = Score::default();
    for (golden, results) in searched.filter(|(golden, _)| golden.slice == slice) {
        let right = |index: &u32| golden.acceptable.contains(index);
        score.queries += 1;
        let first = results.iter().take(10).position(right);
        score.success_at_1 += f64::from(u8::from(first == Some(0)));
        score.mrr += first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
        // Some systems return a company twice, by its current and a former name.
        let found: HashSet<&u32> = results.iter().take(10).filter(|index| right(index)).collect();
        score.recall_at_10 += found.len() as f64 / golden.acceptable.len().clamp(1, 10) as f64;
    }
    let queries = score.queries.max(1) as f64;
    score.success_at_1 /= queries;
    score.recall_at_10 /= queries;
    score.mrr /= queries;
    score
}
