//! Results filings of listed companies: parsing and importing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use panji_import::xbrl::{Filing, FilingTime};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(filing) = Filing::read(bytes) {
        for period in filing.periods() {
            let _ = (filing.figures(period), filing.basis(period), filing.as_of(period));
        }
        let _ = (filing.year(), filing.summary(), filing.records(&FilingTime::default()));
    }
    panji_fuzz::import("xbrl", bytes);
});
