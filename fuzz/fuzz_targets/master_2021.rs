//! The company master of the ministry, as it was published in 2021.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| panji_fuzz::import("mca_master_2021", bytes));
