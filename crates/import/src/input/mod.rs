//! Bytes in: files, directories, archives, spreadsheets and standard input, and the lines and rows of
//! CSV in them.

pub mod csv;
pub mod encoding;
pub mod files;
pub mod guard;
pub mod lines;
pub mod meter;
pub mod opened;
pub mod table_json;
pub mod workbook;
