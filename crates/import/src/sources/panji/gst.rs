//! Lines about GST registrations and returns.

use jiff::civil::Date;
use panji_ids::Gstin;
use panji_store::register::{GstFiling, GstRegistration};
use serde::{Deserialize, Serialize};

use super::source::SOURCE;
use crate::values::field::{date, financial_year, json, month, required, word};
use crate::values::reason::Reason;
use crate::vocabulary;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GstLine {
    gstin: String,
    legal_name: String,
    trade_name: Option<String>,
    status_text: Option<String>,
    taxpayer_type_text: Option<String>,
    constitution_text: Option<String>,
    registered_on: Option<Date>,
    cancelled_on: Option<Date>,
    #[serde(default)]
    jurisdiction: JurisdictionLine,
    principal_place: Option<PlaceLine>,
    #[serde(default)]
    additional_places: Vec<PlaceLine>,
    #[serde(default)]
    nature_of_business: Vec<String>,
    e_invoice: Option<bool>,
    as_of: Option<Date>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JurisdictionLine {
    centre: Option<String>,
    state: Option<String>,
}

/// A place of business, stored as JSON text with the field names of the API.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceLine {
    address: Option<String>,
    city: Option<String>,
    district: Option<String>,
    state: Option<String>,
    pincode: Option<String>,
    #[serde(default)]
    nature: Vec<String>,
}

impl GstLine {
    pub fn into_record(self) -> Result<GstRegistration, Reason> {
        let gstin = Gstin::parse(&self.gstin).map_err(|error| Reason::of_id("gstin", &error))?;
        Ok(GstRegistration {
            gstin: gstin.as_str().to_owned(),
            pan: gstin.pan().map(|pan| pan.as_str().to_owned()),
            legal_name: required("legal_name", self.legal_name)?,
            trade_name: self.trade_name,
            status: word(vocabulary::gst_status, self.status_text.as_deref(), "unknown"),
            status_text: self.status_text,
            taxpayer_type: word(
                vocabulary::taxpayer_type,
                self.taxpayer_type_text.as_deref(),
                "unknown",
            ),
            taxpayer_type_text: self.taxpayer_type_text,
            constitution: word(
                vocabulary::constitution,
                self.constitution_text.as_deref(),
                "unknown",
            ),
            constitution_text: self.constitution_text,
            registered_on: date(self.registered_on),
            cancelled_on: date(self.cancelled_on),
            jurisdiction_centre: self.jurisdiction.centre,
            jurisdiction_state: self.jurisdiction.state,
            principal_place: self.principal_place.as_ref().map(json),
            additional_places: json(&self.additional_places),
            nature_of_business: json(&self.nature_of_business),
            e_invoice: self.e_invoice,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GstFilingLine {
    gstin: String,
    return_type: String,
    period: String,
    financial_year: String,
    filed_on: Option<Date>,
    mode: Option<String>,
    arn: Option<String>,
    status_text: Option<String>,
    as_of: Option<Date>,
}

impl GstFilingLine {
    pub fn into_record(self) -> Result<GstFiling, Reason> {
        let gstin = Gstin::parse(&self.gstin).map_err(|error| Reason::of_id("gstin", &error))?;
        Ok(GstFiling {
            gstin: gstin.as_str().to_owned(),
            period: month(&self.period)?,
            return_type: required("return_type", self.return_type)?,
            financial_year: financial_year(&self.financial_year)?,
            filed_on: date(self.filed_on),
            mode: self.mode.map(|mode| mode.to_lowercase()),
            arn: self.arn,
            status: word(vocabulary::return_status, self.status_text.as_deref(), "filed"),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}
