//! A list of rows, and the columns that contain the identifiers and their types.

use super::operation::JobOperation;
use super::verify::kind_named;
use super::work::Work;

pub const MAX_COLUMNS: usize = 100;
/// Characters of one cell. Spreadsheets allow about as many.
pub const MAX_CELL: usize = 32_000;
/// Rows that are inspected to find the column.
const INSPECTED_ROWS: usize = 1_000;
/// How many characters of a text an error repeats.
const MAX_ECHOED: usize = 60;

/// The rows of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns, if the format has them; otherwise the first row may be a heading.
    pub names: Option<Vec<String>>,
    pub rows: Vec<Vec<String>>,
    /// The place of each row in the file, from 1.
    pub places: Vec<u64>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct List {
    /// The names of the columns; empty if the list has no heading.
    pub header: Vec<String>,
    /// The column with the identifiers.
    pub column: usize,
    /// The rows, all padded to the same length.
    pub rows: Vec<Vec<String>>,
}

/// The columns that the user has named by their headings or their numbers; empty to detect them.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// With the identifiers.
    pub column: String,
    /// With the types of identifiers.
    pub type_column: String,
    /// With other fields of matching, by the field.
    pub fields: Vec<(String, String)>,
}

/// Why a list cannot be read, as a sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("The list: {0}.")]
    Csv(#[from] csv::Error),
    #[error("The spreadsheet cannot be read: {0}.")]
    Sheet(#[from] panji_import::SheetError),
    #[error("The spreadsheet could not be stored to read it: {0}.")]
    Storage(#[source] std::io::Error),
    #[error("The list is not text: send UTF-8, and save a spreadsheet as CSV or XLSX first.")]
    NotText,
    #[error("Line {line} is not UTF-8: save the file as UTF-8.")]
    NotUtf8 { line: u64 },
    #[error("Row {row} is not valid JSON: {reason}.")]
    NotJson { row: u64, reason: String },
    #[error("Row {row}: {name} must be a string, a number, true, false or null.")]
    Nested { row: u64, name: String },
    #[error("Row {row} has {name} twice.")]
    NamedTwice { row: u64, name: String },
    #[error("The list is empty.")]
    Empty,
    #[error("The list has a heading and no rows.")]
    NoRows,
    #[error("A list has at most {max_rows} rows: split it.")]
    TooManyRows { max_rows: usize },
    #[error("Row {row} has more than {MAX_COLUMNS} columns.")]
    TooManyColumns { row: u64 },
    #[error("Row {row} has a cell of more than {MAX_CELL} characters.")]
    LongCell { row: u64 },
    #[error("No column is called “{wanted}”. The first row has: {heads}.")]
    NoColumn { wanted: String, heads: String },
    #[error("Columns {first} and {second} are both called “{wanted}”: give the number of one.")]
    SameName { wanted: String, first: usize, second: usize },
    #[error(
        "Columns {first} and {second} both contain {content}: name the one to use by its heading \
         or its number."
    )]
    Ambiguous { first: String, second: String, content: &'static str },
    #[error("No column contains {content}: name the one to use by its heading or its number.")]
    NotDetected { content: &'static str },
    #[error("Row {row}: the type “{given}” is not cin, din, gstin or pan.")]
    UnknownType { row: u64, given: String },
}

impl ListError {
    /// Whether another choice of columns can help.
    pub fn is_about_columns(&self) -> bool {
        use ListError as E;
        matches!(
            self,
            E::NoColumn { .. } | E::SameName { .. } | E::Ambiguous { .. } | E::NotDetected { .. }
        )
    }
}

impl Table {
    /// Adds a row within the limits. Blank rows are left out.
    pub fn add(&mut self, place: u64, row: Vec<String>, max_rows: usize) -> Result<(), ListError> {
        if row.len() > MAX_COLUMNS {
            return Err(ListError::TooManyColumns { row: place });
        }
        if row.iter().any(|cell| cell.len() > MAX_CELL && cell.chars().count() > MAX_CELL) {
            return Err(ListError::LongCell { row: place });
        }
        if self.names.is_none() && row.iter().all(|cell| cell.trim().is_empty()) {
            return Ok(());
        }
        // One row more than the limit is accepted, for the heading.
        if self.rows.len() > max_rows {
            return Err(ListError::TooManyRows { max_rows });
        }
        self.rows.push(row);
        self.places.push(place);
        Ok(())
    }

    /// Finds the columns and the heading. A column of types is added to the work.
    pub fn into_list(
        mut self,
        mapping: &Mapping,
        work: &mut Work,
        max_rows: usize,
    ) -> Result<List, ListError> {
        if self.rows.is_empty() {
            return Err(ListError::Empty);
        }
        let named = self.names.as_ref().map_or(0, Vec::len);
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(named);
        for row in &mut self.rows {
            row.resize(width, String::new());
        }
        let heads = self.names.clone().unwrap_or_else(|| self.rows[0].clone());
        let column = self.find_column(&heads, mapping.column.trim(), work.operation())?;
        // In JSON the types have a name of their own.
        let types = match mapping.type_column.trim() {
            "" if self.names.is_some() => heads.iter().position(|head| head == "type"),
            "" => None,
            requested => Some(find_named(&heads, requested)?),
        };
        let has_name =
            |text: &str| !text.trim().is_empty() && text.trim().parse::<usize>().is_err();
        let by_name = has_name(&mapping.column)
            || has_name(&mapping.type_column)
            || mapping.fields.iter().any(|(_, column)| has_name(column));
        let header = match self.names.take() {
            Some(names) => names,
            None if by_name || work.operation().is_heading_row(&self.rows[0], column) => {
                self.places.remove(0);
                self.rows.remove(0)
            }
            None => Vec::new(),
        };
        if self.rows.is_empty() {
            return Err(ListError::NoRows);
        }
        if self.rows.len() > max_rows {
            return Err(ListError::TooManyRows { max_rows });
        }
        if let Work::Verify(verify) = work {
            self.check_types(types)?;
            verify.type_column = types;
        }
        if let Work::Match(matching) = work {
            matching.set_fields(&header, column);
            for (field, named) in &mapping.fields {
                matching.set_field(field, find_named(&heads, named.trim())?);
            }
        }
        Ok(List { header, column, rows: self.rows })
    }

    fn find_column(
        &self,
        heads: &[String],
        requested: &str,
        operation: &dyn JobOperation,
    ) -> Result<usize, ListError> {
        if !requested.is_empty() {
            return find_named(heads, requested);
        }
        let own_name = operation.value_name();
        if self.names.is_some() && heads.iter().any(|head| head == own_name) {
            return find_named(heads, own_name);
        }
        let mut own = (0..heads.len()).filter(|column| operation.is_own_heading(&heads[*column]));
        if let (Some(column), None) = (own.next(), own.next()) {
            return Ok(column);
        }
        let score = |column: usize| -> usize {
            let rows = self.rows.iter().take(INSPECTED_ROWS);
            rows.map(|row| operation.identifier_score(&row[column])).sum()
        };
        let mut scores: Vec<(usize, usize)> =
            (0..heads.len()).map(|column| (score(column), column)).collect();
        scores.sort_by_key(|(score, column)| (std::cmp::Reverse(*score), *column));
        match scores[..] {
            [] | [_] => Ok(0),
            [(0, _), ..] => Err(ListError::NotDetected { content: operation.content() }),
            // The caller would pay for a wrong guess.
            [(best, first), (next, second), ..] if next * 2 >= best => {
                let name = |column: usize| match heads[column].trim() {
                    head if self.names.is_some() || operation.is_heading(head) => {
                        format!("{} (“{}”)", column + 1, echo(head))
                    }
                    _ => (column + 1).to_string(),
                };
                let (first, second) = (name(first.min(second)), name(first.max(second)));
                Err(ListError::Ambiguous { first, second, content: operation.content() })
            }
            [(_, first), ..] => Ok(first),
        }
    }

    /// Checks that the words in the column of types are known.
    fn check_types(&self, column: Option<usize>) -> Result<(), ListError> {
        let Some(column) = column else { return Ok(()) };
        for (row, place) in self.rows.iter().zip(&self.places) {
            let given = row[column].trim();
            if !given.is_empty() && kind_named(given).is_none() {
                return Err(ListError::UnknownType { row: *place, given: echo(given) });
            }
        }
        Ok(())
    }
}

/// The column with this heading or number.
fn find_named(heads: &[String], requested: &str) -> Result<usize, ListError> {
    let number = requested.parse::<usize>().ok();
    if let Some(number) = number.filter(|number| (1..=heads.len()).contains(number)) {
        return Ok(number - 1);
    }
    let is_requested = |(_, name): &(usize, &String)| name.trim().eq_ignore_ascii_case(requested);
    let mut named = heads.iter().enumerate().filter(is_requested).map(|(column, _)| column);
    match (named.next(), named.next()) {
        (Some(column), None) => Ok(column),
        (Some(first), Some(second)) => Err(ListError::SameName {
            wanted: echo(requested),
            first: first + 1,
            second: second + 1,
        }),
        (None, _) => {
            Err(ListError::NoColumn { wanted: echo(requested), heads: echo(&heads.join(", ")) })
        }
    }
}

/// The part of a list that an error repeats: printable and short.
pub fn echo(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_ECHOED).collect()
}
