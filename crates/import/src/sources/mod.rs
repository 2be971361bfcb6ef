//! The sources: each folder turns the bytes of one source into an iterator of parsed rows.
//!
//! A new source is a folder with a `FormatSpec`, and one line in the table of `format.rs`.

pub mod filing_list;
pub mod gleif;
pub mod gstn;
pub mod json_documents;
pub mod mca_company_json;
pub mod mca_master;
pub mod panji;
pub mod source;
pub mod symbols;
pub mod xbrl;
