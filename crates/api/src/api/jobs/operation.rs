//! What an operation must provide so that a job can run it.

use serde_json::Value;

use crate::config::Config;
use crate::config::operation::Operation;

/// The characters of a cell that are sent; no identifier is as long.
const MAX_VALUE: usize = 64;

/// A row of a list, as an operation sees it.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    pub cells: &'a [String],
    /// The column with the identifier.
    pub column: usize,
}

impl Item<'_> {
    /// The identifier, truncated to `MAX_VALUE`.
    pub fn value(&self) -> String {
        self.cell(self.column).chars().take(MAX_VALUE).collect()
    }

    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map(String::as_str).unwrap_or_default()
    }
}

/// An operation that processes the rows of a list, some at a time, through its API endpoint.
pub trait JobOperation: Sync {
    /// The bulk operation that is called and charged.
    fn operation(&self) -> Operation;

    /// Rows of one call: enough to make it efficient, few enough to keep it short.
    fn chunk_rows(&self, config: &Config) -> usize;

    /// How much a cell looks like an identifier for this operation; 0 if it does not.
    fn identifier_score(&self, cell: &str) -> usize;

    /// What the column contains, for messages.
    fn content(&self) -> &'static str {
        "identifiers"
    }

    /// Whether a cell of the first row is a heading: it has letters, no digits, and is not an
    /// identifier.
    fn is_heading(&self, cell: &str) -> bool {
        let has_only_letters = cell.chars().any(char::is_alphabetic)
            && !cell.chars().any(|character| character.is_ascii_digit());
        has_only_letters && self.identifier_score(cell) == 0
    }

    /// Whether the first row is a heading, by its cells and the column with the identifier.
    fn is_heading_row(&self, cells: &[String], column: usize) -> bool {
        self.is_heading(&cells[column])
    }

    /// Whether a heading is a usual one of the column with the identifier.
    fn is_own_heading(&self, _cell: &str) -> bool {
        false
    }

    /// The name of the column with the identifier in lists that are JSON.
    fn value_name(&self) -> &'static str;

    /// The body of the call for some rows.
    fn body(&self, items: &[Item<'_>]) -> Value;

    /// The most that the rows can cost; the same as a dry run of the API returns.
    fn highest_price(&self, items: &[Item<'_>], config: &Config, this_year: u16) -> i64;

    /// Equal for rows with the same result, which is requested once; none for a row that costs
    /// nothing.
    fn identity(&self, item: &Item<'_>, this_year: u16) -> Option<String>;

    /// The result of a row that repeats an earlier one.
    fn repeated(&self, first: &Value, item: &Item<'_>) -> Value;

    /// The result columns of a file.
    fn headings(&self) -> Vec<&'static str>;

    /// For each result column, whether it contains numbers.
    fn numeric(&self) -> Vec<bool>;

    /// The result cells of a row.
    fn cells(&self, result: &Value) -> Vec<String>;

    /// The words that `count_as` can return.
    fn count_words(&self) -> &'static [&'static str];

    /// The word under which a result is counted.
    fn count_as(&self, result: &Value) -> &'static str;

    /// The selected columns, as the console displays them.
    fn column_titles(&self) -> Vec<&'static str> {
        Vec::new()
    }
}
