//! Formats values for people: amounts, dates, CSV cells.

pub mod amounts;
pub mod csv;
pub mod dates;
