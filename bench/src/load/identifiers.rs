//! Identifiers sampled from the whole register, and the order in which they are requested.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use panji_generate::{Synthetic, director_count};

use crate::golden::random::Random;
use crate::register::SEED;

/// The most identifiers of each kind.
const SAMPLE_SIZE: u64 = 200_000;
/// The length of the order before it repeats.
const DRAWS: usize = 1 << 20;
/// The Zipf exponent: a key's share is divided by its rank to this power. Of 200,000 keys the first
/// gets 0.8% of all requests and the first thousand get 20%.
const SKEW: f64 = 0.7;
/// More bytes than two lines of the taxpayer file.
const TWO_LINES: usize = 16_384;

pub struct Identifiers {
    pub cins: Vec<String>,
    /// The names of the same companies.
    pub names: Vec<String>,
    /// The PANs of the same companies.
    pub pans: Vec<String>,
    pub dins: Vec<String>,
    pub gstins: Vec<String>,
}

impl Identifiers {
    /// Samples identifiers of a generated register, always the same ones.
    pub fn choose(register: &Path, companies: u64) -> anyhow::Result<Identifiers> {
        let mut random = Random::new(SEED);
        let mut below = |bound: u64| random.below(bound as usize) as u64;
        let synthetic = Synthetic::new(SEED);
        let number = SAMPLE_SIZE.min(companies);
        let (mut cins, mut names, mut pans) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..number {
            let company = synthetic.company(below(companies));
            pans.push(company.pan());
            cins.push(company.cin);
            names.push(company.name);
        }
        let directors = director_count(companies);
        let dins = (0..number).map(|_| synthetic.director(below(directors)).din).collect();
        let directory = register.join("2-gst");
        let gstins = choose_gstins(&directory, number, &mut below)
            .with_context(|| directory.display().to_string())?;
        Ok(Identifiers { cins, names, pans, dins, gstins })
    }
}

/// The indexes in the order of the load: few are requested often, many seldom.
pub fn skewed_order(count: usize) -> Vec<u32> {
    let mut sums = Vec::with_capacity(count);
    let mut sum = 0.0;
    for rank in 1..=count {
        sum += (rank as f64).powf(-SKEW);
        sums.push(sum);
    }
    let mut random = Random::new(SEED);
    let steps = 1_usize << 52;
    let draw = |_| {
        let drawn = random.below(steps) as f64 / steps as f64 * sum;
        sums.partition_point(|sum| *sum <= drawn).min(count - 1) as u32
    };
    (0..DRAWS).map(draw).collect()
}

/// Reads lines at random offsets of the taxpayer files.
fn choose_gstins(
    directory: &Path,
    number: u64,
    below: &mut impl FnMut(u64) -> u64,
) -> anyhow::Result<Vec<String>> {
    let entries = std::fs::read_dir(directory)?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.file_name().is_some_and(|n| n.as_encoded_bytes().starts_with(b"tax")));
    paths.sort();
    let mut files = Vec::new();
    for path in &paths {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        files.push((file, length));
    }
    let total: u64 = files.iter().map(|(_, length)| length).sum();
    let mut gstins = Vec::new();
    let mut bytes = vec![0; TWO_LINES];
    while (gstins.len() as u64) < number {
        let mut offset = below(total);
        let found = files.iter().find(|(_, length)| {
            let here = offset < *length;
            offset -= if here { 0 } else { *length };
            here
        });
        let Some((file, _)) = found else { continue };
        let read = file.read_at(&mut bytes, offset)?;
        let text = String::from_utf8_lossy(&bytes[..read]);
        // The complete line after the one at the offset.
        let line = text.split_once('\n').map_or("", |(_, rest)| rest);
        let gstin = line.split_once("\"gstin\":\"").map(|(_, rest)| rest);
        gstins.extend(gstin.and_then(|rest| rest.get(..15)).map(str::to_owned));
    }
    Ok(gstins)
}
