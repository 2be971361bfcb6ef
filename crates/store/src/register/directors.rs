//! Directors and partners, and their appointments.

use std::cmp::Ordering;

use super::{MAX_SECTION_ROWS, Origin, RecordSummary, Register, SectionRecord};
use crate::error::Result;
use crate::table::{Table, table};

table! {
    /// A person with a DIN. The register never stores a person's birth date, address or PAN.
    Director in "directors", key 1 {
        /// Eight digits.
        din: String,
        name: String,
        /// Normalized.
        status: String,
        /// In the source's words.
        status_text: Option<String>,
        nationality: Option<String>,
    }
}

table! {
    /// An appointment: one person in one company from one date on.
    Appointment in "appointments", key 3 {
        cin: String,
        din: String,
        /// Empty if the source does not say.
        appointed_on: String,
        /// The person's name in this source.
        name: String,
        /// Normalized.
        designation: String,
        /// In the source's words.
        designation_text: Option<String>,
        /// Null for a current appointment.
        ceased_on: Option<String>,
    }
}

/// An appointment with data of its company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directorship {
    pub cin: String,
    /// `None` if the company is not in the register.
    pub company_name: Option<String>,
    /// `None` if the company is not in the register.
    pub company_status: Option<String>,
    /// Normalized.
    pub designation: String,
    /// In the source's words.
    pub designation_text: Option<String>,
    /// Empty if unknown.
    pub appointed_on: String,
    /// `None` for a current appointment.
    pub ceased_on: Option<String>,
    pub origin: Origin,
}

impl Director {
    /// Fills the missing fields from the stored record: many sources name a person without the
    /// status of the DIN.
    pub(super) fn complete_from(&mut self, stored: &Director) {
        if self.status == "unknown" && self.status_text.is_none() {
            self.status.clone_from(&stored.status);
            self.status_text.clone_from(&stored.status_text);
        }
        if self.nationality.is_none() {
            self.nationality.clone_from(&stored.nationality);
        }
    }
}

impl SectionRecord for Appointment {
    /// Latest first.
    fn list_order(&self, other: &Appointment) -> Ordering {
        other.appointed_on.cmp(&self.appointed_on).then_with(|| self.din.cmp(&other.din))
    }
}

impl Register {
    pub async fn find_director(&self, din: &str) -> Result<Option<Director>> {
        let find = &Director::statements().bulk.find;
        self.look_up_one(find, &[din.into()], Director::from_row).await
    }

    /// The name and status of each DIN.
    pub async fn find_director_summaries(
        &self,
        dins: &[&str],
    ) -> Result<Vec<Option<RecordSummary>>> {
        let find = "select din, name, status, as_of, source from directors where din = $1";
        self.look_up_each(find, dins, RecordSummary::from_row).await
    }

    /// All appointments in a company, latest first.
    pub async fn list_appointments(&self, cin: &str) -> Result<Vec<Appointment>> {
        self.list(cin).await
    }

    /// The companies of a person, one entry each: the current appointment, or else the latest.
    /// Current ones first, then the latest first.
    pub async fn list_directorships(&self, din: &str) -> Result<Vec<Directorship>> {
        self.look_up(
            "select appointment.cin, companies.name, companies.status, designation, \
                 designation_text, appointed_on, ceased_on, appointment.as_of, appointment.source \
                 from (select cin, designation, designation_text, appointed_on, ceased_on, \
                       as_of, source, \
                       row_number() over (partition by cin \
                         order by case when ceased_on is null then 0 else 1 end, \
                         appointed_on desc) as place \
                       from appointments where din = $1) as appointment \
                 left join companies on companies.cin = appointment.cin \
                 where place = 1 \
                 order by case when ceased_on is null then 0 else 1 end, appointed_on desc, \
                 appointment.cin limit $2",
            &[din.into(), MAX_SECTION_ROWS.into()],
            |row| {
                Ok(Directorship {
                    cin: row.get(0)?,
                    company_name: row.get(1)?,
                    company_status: row.get(2)?,
                    designation: row.get(3)?,
                    designation_text: row.get(4)?,
                    appointed_on: row.get(5)?,
                    ceased_on: row.get(6)?,
                    origin: Origin { as_of: row.get(7)?, source: row.get(8)? },
                })
            },
        )
        .await
    }

    /// The number of companies with a current appointment, and with former ones only.
    pub async fn count_directorships(&self, din: &str) -> Result<(i64, i64)> {
        let counts = self
            .look_up_one(
                "select count(distinct case when ceased_on is null then cin end), \
                 count(distinct cin) from appointments where din = $1",
                &[din.into()],
                |row| Ok((row.get::<i64>(0)?, row.get::<i64>(1)?)),
            )
            .await?;
        let (current, total) = counts.unwrap_or((0, 0));
        Ok((current, total - current))
    }
}
