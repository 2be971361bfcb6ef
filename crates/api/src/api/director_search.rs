//! The search for directors.

use axum::http::HeaderValue;
use panji_ids::Din;
use panji_search::{DirectorHits, FoundDirector};

use super::call::Call;
use super::charging::ChargeableCall;
use super::search::{DEFAULT_LIMIT, INDEX_HEADER, MAX_LIMIT, search_text};
use super::wire;
use crate::http::error::{ApiError, ApiResult};

/// Find directors by name
///
/// Finds persons with a DIN by name: the order of words does not matter, initials stand for words, spelling
/// differences and Indian scripts are understood; or by the DIN itself. Best match first, each with the number of current companies
/// and the names of three. Persons who only appear in the directors of a company are found too. Many people have the
/// same name: check the companies. A response without directors costs nothing.
#[utoipa::path(
    get,
    path = "/v1/directors/search",
    operation_id = "searchDirectors",
    tag = "Directors",
    params(
        ("q" = String, Query, description = "A person's name, or a DIN; up to 200 characters."),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 50, description = "How many directors to return, 1 to 50; default 10."),
    ),
    responses((status = 200, body = wire::DirectorSearchResults)),
)]
pub async fn search_directors(call: Call) -> ApiResult {
    let text = search_text(&call, "a person's name or DIN")?;
    let limit = call.query.number("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let call = call.check_funds().await?;
    let search = call.dataset().directors.clone();
    // Read before the search, as in the search for companies.
    let building = search.building();
    let progress = |directors| HeaderValue::from_str(&format!("building; directors={directors}"));
    let headers = building.and_then(|directors| Some((INDEX_HEADER, progress(directors).ok()?)));
    let results = match find_by_din(&call, &text).await? {
        Some(found) => wire::DirectorSearchResults::new(text, 1, vec![found], &[]),
        None => {
            let search_span = call.context.span("search");
            let hits = search.find_directors(&text, usize::try_from(limit).unwrap_or(0))?;
            drop(search_span);
            let DirectorHits { total, directors, not_understood } = hits;
            let mut found = Vec::with_capacity(directors.len());
            for director in directors {
                found.push(with_companies(&call, director).await?);
            }
            wire::DirectorSearchResults::new(text, total, found, &not_understood)
        }
    };
    match results.directors.is_empty() {
        true => call.respond_free(headers.as_slice(), &results).await,
        false => call.respond_with_headers(headers.as_slice(), &results).await,
    }
}

/// The person whose DIN the text is.
async fn find_by_din(
    call: &ChargeableCall,
    text: &str,
) -> Result<Option<wire::DirectorSearchResult>, ApiError> {
    let Ok(din) = Din::parse(text) else { return Ok(None) };
    let Some(director) = call.register().find_indexed_director(din.as_str()).await? else {
        return Ok(None);
    };
    let directorships = call.register().list_directorships(&director.din).await?;
    Ok(Some(wire::DirectorSearchResult::of_din(director, &directorships)))
}

async fn with_companies(
    call: &ChargeableCall,
    director: FoundDirector,
) -> Result<wire::DirectorSearchResult, ApiError> {
    let directorships = call.register().list_directorships(&director.din).await?;
    Ok(wire::DirectorSearchResult::new(director, &directorships))
}
