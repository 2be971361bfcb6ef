//! How values are written for people: amounts and dates as in India, cells of CSV files.

pub mod amounts;
pub mod csv;
pub mod dates;
