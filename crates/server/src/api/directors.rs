//! Directors: a person, and the companies they sit or sat in.

use panji_store::register::Director;

use super::call::Call;
use super::wire;
use crate::error::{Answer, ApiError, ErrorCode};

/// One director
#[utoipa::path(
    get,
    path = "/v1/directors/{din}",
    operation_id = "getDirector",
    tag = "Directors",
    params(("din" = String, Path, description = "A DIN; up to eight digits, leading zeros may be left out.")),
    responses((status = 200, body = wire::Director)),
)]
pub async fn get_director(call: Call) -> Answer {
    let director = find(&call).await?;
    let counts = call.register().count_directorships(&director.din).await?;
    call.answer(&wire::Director::new(director, counts)).await
}

/// Companies of a director
#[utoipa::path(
    get,
    path = "/v1/directors/{din}/companies",
    operation_id = "listDirectorCompanies",
    tag = "Directors",
    params(("din" = String, Path, description = "A DIN; up to eight digits, leading zeros may be left out.")),
    responses((status = 200, body = wire::DirectorCompanies)),
)]
pub async fn list_director_companies(call: Call) -> Answer {
    let director = find(&call).await?;
    let seats = call.register().list_directorships(&director.din).await?;
    call.answer(&wire::DirectorCompanies::new(director, seats)).await
}

async fn find(call: &Call) -> Result<Director, ApiError> {
    let din = call.din().await?;
    let director = call.register().find_director(din.as_str()).await?;
    director.ok_or_else(|| {
        let message = format!("No director with the DIN {din} is held.");
        ApiError::new(ErrorCode::DirectorNotFound, message).param("din")
    })
}
