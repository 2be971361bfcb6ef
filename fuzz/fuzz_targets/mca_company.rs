//! The company pages of the ministry's portal.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| panji_fuzz::import("mca_company", bytes));
