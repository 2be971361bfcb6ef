//! Verification endpoints. The verdict is the product, so a malformed identifier is a result here,
//! not an error.

use panji_ids::{CompanyId, Din, Gstin, Pan};

use super::bulk_request::identity_of;
use super::call::Call;
use super::verification::{Verifiable, verify_each};
use super::wire::{
    CinVerification, DinVerification, GstinVerification, IdentifierType, PanVerification,
};
use crate::api::simulation::first_effect;
use crate::http::error::{ApiError, ApiResult};

/// Verify a CIN, LLPIN or FCRN
///
/// Says whether the number is well-formed and in the register, what its parts mean, and which
/// company has it. Returns 200 with the verdict for every value: a malformed one is not an error here.
#[utoipa::path(
    get,
    path = "/v1/verify/cin/{cin}",
    operation_id = "verifyCin",
    tag = "Verification",
    params(("cin" = String, Path, description = "The text to verify as a CIN, LLPIN or FCRN.")),
    responses((status = 200, body = CinVerification)),
)]
pub async fn verify_cin(call: Call) -> ApiResult {
    respond::<CompanyId>(call, IdentifierType::Cin).await
}

/// Verify a DIN
///
/// Says whether the DIN is well-formed and in the register, and who has it. Returns 200 with the
/// verdict for every value: a malformed one is not an error here.
#[utoipa::path(
    get,
    path = "/v1/verify/din/{din}",
    operation_id = "verifyDin",
    tag = "Verification",
    params(("din" = String, Path, description = "The text to verify as a DIN.")),
    responses((status = 200, body = DinVerification)),
)]
pub async fn verify_din(call: Call) -> ApiResult {
    respond::<Din>(call, IdentifierType::Din).await
}

/// Verify a GSTIN
///
/// Says whether the GSTIN is well-formed, whether its check character is right, and who has it.
/// Returns 200 with the verdict for every value: a malformed one is not an error here.
#[utoipa::path(
    get,
    path = "/v1/verify/gstin/{gstin}",
    operation_id = "verifyGstin",
    tag = "Verification",
    params(("gstin" = String, Path, description = "The text to verify as a GSTIN.")),
    responses((status = 200, body = GstinVerification)),
)]
pub async fn verify_gstin(call: Call) -> ApiResult {
    respond::<Gstin>(call, IdentifierType::Gstin).await
}

/// Verify a PAN
///
/// Says whether the PAN is well-formed, what its letters say about the holder, and how many GSTINs
/// contain it. Returns 200 with the verdict for every value: a malformed one is not an error here.
#[utoipa::path(
    get,
    path = "/v1/verify/pan/{pan}",
    operation_id = "verifyPan",
    tag = "Verification",
    params(("pan" = String, Path, description = "The text to verify as a PAN.")),
    responses((status = 200, body = PanVerification)),
)]
pub async fn verify_pan(call: Call) -> ApiResult {
    respond::<Pan>(call, IdentifierType::Pan).await
}

async fn respond<T: Verifiable>(call: Call, kind: IdentifierType) -> ApiResult {
    call.check_encoding(kind.as_str())?;
    let call = call.check_funds().await?;
    let text = call.path_value(kind.as_str());
    let effect = || first_effect(identity_of(Some(kind), text, call.this_year()));
    call.simulate(effect).await?;
    let verifications = verify_each::<T>(&call.register(), &[text], call.this_year()).await?;
    match verifications.first() {
        Some(verification) => call.respond(verification).await,
        None => Err(ApiError::internal("the identifier has no verification")),
    }
}
