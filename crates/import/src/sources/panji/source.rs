//! The name of this source.

/// The name under which records of this format are served as `source`.
pub const SOURCE: &str = "panji";
