//! LEI records, relationships and exceptions of GLEIF.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| panji_fuzz::import("gleif", bytes));
