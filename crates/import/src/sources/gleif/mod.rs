//! GLEIF's records of legal entity identifiers: their holders (Level 1), and the parents of holders or why
//! they report none (Level 2). As the tables of the golden copy, or as the JSON of its interface.

mod api;
mod statements;
mod table;

use jiff::civil::Date;

use super::source::{FileReader, FormatSpec, ParsedRows, ReadOptions, SourceError, described};
use crate::input::opened::Opened;

/// The name under which these records are served as `source`.
pub(crate) const SOURCE: &str = "gleif";

pub(crate) static FORMAT: FormatSpec = FormatSpec {
    name: SOURCE,
    title: "GLEIF, legal entity identifiers and parents: golden copy as CSV, or the interface's JSON",
    columns: || described(&COLUMNS),
    file: Some(FileReader {
        recognizes: |head| api::recognizes(head) || table::recognizes(head),
        open,
    }),
    document: None,
};

const COLUMNS: [(&str, &str); 7] = [
    ("LEI, Entity.LegalName, Entity.EntityStatus", "lei of a company of India"),
    ("Entity.RegistrationAuthority.RegistrationAuthorityID", "the registry; RA000394 is the MCA"),
    ("Entity.RegistrationAuthority.RegistrationAuthorityEntityID", "its CIN, LLPIN or FCRN"),
    (
        "Registration.RegistrationStatus, .NextRenewalDate, .LastUpdateDate",
        "status and dates of lei",
    ),
    ("Relationship.StartNode.NodeID, .EndNode.NodeID, .RelationshipType", "lei_parent"),
    ("LEI, Exception.Category, Exception.Reason.1", "lei_parent: why no parent is reported"),
    ("Entity.LegalName of a parent that is no company of India", "lei_entity"),
];

fn open<'a>(opened: Opened<'a>, options: ReadOptions<'a>) -> Result<ParsedRows<'a>, SourceError> {
    match opened.head().trim_ascii_start().first() {
        Some(b'{' | b'[') => api::open(opened),
        _ => table::open(opened, publication_day(options.file_name)),
    }
}

/// The day on which a golden copy was published, from GLEIF's file name:
/// `20260110-0800-gleif-goldencopy-repex-golden-copy.csv`. The hours are those of UTC, and the last
/// publication is at 16:00, so that the day is the same in India.
pub(crate) fn publication_day(file_name: &str) -> Option<Date> {
    let mut parts = file_name.split(['/', '\\', ' ', ':']);
    parts.find_map(|part| {
        let (day, rest) = part.split_once('-')?;
        let is_day = day.len() == 8 && day.bytes().all(|byte| byte.is_ascii_digit());
        let is_of_gleif = rest.contains("gleif-goldencopy");
        (is_day && is_of_gleif).then(|| Date::strptime("%Y%m%d", day).ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_a_golden_copy_is_read_from_its_name() {
        let day = |name: &str| publication_day(name).map(|day| day.to_string());
        let name = "20260110-1600-gleif-goldencopy-repex-golden-copy.csv";
        assert_eq!(day(name).as_deref(), Some("2026-01-10"));
        assert_eq!(day(&format!("in/x.zip: {name}")).as_deref(), Some("2026-01-10"));
        for other in ["20260110-results.csv", "repex.csv", "20261340-0800-gleif-goldencopy-rr.csv"]
        {
            assert_eq!(day(other), None, "{other}");
        }
    }
}
