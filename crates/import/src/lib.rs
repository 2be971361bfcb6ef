//! Source files in, register out: reads records leniently, keeps the source's words, and says of
//! every row that cannot be used which one it is and why.

mod address;
mod batches;
mod date;
mod format;
pub mod gstn;
mod json;
mod known;
mod lines;
mod load;
mod loose;
pub mod mca_company_json;
mod mca_master;
pub mod panji;
mod report;
mod run;
mod rupees;
mod source;
mod text;
pub mod vocabulary;
pub mod xbrl;

pub use format::Format;
pub use load::{Importer, Options};
pub use mca_master::Release;
pub use report::{Observer, Reject, Report};
pub use source::{STANDARD_INPUT, bytes_of};
pub use text::decode;
