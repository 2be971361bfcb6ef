//! Imports source files into the register. Values are read leniently, the original texts are stored
//! too, and every row that cannot be used is reported with its line and the reason.
//!
//! The layers; each uses only those above it:
//!
//! - `values` parses single values; `vocabulary` maps the words of sources to enumerations.
//! - `input` reads files, archives, lines and cells.
//! - `sources` has a folder for each source: bytes to parsed rows.
//! - `unknown` describes a file of an unknown format.
//! - `format` is the table of formats and detects that of a file.
//! - `load` stores parsed rows in the register. It uses `batches`, `duplicates`, `leis`, `listed`, `import_cache`,
//!   `run` and `report`.

mod batches;
mod duplicates;
mod format;
mod import_cache;
mod input;
mod leis;
mod listed;
mod load;
mod report;
mod run;
mod sources;
mod unknown;
mod values;
pub mod vocabulary;

pub use duplicates::{Duplicates, Join, NumberAndName, PossibleDuplicate, find_duplicates};
pub use format::Format;
pub use input::files::{STANDARD_INPUT, bytes_of};
pub use input::workbook::{SheetError, SheetLimits, Unreadable, first_sheet_csv};
pub use load::{Importer, Options};
pub use report::{Observer, Reject, Report};
pub use sources::{gstn, mca_company_json, panji, xbrl};
pub use values::date::DateOrder;
pub use values::reason::Reason;
pub use values::text::decode;
