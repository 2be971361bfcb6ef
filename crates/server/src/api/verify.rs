//! Verification: a verdict on an identifier, whatever it is. The verdict is the product, so a
//! malformed identifier is an answer here, not an error.

use panji_ids::{CompanyId, Din, Gstin, Pan};
use panji_store::{Register, StoreError};

use super::call::Call;
use super::wire::{
    CinVerification, DinVerification, GstinVerification, PanVerification, ParsedCin, ParsedGstin,
    ParsedPan,
};
use crate::error::{Answer, ErrorCode};

/// How much of a malformed identifier is repeated in its verdict.
const MAX_ECHOED: usize = 64;

/// Verify a CIN, LLPIN or FCRN
#[utoipa::path(
    get,
    path = "/v1/verify/cin/{cin}",
    operation_id = "verifyCin",
    tag = "Verification",
    params(("cin" = String, Path, description = "What may be a CIN, LLPIN or FCRN.")),
    responses((status = 200, body = CinVerification)),
)]
pub async fn verify_cin(call: Call) -> Answer {
    let text = call.path_value("cin");
    if let Ok(id) = CompanyId::parse(text) {
        match call.rehearse(&id).await {
            // "Not held" is a verdict here, which the sandbox gives by itself.
            Err(error) if error.code != ErrorCode::CompanyNotFound => return Err(error),
            _ => {}
        }
    }
    let verdict = cin(&call.register(), text, call.this_year()).await?;
    call.answer(&verdict).await
}

/// Verify a DIN
#[utoipa::path(
    get,
    path = "/v1/verify/din/{din}",
    operation_id = "verifyDin",
    tag = "Verification",
    params(("din" = String, Path, description = "What may be a DIN.")),
    responses((status = 200, body = DinVerification)),
)]
pub async fn verify_din(call: Call) -> Answer {
    let verdict = din(&call.register(), call.path_value("din")).await?;
    call.answer(&verdict).await
}

/// Verify a GSTIN
#[utoipa::path(
    get,
    path = "/v1/verify/gstin/{gstin}",
    operation_id = "verifyGstin",
    tag = "Verification",
    params(("gstin" = String, Path, description = "What may be a GSTIN.")),
    responses((status = 200, body = GstinVerification)),
)]
pub async fn verify_gstin(call: Call) -> Answer {
    let verdict = gstin(&call.register(), call.path_value("gstin")).await?;
    call.answer(&verdict).await
}

/// Verify a PAN
#[utoipa::path(
    get,
    path = "/v1/verify/pan/{pan}",
    operation_id = "verifyPan",
    tag = "Verification",
    params(("pan" = String, Path, description = "What may be a PAN.")),
    responses((status = 200, body = PanVerification)),
)]
pub async fn verify_pan(call: Call) -> Answer {
    let verdict = pan(&call.register(), call.path_value("pan")).await?;
    call.answer(&verdict).await
}

/// The verdict on a CIN, LLPIN or FCRN.
pub async fn cin(
    register: &Register,
    text: &str,
    this_year: u16,
) -> Result<CinVerification, StoreError> {
    let id = match CompanyId::parse_in_year(text, this_year) {
        Ok(id) => id,
        Err(error) => {
            return Ok(CinVerification {
                cin: echo(text),
                valid: false,
                format_valid: false,
                found: false,
                reason: Some(sentence(&error)),
                company_status: None,
                legal_name: None,
                parsed: None,
            });
        }
    };
    let company = register.find_company_standing(id.as_str()).await?;
    let found = company.is_some();
    Ok(CinVerification {
        cin: id.as_str().to_owned(),
        valid: found,
        format_valid: true,
        found,
        reason: (!found).then(|| "Well-formed, but no such company is held.".to_owned()),
        company_status: company.as_ref().map(|company| company.status.clone()),
        legal_name: company.map(|company| company.name),
        parsed: Some(ParsedCin::from(&id)),
    })
}

/// The verdict on a DIN.
pub async fn din(register: &Register, text: &str) -> Result<DinVerification, StoreError> {
    let din = match Din::parse(text) {
        Ok(din) => din,
        Err(error) => {
            return Ok(DinVerification {
                din: echo(text),
                valid: false,
                format_valid: false,
                found: false,
                reason: Some(sentence(&error)),
                director_name: None,
                director_status: None,
            });
        }
    };
    let director = register.find_director(din.as_str()).await?;
    let found = director.is_some();
    Ok(DinVerification {
        din: din.as_str().to_owned(),
        valid: found,
        format_valid: true,
        found,
        reason: (!found).then(|| "Well-formed, but no such director is held.".to_owned()),
        director_status: director.as_ref().map(|director| director.status.clone()),
        director_name: director.map(|director| director.name),
    })
}

/// The verdict on a GSTIN.
pub async fn gstin(register: &Register, text: &str) -> Result<GstinVerification, StoreError> {
    let gstin = match Gstin::parse_format(text) {
        Ok(gstin) => gstin,
        Err(error) => {
            return Ok(GstinVerification {
                gstin: echo(text),
                valid: false,
                format_valid: false,
                found: false,
                reason: Some(sentence(&error)),
                check_digit_valid: false,
                expected_check_digit: None,
                parsed: None,
                status: None,
                legal_name: None,
            });
        }
    };
    let right = gstin.check_digit_valid();
    let held = if right { register.find_gst_standing(gstin.as_str()).await? } else { None };
    let found = held.is_some();
    let wrong_digit = || Gstin::parse(gstin.as_str()).err().map(|error| sentence(&error));
    let not_held = || "Well-formed, but no such registration is held.".to_owned();
    Ok(GstinVerification {
        gstin: gstin.as_str().to_owned(),
        valid: right,
        format_valid: true,
        found,
        reason: wrong_digit().or_else(|| (!found).then(not_held)),
        check_digit_valid: right,
        expected_check_digit: Some(gstin.expected_check_digit().to_string()),
        parsed: Some(ParsedGstin::from(&gstin)),
        status: held.as_ref().map(|held| held.status.clone()),
        legal_name: held.map(|held| held.name),
    })
}

/// The verdict on a PAN.
pub async fn pan(register: &Register, text: &str) -> Result<PanVerification, StoreError> {
    let pan = match Pan::parse(text) {
        Ok(pan) => pan,
        Err(error) => {
            return Ok(PanVerification {
                pan: echo(text),
                valid: false,
                format_valid: false,
                found: false,
                reason: Some(sentence(&error)),
                parsed: None,
                gstin_count: 0,
            });
        }
    };
    let gstin_count = register.count_gst_registrations(pan.as_str()).await?;
    let found = gstin_count > 0 || register.is_company_pan(pan.as_str()).await?;
    Ok(PanVerification {
        pan: pan.as_str().to_owned(),
        valid: true,
        format_valid: true,
        found,
        reason: None,
        parsed: Some(ParsedPan::from(&pan)),
        gstin_count,
    })
}

/// A malformed identifier as its verdict repeats it: trimmed, in upper case, of bounded length.
fn echo(text: &str) -> String {
    text.trim().chars().take(MAX_ECHOED).collect::<String>().to_uppercase()
}

/// An identifier's error as a sentence.
fn sentence(error: &panji_ids::IdError) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}
