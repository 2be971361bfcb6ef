//! The list of symbols of an exchange with their companies.

use std::collections::HashMap;
use std::io::{self, BufRead};

use panji_ids::{Cin, IdError};

use crate::input::csv::{Cells, Rows, Separator, split_cells};

/// The most symbols of a list; both exchanges together have about ten thousand.
const MAX_SYMBOLS: usize = 100_000;

/// The longest symbol; an ISIN has twelve characters.
const MAX_SYMBOL_LENGTH: usize = 20;
/// Placeholders in filings of companies without a symbol.
const PLACEHOLDERS: [&str; 8] =
    ["NOTLISTED", "NA", "NOTAPPLICABLE", "NIL", "NONE", "NULL", "UNLISTED", "NOTAVAILABLE"];
/// The most symbols known from filings: each company has an ISIN, a code and one or two symbols.
const MAX_KNOWN_SYMBOLS: usize = 200_000;

/// CINs by symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(HashMap<String, String>);

#[derive(Debug, thiserror::Error)]
pub enum SymbolsError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is empty: it must have the columns symbol and cin")]
    Empty,
    #[error("line {line}: {problem}")]
    Line {
        line: u64,
        #[source]
        problem: SymbolError,
    },
}

/// What is wrong with a line of a list.
#[derive(Debug, thiserror::Error)]
pub enum SymbolError {
    /// It is not a row of a CSV file.
    #[error("{fault}")]
    NoRow { fault: String },
    #[error("the header must have the columns symbol and cin")]
    Header,
    #[error("the symbol is empty")]
    NoSymbol,
    #[error("cin: {0}")]
    Cin(#[source] IdError),
    #[error("the {what} has another CIN, {first}, in an earlier line")]
    Contradiction { what: &'static str, first: String },
    #[error("the ISIN is malformed, or its check digit is wrong")]
    Isin,
    #[error("there are more than {MAX_SYMBOLS} symbols")]
    TooMany,
}

/// The headings that a column of ISINs may have.
const ISIN_HEADINGS: [&str; 4] = ["isin", "isin number", "isin_number", "isin no"];

/// The indices of the columns.
struct Header {
    symbol: usize,
    cin: usize,
    isin: Option<usize>,
}

impl Symbols {
    /// Reads a CSV with the columns `symbol` and `cin`, and perhaps `isin`.
    pub fn read(source: impl BufRead) -> Result<Symbols, SymbolsError> {
        let mut rows = Rows::new(source, Separator::Comma);
        let mut cells = Cells::default();
        let mut header = None;
        let mut symbols = Symbols::default();
        while let Some(row) = rows.next(&mut cells, |_| true)? {
            let at_line = |problem| SymbolsError::Line { line: row.line, problem };
            if let Some(fault) = row.fault {
                return Err(at_line(SymbolError::NoRow { fault }));
            }
            if cells.iter().all(|cell| cell.trim().is_empty()) {
                continue;
            }
            match &header {
                None => {
                    let found = Header::of(&cells).ok_or_else(|| at_line(SymbolError::Header))?;
                    header = Some(found);
                }
                Some(header) => symbols.add(header, &cells).map_err(at_line)?,
            }
        }
        if header.is_none() {
            return Err(SymbolsError::Empty);
        }
        Ok(symbols)
    }

    fn add(&mut self, header: &Header, cells: &Cells) -> Result<(), SymbolError> {
        let cell = |index: usize| cells.get(index).map_or("", str::trim);
        let symbol = normalize(cell(header.symbol));
        if symbol.is_empty() {
            return Err(SymbolError::NoSymbol);
        }
        let cin = Cin::parse(cell(header.cin)).map_err(SymbolError::Cin)?;
        self.add_pair("symbol", symbol, &cin)?;
        if let Some(isin) = header.isin.and_then(|index| identifying_name(cell(index))) {
            if !is_isin(&isin) {
                return Err(SymbolError::Isin);
            }
            self.add_pair("ISIN", isin, &cin)?;
        }
        if self.0.len() > MAX_SYMBOLS {
            return Err(SymbolError::TooMany);
        }
        Ok(())
    }

    fn add_pair(&mut self, what: &'static str, name: String, cin: &Cin) -> Result<(), SymbolError> {
        let first = self.0.entry(name).or_insert_with(|| cin.as_str().to_owned());
        if first != cin.as_str() {
            return Err(SymbolError::Contradiction { what, first: first.clone() });
        }
        Ok(())
    }

    /// The ISINs among the symbols, each with its CIN, in order.
    pub(crate) fn isins(&self) -> impl Iterator<Item = (&String, &String)> {
        self.sorted().into_iter().filter(|(symbol, _)| is_isin(symbol))
    }

    /// Adds or replaces the CIN of a symbol.
    pub(crate) fn insert_symbol(&mut self, symbol: String, cin: String) {
        if self.0.len() < MAX_KNOWN_SYMBOLS || self.0.contains_key(&symbol) {
            self.0.insert(symbol, cin);
        }
    }

    /// All pairs, sorted by symbol.
    pub(crate) fn sorted(&self) -> Vec<(&String, &String)> {
        let mut pairs: Vec<_> = self.0.iter().collect();
        pairs.sort();
        pairs
    }

    pub fn cin_of(&self, symbol: &str) -> Option<&str> {
        self.0.get(&normalize(symbol)).map(String::as_str)
    }
}

impl Header {
    fn of(cells: &Cells) -> Option<Header> {
        let column = |name: &str| {
            cells.iter().position(|cell| {
                cell.trim().trim_start_matches('\u{FEFF}').eq_ignore_ascii_case(name)
            })
        };
        let isin = ISIN_HEADINGS.into_iter().find_map(column);
        Some(Header { symbol: column("symbol")?, cin: column("cin")?, isin })
    }
}

/// Whether the beginning of a file is the header of such a list.
pub fn is_symbol_list(head: &[u8]) -> bool {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut cells = Cells::default();
    str::from_utf8(first).is_ok_and(|line| {
        split_cells(line.trim_end(), Separator::Comma, &mut cells);
        Header::of(&cells).is_some()
    })
}

/// The normalized form of a name that identifies one company at the exchanges; none for a
/// placeholder such as `NOTLISTED`, `NA` or zeros.
pub(crate) fn identifying_name(name: &str) -> Option<String> {
    let name = normalize(name);
    let has_letter_or_digit =
        name.bytes().any(|byte| byte.is_ascii_alphabetic() || byte > b'0' && byte <= b'9');
    let fits = name.len() <= MAX_SYMBOL_LENGTH
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"&-_.*".contains(&byte));
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    (has_letter_or_digit && fits && !PLACEHOLDERS.contains(&plain.as_str())).then_some(name)
}

/// Whether a name is an ISIN (ISO 6166): two letters, nine letters or digits and the check digit, by the
/// sum of the digits of every second one doubled, where A is 10 and Z is 35.
fn is_isin(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_formed = bytes.len() == 12
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..11].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && bytes[11].is_ascii_digit();
    let digits = name.chars().filter_map(|character| character.to_digit(36));
    let digits: Vec<u32> = digits
        .flat_map(|value| if value > 9 { vec![value / 10, value % 10] } else { vec![value] })
        .collect();
    let doubled = |(index, digit): (usize, &u32)| match digit * (1 + index as u32 % 2) {
        value if value > 9 => value - 9,
        value => value,
    };
    is_formed && digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

fn normalize(symbol: &str) -> String {
    symbol.trim().to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CIN: &str = "L17111MH1994PLC990011";

    fn read(text: &str) -> Result<Symbols, SymbolsError> {
        Symbols::read(text.as_bytes())
    }

    #[test]
    fn columns_are_found_in_any_case_and_order_among_others() {
        let text = format!("\u{FEFF}Name,CIN,Symbol\r\n\"Namuna, Ltd\",{CIN},namuna\r\n\r\n");
        let symbols = read(&text).expect("a good list");
        assert_eq!(symbols.cin_of(" Namuna "), Some(CIN));
        assert_eq!(symbols.cin_of("OTHER"), None);
    }

    #[test]
    fn an_error_names_the_line() {
        let check = |text: &str, part: &str| {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        };
        check("", "it is empty");
        check("symbol,name\nA,B\n", "line 1: the header");
        check(&format!("symbol,cin\nA,{CIN}\nB,L17111MH1994PLC99O011\n"), "line 3: cin:");
        check(&format!("symbol,cin\n,{CIN}\n"), "line 2: the symbol is empty");
        let twice = format!("symbol,cin\nA,{CIN}\nA,{CIN}\na,L17111MH1994PLC990012\n");
        check(&twice, "line 4: the symbol has another CIN, L17111MH1994PLC990011");
        check("symbol,cin\nA,\"open\n", "line 2: a quote");
    }

    #[test]
    fn placeholders_do_not_identify_a_company() {
        for none in
            ["NOTLISTED", "Not Listed", "NA", "N.A.", "-", "0", "000000", "", "Not Applicable"]
        {
            assert_eq!(identifying_name(none), None, "{none}");
        }
        for name in ["m&m", "INE000Z01010", " 599901 ", "BAJAJ-AUTO"] {
            assert_eq!(identifying_name(name), Some(name.trim().to_uppercase()));
        }
    }

    #[test]
    fn an_isin_of_the_list_identifies_the_company() {
        let text = format!("Symbol,ISIN NUMBER,CIN\nNAMUNA,ine990a01014,{CIN}\nKORA,NA,{CIN}\n");
        let symbols = read(&text).expect("a good list");
        assert_eq!(symbols.cin_of("INE990A01014"), Some(CIN));
        let isins: Vec<&String> = symbols.isins().map(|(isin, _)| isin).collect();
        assert_eq!(isins, ["INE990A01014"]);
        let wrong = format!("symbol,isin,cin\nNAMUNA,INE990A01015,{CIN}\n");
        let error = read(&wrong).expect_err("a wrong check digit").to_string();
        assert!(error.contains("line 2: the ISIN is malformed"), "{error}");
        // Of two real companies.
        assert!(is_isin("INE002A01018") && is_isin("US0378331005"));
    }

    #[test]
    fn a_list_is_recognized_by_its_header() {
        assert!(is_symbol_list(b"SYMBOL,Name,CIN\nA,B,C\n"));
        assert!(!is_symbol_list(b"CIN,CompanyName\n"));
    }
}
