//! Verdicts on identifiers.

use panji_ids::{CompanyId, Gstin, Pan};
use serde::Serialize;
use utoipa::ToSchema;

use super::enums;

/// The verdict on a CIN, LLPIN or FCRN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CinVerification {
    /// The number in its canonical form.
    pub cin: String,
    /// Whether it is well-formed and in the register.
    pub valid: bool,
    /// Whether it is well-formed.
    pub format_valid: bool,
    /// Whether the register contains it, as a current or a former number.
    pub found: bool,
    /// Whether the company has another number now.
    pub superseded: bool,
    /// The company's current number; the number itself if it is not in the register, and null if it
    /// is malformed.
    pub current_cin: Option<String>,
    /// What is wrong and at which character, or that it is well-formed and not in the register;
    /// null if it is valid and found.
    pub reason: Option<String>,
    /// The date of the source data; null if nothing was found.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing was found.
    pub source: Option<String>,
    /// The company's status.
    #[schema(value_type = Option<enums::CompanyStatus>)]
    pub company_status: Option<String>,
    /// The company's legal name.
    pub legal_name: Option<String>,
    /// The parts of the number.
    pub parsed: Option<ParsedCin>,
}

/// The parts of a CIN; an LLPIN or FCRN has only its kind.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ParsedCin {
    /// The kind of company.
    #[schema(value_type = enums::CompanyKind)]
    pub kind: &'static str,
    /// Whether the first letter means listed.
    pub listed: Option<bool>,
    /// The five industry digits.
    pub nic_code: Option<String>,
    /// The two state letters.
    pub state_code: Option<String>,
    /// The state's name; null for unknown letters.
    pub state: Option<&'static str>,
    /// The year of incorporation.
    pub year: Option<u16>,
    /// The class; null for unknown letters.
    #[schema(value_type = Option<enums::CinClassName>)]
    pub class: Option<&'static str>,
    /// The registrar's number.
    pub registration_number: Option<String>,
}

impl From<&CompanyId> for ParsedCin {
    fn from(id: &CompanyId) -> ParsedCin {
        let cin = id.cin();
        ParsedCin {
            kind: id.kind().name(),
            listed: cin.map(|cin| cin.listed()),
            nic_code: cin.map(|cin| cin.nic_code().to_owned()),
            state_code: cin.map(|cin| cin.state_code().to_owned()),
            state: cin.and_then(|cin| cin.state()),
            year: cin.map(|cin| cin.year()),
            class: cin.and_then(|cin| cin.class()).map(|class| class.name()),
            registration_number: cin.map(|cin| cin.registration_number().to_owned()),
        }
    }
}

/// The verdict on a DIN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DinVerification {
    /// The DIN in its canonical form.
    pub din: String,
    /// Whether it is well-formed and in the register.
    pub valid: bool,
    /// Whether it is well-formed.
    pub format_valid: bool,
    /// Whether it is in the register.
    pub found: bool,
    /// What is wrong and at which character, or that it is well-formed and not in the register;
    /// null if it is valid and found.
    pub reason: Option<String>,
    /// The date of the source data; null if nothing was found.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing was found.
    pub source: Option<String>,
    /// The person's name.
    pub director_name: Option<String>,
    /// The status of the DIN.
    #[schema(value_type = Option<enums::DirectorStatus>)]
    pub director_status: Option<String>,
}

/// The verdict on a GSTIN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GstinVerification {
    /// The GSTIN in its canonical form.
    pub gstin: String,
    /// Whether it is well-formed and its check character is right.
    pub valid: bool,
    /// Whether it is well-formed, regardless of the check character.
    pub format_valid: bool,
    /// Whether it is in the register.
    pub found: bool,
    /// What is wrong and at which character, or that it is well-formed and not in the register;
    /// null if it is valid and found.
    pub reason: Option<String>,
    /// The date of the source data; null if nothing was found.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing was found.
    pub source: Option<String>,
    /// Whether the check character is right.
    pub check_digit_valid: bool,
    /// The right check character.
    pub expected_check_digit: Option<String>,
    /// The parts of the number.
    pub parsed: Option<ParsedGstin>,
    /// The registration's status.
    #[schema(value_type = Option<enums::GstStatus>)]
    pub status: Option<String>,
    /// The registration's legal name.
    pub legal_name: Option<String>,
}

/// The parts of a GSTIN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ParsedGstin {
    /// The two state digits.
    pub state_code: String,
    /// The state's name.
    pub state: &'static str,
    /// The PAN it contains, if its kind contains one.
    pub pan: Option<String>,
    /// The number of the registration within the state and PAN.
    pub entity_number: Option<String>,
    /// The kind of holder, from its format.
    #[schema(value_type = enums::TaxpayerKind)]
    pub taxpayer_kind: &'static str,
}

impl From<&Gstin> for ParsedGstin {
    fn from(gstin: &Gstin) -> ParsedGstin {
        ParsedGstin {
            state_code: gstin.state_code().to_owned(),
            state: gstin.state(),
            pan: gstin.pan().map(|pan| pan.as_str().to_owned()),
            entity_number: gstin.entity_number().map(String::from),
            taxpayer_kind: gstin.family().name(),
        }
    }
}

/// The verdict on a PAN. Its last letter cannot be checked: the rule is not public.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PanVerification {
    /// The PAN in its canonical form.
    pub pan: String,
    /// Whether it is well-formed.
    pub valid: bool,
    /// Whether it is well-formed.
    pub format_valid: bool,
    /// Whether the register has a company or a GST registration with it.
    pub found: bool,
    /// What is wrong and at which character, or that it is well-formed and not in the register;
    /// null if it is valid and found.
    pub reason: Option<String>,
    /// The date of the source data; null if nothing was found.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing was found.
    pub source: Option<String>,
    /// The holder, according to the PAN.
    pub parsed: Option<ParsedPan>,
    /// The number of GSTINs that contain it.
    pub gstin_count: i64,
}

/// The holder of a PAN, from its fourth letter.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ParsedPan {
    /// The type of the holder.
    #[schema(value_type = enums::HolderType)]
    pub holder_type: &'static str,
    /// The type of the holder in words.
    pub holder_type_text: &'static str,
}

impl From<&Pan> for ParsedPan {
    fn from(pan: &Pan) -> ParsedPan {
        let holder = pan.holder_type();
        ParsedPan { holder_type: holder.name(), holder_type_text: holder.text() }
    }
}

/// A verdict on an identifier of any kind.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Verification {
    Cin(CinVerification),
    Din(DinVerification),
    Gstin(GstinVerification),
    Pan(PanVerification),
}

impl Verification {
    pub fn valid(&self) -> bool {
        match self {
            Verification::Cin(verdict) => verdict.valid,
            Verification::Din(verdict) => verdict.valid,
            Verification::Gstin(verdict) => verdict.valid,
            Verification::Pan(verdict) => verdict.valid,
        }
    }
}
