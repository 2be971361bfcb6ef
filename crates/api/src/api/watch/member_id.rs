//! The identifiers that can be on a watch list.

use panji_ids::{CompanyId, Din, Gstin, Identifier, IdentifierKind};
use panji_store::Register;

use crate::http::error::{ApiError, ErrorCode};

/// What an identifier on a watch list stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    Company,
    Director,
    Gst,
}

impl SubjectKind {
    pub fn as_str(self) -> &'static str {
        match self {
            SubjectKind::Company => "company",
            SubjectKind::Director => "director",
            SubjectKind::Gst => "gst",
        }
    }

    /// The kind of an identifier in its canonical form.
    pub fn of(id: &str) -> SubjectKind {
        match id.len() {
            15 => SubjectKind::Gst,
            8 if id.bytes().all(|byte| byte.is_ascii_digit()) => SubjectKind::Director,
            _ => SubjectKind::Company,
        }
    }
}

/// An identifier in its canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberId {
    pub id: String,
    pub kind: SubjectKind,
}

/// Reads a CIN, LLPIN, FCRN, DIN or GSTIN.
pub fn parse_member(text: &str, this_year: u16) -> Result<MemberId, ApiError> {
    let malformed = |reason: String| {
        ApiError::new(ErrorCode::InvalidIdentifier, format!("The value is malformed: {reason}."))
    };
    let parsed = match Identifier::classify(text) {
        Some(IdentifierKind::Cin) => CompanyId::parse_in_year(text, this_year)
            .map(|id| (id.as_str().to_owned(), SubjectKind::Company)),
        Some(IdentifierKind::Din) => {
            Din::parse(text).map(|din| (din.as_str().to_owned(), SubjectKind::Director))
        }
        Some(IdentifierKind::Gstin) => {
            Gstin::parse(text).map(|gstin| (gstin.as_str().to_owned(), SubjectKind::Gst))
        }
        Some(IdentifierKind::Pan) => {
            return Err(malformed(
                "a PAN cannot be watched: add the company's CIN, or its GSTINs".to_owned(),
            ));
        }
        None => {
            return Err(malformed("it is no CIN, LLPIN, FCRN, DIN or GSTIN".to_owned()));
        }
    };
    let (id, kind) = parsed.map_err(|error| malformed(error.to_string()))?;
    Ok(MemberId { id, kind })
}

/// Replaces former numbers of companies by the current ones, as far as the register knows them.
pub async fn present_numbers(
    register: &Register,
    members: &mut [MemberId],
) -> Result<(), ApiError> {
    let companies: Vec<usize> =
        (0..members.len()).filter(|index| members[*index].kind == SubjectKind::Company).collect();
    let cins: Vec<&str> = companies.iter().map(|index| members[*index].id.as_str()).collect();
    let known = register.find_company_summaries(&cins).await?;
    for (index, known) in companies.into_iter().zip(known) {
        if let Some(known) = known {
            members[index].id = known.id;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_recognized_by_their_form() {
        for (text, id, kind) in [
            (" l17111mh1994plc990011 ", "L17111MH1994PLC990011", SubjectKind::Company),
            ("AAB-1234", "AAB-1234", SubjectKind::Company),
            ("F99101", "F99101", SubjectKind::Company),
            ("99000101", "99000101", SubjectKind::Director),
            ("123", "00000123", SubjectKind::Director),
            ("27ZZACK4368A1ZP", "27ZZACK4368A1ZP", SubjectKind::Gst),
        ] {
            let member = parse_member(text, 2026).expect(text);
            assert_eq!((member.id.as_str(), member.kind), (id, kind));
            assert_eq!(SubjectKind::of(&member.id), kind, "{text}");
        }
        for text in ["", "Kalpanik", "ZZACK4368A", "27ZZACK4368A1ZQ", "X17111MH1994PLC990011"] {
            let error = parse_member(text, 2026).expect_err(text);
            assert_eq!(error.code, ErrorCode::InvalidIdentifier);
        }
    }
}
