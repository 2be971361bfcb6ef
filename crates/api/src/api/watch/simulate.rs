//! Events in the sandbox: a series of changes of a company, for clients that test how they read events.

use axum::extract::Request;
use panji_store::calendar::ist_day;
use panji_store::ledger::{Mode, NewWatchedEvent};

use super::feed::read_types;
use super::simulated_company::{SimulatedChange, SimulatedCompany};
use crate::api::body::{BodyPath, Fields, FromBody, Json, read_text};
use crate::api::bulk::read_body;
use crate::api::call::Call;
use crate::api::company_in_path::company_not_found;
use crate::api::wire::{Event, SimulateRequest, SimulatedEvent, Simulation};
use crate::databases::sandbox::DEMO_CIN;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

impl FromBody for SimulateRequest {
    fn from_body(body: Json<'_>) -> Result<SimulateRequest, ApiError> {
        let mut fields = Fields::of(body, &BodyPath::Root, &["cin", "types"])?;
        let cin = fields.optional_text("cin")?;
        let types = fields.optional_array("types", read_text)?;
        Ok(SimulateRequest { cin, types })
    }
}

/// Make events in the sandbox
///
/// Simulates a series of changes of a company: office and capital, a director who is appointed and ceases, a charge
/// that is created, modified and satisfied, filings, GST and status. The events are stored for the account as
/// if imports had made them, and are read with listEvents, as a stream and by webhook. Only what a test
/// watch list has is stored. Works with test keys only; free.
#[utoipa::path(
    post,
    path = "/v1/sandbox/simulate",
    operation_id = "simulateEvents",
    tag = "Watch",
    request_body = SimulateRequest,
    responses((status = 200, body = Simulation)),
)]
pub async fn simulate_events(call: Call, request: Request) -> ApiResult {
    let (body, sent) = read_body::<SimulateRequest>(&call, request).await?;
    if call.caller.mode != Mode::Test {
        let message = "Events are simulated in test mode only: use a test key (pk_test_…).";
        return Err(ApiError::new(ErrorCode::EndpointNotAllowed, message));
    }
    let types = match &sent.types {
        Some(types) => read_types(Some(&types.join(",")))
            .map_err(|error| ApiError::body("types", error.message))?,
        None => Vec::new(),
    };
    let given = sent.cin.as_deref().unwrap_or(DEMO_CIN);
    let cin = panji_ids::CompanyId::parse_in_year(given, call.this_year()).map_err(|error| {
        let message = format!("The CIN in the body is malformed: {error}.");
        ApiError::new(ErrorCode::InvalidIdentifier, message).param("cin")
    })?;
    if let Some(first) = call.claim(&body).await? {
        return Ok(first);
    }
    let call = call.check_funds().await?;
    let company = call.register().find_company(cin.as_str()).await?;
    let company = company.ok_or_else(|| company_not_found(cin.as_str()))?;
    let (cin, name) = (company.cin.clone(), company.name.clone());
    let mut company = SimulatedCompany::of(&call.dataset().register, company).await?;
    let simulation = run(&call, (&cin, &name), &mut company, &types).await?;
    call.app.new_events.send_modify(|count| *count += 1);
    call.respond(&simulation).await
}

/// Stores the events of the series that the account watches.
async fn run(
    call: &Call,
    (cin, name): (&str, &str),
    company: &mut SimulatedCompany,
    types: &[String],
) -> Result<Simulation, ApiError> {
    let (mut watchlists, mut watched) = (Vec::new(), Vec::new());
    for subject in company.subjects() {
        let lists = call.app.ledger.list_watchlists_of(call.owner(), &subject).await?;
        if !lists.is_empty() {
            watched.push(subject);
        }
        watchlists.extend(lists);
    }
    watchlists.sort_unstable();
    watchlists.dedup();
    company.prefer(&watched);
    let is_watched = |change: &SimulatedChange| {
        watched.contains(&change.subject)
            || change.related.as_ref().is_some_and(|related| watched.contains(related))
    };
    let is_wanted = |change: &SimulatedChange| {
        types.is_empty() || types.iter().any(|it| it == change.event_type)
    };
    let changes: Vec<SimulatedChange> = company
        .changes()
        .into_iter()
        .filter(|change| is_watched(change) && is_wanted(change))
        .collect();
    let (now_ms, day) = (call.context.at_ms, ist_day(call.context.at_ms));
    let finish = |index: usize, seq: i64| {
        let change = &changes[index];
        let event = change.event(seq, &day, now_ms);
        let public = Event::new(&event, (change.subject == cin).then(|| name.to_owned()));
        NewWatchedEvent {
            seq,
            event_id: public.id.clone(),
            event_type: event.event_type,
            subject: event.subject,
            related: event.related,
            payload: serde_json::to_string(&public).expect("an event is plain data"),
            recorded_at: now_ms,
        }
    };
    let account_id = &call.caller.account_id;
    let seqs = match changes.is_empty() {
        true => Vec::new(),
        false => call.app.ledger.add_simulated_events(account_id, changes.len(), finish).await?,
    };
    let simulated = |(index, seq): (usize, &i64)| {
        let event = changes[index].event(*seq, &day, now_ms);
        let id = Event::new(&event, None).id;
        SimulatedEvent { id, seq: *seq, r#type: event.event_type }
    };
    let events = seqs.iter().enumerate().map(simulated).collect();
    Ok(Simulation { cin: cin.to_owned(), watched: !watched.is_empty(), watchlists, events })
}
