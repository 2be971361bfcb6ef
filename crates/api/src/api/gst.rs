//! GST endpoints: a registration with its returns, and the GSTINs of a PAN.

use super::call::Call;
use super::wire;
use crate::http::error::{ApiError, ApiResult, ErrorCode};

/// A GST registration with its returns
///
/// A registration by its GSTIN: names, status, taxpayer type, places of business, and the returns, newest
/// period first.
#[utoipa::path(
    get,
    path = "/v1/gst/{gstin}",
    operation_id = "getGst",
    tag = "GST and PAN",
    params(("gstin" = String, Path, description = "A GSTIN.")),
    responses((status = 200, body = wire::Gst)),
)]
pub async fn get_gst(call: Call) -> ApiResult {
    let gstin = call.gstin().await?;
    let call = call.check_funds().await?;
    let record = call.register().find_gst_registration(gstin.as_str()).await?;
    let record = record.ok_or_else(|| {
        let sent = call.path_value("gstin");
        let message = format!("No registration with the GSTIN {sent} is in the register.");
        ApiError::new(ErrorCode::GstinNotFound, message).param("gstin")
    })?;
    let filings = call.register().list_gst_filings(gstin.as_str()).await?;
    call.respond(&wire::Gst::new(record, filings)).await
}

/// GSTINs of a PAN
///
/// Every GST registration with this PAN: active ones first, then by GSTIN. Costs nothing when there
/// is none.
#[utoipa::path(
    get,
    path = "/v1/search/pan/{pan}",
    operation_id = "searchByPan",
    tag = "GST and PAN",
    params(("pan" = String, Path, description = "A PAN.")),
    responses((status = 200, body = wire::PanGstins)),
)]
pub async fn search_by_pan(call: Call) -> ApiResult {
    let pan = call.pan().await?;
    let call = call.check_funds().await?;
    let records = call.register().list_gst_registrations(pan.as_str()).await?;
    let price = if records.is_empty() { 0 } else { call.app.config.prices.of(call.operation) };
    call.respond_at_price(price, &wire::PanGstins::new(pan.as_str().to_owned(), records)).await
}
