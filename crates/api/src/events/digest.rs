//! Email digests: the live events of a day or a week, to the members who can spend credits. An event in a
//! digest is paid for like one that is read in any other way.

use jiff::ToSpan;
use panji_store::StoreError;
use panji_store::ledger::{Digest, DigestFrequency, EventFilter, Mode, WatchedEvent};

use super::sentence::Sentence;
use crate::accounts::member_mail::send_to_members;
use crate::accounts::roles::Permission;
use crate::api::watch::pay::{EventPayer, pay_leading};
use crate::api::wire::Event;
use crate::app::App;
use crate::http::context::CONSOLE_KEY_ID;
use crate::locale::{amounts, dates};

/// Events in one email.
const MAX_EVENTS: usize = 200;
/// Events read at a time.
const PAGE: i64 = 100;

/// The name of the period that a moment is in: a day, or the Monday of its week.
pub fn period(frequency: DigestFrequency, now_ms: i64) -> String {
    let today = dates::today(now_ms);
    match frequency {
        DigestFrequency::Off => String::new(),
        DigestFrequency::Daily => today.to_string(),
        DigestFrequency::Weekly => {
            let since_monday = i64::from(today.weekday().to_monday_zero_offset());
            today.saturating_sub(since_monday.days()).to_string()
        }
    }
}

/// Sends the digests whose period has started. Each period of an account is claimed by one node.
pub async fn send_due(app: &App, now_ms: i64) -> Result<(), StoreError> {
    // Without a mail server nothing could be delivered, so nothing is paid for.
    if !app.mailer.sends() {
        return Ok(());
    }
    for frequency in [DigestFrequency::Daily, DigestFrequency::Weekly] {
        let period = period(frequency, now_ms);
        let mut after = String::new();
        loop {
            let due = app.ledger.list_due_digests(frequency, &period, &after).await?;
            let Some(last) = due.last() else { break };
            after = last.account_id.clone();
            for digest in &due {
                if app.ledger.claim_digest(digest, &period).await? {
                    send(app, digest, now_ms).await?;
                }
            }
        }
    }
    Ok(())
}

async fn send(app: &App, digest: &Digest, now_ms: i64) -> Result<(), StoreError> {
    let account = app.ledger.find_account_by_id(&digest.account_id).await?;
    let Some(account) = account.filter(|account| account.suspended_at.is_none()) else {
        return Ok(());
    };
    let owner = (account.id.as_str(), Mode::Live);
    let mut events: Vec<WatchedEvent> = Vec::new();
    let mut after = digest.seq;
    while events.len() < MAX_EVENTS {
        let filter = EventFilter::default();
        let page = app.ledger.list_watched_events(owner, after, filter, PAGE).await?;
        after = page.scanned_to;
        events.extend(page.events);
        if !page.more {
            break;
        }
    }
    if events.is_empty() {
        return Ok(());
    }
    let paid = pay_all(app, &account.id, &events, now_ms).await?;
    let waiting = events.len() - paid;
    if let Some(last) = events[..paid].last() {
        app.ledger.finish_digest(&account.id, last.seq).await?;
    }
    let subject = match paid {
        0 => format!("{}: events are waiting", account.name),
        _ => {
            let counted = amounts::counted(paid as i64, "event", "events");
            format!("{}: {counted} of what you watch", account.name)
        }
    };
    let text = text_of(&app.public_url, &account.name, &events[..paid], waiting);
    let receivers = (account.id.as_str(), Permission::MakeCalls);
    send_to_members((&app.ledger, &app.mailer), receivers, &subject, &text).await
}

/// Pays for the events as far as the balance covers them; returns how many.
async fn pay_all(
    app: &App,
    account_id: &str,
    events: &[WatchedEvent],
    now_ms: i64,
) -> Result<usize, StoreError> {
    let payer = EventPayer {
        account_id: account_id.into(),
        mode: Mode::Live,
        key_id: CONSOLE_KEY_ID.into(),
        monthly_cap: None,
        max_credits: None,
    };
    let mut paid = 0;
    for chunk in events.chunks(PAGE as usize) {
        let covered = pay_leading(app, &payer, chunk, now_ms).await;
        let covered = covered.map_err(|error| StoreError::Unavailable(error.message))?;
        paid += covered.events;
        if covered.events < chunk.len() {
            break;
        }
    }
    Ok(paid)
}

fn text_of(public_url: &str, account: &str, events: &[WatchedEvent], waiting: usize) -> String {
    let mut text = format!("What changed about the members of the watch lists of {account}:\n\n");
    for stored in events {
        let Ok(event) = serde_json::from_str::<Event>(&stored.payload) else { continue };
        let sentence = Sentence::of(&event);
        text.push_str(&format!("- {}.\n", sentence.text));
        for change in &sentence.changes {
            text.push_str(&format!("    {change}\n"));
        }
    }
    if waiting > 0 {
        let counted = amounts::counted(waiting as i64, "more event waits", "more events wait");
        text.push_str(&format!(
            "\n{counted} until there are credits for them: {public_url}/console/credits\n"
        ));
    }
    text.push_str(&format!(
        "\nAll events: {public_url}/console/watch/events\nEach event is charged once, however you \
         read it. Change how often this digest is sent, or switch it off: \
         {public_url}/console/watch\n"
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_begins_on_monday_in_india() {
        // Sunday 2026-01-18, 23:00 and Monday 2026-01-19, 01:00 in India.
        let sunday = panji_store::calendar::ist_midnight_ms("2026-01-19") - 3_600_000;
        assert_eq!(period(DigestFrequency::Weekly, sunday), "2026-01-12");
        assert_eq!(period(DigestFrequency::Daily, sunday), "2026-01-18");
        let monday = sunday + 2 * 3_600_000;
        assert_eq!(period(DigestFrequency::Weekly, monday), "2026-01-19");
        assert_eq!(period(DigestFrequency::Daily, monday), "2026-01-19");
        assert_eq!(period(DigestFrequency::Off, monday), "");
    }
}
