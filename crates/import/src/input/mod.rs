//! Bytes in: files, directories, archives and standard input, and the lines and CSV rows in them.

pub mod csv;
pub mod files;
pub mod lines;
pub mod meter;
pub mod opened;
