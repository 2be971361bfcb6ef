//! Verdicts: what a text is, what is held of it, and what follows. One or many are judged the same way.

use panji_ids::{CompanyId, Din, Gstin, IdError, Pan};
use panji_store::register::NameAndStatus;
use panji_store::{Register, StoreError};
use serde::Serialize;

use super::wire::{
    CinVerification, DinVerification, GstinVerification, PanVerification, ParsedCin, ParsedGstin,
    ParsedPan,
};

/// How much of a malformed identifier is repeated in its verdict.
const MAX_ECHOED: usize = 64;

/// A kind of identifier on which there are verdicts.
pub trait Verifiable: Sized + Send + Sync {
    /// What the register tells about one.
    type Held: Send;
    /// What is answered.
    type Verdict: Serialize + Send + Sync;

    /// Reads a text, or gives the verdict that it is malformed.
    fn read(text: &str, this_year: u16) -> Result<Self, Self::Verdict>;

    /// What the register tells about each, in their order.
    fn look_up(
        register: &Register,
        ids: &[Self],
    ) -> impl Future<Output = Result<Vec<Self::Held>, StoreError>> + Send;

    /// The verdict on one that is well-formed.
    fn judge(&self, held: Self::Held) -> Self::Verdict;
}

/// The verdicts on texts, in their order.
pub async fn verify_each<T: Verifiable>(
    register: &Register,
    texts: &[&str],
    this_year: u16,
) -> Result<Vec<T::Verdict>, StoreError> {
    let mut ids = Vec::with_capacity(texts.len());
    let mut malformed = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        match T::read(text, this_year) {
            Ok(id) => ids.push(id),
            Err(verdict) => malformed.push((place, verdict)),
        }
    }
    let held = T::look_up(register, &ids).await?;
    let mut judged = ids.iter().zip(held).map(|(id, held)| id.judge(held));
    let mut malformed = malformed.into_iter().peekable();
    let verdict = |place: usize| match malformed.next_if(|(at, _)| *at == place) {
        Some((_, verdict)) => Some(verdict),
        None => judged.next(),
    };
    Ok((0..texts.len()).filter_map(verdict).collect())
}

impl Verifiable for CompanyId {
    type Held = Option<NameAndStatus>;
    type Verdict = CinVerification;

    fn read(text: &str, this_year: u16) -> Result<CompanyId, CinVerification> {
        CompanyId::parse_in_year(text, this_year).map_err(|error| CinVerification {
            cin: echo(text),
            valid: false,
            format_valid: false,
            found: false,
            reason: Some(sentence(&error)),
            company_status: None,
            legal_name: None,
            parsed: None,
        })
    }

    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<Self::Held>, StoreError> {
        let cins: Vec<&str> = ids.iter().map(CompanyId::as_str).collect();
        register.find_company_standings(&cins).await
    }

    fn judge(&self, held: Option<NameAndStatus>) -> CinVerification {
        let found = held.is_some();
        let (legal_name, company_status) = apart(held);
        CinVerification {
            cin: self.as_str().to_owned(),
            valid: found,
            format_valid: true,
            found,
            reason: (!found).then(|| "Well-formed, but no such company is held.".to_owned()),
            company_status,
            legal_name,
            parsed: Some(ParsedCin::from(self)),
        }
    }
}

impl Verifiable for Din {
    type Held = Option<NameAndStatus>;
    type Verdict = DinVerification;

    fn read(text: &str, _: u16) -> Result<Din, DinVerification> {
        Din::parse(text).map_err(|error| DinVerification {
            din: echo(text),
            valid: false,
            format_valid: false,
            found: false,
            reason: Some(sentence(&error)),
            director_name: None,
            director_status: None,
        })
    }

    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<Self::Held>, StoreError> {
        let dins: Vec<&str> = ids.iter().map(Din::as_str).collect();
        register.find_director_standings(&dins).await
    }

    fn judge(&self, held: Option<NameAndStatus>) -> DinVerification {
        let found = held.is_some();
        let (director_name, director_status) = apart(held);
        DinVerification {
            din: self.as_str().to_owned(),
            valid: found,
            format_valid: true,
            found,
            reason: (!found).then(|| "Well-formed, but no such director is held.".to_owned()),
            director_name,
            director_status,
        }
    }
}

impl Verifiable for Gstin {
    type Held = Option<NameAndStatus>;
    type Verdict = GstinVerification;

    fn read(text: &str, _: u16) -> Result<Gstin, GstinVerification> {
        Gstin::parse_format(text).map_err(|error| GstinVerification {
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
        })
    }

    /// One with a wrong check digit is held by nobody, and not looked for.
    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<Self::Held>, StoreError> {
        let right = ids.iter().filter(|gstin| gstin.check_digit_valid());
        let gstins: Vec<&str> = right.map(Gstin::as_str).collect();
        let mut held = register.find_gst_standings(&gstins).await?.into_iter();
        let of = |gstin: &Gstin| gstin.check_digit_valid().then(|| held.next().flatten()).flatten();
        Ok(ids.iter().map(of).collect())
    }

    fn judge(&self, held: Option<NameAndStatus>) -> GstinVerification {
        let right = self.check_digit_valid();
        let found = held.is_some();
        let (legal_name, status) = apart(held);
        let wrong_digit = || Gstin::parse(self.as_str()).err().map(|error| sentence(&error));
        let not_held = || "Well-formed, but no such registration is held.".to_owned();
        GstinVerification {
            gstin: self.as_str().to_owned(),
            valid: right,
            format_valid: true,
            found,
            reason: wrong_digit().or_else(|| (!found).then(not_held)),
            check_digit_valid: right,
            expected_check_digit: Some(self.expected_check_digit().to_string()),
            parsed: Some(ParsedGstin::from(self)),
            status,
            legal_name,
        }
    }
}

/// What the register tells about a PAN.
pub struct HeldPan {
    registrations: i64,
    /// Whether a company has it; asked only where no registration has.
    of_company: bool,
}

impl Verifiable for Pan {
    type Held = HeldPan;
    type Verdict = PanVerification;

    fn read(text: &str, _: u16) -> Result<Pan, PanVerification> {
        Pan::parse(text).map_err(|error| PanVerification {
            pan: echo(text),
            valid: false,
            format_valid: false,
            found: false,
            reason: Some(sentence(&error)),
            parsed: None,
            gstin_count: 0,
        })
    }

    async fn look_up(register: &Register, ids: &[Self]) -> Result<Vec<HeldPan>, StoreError> {
        let pans: Vec<&str> = ids.iter().map(Pan::as_str).collect();
        let counts = register.count_gst_registrations(&pans).await?;
        let without = pans.iter().zip(&counts).filter(|(_, count)| **count == 0);
        let without: Vec<&str> = without.map(|(pan, _)| *pan).collect();
        let mut of_company = register.are_company_pans(&without).await?.into_iter();
        let held = |registrations| HeldPan {
            registrations,
            of_company: registrations == 0 && of_company.next().unwrap_or(false),
        };
        Ok(counts.into_iter().map(held).collect())
    }

    fn judge(&self, held: HeldPan) -> PanVerification {
        PanVerification {
            pan: self.as_str().to_owned(),
            valid: true,
            format_valid: true,
            found: held.registrations > 0 || held.of_company,
            reason: None,
            parsed: Some(ParsedPan::from(self)),
            gstin_count: held.registrations,
        }
    }
}

/// The name and the status, where something is held.
fn apart(held: Option<NameAndStatus>) -> (Option<String>, Option<String>) {
    held.map(|held| (held.name, held.status)).unzip()
}

/// A malformed identifier as its verdict repeats it: trimmed, in upper case, of bounded length.
fn echo(text: &str) -> String {
    text.trim().chars().take(MAX_ECHOED).collect::<String>().to_uppercase()
}

/// An identifier's error as a sentence.
fn sentence(error: &IdError) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}
