//! The ministry's company master in the format of 2021.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| panji_fuzz::import("mca_master_2021", bytes));
