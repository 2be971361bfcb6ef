//! The name of this source.

/// The `source` of records of this format.
pub const SOURCE: &str = "panji";
