//! What the live register says of a buyer's GSTIN, so that they need not type it themselves.

use panji_ids::{Gstin, IdError};

use super::credits::Purchase;
use super::session::SignedIn;
use crate::api::wire::Place;
use crate::telemetry::redaction::redact;

/// What is wrong with the GSTIN in a form.
#[derive(Debug, thiserror::Error)]
pub enum GstinError {
    #[error("Enter the GSTIN first.")]
    Missing,
    #[error("This is not a valid GSTIN: {0}.")]
    Malformed(#[source] IdError),
}

/// Fills a purchase in from its GSTIN. Gives a sentence about what was filled in, or what is wrong
/// with the GSTIN.
pub async fn fill_in(
    signed_in: &SignedIn,
    form: &mut Purchase,
) -> Result<&'static str, GstinError> {
    let gstin = read_gstin(&form.gstin)?.ok_or(GstinError::Missing)?;
    form.gstin = gstin.as_str().to_owned();
    form.state = gstin.state_code().to_owned();
    Ok(match look_up(signed_in, &gstin).await {
        KnownBuyer::Held { name, address: Some(address) } => {
            (form.name, form.address) = (name, address);
            "Name, address and state were filled in from the GST record. Please check them."
        }
        KnownBuyer::Held { name, address: None } => {
            form.name = name;
            "Name and state were filled in from the GST record, which has no address. Please enter the address."
        }
        KnownBuyer::NotHeld => {
            "The state was filled in. No GST record was found. Please enter name and address."
        }
        KnownBuyer::TooMany => {
            "The state was filled in. The daily limit for GSTIN look-ups is reached. Please enter name and address."
        }
    })
}

/// Completes a purchase with a GSTIN where name or address are missing. The person sees them on the
/// next page, before paying.
pub async fn complete(signed_in: &SignedIn, form: &mut Purchase) {
    let (no_name, no_address) = (form.name.trim().is_empty(), form.address.trim().is_empty());
    let Ok(Some(gstin)) = read_gstin(&form.gstin) else { return };
    if !no_name && !no_address {
        return;
    }
    if let KnownBuyer::Held { name, address } = look_up(signed_in, &gstin).await {
        if no_name {
            form.name = name;
        }
        if let Some(address) = address.filter(|_| no_address) {
            form.address = address;
        }
    }
}

/// The GSTIN, if one is written.
pub fn read_gstin(text: &str) -> Result<Option<Gstin>, GstinError> {
    let text = text.trim().to_uppercase();
    if text.is_empty() {
        return Ok(None);
    }
    Gstin::parse(&text).map(Some).map_err(GstinError::Malformed)
}

/// What came of a look-up.
enum KnownBuyer {
    /// The registration is held.
    Held {
        /// The legal name.
        name: String,
        /// The principal place of business.
        address: Option<String>,
    },
    /// It is not held, or the register does not answer: the buyer types it.
    NotHeld,
    /// The account has looked up as many as it may for now.
    TooMany,
}

/// Looks a buyer up. It costs nothing, so an account may do it only a few times a day: more would be
/// the operation getGst for free.
async fn look_up(signed_in: &SignedIn, gstin: &Gstin) -> KnownBuyer {
    let app = &signed_in.app;
    if app.limits.count_buyer(signed_in.account_id()).retry_after.is_some() {
        return KnownBuyer::TooMany;
    }
    match app.live.register.find_gst_registration(gstin.as_str()).await {
        Ok(Some(held)) => KnownBuyer::Held {
            name: held.legal_name,
            address: held
                .principal_place
                .and_then(|place| serde_json::from_str(&place).ok())
                .and_then(|place| address_of(&place)),
        },
        Ok(None) => KnownBuyer::NotHeld,
        Err(error) => {
            let cause = redact(&error.to_string());
            tracing::warn!(cause, "a buyer could not be looked up");
            KnownBuyer::NotHeld
        }
    }
}

/// A place as it stands on an invoice: the line of the address, and what that does not say itself.
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
    fn an_address_says_each_part_once() {
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
