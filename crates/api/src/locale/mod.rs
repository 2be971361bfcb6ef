//! Formats values for people: amounts, dates, CSV cells, HTML.

pub mod amounts;
pub mod csv;
pub mod dates;
pub mod html;
