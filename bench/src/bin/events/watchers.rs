//! Finding the watchers of events among few and many watch lists. Each company has as many watchers in
//! both cases, so that only the size differs.

use std::time::Instant;

use anyhow::ensure;
use panji_bench::report::print_progress;
use panji_store::ledger::{LIVE_FEED, Mode, NewWatchedEvent};

use super::database::Database;

pub const HEAD: &str = "\n| engine | watch lists of 1,000 members | watchers found, an event | stored for them, an event | watchers of an event |\n\
                        |---|---|---|---|---|\n";
const MEMBERS: u64 = 1_000;
/// The lists that watch a company, on average.
const WATCHERS: u64 = 3;
/// Events of one transaction, as when the service stores them.
const PAGE: u64 = 500;
const PAGES: u64 = 40;
/// A step through the companies that meets each of them once: a prime number.
const STEP: u64 = 7_919;

/// Creates the lists, and stores events for those who watch.
pub async fn measure(database: &Database, lists: u64) -> anyhow::Result<String> {
    let ledger = database.ledger().await?;
    let companies = lists * MEMBERS / WATCHERS;
    create_lists(database, lists, companies)?;
    let plan = ledger.explain_watchers(&cin(0)).await?;
    ensure!(plan.contains("watch_members_by_member"), "the index is not used: {plan}");
    let (mut finding, mut storing, mut found) = (0.0, 0.0, 0);
    for page in 0..PAGES {
        let cins: Vec<String> =
            (page * PAGE..(page + 1) * PAGE).map(|n| cin(n * STEP % companies)).collect();
        let ids: Vec<&str> = cins.iter().map(String::as_str).collect();
        let began = Instant::now();
        let watchers = ledger.list_watchers(Mode::Live, &ids).await?;
        finding += began.elapsed().as_secs_f64();
        found += watchers.len();
        let position = ledger.find_or_begin_event_position(LIVE_FEED, 0).await?;
        let seq =
            |cin: &str| position.seq + 1 + ids.iter().position(|id| *id == cin).unwrap_or(0) as i64;
        let rows: Vec<(String, NewWatchedEvent)> = watchers
            .into_iter()
            .map(|watcher| (watcher.account_id, event(seq(&watcher.member), &watcher.member)))
            .collect();
        let to = position.seq + i64::try_from(PAGE)?;
        let began = Instant::now();
        ensure!(ledger.store_watched_events(LIVE_FEED, position, to, &rows).await?);
        storing += began.elapsed().as_secs_f64();
    }
    let events = (PAGES * PAGE) as f64;
    let micros = |seconds: f64| seconds * 1e6 / events;
    let row = format!(
        "| {} | {lists} | {:.0} µs | {:.0} µs | {:.1} |\n",
        database.name(),
        micros(finding),
        micros(storing),
        found as f64 / events
    );
    print_progress(row.trim());
    Ok(row)
}

fn cin(number: u64) -> String {
    format!("U{:05}MH2001PTC{:06}", number / 1_000_000, number % 1_000_000)
}

fn event(seq: i64, subject: &str) -> NewWatchedEvent {
    NewWatchedEvent {
        seq,
        event_id: format!("evt_{seq:026}"),
        event_type: "company.office_changed".to_owned(),
        subject: subject.to_owned(),
        related: None,
        payload: format!("{{\"seq\":{seq},\"padding\":\"{}\"}}", "x".repeat(400)),
        recorded_at: 0,
    }
}

/// Fills the lists within the database, one account each; the index by member is made at the end.
fn create_lists(database: &Database, lists: u64, companies: u64) -> anyhow::Result<()> {
    let began = Instant::now();
    let index = "create index watch_members_by_member on watch_members (mode, member, account_id)";
    // The members of a list are spread over all companies.
    let number = format!("((list * {MEMBERS} + n) * {STEP} % {companies})");
    let sqlite = format!(
        "pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -500000; begin; \
         drop index watch_members_by_member; \
         with recursive lists (list) as (select 0 union all select list + 1 from lists where list < {lists} - 1), \
         members (n) as (select 0 union all select n + 1 from members where n < {MEMBERS} - 1) \
         insert into watch_members select printf('acc_%026d', list), 'live', \
         printf('wl_%026d', list), member, 'company', 0 from (select list, \
         printf('U%05dMH2001PTC%06d', {number} / 1000000, {number} % 1000000) as member \
         from lists cross join members) order by 1, 3, 4; {index}; commit; analyze"
    );
    let postgres = format!(
        "drop index watch_members_by_member; \
         insert into watch_members select 'acc_' || lpad(list::text, 26, '0'), 'live', \
         'wl_' || lpad(list::text, 26, '0'), 'U' || lpad(({number} / 1000000)::text, 5, '0') \
         || 'MH2001PTC' || lpad(({number} % 1000000)::text, 6, '0'), 'company', 0 \
         from generate_series(0::bigint, {lists} - 1) as list, generate_series(0, {MEMBERS} - 1) as n; \
         {index}; analyze watch_members"
    );
    database.run_on_ledger(&sqlite, &postgres)?;
    print_progress(&format!("  {lists} lists created in {:.0} s", began.elapsed().as_secs_f64()));
    Ok(())
}
