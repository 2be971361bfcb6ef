//! Director endpoints: a person, and the companies of a person.

use panji_store::register::{Director, Record};

use super::call::Call;
use super::charging::ChargeableCall;
use super::sections::BillableSection;
use super::wire;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

/// One director
///
/// A person by their DIN: name, status of the DIN, nationality, and the number of current and past
/// companies. No date of birth, address, phone or PAN of a person is ever served.
#[utoipa::path(
    get,
    path = "/v1/directors/{din}",
    operation_id = "getDirector",
    tag = "Directors",
    params(
        ("din" = String, Path, description = "A DIN; up to eight digits, leading zeros may be left out."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::Director)),
)]
pub async fn get_director(call: Call) -> ApiResult {
    let (call, director) = find(call).await?;
    let counts = call.register().count_directorships(&director.din).await?;
    call.respond(&wire::Director::new(director, counts)).await
}

/// Companies of a director
///
/// The companies in which a person is or was a director: current ones first, then latest
/// appointment first. Costs nothing when no company is known.
#[utoipa::path(
    get,
    path = "/v1/directors/{din}/companies",
    operation_id = "listDirectorCompanies",
    tag = "Directors",
    params(
        ("din" = String, Path, description = "A DIN; up to eight digits, leading zeros may be left out."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::DirectorCompanies)),
)]
pub async fn list_director_companies(call: Call) -> ApiResult {
    let (call, director) = find(call).await?;
    let directorships = call.register().list_directorships(&director.din).await?;
    let billable = !directorships.is_empty();
    let data = wire::DirectorCompanies::new(director, directorships);
    call.respond_with_section(&BillableSection { data, billable }).await
}

async fn find(call: Call) -> Result<(ChargeableCall, Director), ApiError> {
    let past_day = call.past_day()?;
    let din = call.din().await?;
    let mut call = call.check_funds().await?;
    let director = call.register().find_director(din.as_str()).await?;
    let director = director.ok_or_else(|| {
        let message = format!("No director with the DIN {din} is in the register.");
        ApiError::new(ErrorCode::DirectorNotFound, message).param("din")
    })?;
    let Some(day) = past_day else { return Ok((call, director)) };
    let past = call.register().director_at(&director, day.end_ms).await?;
    let Some(Record::Director(then)) = call.read_past(&day, past).await? else {
        return Err(ApiError::internal("the past of a director has no director"));
    };
    Ok((call, then))
}
