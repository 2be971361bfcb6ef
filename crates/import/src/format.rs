//! The formats that import knows, and how a file's format is told from its content.

use serde_json::Value;

use crate::mca_master::{self, Release};
use crate::{gstn, mca_company_json, panji, xbrl};

/// Lines in which one of the own format is looked for.
const LINES_LOOKED_AT: usize = 20;

/// A format of source files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Panji's own: one JSON record a line.
    Panji,
    /// The company master of the ministry, a CSV.
    McaMaster(Release),
    /// The company pages of the ministry's portal, JSON.
    McaCompany,
    /// Answers of the GST network, JSON.
    Gstn,
    /// Results filings of listed companies, XBRL.
    Xbrl,
}

impl Format {
    /// All formats, in the order in which they are listed.
    pub const ALL: [Format; 6] = [
        Format::Panji,
        Format::McaMaster(Release::Since2023),
        Format::McaMaster(Release::Of2021),
        Format::McaCompany,
        Format::Gstn,
        Format::Xbrl,
    ];

    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Panji => "panji",
            Format::McaMaster(release) => release.source(),
            Format::McaCompany => "mca_company",
            Format::Gstn => "gstn",
            Format::Xbrl => xbrl::SOURCE,
        }
    }

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The names of all formats in one line.
    pub fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }

    /// What it is, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Format::Panji => "Panji's own format, JSON, one record a line",
            Format::McaMaster(Release::Since2023) => {
                "MCA company master, CSV of 16 columns, published since 2023"
            }
            Format::McaMaster(Release::Of2021) => {
                "MCA company master, CSV of 17 columns, as of 31 March 2021"
            }
            Format::McaCompany => "MCA portal, JSON: company, directors, charges, history",
            Format::Gstn => "GST network, JSON: taxpayer, GSTINs of a PAN, return filings",
            Format::Xbrl => "results filings of listed companies, XBRL; needs --symbols",
        }
    }

    /// Its columns, or the members of its documents, with what becomes of each; of the own format
    /// the kinds of record with their fields.
    pub fn columns(self) -> Vec<(&'static str, String)> {
        let described = |columns: &[(&'static str, &str)]| {
            columns.iter().map(|(column, becomes)| (*column, (*becomes).to_owned())).collect()
        };
        match self {
            Format::Panji => {
                panji::kinds().map(|(kind, fields)| (kind, fields.join(", "))).to_vec()
            }
            Format::McaMaster(release) => described(&release.columns()),
            Format::McaCompany => described(&MCA_COMPANY_MEMBERS),
            Format::Gstn => described(&GSTN_MEMBERS),
            Format::Xbrl => described(&XBRL_ELEMENTS),
        }
    }
}

const MCA_COMPANY_MEMBERS: [(&str, &str); 4] = [
    ("companyData", "company, with its former names and numbers"),
    ("directorData", "director, appointment"),
    ("indexChargesData", "charge"),
    ("cinHistory, nameHistory", "former_cins, former_names"),
];

const GSTN_MEMBERS: [(&str, &str); 4] = [
    ("gstin, lgnm, tradeNam, sts, dty, ctb, rgdt, cxdt, ctj, stj", "gst"),
    ("pradr, adadr, nba", "places and nature of business of gst"),
    ("gstinResList", "nothing where it gives no legal name: each GSTIN is reported as a reject"),
    ("EFiledlist", "gst_filing"),
];

const XBRL_ELEMENTS: [(&str, &str); 7] = [
    ("Symbol, ScripCode, ISIN", "the company, by the list given as --symbols"),
    ("DateOfStartOfReportingPeriod, DateOfEndOfReportingPeriod", "from_date, to_date"),
    ("NatureOfReportStandaloneConsolidated", "basis"),
    ("DateOfBoardMeetingWhenFinancialResultsWereApproved", "as_of"),
    ("RevenueFromOperations, Income, Expenses, FinanceCosts, ProfitBeforeTax, …", "financial_year"),
    ("InterestEarned, InterestExpended, ProfitLossForThePeriod, …", "financial_year of a bank"),
    ("Assets, Equity, OtherEquity, CurrentAssets, CashAndCashEquivalents, …", "its balances"),
];

/// What the beginning of a file shows it to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing is in it.
    Empty,
    /// A format that its first bytes give away.
    Of(Format),
    /// JSON documents; each of them must tell what it is.
    Json,
    /// An archive inside another one, or on standard input.
    Archive,
    /// The list of symbols that filings are read with.
    Symbols,
    /// Something else.
    Unknown,
}

/// Tells what a file is from its beginning.
pub fn detect(head: &[u8]) -> Content {
    let start = head.trim_ascii_start();
    if start.is_empty() {
        return Content::Empty;
    }
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"\x1F\x8B") {
        return Content::Archive;
    }
    if let Some(release) = mca_master::release_of(head) {
        return Content::Of(Format::McaMaster(release));
    }
    if xbrl::recognises(start) {
        return Content::Of(Format::Xbrl);
    }
    if xbrl::symbols::recognises(start) {
        return Content::Symbols;
    }
    let lines = start.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let is_record = |line: &[u8]| {
        serde_json::from_slice::<Value>(line).is_ok_and(|value| value.get("record").is_some())
    };
    if lines.take(LINES_LOOKED_AT).any(is_record) {
        return Content::Of(Format::Panji);
    }
    match start.first() {
        Some(b'{' | b'[') => Content::Json,
        _ => Content::Unknown,
    }
}

/// The format of a JSON document, where a reader knows it.
pub fn format_of_document(document: &Value) -> Option<Format> {
    if document.get("record").is_some() {
        Some(Format::Panji)
    } else if mca_company_json::recognises(document) {
        Some(Format::McaCompany)
    } else if gstn::recognises(document) {
        Some(Format::Gstn)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_from_the_content() {
        let newer = "CIN,CompanyName,CompanyROCcode,CompanyRegistrationdate_date,Listingstatus,CompanyStatus\n";
        let older = "junk\n\nCORPORATE_IDENTIFICATION_NUMBER,COMPANY_NAME,COMPANY_STATUS,\
            DATE_OF_REGISTRATION,REGISTRAR_OF_COMPANIES,EMAIL_ADDR\r\n";
        let own = "this is a slip\n{\"record\":\"company\"}\n";
        let check = |head: &str, expected: Content| {
            assert_eq!(detect(head.as_bytes()), expected, "{head}");
        };
        check(newer, Content::Of(Format::McaMaster(Release::Since2023)));
        check(older, Content::Of(Format::McaMaster(Release::Of2021)));
        check(own, Content::Of(Format::Panji));
        check("{\n \"a\": 1\n}", Content::Json);
        check("\n \n", Content::Empty);
        check("name,value\n1,2\n", Content::Unknown);
        check("PK\u{3}\u{4}", Content::Archive);
        let filing = "<?xml version=\"1.0\"?>\n<!-- a -->\n<xbrli:xbrl xmlns:xbrli=\"x\">";
        check(filing, Content::Of(Format::Xbrl));
        check("<html><body/></html>", Content::Unknown);
        check("symbol,cin\n", Content::Symbols);
    }

    #[test]
    fn names_lead_back_to_their_formats() {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
            let columns = format.columns();
            assert!(!columns.is_empty());
            assert!(columns.iter().all(|(_, becomes)| !becomes.is_empty()), "{columns:?}");
        }
        assert_eq!(Format::from_name("xlsx"), None);
    }
}
