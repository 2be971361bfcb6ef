//! Measures the charge writer alone: charges a second and processor time of each, with many
//! concurrent callers and no HTTP.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Parser;
use hdrhistogram::Histogram;
use panji_store::calendar::now_ms;
use panji_store::engine::{PostgresOptions, Workload};
use panji_store::ledger::{
    ChargeWriter, ChargeWriterOptions, Debit, EntryKind, MAX_UNRESOLVED, Mode, RESOLVE_TIME,
    RequestDetails, Secret,
};
use panji_store::{Engine, Ledger};
use rustix::time::{ClockId, clock_gettime};

const CREDITS: i64 = 1_000_000_000;
const QUEUE: usize = 4_096;
/// Worker threads, as the server has on two cores.
const THREADS: usize = 2;

/// Measures charges with concurrent callers
#[derive(Parser)]
struct Arguments {
    /// A directory for the file of the ledger; a temporary one if none is given
    #[arg(long)]
    directory: Option<PathBuf>,
    /// The ledger on PostgreSQL instead, in an empty database
    #[arg(long)]
    postgres: Option<String>,
    #[arg(long, default_value_t = 64)]
    callers: usize,
    #[arg(long, default_value_t = 8)]
    accounts: usize,
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// Processor time that a caller takes before each charge, as for the read and the response
    #[arg(long, default_value_t = 0)]
    work_us: u64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(THREADS).enable_all().build()?.block_on(measure(&arguments))
}

/// Processor time of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

async fn open(arguments: &Arguments, directory: &std::path::Path) -> anyhow::Result<Ledger> {
    let engine = match &arguments.postgres {
        Some(url) => {
            Engine::open_postgres(PostgresOptions { url: url.clone(), schema: "ledger" }).await?
        }
        None => Engine::open_sqlite(&directory.join("ledger.db"), Workload::Ledger)?,
    };
    Ok(Ledger::open(engine, Secret::new([7; 32]), now_ms()).await?)
}

async fn new_accounts(ledger: &Ledger, count: usize) -> anyhow::Result<Vec<Arc<str>>> {
    let mut accounts = Vec::new();
    for index in 0..count {
        let email = format!("{index}.{}@example.in", now_ms());
        let account = ledger.create_account(&email, "Namuna Traders", now_ms()).await?;
        ledger
            .add_entry(&account.id, Mode::Live, EntryKind::Grant, CREDITS, None, now_ms())
            .await?;
        accounts.push(account.id.into());
    }
    Ok(accounts)
}

fn call(account_id: &Arc<str>, request_id: String) -> Debit {
    Debit {
        request_id: request_id.into(),
        account_id: account_id.clone(),
        mode: Mode::Live,
        key_id: "key_01JZ0000000000000000000000".into(),
        operation: "get_company",
        price: 1,
        events: None,
        list_price: 1,
        quota_eligible: false,
        max_credits: None,
        monthly_cap: None,
        at_ms: now_ms(),
        key_used_from: None,
        response: None,
        details: RequestDetails {
            subject: Some("U17110MH2001PTC990501".into()),
            duration_us: Some(100),
            target: Some("GET /v1/companies/U17110MH2001PTC990501".into()),
            ..RequestDetails::default()
        },
    }
}

/// Calls until the end; returns the times of the calls in microseconds.
async fn call_until(
    end: Instant,
    writer: Arc<ChargeWriter>,
    account_id: Arc<str>,
    requests: Arc<AtomicUsize>,
    work: Duration,
) -> anyhow::Result<Histogram<u64>> {
    let mut times = Histogram::new(3)?;
    while Instant::now() < end {
        let busy_until = Instant::now() + work;
        while Instant::now() < busy_until {
            std::hint::spin_loop();
        }
        let started = Instant::now();
        // Ids sort by time, as those of the server do.
        let request_id = format!("req_{:026}", requests.fetch_add(1, Ordering::Relaxed));
        let outcome = writer.charge(call(&account_id, request_id)).await?;
        ensure!(outcome.charged == Ok(1), "the call was refused");
        times.record(started.elapsed().as_micros() as u64)?;
    }
    Ok(times)
}

/// The charges that the balances show: each cost one credit.
async fn count_charges(ledger: &Ledger, accounts: &[Arc<str>]) -> anyhow::Result<u64> {
    let mut charges = 0;
    for account_id in accounts {
        let balance = ledger.find_balance(account_id, Mode::Live, now_ms()).await?;
        charges += CREDITS - balance.context("an account has a balance")?.balance;
    }
    Ok(charges.unsigned_abs())
}

#[expect(clippy::print_stdout, reason = "the result")]
async fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    let temporary = tempfile::tempdir()?;
    let directory = arguments.directory.as_deref().unwrap_or(temporary.path());
    let ledger = Arc::new(open(arguments, directory).await?);
    let accounts = new_accounts(&ledger, arguments.accounts).await?;
    let commits = Arc::new(AtomicUsize::new(0));
    let counted = commits.clone();
    let options = ChargeWriterOptions {
        queue: QUEUE,
        free_calls_per_day: 0,
        resolve_time: RESOLVE_TIME,
        max_unresolved: MAX_UNRESOLVED,
    };
    let on_commit = Box::new(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let writer = ChargeWriter::open_with_observer(ledger.clone(), options, on_commit)?;
    let writer = Arc::new(writer);
    let requests = Arc::new(AtomicUsize::new(0));
    let (started, before) = (Instant::now(), processor_time());
    let end = started + Duration::from_secs(arguments.seconds);
    let work = Duration::from_micros(arguments.work_us);
    let callers: Vec<_> = (0..arguments.callers)
        .map(|index| {
            let account = accounts[index % accounts.len()].clone();
            tokio::spawn(call_until(end, writer.clone(), account, requests.clone(), work))
        })
        .collect();
    let mut times = Histogram::<u64>::new(3)?;
    for caller in callers {
        times.add(caller.await.context("a caller")??)?;
    }
    let (took, processor) = (started.elapsed(), processor_time() - before);
    writer.close();
    ensure!(count_charges(&ledger, &accounts).await? == times.len(), "a charge is missing");
    let charges = times.len();
    println!(
        "{:.0} charges a second, {:.1} µs of processor time each, {:.1} a commit, p50 {} µs, p99 {} µs",
        charges as f64 / took.as_secs_f64(),
        processor.as_secs_f64() * 1e6 / charges as f64 - arguments.work_us as f64,
        charges as f64 / commits.load(Ordering::Relaxed) as f64,
        times.value_at_quantile(0.5),
        times.value_at_quantile(0.99),
    );
    Ok(())
}
