//! The review of a job that matches names: each row that needs review with its candidates, to accept one or none.

use askama::Template;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::api::jobs::task::Task;
use panji_api::api::jobs::work::Work;
use panji_api::api::person_decision::item_label;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{
    BulkJob, JobState, MatchCounts, MatchFilter, MatchRow, NewSavedDecision,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, filters, key, t, t_with};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::load_job::{find, task_of};
use super::page_error::PageError;
use super::repeated::RepeatedQuery;
use super::review_rows::{DisplayedRow, displayed_rows, read_result};
use super::saved_decisions::MAX_SAVED_DECISIONS;
use super::session::SignedIn;

/// Rows on one page.
const PAGE: i64 = 20;
/// The choices in addition to the candidates.
const NONE: &str = "none";
const UNDO: &str = "undo";
/// The filters: the word in the address, and the label.
const FILTERS: [(&str, &str); 5] = [
    ("review", key("Needs review")),
    ("match", key("Matched")),
    ("none", key("No company")),
    ("person", key("Decided by a person")),
    ("all", key("All")),
];

#[derive(Template)]
#[template(path = "review.html")]
struct ReviewPage {
    layout: Layout,
    job: BulkJob,
    may_call: bool,
    tabs: Vec<FilterTab>,
    matched: i64,
    show: String,
    from: i64,
    rows: Vec<DisplayedRow>,
    /// The first row of the next page.
    next: Option<i64>,
    /// The row that was decided last, to undo it.
    last: Option<DisplayedRow>,
    max_saved: i64,
}

/// The parts of the page that a decision changes, for the page's script.
#[derive(Template)]
#[template(path = "review_parts.html")]
struct ReviewParts {
    form_token: String,
    job: BulkJob,
    may_call: bool,
    tabs: Vec<FilterTab>,
    show: String,
    from: i64,
    rows: Vec<DisplayedRow>,
}

/// A filter with the number of its rows.
struct FilterTab {
    word: &'static str,
    label: &'static str,
    rows: i64,
    current: bool,
}

#[derive(Debug, Default, Deserialize)]
pub struct ReviewQuery {
    #[serde(default)]
    show: String,
    /// The first row, from 1.
    #[serde(default)]
    from: i64,
    /// The row that was just decided.
    last: Option<i64>,
}

/// A decision about a row.
#[derive(Debug, Deserialize)]
pub struct Choice {
    /// The CIN of a candidate, `none` or `undo`.
    choice: String,
    #[serde(default)]
    show: String,
    #[serde(default)]
    from: i64,
    /// The rows on the page, for the script, separated by commas; empty without it.
    #[serde(default)]
    rows: String,
}

fn filter_named(name: &str) -> (&'static str, MatchFilter<'static>) {
    let known = FILTERS.iter().map(|(word, _)| *word).find(|word| *word == name);
    match known.unwrap_or("review") {
        "all" => ("all", MatchFilter::All),
        "person" => ("person", MatchFilter::ByPerson),
        decision => (decision, MatchFilter::Decision(decision)),
    }
}

fn tabs(counts: MatchCounts, show: &str) -> Vec<FilterTab> {
    let tab = |(word, label): (&'static str, &'static str)| {
        let rows = match word {
            "review" => counts.review,
            "match" => counts.matched,
            "none" => counts.none,
            "person" => counts.by_person,
            _ => counts.matched + counts.review + counts.none,
        };
        FilterTab { word, label, rows, current: word == show }
    };
    FILTERS.into_iter().map(tab).collect()
}

pub async fn show(
    signed_in: SignedIn,
    Path(id): Path<String>,
    RepeatedQuery(query): RepeatedQuery<ReviewQuery>,
) -> Result<Response, PageError> {
    let (job, task) = find_matching(&signed_in, &id).await?;
    Ok(respond(&page(&signed_in, (job, &task), &query, None).await?))
}

/// A job that matches names.
async fn find_matching(signed_in: &SignedIn, id: &str) -> Result<(BulkJob, Task), PageError> {
    let job = find(signed_in, id).await?;
    let task = task_of(&job)?;
    match task.work {
        Work::Match(_) => Ok((job, task)),
        _ => Err(PageError::not_found(t("This job has no names to review."))),
    }
}

async fn page(
    signed_in: &SignedIn,
    (job, task): (BulkJob, &Task),
    query: &ReviewQuery,
    failure: Option<&str>,
) -> Result<ReviewPage, PageError> {
    let ledger = &signed_in.app.ledger;
    let (show, filter) = filter_named(&query.show);
    let from = query.from.clamp(1, job.row_count.max(1));
    let mut rows = ledger.list_match_rows(&job, filter, from - 1, PAGE + 1).await?;
    let next = rows.get(PAGE as usize).map(|row| row.number + 1);
    rows.truncate(PAGE as usize);
    let last = find_rows(signed_in, &job, query.last.as_slice()).await?;
    let last = displayed_rows(signed_in, (&job, task), &last).await?;
    let title = t_with("Review of {0}", &[&job.name]);
    let counts = ledger.count_match_rows(&job).await?;
    Ok(ReviewPage {
        layout: signed_in.layout(Tab::Bulk, &title).with_failure(failure),
        may_call: signed_in.may(Permission::MakeCalls),
        tabs: tabs(counts, show),
        matched: counts.matched,
        rows: displayed_rows(signed_in, (&job, task), &rows).await?,
        last: last.into_iter().find(|row| row.decided.is_some()),
        show: show.to_owned(),
        from,
        next,
        max_saved: MAX_SAVED_DECISIONS,
        job,
    })
}

/// The rows with these numbers, from 1, that are processed.
async fn find_rows(
    signed_in: &SignedIn,
    job: &BulkJob,
    numbers: &[i64],
) -> Result<Vec<MatchRow>, StoreError> {
    let mut rows = Vec::with_capacity(numbers.len());
    for number in numbers.iter().map(|number| number.saturating_sub(1)) {
        let ledger = &signed_in.app.ledger;
        let found = ledger.list_match_rows(job, MatchFilter::All, number, 1).await?;
        rows.extend(found.into_iter().filter(|row| row.number == number));
    }
    Ok(rows)
}

/// Accepts a candidate or none, or undoes that.
pub async fn decide(
    Path((id, row)): Path<(String, i64)>,
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<Choice>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::MakeCalls)?;
    let (job, task) = find_matching(&signed_in, &id).await?;
    let number = row.saturating_sub(1);
    match store_choice(&signed_in, (&job, &task), number, &form.choice).await {
        Ok(changed) if form.rows.is_empty() => {
            tracing::debug!(job = job.id, changed, "rows of a job were decided");
            let show = filter_named(&form.show).0;
            let to = format!("/console/bulk/{}/review?show={show}&from={}", job.id, form.from);
            Ok(Redirect::to(&format!("{to}&last={row}")).into_response())
        }
        Ok(changed) => parts(&signed_in, (job, &task), (row, changed), &form).await,
        Err(Refusal::Full(sentence)) => {
            let query = ReviewQuery { show: form.show, from: form.from, last: None };
            let page = page(&signed_in, (job, &task), &query, Some(&sentence)).await?;
            Ok(respond_with_errors(&page))
        }
        Err(Refusal::Page(error)) => Err(error),
    }
}

/// Why a choice was not stored.
enum Refusal {
    /// The account keeps too many decisions.
    Full(String),
    Page(PageError),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        match error {
            StoreError::Conflict(reason) => Refusal::Full(t_with("Not stored: {0}.", &[&reason])),
            error => Refusal::Page(error.into()),
        }
    }
}

/// Stores a choice; returns how many rows it changed.
async fn store_choice(
    signed_in: &SignedIn,
    (job, task): (&BulkJob, &Task),
    number: i64,
    choice: &str,
) -> Result<u64, Refusal> {
    let ledger = &signed_in.app.ledger;
    if choice == UNDO {
        let changed = ledger.undo_match(job, number).await?;
        if changed > 0 {
            signed_in.log("match.undo", &job.id, json!({"row": number + 1})).await;
        }
        return Ok(changed);
    }
    let missing = || Refusal::Page(PageError::not_found(t("This row is not processed.")));
    let rows = find_rows(signed_in, job, &[number + 1]).await?;
    let row = rows.into_iter().next().ok_or_else(missing)?;
    let result = read_result(signed_in, (job, task), &row, &mut None).await?;
    let result = result.ok_or_else(missing)?;
    let candidates = result["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
    let cins: Vec<&str> = candidates.iter().filter_map(|one| one["cin"].as_str()).collect();
    let cin = cins.iter().copied().find(|cin| *cin == choice);
    if cin.is_none() && choice != NONE {
        let error = PageError::bad_form(t("The company is not a candidate of this row."));
        return Err(Refusal::Page(error));
    }
    let rejected: Vec<&str> = cins.into_iter().filter(|other| Some(*other) != cin).collect();
    let new = NewSavedDecision {
        item: &item_label(&result["query"]),
        cin,
        rejected: &rejected,
        person_id: &signed_in.session.person.id,
        max_saved: MAX_SAVED_DECISIONS,
    };
    let changed = ledger.decide_match(job, number, &new, now_ms()).await?;
    let details = json!({"row": number + 1, "rows": changed, "cin": cin.map(Value::from)});
    signed_in.log("match.decide", &job.id, details).await;
    Ok(changed)
}

/// The rows of the page that a decision may have changed, and the counts.
async fn parts(
    signed_in: &SignedIn,
    (job, task): (BulkJob, &Task),
    (row, changed): (i64, u64),
    form: &Choice,
) -> Result<Response, PageError> {
    let ledger = &signed_in.app.ledger;
    let shown: Vec<i64> = match changed {
        ..=1 => vec![row],
        _ => form.rows.split(',').filter_map(|row| row.parse().ok()).take(PAGE as usize).collect(),
    };
    let rows = find_rows(signed_in, &job, &shown).await?;
    let show = filter_named(&form.show).0;
    Ok(respond(&ReviewParts {
        form_token: signed_in.form_token(),
        may_call: true,
        tabs: tabs(ledger.count_match_rows(&job).await?, show),
        show: show.to_owned(),
        from: form.from,
        rows: displayed_rows(signed_in, (&job, task), &rows).await?,
        job,
    }))
}
