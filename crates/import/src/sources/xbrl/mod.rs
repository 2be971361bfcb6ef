//! Results filings in XBRL, as listed companies submit them to the exchanges.

mod amounts;
mod details;
mod figures;
mod filing;
mod instance;
mod periods;

use std::io::BufRead;

use panji_store::register::Record;

pub use super::symbols::{Symbols, SymbolsError};
pub use figures::Figures;
pub use filing::{Filing, Outcome, SOURCE};
pub use instance::FilingError;
pub use periods::Period;

use super::source::{FileReader, FormatSpec, ParsedRow, RowOutcome, SourceError, described};

pub(crate) static FORMAT: FormatSpec = FormatSpec {
    name: SOURCE,
    title: "results filings of listed companies, XBRL; needs --symbols",
    columns: || described(&ELEMENTS),
    file: Some(FileReader {
        recognises: instance::recognises,
        open: |opened, options| {
            let source = opened.into_reader()?;
            Ok(Box::new(std::iter::once_with(move || read_row(source, options.symbols))))
        },
    }),
    document: None,
};

const ELEMENTS: [(&str, &str); 7] = [
    ("Symbol, ScripCode, ISIN", "the company, by the list given as --symbols"),
    ("DateOfStartOfReportingPeriod, DateOfEndOfReportingPeriod", "from_date, to_date"),
    ("NatureOfReportStandaloneConsolidated", "basis"),
    ("DateOfBoardMeetingWhenFinancialResultsWereApproved", "as_of"),
    ("RevenueFromOperations, Income, Expenses, FinanceCosts, ProfitBeforeTax, …", "financial_year"),
    ("InterestEarned, InterestExpended, ProfitLossForThePeriod, …", "financial_year of a bank"),
    ("Assets, Equity, OtherEquity, CurrentAssets, CashAndCashEquivalents, …", "its balances"),
];

/// Why a filing of a quarter gives no record.
const NO_FULL_YEAR: &str = "results of a quarter, or of another period than a full year";

/// A file is one filing, and a filing is one row.
fn read_row(source: impl BufRead, symbols: &Symbols) -> Result<ParsedRow, SourceError> {
    let filing = match Filing::read(source) {
        Ok(filing) => filing,
        Err(FilingError::Io(error)) => return Err(SourceError::Io(error)),
        Err(FilingError::Invalid(reason)) => {
            return Ok(ParsedRow::new(1, "", Some(SOURCE), Err(reason)));
        }
    };
    let parsed = match filing.outcome(symbols) {
        Ok(Outcome::NoFullYear) => {
            let outcome = RowOutcome::LeftOut(NO_FULL_YEAR);
            return Ok(ParsedRow { line: 1, bytes: 0, outcome });
        }
        Ok(Outcome::Year(year)) => Ok(Record::FinancialYear(year)),
        Err(reason) => Err(reason),
    };
    Ok(ParsedRow::new(1, &filing.summary(), Some(SOURCE), parsed))
}
