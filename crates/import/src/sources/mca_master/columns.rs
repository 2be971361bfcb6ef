//! Finds the columns of the ministry's lists, in any order and spelling.

use std::cmp::Reverse;

use super::names::{COLUMNS, Column, Field, Release};
use crate::input::csv::Cells;
use crate::values::text::is_blank;

/// Units at the end of a heading, in rupees.
const UNITS: [(&str, i64); 12] = [
    ("inthousandrs", 1_000),
    ("inthousands", 1_000),
    ("inthousand", 1_000),
    ("inlakhs", 100_000),
    ("inlakh", 100_000),
    ("inlacs", 100_000),
    ("incrores", 10_000_000),
    ("incrore", 10_000_000),
    ("inrupees", 1),
    ("inrs", 1),
    ("inr", 1),
    ("rs", 1),
];

/// The cell index of each field.
#[derive(Clone, Debug)]
pub struct Columns {
    indices: [Option<usize>; COLUMNS.len()],
    /// The unit of amounts in rupees, by field.
    rupees: [i64; COLUMNS.len()],
    /// The number of cells up to the last heading.
    count: usize,
    release: Release,
    /// Headings of unused columns.
    unused: Vec<String>,
    /// The first two headings of the same field.
    duplicate: Option<[String; 2]>,
}

/// The known headings of a row, which may not be a header.
struct Found {
    indices: [Option<usize>; COLUMNS.len()],
    duplicate: Option<[String; 2]>,
    /// Each heading with its field, in order, without blank headings.
    headings: Vec<(String, Option<Field>)>,
}

impl Columns {
    /// None if it is not the header of a known list.
    pub fn from_header(cells: &Cells) -> Option<Columns> {
        let Found { indices, duplicate, headings } = find(cells);
        let release = release_of(cells, &indices)?;
        let mut rupees = [1; COLUMNS.len()];
        for field in [Field::AuthorisedCapital, Field::PaidUpCapital] {
            let heading = indices[field as usize].and_then(|index| cells.get(index));
            rupees[field as usize] = heading.map_or(1, rupees_in_unit);
        }
        let is_unused = |field: &Option<Field>| field.is_none_or(|field| !column(field).is_used());
        let unused =
            headings.into_iter().filter(|(_, field)| is_unused(field)).map(|(name, _)| name);
        let count = cells.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
        Some(Columns { indices, rupees, count, release, unused: unused.collect(), duplicate })
    }

    pub fn release(&self) -> Release {
        self.release
    }

    /// The headings of unused columns.
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// Two headings of the same field: it is unknown which one is right.
    pub fn duplicate(&self) -> Option<&[String; 2]> {
        self.duplicate.as_ref()
    }

    /// The cell of a field in a row; empty if the file has no such column.
    pub fn cell<'a>(&self, cells: &'a Cells, field: Field) -> &'a str {
        self.indices[field as usize].and_then(|index| cells.get(index)).unwrap_or_default()
    }

    /// The unit of an amount, in rupees.
    pub fn rupees(&self, field: Field) -> i64 {
        self.rupees[field as usize]
    }

    /// Checks that a row has as many cells as the header; blank cells may follow. The error has
    /// both counts.
    pub fn check_count(&self, cells: &Cells) -> Result<(), (usize, usize)> {
        let mut surplus = cells.iter().skip(self.count);
        if cells.len() < self.count || surplus.any(|cell| !is_blank(cell)) {
            return Err((cells.len(), self.count));
        }
        Ok(())
    }
}

/// An unknown header compared with the most similar list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    pub release: Release,
    /// The number of known headings.
    pub known: usize,
    pub missing: Vec<&'static str>,
    pub unknown: Vec<String>,
}

/// Compares a row with the headers of all lists. None if it has no known heading.
pub fn nearest(cells: &Cells) -> Option<Nearest> {
    let Found { indices, headings, .. } = find(cells);
    let known = headings.iter().filter(|(_, field)| field.is_some()).count();
    let score = |release: &Release| {
        let has = |column: &&Column| indices[column.field as usize].is_some();
        let of_release = |column: &&Column| column.name_in(*release).is_some();
        COLUMNS.iter().filter(of_release).filter(has).count()
    };
    let is_missing = |field: &Field| indices[*field as usize].is_none();
    let lacks =
        |release: &Release| release.required().iter().filter(|field| is_missing(field)).count();
    // Among equally similar lists, the one with the fewest missing fields; then the first.
    let nearness = |release: &Release| (score(release), Reverse(lacks(release)));
    let release = Release::ALL.into_iter().rev().max_by_key(nearness).filter(|_| known > 0)?;
    let missing = release.required().iter().copied().filter(is_missing);
    let missing = missing.filter_map(|field| column(field).name_in(release)).collect();
    let unknown = headings.into_iter().filter(|(_, field)| field.is_none());
    Some(Nearest { release, known, missing, unknown: unknown.map(|(name, _)| name).collect() })
}

fn find(cells: &Cells) -> Found {
    let mut indices = [None; COLUMNS.len()];
    let mut duplicate = None;
    let mut fields: Vec<Option<Field>> = vec![None; cells.len()];
    for (index, cell) in cells.iter().enumerate() {
        let Some(field) = field_of_heading(cell, Column::is_called) else { continue };
        fields[index] = Some(field);
        match indices[field as usize] {
            None => indices[field as usize] = Some(index),
            Some(first) => {
                let names = [cells.get(first).unwrap_or_default(), cell];
                duplicate.get_or_insert(names.map(|name| name.trim().to_owned()));
            }
        }
    }
    // An ambiguous heading counts only if no other column has the field.
    for (index, cell) in cells.iter().enumerate() {
        let Some(field) = field_of_heading(cell, Column::may_be_called) else { continue };
        if fields[index].is_none() && indices[field as usize].is_none() {
            (indices[field as usize], fields[index]) = (Some(index), Some(field));
        }
    }
    let named = cells.iter().zip(fields).filter(|(cell, _)| !is_blank(cell));
    let headings = named.map(|(cell, field)| (cell.trim().to_owned(), field)).collect();
    Found { indices, duplicate, headings }
}

fn column(field: Field) -> &'static Column {
    &COLUMNS[field as usize]
}

fn field_of_heading(heading: &str, is_called: fn(&Column, &str) -> bool) -> Option<Field> {
    let simple = simplify(heading);
    let found = COLUMNS.iter().find(|column| is_called(column, &simple));
    found.map(|column| column.field).filter(|_| !simple.is_empty())
}

/// Letters and digits only, in lower case, without a remark in brackets or a unit at the end.
pub fn simplify(heading: &str) -> String {
    let plain = match (heading.find('('), heading.rfind(')')) {
        (Some(open), Some(close)) if 0 < open && open < close => {
            format!("{}{}", &heading[..open], &heading[close + 1..])
        }
        _ => heading.to_owned(),
    };
    let mut simple = letters(&plain);
    if simple.contains("capital") || simple.contains("contribution") {
        let unit = UNITS.iter().find_map(|(unit, _)| simple.strip_suffix(unit));
        if let Some(length) = unit.map(str::len) {
            simple.truncate(length);
        }
    }
    simple
}

fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

fn rupees_in_unit(heading: &str) -> i64 {
    let simple = letters(heading);
    UNITS.iter().find(|(unit, _)| simple.ends_with(unit)).map_or(1, |(_, rupees)| *rupees)
}

/// The list to which a header belongs.
fn release_of(cells: &Cells, indices: &[Option<usize>; COLUMNS.len()]) -> Option<Release> {
    let has = |field: &Field| indices[*field as usize].is_some();
    let heading = |field: Field| {
        indices[field as usize].and_then(|index| cells.get(index)).map(simplify).unwrap_or_default()
    };
    let any = |fields: &[Field]| fields.iter().any(has);
    let number = heading(Field::Cin);
    let release = match number.as_str() {
        "llpin" | "fllpin" if any(&[Field::AnnualReturn, Field::BalanceSheet]) => {
            Release::LlpMaster
        }
        "llpin" | "fllpin" => Release::NewLlps,
        "corporateidentificationnumber" if any(&[Field::NicCode, Field::Email]) => Release::Of2021,
        _ if any(&[Field::AnnualReturn, Field::BalanceSheet]) => Release::Of2021,
        "corporateidentificationnumber" => Release::Of2015,
        _ if any(&[Field::Listing, Field::Origin]) => Release::Since2023,
        _ if heading(Field::RegisteredOn).starts_with("companyregistrationdate") => {
            if has(&Field::Email) { Release::Of2021 } else { Release::Since2023 }
        }
        _ => Release::NewCompanies,
    };
    release.required().iter().all(has).then_some(release)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(header: &str) -> Cells {
        header.split('|').collect()
    }

    fn check_release(header: &str, expected: Option<Release>) {
        let columns = Columns::from_header(&cells(header));
        assert_eq!(columns.map(|columns| columns.release()), expected, "{header}");
    }

    #[test]
    fn headers_are_recognized_in_any_case_and_order() {
        let header = "company roc code|COMPANYNAME|cin|companystatus|listing_status|\
                      CompanyRegistrationDate_Date||";
        let columns = Columns::from_header(&cells(header)).expect("a header");
        assert_eq!(columns.release(), Release::Since2023);
        let row = "ROC Goa|Namuna Limited|U1|Active|Unlisted|2020-01-01";
        let whole = cells(row);
        assert_eq!(columns.cell(&whole, Field::Cin), "U1");
        assert_eq!(columns.cell(&whole, Field::Email), "");
        assert_eq!(columns.check_count(&whole), Ok(()));
        assert_eq!(columns.check_count(&cells(&format!("{row}| "))), Ok(()));
        assert_eq!(columns.check_count(&cells(&format!("{row}| |more"))), Err((8, 6)));
        assert_eq!(columns.check_count(&cells("1|2|3|4|5")), Err((5, 6)));
        check_release("cin|name", None);
    }

    #[test]
    fn lists_are_recognized_by_their_headings() {
        let master_2015 = "CORPORATE_IDENTIFICATION_NUMBER|DATE_OF_REGISTRATION|COMPANY_NAME|\
            COMPANY_STATUS|COMPANY_CLASS|COMPANY_CATEGORY|AUTHORIZED_CAPITAL|PAIDUP_CAPITAL|\
            REGISTERED_STATE|REGISTRAR_OF_COMPANIES|PRINCIPAL_BUSINESS_ACTIVITY|\
            REGISTERED_OFFICE_ADDRESS|SUB_CATEGORY";
        check_release(master_2015, Some(Release::Of2015));
        let columns = Columns::from_header(&cells(master_2015)).expect("a header");
        assert_eq!((columns.count, columns.unused().len()), (13, 0), "{columns:?}");
        check_release(
            "CIN|COMPANY NAME|DATE OF REGISTRATION|ROC|STATE",
            Some(Release::NewCompanies),
        );
        check_release("FCRN|COMPANY NAME|DATE OF REGISTRATION", Some(Release::NewCompanies));
        check_release("LLPIN|LLP Name|Founded|ROC Location", Some(Release::NewLlps));
        let master = "LLPIN|LLP Name|Date of Incorporation|LLP Status|Date of last financial year \
            end date for which Annual Return filed";
        check_release(master, Some(Release::LlpMaster));
        check_release("LLPIN|Month", None);
    }

    #[test]
    fn units_of_amounts_are_read_and_unused_columns_are_reported() {
        let header = "CIN|COMPANY NAME|DATE OF REGISTRATION|Authorized Capital (in Thousand Rs.)|\
            Paid-up capital in lakhs|INC-29|Month Name";
        let columns = Columns::from_header(&cells(header)).expect("a header");
        assert_eq!(columns.rupees(Field::AuthorisedCapital), 1_000);
        assert_eq!(columns.rupees(Field::PaidUpCapital), 100_000);
        assert_eq!(columns.unused(), ["INC-29", "Month Name"]);
        assert_eq!(columns.duplicate(), None);
    }

    #[test]
    fn two_columns_of_one_field_are_reported_and_an_ambiguous_heading_yields() {
        let duplicate = "CIN|COMPANY NAME|DATE OF REGISTRATION|Date of Incorporation";
        let columns = Columns::from_header(&cells(duplicate)).expect("a header");
        let expected = ["DATE OF REGISTRATION", "Date of Incorporation"].map(str::to_owned);
        assert_eq!(columns.duplicate(), Some(&expected));
        let ambiguous = "CIN|COMPANY NAME|DATE OF REGISTRATION|Company Type|Sub Category";
        let columns = Columns::from_header(&cells(ambiguous)).expect("a header");
        assert_eq!(columns.duplicate(), None);
        assert_eq!(columns.unused(), ["Company Type"]);
    }

    #[test]
    fn an_unknown_header_is_compared_with_the_most_similar_list() {
        let near = nearest(&cells("CIN|CompanyName|CompanyStatus|Turnover")).expect("it is near");
        assert_eq!(near.release, Release::NewCompanies);
        assert_eq!(near.missing, ["Date of Registration"]);
        assert_eq!(near.unknown, ["Turnover"]);
        assert_eq!(nearest(&cells("some words|more")), None);
    }
}
