//! The company master of the ministry, as it was published in 2021.
#![no_main]

use libfuzzer_sys::fuzz_target;
use panji_import::{Format, Release};

fuzz_target!(|bytes: &[u8]| panji_fuzz::import(Format::McaMaster(Release::Of2021), bytes));
