//! Panji's own format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use panji_import::Format;

fuzz_target!(|bytes: &[u8]| panji_fuzz::import(Format::Panji, bytes));
