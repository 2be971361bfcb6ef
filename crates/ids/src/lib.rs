//! Indian company identifiers: CIN, LLPIN, FCRN, DIN, PAN, TAN and GSTIN, and the LEI, parsed and
//! checked, with helpful errors.
//!
//! Every type is parsed with `parse` (or [`FromStr`](core::str::FromStr)), accepts any case and
//! surrounding white space, and stores its canonical text in a fixed array, so a value is `Copy`
//! and needs no allocation. [`IdError`] reports what is wrong with a rejected text, down to the
//! character.
//!
//! ```
//! use panji_ids::{CompanyId, CompanyKind, Gstin, GstinFamily};
//!
//! let company = CompanyId::parse("aaa0001")?;
//! assert_eq!(company.kind(), CompanyKind::Llp);
//! assert_eq!(company.as_str(), "AAA-0001");
//!
//! let gstin = Gstin::parse("27AAPFU0939F1ZV")?;
//! assert_eq!(gstin.family(), GstinFamily::Normal);
//! assert_eq!(gstin.state(), "Maharashtra");
//! # Ok::<(), panji_ids::IdError>(())
//! ```
//!
//! PANs are personal data. `Debug` of [`Pan`], [`Tan`] and [`Gstin`] prints the masked form, so
//! that a value printed by accident does not disclose it; `Display` prints the whole value.
//! [`mask_pans`] does the same for any text.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

mod cin;
mod clean;
mod company_id;
mod din;
mod error;
mod fcrn;
mod find;
pub mod gstin;
mod identifier;
mod lei;
mod llpin;
mod mask;
mod pan;
mod shape;
pub mod states;
mod text_traits;

pub use cin::{Cin, CinClass};
pub use company_id::{CompanyId, CompanyKind};
pub use din::Din;
pub use error::{IdError, IdErrorKind};
pub use fcrn::Fcrn;
pub use find::find_company_ids;
pub use gstin::{Gstin, GstinFamily};
pub use identifier::{Identifier, IdentifierKind};
pub use lei::Lei;
pub use llpin::Llpin;
pub use mask::{mask_pans, mask_spaced_pans};
pub use pan::{HolderType, Pan, Tan};
pub use states::{cin_state, cin_state_codes, gst_state, state_code_by_name};

/// Tests the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
