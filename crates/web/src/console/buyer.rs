//! Fills in a buyer's billing details from the GST record in the live register.

use panji_api::api::wire::Place;
use panji_api::telemetry::redaction::redact;
use panji_ids::Gstin;

use super::language::t;
use super::purchase_form::{GstinError, Purchase, read_gstin};
use super::session::SignedIn;

/// Fills in a purchase from its GSTIN. Returns a sentence about the fields that were filled in; the
/// error says what is wrong with the GSTIN.
pub async fn fill_in(
    signed_in: &SignedIn,
    form: &mut Purchase,
) -> Result<&'static str, GstinError> {
    let gstin = read_gstin(&form.gstin)?.ok_or(GstinError::Missing)?;
    form.gstin = gstin.as_str().to_owned();
    form.state = gstin.state_code().to_owned();
    Ok(match look_up(signed_in, &gstin).await {
        GstLookup::Found { name, address: Some(address) } => {
            (form.name, form.address) = (name, address);
            t("Name, address and state were filled in from the GST record. Please check them.")
        }
        GstLookup::Found { name, address: None } => {
            form.name = name;
            t(
                "Name and state were filled in from the GST record, which has no address. Please enter the address.",
            )
        }
        GstLookup::NotFound => {
            t("The state was filled in. No GST record was found. Please enter name and address.")
        }
        GstLookup::LimitReached => t(
            "The state was filled in. The daily limit for GSTIN lookups is reached. Please enter name and address.",
        ),
    })
}

/// Fills in a missing name or address from the GSTIN. The user sees them on the next page, before
/// paying.
pub async fn fill_missing(signed_in: &SignedIn, form: &mut Purchase) {
    let (no_name, no_address) = (form.name.trim().is_empty(), form.address.trim().is_empty());
    let Ok(Some(gstin)) = read_gstin(&form.gstin) else { return };
    if !no_name && !no_address {
        return;
    }
    if let GstLookup::Found { name, address } = look_up(signed_in, &gstin).await {
        if no_name {
            form.name = name;
        }
        if let Some(address) = address.filter(|_| no_address) {
            form.address = address;
        }
    }
}

enum GstLookup {
    Found {
        /// The legal name.
        name: String,
        /// The principal place of business.
        address: Option<String>,
    },
    /// The register has no record, or does not respond.
    NotFound,
    /// The account has reached its limit of lookups.
    LimitReached,
}

/// Lookups are free, so their number per account is limited: otherwise they would replace the paid
/// operation getGst.
async fn look_up(signed_in: &SignedIn, gstin: &Gstin) -> GstLookup {
    let app = &signed_in.app;
    if app.limits.count_buyer(signed_in.account_id()).retry_after.is_some() {
        return GstLookup::LimitReached;
    }
    match app.live.register.find_gst_registration(gstin.as_str()).await {
        Ok(Some(record)) => GstLookup::Found {
            name: record.legal_name,
            address: record
                .principal_place
                .and_then(|place| serde_json::from_str(&place).ok())
                .and_then(|place| address_of(&place)),
        },
        Ok(None) => GstLookup::NotFound,
        Err(error) => {
            let cause = redact(&error.to_string());
            tracing::warn!(cause, "the GST record of a buyer could not be read");
            GstLookup::NotFound
        }
    }
}

/// The address for an invoice: the address line, and the city, state and PIN code that it does not
/// contain.
fn address_of(place: &Place) -> Option<String> {
    let mut text = place.address.clone()?;
    for part in [&place.city, &place.state, &place.pincode].into_iter().flatten() {
        if !text.to_lowercase().contains(&part.to_lowercase()) {
            text = format!("{text}, {part}");
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_contains_each_part_once() {
        let place = |address: Option<&str>| Place {
            address: address.map(str::to_owned),
            city: Some("Panaji".to_owned()),
            district: None,
            state: Some("Goa".to_owned()),
            pincode: Some("403001".to_owned()),
            nature: Vec::new(),
        };
        let short = address_of(&place(Some("1 Udaharan Road, PANAJI")));
        assert_eq!(short.as_deref(), Some("1 Udaharan Road, PANAJI, Goa, 403001"));
        let whole = "1 Udaharan Road, Panaji, Goa 403001";
        assert_eq!(address_of(&place(Some(whole))).as_deref(), Some(whole));
        assert_eq!(address_of(&place(None)), None);
    }
}
