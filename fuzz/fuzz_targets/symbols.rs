//! The list of symbols for results filings.
#![no_main]

use libfuzzer_sys::fuzz_target;
use panji_import::xbrl::Symbols;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(symbols) = Symbols::read(bytes) {
        let _ = symbols.cin_of("NAMUNA");
    }
});
