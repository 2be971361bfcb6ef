//! The list of a company's public documents.

use std::borrow::Cow;

use panji_store::register;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::enums;

/// One page of a company's documents.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Documents {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// The number of matching documents on all pages; null if nothing is known.
    pub total_documents: Option<i64>,
    /// The page, from 1.
    pub page: i64,
    /// The documents, newest first.
    pub documents: Vec<Document>,
    /// What an empty list means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

/// A document.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Document {
    /// The form.
    #[schema(example = "AOC-4")]
    pub form_type: String,
    /// The file's name.
    pub file_name: String,
    /// The day it was filed.
    pub filing_date: String,
    /// The financial year it is for.
    pub financial_year: Option<String>,
    /// The file's size in bytes.
    pub file_size: Option<i64>,
}

impl From<register::Document> for Document {
    fn from(document: register::Document) -> Document {
        Document {
            form_type: document.form_type,
            file_name: document.file_name,
            filing_date: document.filing_date,
            financial_year: document.financial_year,
            file_size: document.file_size,
        }
    }
}
