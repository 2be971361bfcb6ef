//! Bulk bodies, the key header and paths, against a server in this process.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| panji_fuzz::send(bytes));
