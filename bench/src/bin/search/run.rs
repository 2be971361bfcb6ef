//! One run: registers, systems, tables.

use std::path::{Path, PathBuf};

use anyhow::Context;
use panji_bench::companies::{self, Company};
use panji_bench::golden::{self, Golden};
use panji_bench::report::{machine, replace_section, resident_mb};
use panji_search::{IndexKind, Search, SearchRequest};

use super::arguments::Arguments;
use super::bm25::Bm25;
use super::fts5::Fts5;
use super::measure::{measure, print_progress};
use super::panji::Panji;
use super::pg_trgm::PgTrgm;
use super::search_system::SearchSystem;
use super::table::{self, Result as TableResult};

/// Queries of each slice.
const PER_SLICE: usize = 200;
/// Queries of each slice for slow systems on a large register.
const PER_SLICE_OF_SLOW: usize = 20;
/// A register with at least this many companies is large.
const LARGE: usize = 200_000;
const SEED: u64 = 7;
/// The number of names that no company has, and the score from which a caller would accept a
/// result.
const ABSENT: usize = 1_000;
const BELIEVED: f64 = 0.8;

#[allow(clippy::disallowed_methods, reason = "the environment names the data of a measurement")]
pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some((index, queries)) = &arguments.memory_of {
        return serve_for_memory(index, queries);
    }
    let mut report = format!("{}.\n", machine());
    if arguments.real {
        let data = std::env::var("PANJI_REAL_DATA")
            .context("PANJI_REAL_DATA must name the directory of the real files")?;
        let companies = companies::real(Path::new(&data))?;
        report.push_str(&compare("The real master files", &companies, arguments)?);
    }
    if arguments.synthetic > 0 {
        let companies: Vec<Company> = companies::synthetic(arguments.synthetic).collect();
        report.push_str(&compare("A synthetic register", &companies, arguments)?);
    }
    match &arguments.report {
        Some(file) => replace_section(file, "search", &report),
        None => Ok(()),
    }
}

#[allow(clippy::disallowed_methods, reason = "the environment names the data of a measurement")]
fn compare(title: &str, companies: &[Company], arguments: &Arguments) -> anyhow::Result<String> {
    print_progress(&format!("{title}: {} companies", companies.len()));
    let queries = golden::make(companies, PER_SLICE, SEED);
    print_progress(&format!("{} golden queries", queries.len()));
    let temporary = tempfile::tempdir()?;
    let work = arguments.work.as_deref().unwrap_or(temporary.path());
    let panji = Panji::build(companies, &work.join("panji"))?;
    print_progress(&format!("built: {:?}", panji.cost()));
    show_results(&panji, &arguments.ask)?;
    let absent =
        acceptance_rate(&panji, &golden::absent(companies, ABSENT, SEED), arguments.failures)?;
    let memory = memory(&work.join("panji"), &queries, work)?;
    let mut results = vec![measure_system(&panji, &queries, false)?];
    if arguments.failures {
        show_failures(companies, &queries, &results[0]);
    }
    drop(panji);
    if arguments.alternatives {
        let large = companies.len() > LARGE;
        let url = std::env::var("PANJI_TEST_POSTGRES")
            .context("PANJI_TEST_POSTGRES must name a PostgreSQL server")?;
        print_progress("building the alternatives");
        results.push(measure_system(
            &Fts5::build(companies, &work.join("fts5"))?,
            &queries,
            large,
        )?);
        results.push(measure_system(&PgTrgm::build(companies, &url)?, &queries, large)?);
        results.push(measure_system(
            &Bm25::build(companies, &work.join("bm25"))?,
            &queries,
            false,
        )?);
    }
    let section = format!(
        "\n### {title}: {} companies\n\n{}\nOf {ABSENT} names that nobody has, {:.2}% get a first result with a score of \
         {BELIEVED} or more (target: less than 1%).\n\nPanji's memory while serving: {memory}.\n",
        companies.len(),
        table::markdown(&queries, &results),
        absent * 100.0
    );
    print_progress(&section);
    Ok(section)
}

fn measure_system(
    system: &dyn SearchSystem,
    queries: &[Golden],
    slow: bool,
) -> anyhow::Result<TableResult> {
    let mut of_slice = std::collections::HashMap::new();
    let selected: Vec<usize> = (0..queries.len())
        .filter(|at| {
            let count = of_slice.entry(queries[*at].slice).or_insert(0_usize);
            *count += 1;
            !slow || *count <= PER_SLICE_OF_SLOW
        })
        .collect();
    // Real callers do not send their queries slice by slice.
    let mut order: Vec<usize> = selected;
    let mut random = golden::random::Random::new(SEED);
    for position in (1..order.len()).rev() {
        order.swap(position, random.below(position + 1));
    }
    let chosen: Vec<&Golden> = order.iter().map(|at| &queries[*at]).collect();
    let measured = measure(system, &chosen, !slow)?;
    print_progress(&format!(
        "{}: p50 {:.2} ms, p99 {:.2} ms, of which computing {:.2} ms, {:.2} ms",
        system.name(),
        measured.percentile(0.5),
        measured.percentile(0.99),
        measured.computing_percentile(0.5),
        measured.computing_percentile(0.99)
    ));
    Ok(TableResult { name: system.name(), cost: system.cost(), selected: order, measured })
}

/// The share of names with a first result that a caller would accept.
fn acceptance_rate(panji: &Panji, names: &[String], show: bool) -> anyhow::Result<f64> {
    let mut count = 0;
    for text in names {
        let request = SearchRequest { text, limit: 1, ..SearchRequest::default() };
        let hits = panji.search.find(&request)?;
        let Some(found) = hits.companies.first().filter(|found| found.score >= BELIEVED) else {
            continue;
        };
        count += 1;
        if show {
            let kind = found.kind_of_match.as_str();
            print_progress(&format!(
                "absent «{text}» got {:.3} {kind} {}",
                found.score, found.name
            ));
        }
    }
    Ok(f64::from(count) / names.len().max(1) as f64)
}

fn show_results(panji: &Panji, texts: &[String]) -> anyhow::Result<()> {
    for text in texts {
        let request = SearchRequest { text, limit: 5, ..SearchRequest::default() };
        let started = std::time::Instant::now();
        let hits = panji.search.find(&request)?;
        print_progress(&format!("«{text}»: {} in {:?}", hits.total, started.elapsed()));
        for found in hits.companies {
            let kind = found.kind_of_match.as_str();
            print_progress(&format!(
                "  {:.4} {kind} {} {:?}",
                found.score, found.name, found.matched_name
            ));
        }
    }
    Ok(())
}

fn show_failures(companies: &[Company], queries: &[Golden], result: &TableResult) {
    let searched =
        result.selected.iter().zip(&result.measured.results).zip(&result.measured.computing);
    let mut slowest: Vec<(u128, &str)> = Vec::new();
    for ((at, found), time) in searched {
        let query = &queries[*at];
        slowest.push((time.as_micros(), &query.text));
        if !found.first().is_some_and(|first| query.acceptable.contains(first)) {
            let name = |index: &u32| companies[*index as usize].name.as_str();
            print_progress(&format!(
                "{:?} «{}» meant «{}» got {:?}, right one at {:?}",
                query.slice,
                query.text,
                query.intended,
                found.first().map(name),
                found.iter().position(|company| query.acceptable.contains(company)),
            ));
        }
    }
    slowest.sort();
    for (micros, text) in slowest.iter().rev().take(25) {
        print_progress(&format!("slow: {micros} µs «{text}»"));
    }
}

/// Measures memory in a separate process, because this one uses more than a server would.
fn memory(index: &Path, queries: &[Golden], work: &Path) -> anyhow::Result<String> {
    let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
    let file: PathBuf = work.join("queries.txt");
    std::fs::write(&file, texts.join("\n"))?;
    let program = std::env::current_exe()?;
    let output = std::process::Command::new(program)
        .arg("--memory-of")
        .args([index, file.as_path()])
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[expect(clippy::print_stdout, reason = "read by the process that started this one")]
fn serve_for_memory(index: &Path, queries: &Path) -> anyhow::Result<()> {
    let search = Search::open(IndexKind::Companies, index)?;
    let texts = std::fs::read_to_string(queries)?;
    for text in texts.lines() {
        let request = SearchRequest { text, limit: 10, ..SearchRequest::default() };
        search.find(&request)?;
    }
    let (all, own) = resident_mb();
    println!("{all} MB resident, of which {own} MB are its own and the rest is pages of the index");
    Ok(())
}
