//! Results filings in XBRL, as listed companies submit them to the exchanges.

mod amounts;
mod checks;
mod details;
mod figures;
mod filing;
mod filing_time;
mod instance;
mod periods;

use std::io::BufRead;

pub use super::filing_list::{FilingList, FilingListError};
pub use super::symbols::{Symbols, SymbolsError};
pub use checks::Flag;
pub use figures::Figures;
pub use filing::{Filing, PeriodError, Reported, SOURCE};
pub use filing_time::FilingTime;
pub use instance::FilingError;
pub use periods::{Period, PeriodType};

use super::source::{
    ExchangeFiling, FileReader, FormatSpec, ParsedRow, ReadOptions, RowOutcome, SourceError,
    described,
};

pub(crate) static FORMAT: FormatSpec = FormatSpec {
    name: SOURCE,
    title: "results filings of listed companies, XBRL; may need --symbols",
    columns: || described(&ELEMENTS),
    file: Some(FileReader {
        recognizes: instance::recognizes,
        open: |opened, options| {
            let source = opened.into_reader()?;
            Ok(Box::new(read_rows(source, &options)?.into_iter().map(Ok)))
        },
    }),
    document: None,
};

const ELEMENTS: [(&str, &str); 8] = [
    ("CorporateIdentityNumber", "the company"),
    ("ISIN, ScripCode, Symbol", "the company, by --symbols or by earlier filings"),
    ("DateOfStartOfReportingPeriod, DateOfEndOfReportingPeriod", "from_date, to_date"),
    ("NatureOfReportStandaloneConsolidated", "basis"),
    ("DateOfBoardMeetingWhenFinancialResultsWereApproved", "as_of"),
    ("RevenueFromOperations, Income, Expenses, FinanceCosts, ProfitBeforeTax, …", "financial_year"),
    ("InterestEarned, InterestExpended, ProfitLossForThePeriod, …", "financial_year of a bank"),
    ("Assets, Equity, OtherEquity, CurrentAssets, CashAndCashEquivalents, …", "its balances"),
];

const NO_KNOWN_PERIOD: &str =
    "results of another period than a quarter, a half, nine months or a year";

/// A file is one filing; each of its periods is a row.
fn read_rows(
    source: impl BufRead,
    options: &ReadOptions<'_>,
) -> Result<Vec<ParsedRow>, SourceError> {
    let reject = |raw: &str, reason: String| ParsedRow::new(1, raw, Some(SOURCE), Err(reason));
    let filing = match Filing::read(source) {
        Ok(filing) => filing,
        Err(FilingError::Io(error)) => return Err(SourceError::Io(error)),
        Err(error) => return Ok(vec![reject("", error.to_string())]),
    };
    let raw = filing.summary();
    let listed = options.filings.find(options.file_name);
    let of_name = FilingTime::of_name(options.file_name);
    let of_list = listed.and_then(|listed| FilingTime::of_list(&listed.time));
    let number = of_name.number;
    let filed = of_list.map_or(of_name, |time| FilingTime { number, ..time });
    let records = filing.records(&filed);
    if records.is_empty() {
        let outcome = RowOutcome::Skipped(NO_KNOWN_PERIOD);
        return Ok(vec![ParsedRow { line: 1, bytes: 0, outcome }]);
    }
    let listed_names = listed.map_or(&[][..], |listed| &listed.names);
    let names = filing.names().into_iter().chain(listed_names.iter().map(String::as_str));
    let names: Vec<String> = names.map(str::to_owned).collect();
    let row = |record: Result<_, PeriodError>| match record {
        Ok(year) => {
            let (names, raw) = (names.clone(), raw.clone());
            let filing = ExchangeFiling { year, stated_cin: filing.stated_cin(), names, raw };
            ParsedRow { line: 1, bytes: 0, outcome: RowOutcome::ExchangeFiling(Box::new(filing)) }
        }
        Err(error) => reject(&raw, error.to_string()),
    };
    Ok(records.into_iter().map(row).collect())
}
