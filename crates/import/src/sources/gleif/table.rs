//! The golden copy as CSV: one list of holders, one of relationships, one of reporting exceptions.

use std::io::BufRead;

use jiff::civil::Date;
use panji_ids::Lei;

use super::SOURCE;
use super::statements::{Holder, Relationship, ReportingException};
use crate::input::csv::{Cells, Row, Rows, Separator, split_cells};
use crate::input::opened::Opened;
use crate::sources::source::{ParsedRow, ParsedRows, RowOutcome, SourceError};
use crate::values::json_fields::clean;
use crate::values::reason::Reason;

/// The three lists, each with the columns that it is known by.
const LISTS: [(List, &[&str]); 3] = [
    (List::Holders, &["LEI", "Entity.LegalName", REGISTERED_AT]),
    (List::Relationships, &["Relationship.StartNode.NodeID", "Relationship.RelationshipType"]),
    (List::Exceptions, &["LEI", "Exception.Category"]),
];

const REGISTERED_AT: &str = "Entity.RegistrationAuthority.RegistrationAuthorityID";
const REGISTERED_AS: &str = "Entity.RegistrationAuthority.RegistrationAuthorityEntityID";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Holders,
    Relationships,
    Exceptions,
}

/// The headings of a list. It has hundreds of columns, so that their places are looked up once.
struct Header {
    list: List,
    count: usize,
    places: Vec<(String, usize)>,
}

impl Header {
    fn of(cells: &Cells) -> Option<Header> {
        let names = cells.iter().map(|cell| cell.trim().trim_start_matches('\u{FEFF}'));
        let places: Vec<(String, usize)> = names.map(str::to_owned).zip(0..).collect();
        let has = |column: &&str| places.iter().any(|(name, _)| name == column);
        let (list, _) = LISTS.iter().find(|(_, columns)| columns.iter().all(has))?;
        let read = |(name, _): &(String, usize)| list.columns().contains(&name.as_str());
        let count = places.len();
        Some(Header { list: *list, count, places: places.into_iter().filter(read).collect() })
    }

    /// The text under a heading; none if it is blank or there is no such column.
    fn text(&self, cells: &Cells, column: &str) -> Option<String> {
        let (_, place) = self.places.iter().find(|(name, _)| name == column)?;
        clean(cells.get(*place)?)
    }
}

impl List {
    fn columns(self) -> &'static [&'static str] {
        match self {
            List::Holders => &[
                "LEI",
                "Entity.LegalName",
                "Entity.LegalAddress.Country",
                REGISTERED_AT,
                REGISTERED_AS,
                "Entity.EntityStatus",
                "Registration.InitialRegistrationDate",
                "Registration.LastUpdateDate",
                "Registration.RegistrationStatus",
                "Registration.NextRenewalDate",
            ],
            List::Relationships => &[
                "Relationship.StartNode.NodeID",
                "Relationship.EndNode.NodeID",
                "Relationship.RelationshipType",
                "Relationship.RelationshipStatus",
                "Registration.LastUpdateDate",
                "Registration.RegistrationStatus",
            ],
            List::Exceptions => &["LEI", "Exception.Category", "Exception.Reason.1"],
        }
    }
}

pub(super) fn recognizes(head: &[u8]) -> bool {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut cells = Cells::default();
    str::from_utf8(first).is_ok_and(|line| {
        split_cells(line.trim_end(), Separator::Comma, &mut cells);
        Header::of(&cells).is_some()
    })
}

pub(super) fn open(
    opened: Opened<'_>,
    published: Option<Date>,
) -> Result<ParsedRows<'_>, SourceError> {
    let mut rows = Rows::new(opened.into_reader()?, Separator::Comma);
    let mut cells = Cells::default();
    let first = rows.next(&mut cells, |_| true)?;
    let header = first.and_then(|_| Header::of(&cells));
    let header = header.ok_or_else(|| {
        let what = "the first row has the headings of no list of GLEIF's golden copy";
        SourceError::UnknownFormat(what.to_owned())
    })?;
    Ok(Box::new(TableRows { rows, cells, header, published }))
}

struct TableRows<R> {
    rows: Rows<R>,
    cells: Cells,
    header: Header,
    published: Option<Date>,
}

impl<R: BufRead> Iterator for TableRows<R> {
    type Item = Result<ParsedRow, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.rows.next(&mut self.cells, begins_with_lei) {
                Err(error) => return Some(Err(error.into())),
                Ok(None) => return None,
                Ok(Some(row)) if row.fault.is_none() && row.text.trim().is_empty() => {}
                Ok(Some(row)) => return Some(Ok(self.parse(row))),
            }
        }
    }
}

impl<R> TableRows<R> {
    fn parse(&self, row: Row) -> ParsedRow {
        let bytes = row.text.len();
        let count = self.cells.len();
        let fault = match row.fault {
            Some(fault) => Some(Reason::fixed(fault)),
            None if count != self.header.count => {
                let kind = "the row has another number of cells than the header";
                let text = format!("the row has {count} cells, the header {}", self.header.count);
                Some(Reason::new(kind, text))
            }
            None => None,
        };
        let outcome = match fault {
            Some(reason) => RowOutcome::Reject { source: Some(SOURCE), reason, raw: String::new() },
            None => self.outcome(),
        };
        ParsedRow { line: row.line, bytes, outcome }
    }

    fn outcome(&self) -> RowOutcome {
        let text = |column| self.header.text(&self.cells, column);
        let required = |column| text(column).unwrap_or_default();
        match self.header.list {
            List::Holders => Holder {
                lei: required("LEI"),
                name: text("Entity.LegalName"),
                country: text("Entity.LegalAddress.Country"),
                registered_at: text(REGISTERED_AT),
                registered_as: text(REGISTERED_AS),
                entity_status: text("Entity.EntityStatus"),
                registration_status: text("Registration.RegistrationStatus"),
                registered: text("Registration.InitialRegistrationDate"),
                updated: text("Registration.LastUpdateDate"),
                next_renewal: text("Registration.NextRenewalDate"),
            }
            .into_outcome(),
            List::Relationships => Relationship {
                start: required("Relationship.StartNode.NodeID"),
                end: required("Relationship.EndNode.NodeID"),
                kind: required("Relationship.RelationshipType"),
                status: text("Relationship.RelationshipStatus"),
                registration_status: text("Registration.RegistrationStatus"),
                updated: text("Registration.LastUpdateDate"),
            }
            .into_outcome(),
            List::Exceptions => ReportingException {
                lei: required("LEI"),
                category: required("Exception.Category"),
                reason: text("Exception.Reason.1"),
                as_of: None,
            }
            .into_outcome(self.published),
        }
    }
}

/// Whether a line is a row by itself: each row of the lists begins with an LEI.
fn begins_with_lei(line: &str) -> bool {
    let first = line.trim_start_matches('"').get(..20);
    first.is_some_and(|first| Lei::parse(first).is_ok())
}
