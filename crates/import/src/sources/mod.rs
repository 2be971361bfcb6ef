//! The sources: a folder for each turns its bytes into an iterator of parsed rows. The other files
//! are what several sources share.
//!
//! A new source is a folder with a `FormatSpec`, declared here, and a line in the table of `format.rs`.

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
