//! PDF documents: text in Latin and in the Indian scripts, shaped by the rules of each script,
//! wrapped into columns and continued on as many pages as it needs. Fonts are built in; a file
//! contains only the glyphs that it uses, and its text can be searched and copied.

mod document;
mod drawing;
mod face;
mod file;
mod glyphs;
mod shape;
mod wrap;

pub use document::{Align, Column, Document, PAGE_LEFT, PAGE_RIGHT, Position, Style};
pub use drawing::{Area, Color, Point};
pub use face::{Weight, can_show};
