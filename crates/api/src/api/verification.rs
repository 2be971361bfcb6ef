//! The verification of identifiers: whether a text is well-formed and whether the register has a record for
//! it. Single and bulk verification share this code.

use panji_ids::{CompanyId, Din, Gstin, IdError, Pan};
use panji_store::register::{Origin, RecordSummary};
use panji_store::{Register, StoreError};
use serde::Serialize;

use super::wire::{
    CinVerification, DinVerification, GstinVerification, PanVerification, ParsedCin, ParsedGstin,
    ParsedPan,
};

/// How many characters of a malformed identifier its verification repeats.
const MAX_ECHOED: usize = 64;

/// A kind of identifier that can be verified.
pub trait Verifiable: Sized + Send + Sync {
    /// The record found in the register.
    type Record: Send;
    type Verification: Serialize + Send + Sync;

    /// Parses a text, or returns the verification of a malformed one.
    fn read(text: &str, this_year: u16) -> Result<Self, Self::Verification>;

    /// The record of each identifier, in the order of `ids`.
    fn look_up(
        register: &Register,
        ids: &[Self],
    ) -> impl Future<Output = Result<Vec<Self::Record>, StoreError>> + Send;

    /// The verification of a well-formed identifier.
    fn verify(&self, record: Self::Record) -> Self::Verification;
}

/// One verification per text, in the order of `texts`.
pub async fn verify_each<T: Verifiable>(
    register: &Register,
    texts: &[&str],
    this_year: u16,
) -> Result<Vec<T::Verification>, StoreError> {
    let mut ids = Vec::with_capacity(texts.len());
    let mut malformed = Vec::new();
    for (position, text) in texts.iter().enumerate() {
        match T::read(text, this_year) {
            Ok(id) => ids.push(id),
            Err(verification) => malformed.push((position, verification)),
        }
    }
    let records = T::look_up(register, &ids).await?;
    let mut verified = ids.iter().zip(records).map(|(id, record)| id.verify(record));
    let mut malformed = malformed.into_iter().peekable();
    let verification = |position: usize| match malformed.next_if(|(at, _)| *at == position) {
        Some((_, verification)) => Some(verification),
        None => verified.next(),
    };
    Ok((0..texts.len()).filter_map(verification).collect())
}

impl Verifiable for CompanyId {
    type Record = Option<RecordSummary>;
    type Verification = CinVerification;

    fn read(text: &str, this_year: u16) -> Result<CompanyId, CinVerification> {
        CompanyId::parse_in_year(text, this_year).map_err(|error| CinVerification {
            cin: echo(text),
            valid: false,
            format_valid: false,
            found: false,
            superseded: false,
            current_cin: None,
            reason: Some(sentence(&error)),
            as_of: None,
            source: None,
            company_status: None,
            legal_name: None,
            parsed: None,
        })
    }

    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<Self::Record>, StoreError> {
        let cins: Vec<&str> = ids.iter().map(CompanyId::as_str).collect();
        register.find_company_summaries(&cins).await
    }

    fn verify(&self, record: Option<RecordSummary>) -> CinVerification {
        let found = record.is_some();
        let current_cin = record.as_ref().map_or(self.as_str(), |record| &record.id).to_owned();
        let FoundFields { name: legal_name, status: company_status, as_of, source } =
            FoundFields::of(record);
        CinVerification {
            cin: self.as_str().to_owned(),
            valid: found,
            format_valid: true,
            found,
            superseded: current_cin != self.as_str(),
            current_cin: Some(current_cin),
            reason: (!found).then(|| not_in_register("company", "number")),
            as_of,
            source,
            company_status,
            legal_name,
            parsed: Some(ParsedCin::from(self)),
        }
    }
}

impl Verifiable for Din {
    type Record = Option<RecordSummary>;
    type Verification = DinVerification;

    fn read(text: &str, _: u16) -> Result<Din, DinVerification> {
        Din::parse(text).map_err(|error| DinVerification {
            din: echo(text),
            valid: false,
            format_valid: false,
            found: false,
            reason: Some(sentence(&error)),
            as_of: None,
            source: None,
            director_name: None,
            director_status: None,
        })
    }

    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<Self::Record>, StoreError> {
        let dins: Vec<&str> = ids.iter().map(Din::as_str).collect();
        register.find_director_summaries(&dins).await
    }

    fn verify(&self, record: Option<RecordSummary>) -> DinVerification {
        let found = record.is_some();
        let FoundFields { name: director_name, status: director_status, as_of, source } =
            FoundFields::of(record);
        DinVerification {
            din: self.as_str().to_owned(),
            valid: found,
            format_valid: true,
            found,
            reason: (!found).then(|| not_in_register("director", "DIN")),
            as_of,
            source,
            director_name,
            director_status,
        }
    }
}

impl Verifiable for Gstin {
    type Record = Option<RecordSummary>;
    type Verification = GstinVerification;

    fn read(text: &str, _: u16) -> Result<Gstin, GstinVerification> {
        Gstin::parse_format(text).map_err(|error| GstinVerification {
            gstin: echo(text),
            valid: false,
            format_valid: false,
            found: false,
            reason: Some(sentence(&error)),
            as_of: None,
            source: None,
            check_digit_valid: false,
            expected_check_digit: None,
            parsed: None,
            status: None,
            legal_name: None,
        })
    }

    /// A GSTIN with a wrong check digit cannot exist and is not looked up.
    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<Self::Record>, StoreError> {
        let valid = ids.iter().filter(|gstin| gstin.check_digit_valid());
        let gstins: Vec<&str> = valid.map(Gstin::as_str).collect();
        let mut records = register.find_gst_summaries(&gstins).await?.into_iter();
        let record_of =
            |gstin: &Gstin| gstin.check_digit_valid().then(|| records.next().flatten()).flatten();
        Ok(ids.iter().map(record_of).collect())
    }

    fn verify(&self, record: Option<RecordSummary>) -> GstinVerification {
        let check_digit_valid = self.check_digit_valid();
        let found = record.is_some();
        let FoundFields { name: legal_name, status, as_of, source } = FoundFields::of(record);
        let wrong_digit = Gstin::parse(self.as_str()).err().map(|error| sentence(&error));
        let not_found = || not_in_register("registration", "GSTIN");
        GstinVerification {
            gstin: self.as_str().to_owned(),
            valid: check_digit_valid,
            format_valid: true,
            found,
            reason: wrong_digit.or_else(|| (!found).then(not_found)),
            as_of,
            source,
            check_digit_valid,
            expected_check_digit: Some(self.expected_check_digit().to_string()),
            parsed: Some(ParsedGstin::from(self)),
            status,
            legal_name,
        }
    }
}

/// The register's records of a PAN.
pub struct PanRecord {
    registrations: i64,
    /// The source: a GST registration or, if there is none, a company with this PAN.
    origin: Option<Origin>,
}

impl Verifiable for Pan {
    type Record = PanRecord;
    type Verification = PanVerification;

    fn read(text: &str, _: u16) -> Result<Pan, PanVerification> {
        Pan::parse(text).map_err(|error| PanVerification {
            pan: echo(text),
            valid: false,
            format_valid: false,
            found: false,
            reason: Some(sentence(&error)),
            as_of: None,
            source: None,
            parsed: None,
            gstin_count: 0,
        })
    }

    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<PanRecord>, StoreError> {
        let pans: Vec<&str> = ids.iter().map(Pan::as_str).collect();
        let counts = register.count_gst_registrations(&pans).await?;
        let pick = |registered: bool| -> Vec<&str> {
            let counted = pans.iter().zip(&counts);
            counted.filter(|(_, count)| (**count > 0) == registered).map(|(pan, _)| *pan).collect()
        };
        let (with, without) = (pick(true), pick(false));
        let mut of_registrations = register.find_gst_origins(&with).await?.into_iter();
        let mut of_companies = register.find_company_pan_origins(&without).await?.into_iter();
        let record = |registrations| {
            let origins = if registrations > 0 { &mut of_registrations } else { &mut of_companies };
            PanRecord { registrations, origin: origins.next().flatten() }
        };
        Ok(counts.into_iter().map(record).collect())
    }

    fn verify(&self, record: PanRecord) -> PanVerification {
        let found = record.origin.is_some();
        let (as_of, source) = date_and_source(record.origin);
        PanVerification {
            pan: self.as_str().to_owned(),
            valid: true,
            format_valid: true,
            found,
            reason: (!found).then(|| not_in_register("company or registration", "PAN")),
            as_of,
            source,
            parsed: Some(ParsedPan::from(self)),
            gstin_count: record.registrations,
        }
    }
}

/// The fields of a verification that come from the record; all none if it was not found.
struct FoundFields {
    name: Option<String>,
    status: Option<String>,
    as_of: Option<String>,
    source: Option<String>,
}

impl FoundFields {
    fn of(record: Option<RecordSummary>) -> FoundFields {
        let (about, origin) =
            record.map(|record| ((record.name, record.status), record.origin)).unzip();
        let (name, status) = about.unzip();
        let (as_of, source) = date_and_source(origin);
        FoundFields { name, status, as_of, source }
    }
}

/// Splits an origin into its date and its source.
fn date_and_source(origin: Option<Origin>) -> (Option<String>, Option<String>) {
    origin.map_or((None, None), |origin| (origin.as_of, Some(origin.source)))
}

/// The reason in a verification: well-formed, but not found.
fn not_in_register(what: &str, number: &str) -> String {
    format!("The {number} is well-formed, but no {what} with it is in the register.")
}

/// A malformed identifier in the form its verification repeats: trimmed, upper case, of bounded length.
fn echo(text: &str) -> String {
    text.trim().chars().take(MAX_ECHOED).collect::<String>().to_uppercase()
}

/// An identifier's error, capitalized and with a full stop.
fn sentence(error: &IdError) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}
