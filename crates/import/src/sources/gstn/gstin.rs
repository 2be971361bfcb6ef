//! Shared by all readers of this source: the names of the sources, and validated GSTINs.

use panji_ids::{Gstin, mask_pans};

use crate::values::reason::Reason;

/// The `source` of registrations.
pub const TAXPAYER_SOURCE: &str = "gstn_taxpayer";
/// The `source` of returns.
pub const RETURNS_SOURCE: &str = "gstn_returns";

/// Parses a GSTIN; the digits of the PAN are masked in the error.
pub fn checked_gstin(label: &str, written: Option<&str>) -> Result<Gstin, Reason> {
    let written = written.ok_or_else(|| Reason::fixed("it has no GSTIN").about(label))?;
    Gstin::parse(written).map_err(|error| {
        let reason = Reason::of_id("GSTIN", &error);
        Reason::new(reason.kind, redact(&format!("{label}: GSTIN {written}: {error}")))
    })
}

pub fn redact(sentence: &str) -> String {
    mask_pans(sentence).into_owned()
}
