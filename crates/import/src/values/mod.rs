//! Reads single values of the sources: texts, dates, amounts, addresses, fields of JSON objects.

pub mod address;
pub mod date;
pub mod field;
pub mod json_fields;
pub mod json_sentence;
pub mod name;
pub mod reason;
pub mod rupees;
pub mod text;
