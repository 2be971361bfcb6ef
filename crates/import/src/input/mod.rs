//! Reads files, directories, archives, spreadsheets and standard input, and splits them into lines
//! and CSV rows.

pub mod csv;
pub mod encoding;
pub mod files;
pub mod guard;
pub mod lines;
pub mod meter;
pub mod opened;
pub mod table_json;
pub mod workbook;
