//! Source files in, register out: reads records leniently, keeps the source's words, and says of
//! every row that cannot be used which one it is and why.

mod load;
pub mod panji;
mod report;
mod rupees;
pub mod vocabulary;

pub use load::{ImportError, import_lines};
pub use report::{Reject, Report};
