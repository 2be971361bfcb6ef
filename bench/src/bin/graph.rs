//! Measures the graph on an invented register of national size, hubs included: the time to build and to
//! read it, its memory, and networks and paths with several callers at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use hdrhistogram::Histogram;
use panji_bench::report::{resident_mb, say};
use panji_graph::{Builder, CompanyLinks, Graph, Name, View};
use panji_store::register::LinkedCompany;

/// Seats for each company, in thirds: five million for three million companies.
const SEATS_IN_THIRDS: u64 = 5;
/// One company in this many is at the office of a provider, and has the domain of an accountant.
const IN_HUB: u64 = 50;
/// The providers and accountants.
const HUBS: u64 = 40;
/// One seat in this many is that of one of `HUBS` people with many seats.
const SEAT_OF_HUB: u64 = 200;

/// Measures the graph
#[derive(Parser)]
struct Arguments {
    /// Companies of the invented register
    #[arg(long, env = "COMPANIES", default_value_t = 3_000_000)]
    companies: u64,
    /// Callers at the same time
    #[arg(long, default_value_t = 8)]
    callers: u64,
    /// Seconds of each measurement
    #[arg(long, default_value_t = 5)]
    seconds: u64,
}

/// A sequence that is the same every time (SplitMix64).
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let builder = builder(arguments.companies)?;
    say(&format!(
        "{} companies read in {:.1} s",
        arguments.companies,
        started.elapsed().as_secs_f64()
    ));
    let started = Instant::now();
    let graph = Graph::in_memory(builder);
    say(&format!("graph made in {:.1} s", started.elapsed().as_secs_f64()));
    let view = graph.view().ok_or_else(|| anyhow::anyhow!("there is no graph"))?;
    let (resident, _) = resident_mb();
    say(&format!("arrays {} MB, process {resident} MB", view.bytes() / 1_000_000));
    for depth in 1..=3 {
        measure(&arguments, &view, &format!("network, depth {depth}"), move |view, sequence, n| {
            let found = view.network(&cin(sequence.below(n)), depth);
            found.map_or(0, |network| network.nodes.len())
        });
    }
    measure(&arguments, &view, "paths of two companies", |view, sequence, n| {
        let (from, to) = (cin(sequence.below(n)), cin(sequence.below(n)));
        view.paths(&Name::Company(from), &Name::Company(to)).paths.len()
    });
    measure(&arguments, &view, "paths from a person with many seats", |view, sequence, n| {
        let (from, to) = (format!("{:08}", sequence.below(HUBS)), cin(sequence.below(n)));
        view.paths(&Name::Director(from), &Name::Company(to)).paths.len()
    });
    Ok(())
}

fn cin(number: u64) -> String {
    format!("U{:05}MH2001PTC{:06}", number / 1_000_000, number % 1_000_000)
}

/// An invented register: most people have one or two seats, some companies share offices and domains.
fn builder(companies: u64) -> anyhow::Result<Builder> {
    let mut sequence = Sequence(1);
    let mut builder = Builder::default();
    for number in 0..companies {
        let in_hub = sequence.below(IN_HUB) == 0;
        let hub = sequence.below(HUBS);
        let (house, road) = match in_hub {
            true => (hub, companies + hub),
            // A third shares its office with another one.
            false => (sequence.below(300), sequence.below(companies.div_ceil(200))),
        };
        let domain = match in_hub {
            true => format!("accountant{hub}.example"),
            false => format!("d{}.example", sequence.below(companies)),
        };
        let company = LinkedCompany {
            cin: cin(number),
            address: Some(format!("Shop No. {house}, Ground Floor, Road {road}, Kalpana Nagar")),
            city: Some("Mumbai".to_owned()),
            pincode: Some("400013".to_owned()),
            email: Some(format!("cs@{domain}")),
            former_cins: "[]".to_owned(),
        };
        builder.add_company(&company.cin, &CompanyLinks::of(&company))?;
    }
    let people = companies * 6 / 5;
    for number in 0..companies * SEATS_IN_THIRDS / 3 {
        let company = if number < companies { number } else { sequence.below(companies) };
        let person = match sequence.below(SEAT_OF_HUB) {
            0 => sequence.below(HUBS),
            _ => HUBS + sequence.below(people),
        };
        builder.add_seat(&cin(company), &format!("{person:08}"))?;
    }
    Ok(builder)
}

/// Asks from all callers at once, and says how long an answer takes.
fn measure(
    arguments: &Arguments,
    view: &Arc<View>,
    title: &str,
    ask: impl Fn(&View, &mut Sequence, u64) -> usize + Sync,
) {
    let time = Duration::from_secs(arguments.seconds);
    let mut times = Histogram::<u64>::new(3).expect("three digits are valid");
    let mut found = 0;
    let run = |caller: u64| {
        let (mut sequence, started) = (Sequence(caller + 100), Instant::now());
        let mut own = Histogram::<u64>::new(3).expect("three digits are valid");
        let mut found = 0;
        while started.elapsed() < time {
            let asked = Instant::now();
            found += ask(view, &mut sequence, arguments.companies);
            let taken = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
            own.saturating_record(taken.max(1));
        }
        (own, found)
    };
    let run = &run;
    std::thread::scope(|scope| {
        let callers: Vec<_> =
            (0..arguments.callers).map(|caller| scope.spawn(move || run(caller))).collect();
        for caller in callers {
            let (own, some) = caller.join().expect("a caller does not panic");
            times.add(&own).expect("both have three digits");
            found += some;
        }
    });
    let at = |quantile: f64| times.value_at_quantile(quantile) as f64 / 1_000.0;
    say(&format!(
        "{title}: p50 {:.2} ms, p99 {:.2} ms, {} answers, {:.1} found each",
        at(0.5),
        at(0.99),
        times.len(),
        found as f64 / times.len().max(1) as f64
    ));
}
