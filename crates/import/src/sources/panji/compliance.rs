//! Lines about filings, documents, ratings and provident fund.

use jiff::civil::Date;
use panji_store::register::{CreditRating, Document, EpfoEstablishment, Filing};
use serde::Deserialize;

use super::source::SOURCE;
use crate::values::field::{canonical_cin, date, financial_year, month, paise, required};
use crate::values::reason::Reason;
use crate::values::rupees::Paise;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilingLine {
    cin: String,
    form_type: String,
    description: String,
    financial_year: Option<String>,
    due_on: Option<Date>,
    filed_on: Option<Date>,
    as_of: Option<Date>,
}

impl FilingLine {
    pub fn into_record(self) -> Result<Filing, Reason> {
        if self.due_on.is_none() && self.filed_on.is_none() {
            return Err(Reason::fixed("a filing needs due_on or filed_on"));
        }
        let form_type = required("form_type", self.form_type)?;
        // A filing with a due date is the same filing after it is filed. A filing without one is
        // identified by the day it was filed.
        let day = self.due_on.or(self.filed_on).map(|day| day.to_string()).unwrap_or_default();
        let year = self.financial_year.as_deref().map(financial_year).transpose()?;
        Ok(Filing {
            cin: canonical_cin(&self.cin)?,
            filing_key: format!("{form_type}|{}|{day}", year.as_deref().unwrap_or_default()),
            form_type,
            description: self.description,
            financial_year: year,
            due_on: date(self.due_on),
            filed_on: date(self.filed_on),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentLine {
    cin: String,
    form_type: String,
    file_name: String,
    filing_date: Date,
    financial_year: Option<String>,
    file_size: Option<i64>,
    as_of: Option<Date>,
}

impl DocumentLine {
    pub fn into_record(self) -> Result<Document, Reason> {
        Ok(Document {
            cin: canonical_cin(&self.cin)?,
            filing_date: self.filing_date.to_string(),
            file_name: required("file_name", self.file_name)?,
            form_type: required("form_type", self.form_type)?,
            financial_year: self.financial_year.as_deref().map(financial_year).transpose()?,
            file_size: self.file_size,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingLine {
    cin: String,
    agency: String,
    instrument: String,
    rating: String,
    outlook: Option<String>,
    action: Option<String>,
    amount: Option<Paise>,
    rated_on: Date,
    as_of: Option<Date>,
}

impl RatingLine {
    pub fn into_record(self) -> Result<CreditRating, Reason> {
        Ok(CreditRating {
            cin: canonical_cin(&self.cin)?,
            agency: required("agency", self.agency)?,
            instrument: required("instrument", self.instrument)?,
            rated_on: self.rated_on.to_string(),
            rating: required("rating", self.rating)?,
            outlook: self.outlook,
            action: self.action,
            amount: paise(self.amount),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EpfoLine {
    cin: String,
    establishment_id: String,
    name: String,
    status: Option<String>,
    employees: Option<i64>,
    last_wage_month: Option<String>,
    amount: Option<Paise>,
    paid_on: Option<Date>,
    as_of: Option<Date>,
}

impl EpfoLine {
    pub fn into_record(self) -> Result<EpfoEstablishment, Reason> {
        Ok(EpfoEstablishment {
            cin: canonical_cin(&self.cin)?,
            establishment_id: required("establishment_id", self.establishment_id)?,
            name: required("name", self.name)?,
            status: self.status,
            employees: self.employees,
            last_wage_month: self.last_wage_month.as_deref().map(month).transpose()?,
            amount: paise(self.amount),
            paid_on: date(self.paid_on),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}
