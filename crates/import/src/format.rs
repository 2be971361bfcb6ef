//! The table of formats, and the detection of a file's format from its content.

use std::fmt;

use crate::input::opened::Opened;
use crate::input::table_json::{self, is_table};
use crate::sources::source::{DocumentParser, FormatSpec, ParsedRows, ReadOptions, SourceError};
use crate::sources::symbols::is_symbol_list;
use crate::sources::{gleif, gstn, json_documents, mca_company_json, mca_master, panji, xbrl};
use crate::unknown::explain;

/// A format of source files.
#[derive(Clone, Copy)]
pub struct Format(&'static FormatSpec);

impl Format {
    /// All formats, in the order of `panji sources`.
    pub const ALL: [Format; 11] = [
        Format(&panji::FORMAT),
        Format(&mca_master::SINCE_2023),
        Format(&mca_master::OF_2021),
        Format(&mca_master::OF_2015),
        Format(&mca_master::NEW_COMPANIES),
        Format(&mca_master::NEW_LLPS),
        Format(&mca_master::LLP_MASTER),
        Format(&mca_company_json::FORMAT),
        Format(&gstn::FORMAT),
        Format(&xbrl::FORMAT),
        Format(&gleif::FORMAT),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// All names, separated by commas.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// Its columns, or the members of its documents, with the fields they map to. For Panji's own
    /// format: the record types with their fields.
    pub fn columns(self) -> Vec<(&'static str, String)> {
        (self.0.columns)()
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Opens the rows of a file in the `given` format, or in the detected one.
pub fn open<'a>(
    opened: Opened<'a>,
    given: Option<Format>,
    options: ReadOptions<'a>,
) -> Result<ParsedRows<'a>, SourceError> {
    let opened = match is_table(opened.head().trim_ascii_start()) {
        true => table_json::as_csv(opened)?,
        false => opened,
    };
    if opened.head().trim_ascii().is_empty() && opened.head_is_whole() {
        return Err(SourceError::Empty);
    }
    match given.map_or_else(|| detect(opened.head()), Content::Of) {
        Content::Of(Format(FormatSpec { file: Some(file), .. })) => (file.open)(opened, options),
        Content::Of(Format(spec)) => {
            json_documents::open(opened, options, document_parsers(), spec.document.as_ref())
        }
        Content::Json => json_documents::open(opened, options, document_parsers(), None),
        Content::Archive => Err(SourceError::NestedArchive),
        Content::SymbolList => Err(SourceError::SymbolList),
        Content::Unknown => {
            Err(SourceError::UnknownFormat(explain(opened.head(), &Format::names())))
        }
    }
}

fn document_parsers() -> Vec<&'static DocumentParser> {
    Format::ALL.iter().filter_map(|format| format.0.document.as_ref()).collect()
}

/// The content of a file, detected from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Of(Format),
    /// JSON documents; the format is detected for each of them.
    Json,
    /// An archive inside another one, or on standard input.
    Archive,
    SymbolList,
    Unknown,
}

fn detect(head: &[u8]) -> Content {
    let start = head.trim_ascii_start();
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"\x1F\x8B") {
        return Content::Archive;
    }
    let is_of =
        |format: &Format| format.0.file.as_ref().is_some_and(|reader| (reader.recognizes)(start));
    // In reverse order: Panji's own format accepts any file with one line that looks like a record,
    // so the stricter formats are checked first.
    if let Some(format) = Format::ALL.into_iter().rev().find(is_of) {
        return Content::Of(format);
    }
    if is_symbol_list(start) {
        return Content::SymbolList;
    }
    match start.first() {
        Some(b'{' | b'[') => Content::Json,
        _ => Content::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected_from_the_content() {
        let newer = "CIN,CompanyName,CompanyROCcode,CompanyRegistrationdate_date,Listingstatus,CompanyStatus\n";
        let older = "junk\n\nCORPORATE_IDENTIFICATION_NUMBER,COMPANY_NAME,COMPANY_STATUS,\
            DATE_OF_REGISTRATION,REGISTRAR_OF_COMPANIES,EMAIL_ADDR\r\n";
        let own = "this is a mistake\n{\"record\":\"company\"}\n";
        let check = |head: &str, expected: Content| {
            assert_eq!(detect(head.as_bytes()), expected, "{head}");
        };
        check(newer, Content::Of(Format(&mca_master::SINCE_2023)));
        check(older, Content::Of(Format(&mca_master::OF_2021)));
        check(own, Content::Of(Format(&panji::FORMAT)));
        check("{\n \"a\": 1\n}", Content::Json);
        check("name,value\n1,2\n", Content::Unknown);
        check("PK\u{3}\u{4}", Content::Archive);
        let filing = "<?xml version=\"1.0\"?>\n<!-- a -->\n<xbrli:xbrl xmlns:xbrli=\"x\">";
        check(filing, Content::Of(Format(&xbrl::FORMAT)));
        check("<html><body/></html>", Content::Unknown);
        check("symbol,cin\n", Content::SymbolList);
        let holders = "\"LEI\",\"Entity.LegalName\",\"Entity.RegistrationAuthority.RegistrationAuthorityID\"\n";
        let gleif = Content::Of(Format(&gleif::FORMAT));
        check(holders, gleif);
        check("Relationship.StartNode.NodeID,Relationship.RelationshipType\r\n", gleif);
        check("LEI,Exception.Category,Exception.Reason.1\n", gleif);
        check("{\"data\": [{\"type\" : \"lei-records\"}]}", gleif);
        check("{\"note\": \"lei-records\"}", Content::Json);
        let list = "LLPIN\tLLP Name\tFounded\n";
        check(list, Content::Of(Format(&mca_master::NEW_LLPS)));
    }

    #[test]
    fn every_format_is_found_by_its_name() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
            let columns = format.columns();
            assert!(!columns.is_empty());
            assert!(columns.iter().all(|(_, becomes)| !becomes.is_empty()), "{columns:?}");
        }
        assert_eq!(Format::from_name("xlsx"), None);
    }
}
