//! Lines about directors and their appointments.

use jiff::civil::Date;
use panji_store::register::{Appointment, Director};
use serde::Deserialize;

use super::source::SOURCE;
use crate::values::field::{canonical_cin, canonical_din, date, required, word};
use crate::values::reason::Reason;
use crate::vocabulary;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectorLine {
    din: String,
    name: String,
    status_text: Option<String>,
    nationality: Option<String>,
    as_of: Option<Date>,
}

impl DirectorLine {
    pub fn into_record(self) -> Result<Director, Reason> {
        Ok(Director {
            din: canonical_din(&self.din)?,
            name: required("name", self.name)?,
            status: word(vocabulary::director_status, self.status_text.as_deref(), "unknown"),
            status_text: self.status_text,
            nationality: self.nationality,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppointmentLine {
    cin: String,
    din: String,
    name: String,
    designation_text: Option<String>,
    appointed_on: Option<Date>,
    ceased_on: Option<Date>,
    as_of: Option<Date>,
}

impl AppointmentLine {
    pub fn into_record(self) -> Result<Appointment, Reason> {
        Ok(Appointment {
            cin: canonical_cin(&self.cin)?,
            din: canonical_din(&self.din)?,
            appointed_on: date(self.appointed_on).unwrap_or_default(),
            name: required("name", self.name)?,
            designation: word(vocabulary::designation, self.designation_text.as_deref(), "other"),
            designation_text: self.designation_text,
            ceased_on: date(self.ceased_on),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}
