//! GST registrations and the GSTINs of a PAN.

use std::borrow::Cow;

use panji_ids::{Gstin, gst_state};
use panji_store::register;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SectionOrigin, enums, stored_list};

/// A GST registration.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Gst {
    /// The GSTIN.
    #[schema(example = "27ZZACK4368A1ZP")]
    pub gstin: String,
    /// The PAN it contains, if it contains one.
    pub pan: Option<String>,
    /// The legal name.
    pub legal_name: String,
    /// The trade name.
    pub trade_name: Option<String>,
    /// The status.
    #[schema(value_type = enums::GstStatus)]
    pub status: String,
    /// The status in the source's words.
    pub status_text: Option<String>,
    /// The state of registration.
    pub state: GstState,
    /// The type of the taxpayer.
    #[schema(value_type = enums::TaxpayerType)]
    pub taxpayer_type: String,
    /// The type in the source's words.
    pub taxpayer_type_text: Option<String>,
    /// The constitution of the business.
    #[schema(value_type = enums::Constitution)]
    pub constitution: String,
    /// The constitution in the source's words.
    pub constitution_text: Option<String>,
    /// The day of registration.
    pub registered_on: Option<String>,
    /// The day of cancellation.
    pub cancelled_on: Option<String>,
    /// The tax offices in charge.
    pub jurisdiction: Jurisdiction,
    /// The principal place of business.
    pub principal_place: Option<Place>,
    /// Additional places of business.
    pub additional_places: Vec<Place>,
    /// The kinds of business, in the source's words.
    pub nature_of_business: Vec<String>,
    /// Whether e-invoicing applies.
    pub e_invoice: Option<bool>,
    /// The returns, newest period first.
    pub filings: Vec<GstFiling>,
    /// How complete `filings` is: `partial` if returns are known, `none` if not.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// A state by its GST code.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GstState {
    /// The two digits a GSTIN begins with.
    #[schema(example = "27")]
    pub code: String,
    /// The state's name.
    pub name: Option<&'static str>,
}

/// The tax offices in charge.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Jurisdiction {
    /// The office of the centre.
    pub centre: Option<String>,
    /// The office of the state.
    pub state: Option<String>,
}

/// A place of business.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Place {
    /// The address in one line.
    pub address: Option<String>,
    /// The city.
    pub city: Option<String>,
    /// The district.
    pub district: Option<String>,
    /// The state.
    pub state: Option<String>,
    /// The PIN code.
    pub pincode: Option<String>,
    /// The activities there, in the source's words.
    #[serde(default)]
    pub nature: Vec<String>,
}

/// A return for one period.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GstFiling {
    /// The return.
    #[schema(example = "GSTR-3B")]
    pub return_type: String,
    /// The month, or the last month of a longer period.
    #[schema(example = "2026-02")]
    pub period: String,
    /// The financial year of the period.
    pub financial_year: String,
    /// The day it was filed.
    pub filed_on: Option<String>,
    /// The mode of filing.
    pub mode: Option<String>,
    /// The acknowledgement number.
    pub arn: Option<String>,
    /// The status.
    #[schema(value_type = enums::GstReturnStatus)]
    pub status: String,
}

impl Gst {
    pub fn new(record: register::GstRegistration, filings: Vec<register::GstFiling>) -> Gst {
        let code = state_code(&record.gstin);
        Gst {
            state: GstState { name: gst_state(&code), code },
            gstin: record.gstin,
            pan: record.pan,
            legal_name: record.legal_name,
            trade_name: record.trade_name,
            status: record.status,
            status_text: record.status_text,
            taxpayer_type: record.taxpayer_type,
            taxpayer_type_text: record.taxpayer_type_text,
            constitution: record.constitution,
            constitution_text: record.constitution_text,
            registered_on: record.registered_on,
            cancelled_on: record.cancelled_on,
            jurisdiction: Jurisdiction {
                centre: record.jurisdiction_centre,
                state: record.jurisdiction_state,
            },
            principal_place: record
                .principal_place
                .as_deref()
                .and_then(|place| serde_json::from_str(place).ok()),
            additional_places: stored_list(&record.additional_places),
            nature_of_business: stored_list(&record.nature_of_business),
            e_invoice: record.e_invoice,
            coverage: SectionOrigin::of_list(None, &filings).coverage,
            filings: filings.into_iter().map(GstFiling::from).collect(),
            as_of: record.as_of,
            source: record.source,
        }
    }
}

fn state_code(gstin: &str) -> String {
    Gstin::parse_format(gstin)
        .map_or_else(|_| gstin.chars().take(2).collect(), |gstin| gstin.state_code().to_owned())
}

impl From<register::GstFiling> for GstFiling {
    fn from(filing: register::GstFiling) -> GstFiling {
        GstFiling {
            return_type: filing.return_type,
            period: filing.period,
            financial_year: filing.financial_year,
            filed_on: filing.filed_on,
            mode: filing.mode,
            arn: filing.arn,
            status: filing.status,
        }
    }
}

/// The GSTINs of a PAN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PanGstins {
    /// The PAN.
    pub pan: String,
    /// The number of GSTINs in this register; null if none is known.
    pub total: Option<usize>,
    /// Active ones first, then by GSTIN.
    pub gstins: Vec<PanGstin>,
    /// `partial` if GSTINs are known, otherwise `none`: no source lists all of a PAN.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the newest source data; null if there is no GSTIN.
    pub as_of: Option<String>,
    /// The format of that source; null if there is no GSTIN.
    pub source: Option<String>,
}

/// A GSTIN of a PAN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PanGstin {
    /// The GSTIN.
    pub gstin: String,
    /// The two digits it begins with.
    pub state_code: String,
    /// The state's name.
    pub state: Option<&'static str>,
    /// The status, as in the registration.
    #[schema(value_type = enums::GstStatus)]
    pub status: String,
    /// The legal name.
    pub legal_name: String,
    /// The trade name.
    pub trade_name: Option<String>,
    /// The day of registration.
    pub registered_on: Option<String>,
}

impl PanGstins {
    pub fn new(pan: String, records: Vec<register::GstRegistration>) -> PanGstins {
        let origin = SectionOrigin::of_list(None, &records);
        let total = origin.known_count(records.len());
        let gstins: Vec<PanGstin> = records
            .into_iter()
            .map(|record| {
                let state_code = state_code(&record.gstin);
                PanGstin {
                    state: gst_state(&state_code),
                    state_code,
                    gstin: record.gstin,
                    status: record.status,
                    legal_name: record.legal_name,
                    trade_name: record.trade_name,
                    registered_on: record.registered_on,
                }
            })
            .collect();
        let SectionOrigin { coverage, as_of, source } = origin;
        PanGstins { pan, total, gstins, coverage, as_of, source }
    }
}
