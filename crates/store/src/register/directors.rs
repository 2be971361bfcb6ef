//! Directors and partners, and the seats they hold and held.

use super::{MAX_SECTION_ROWS, Origin, RecordSummary, Register};
use crate::error::Result;
use crate::table::{Table, table};

table! {
    /// A person with a DIN. No birth date, address or PAN of a person is ever held.
    Director in "directors", key 1 {
        /// The DIN, eight digits.
        din: String,
        /// The person's name.
        name: String,
        /// The status word.
        status: String,
        /// The status in the source's words.
        status_text: Option<String>,
        /// The nationality.
        nationality: Option<String>,
    }
}

table! {
    /// A seat: one person in one company from one date on.
    Appointment in "appointments", key 3 {
        /// The company.
        cin: String,
        /// The person.
        din: String,
        /// When the seat was taken; empty where the source does not say.
        appointed_on: String,
        /// The person's name in this source.
        name: String,
        /// The designation word.
        designation: String,
        /// The designation in the source's words.
        designation_text: Option<String>,
        /// When the seat was left; none while it is held.
        ceased_on: Option<String>,
    }
}

/// A seat as seen from the person: with the company it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directorship {
    /// The company.
    pub cin: String,
    /// Its name; none where the company itself is not held.
    pub company_name: Option<String>,
    /// Its status word, likewise.
    pub company_status: Option<String>,
    /// The designation word.
    pub designation: String,
    /// The designation in the source's words.
    pub designation_text: Option<String>,
    /// When the seat was taken; empty where unknown.
    pub appointed_on: String,
    /// When it was left; none while it is held.
    pub ceased_on: Option<String>,
    /// From where the seat is known.
    pub origin: Origin,
}

impl Director {
    /// Takes over from a held record what this one does not say: many sources name a person without
    /// a word on the state of the DIN.
    pub(super) fn complete_from(&mut self, held: &Director) {
        if self.status == "unknown" && self.status_text.is_none() {
            self.status.clone_from(&held.status);
            self.status_text.clone_from(&held.status_text);
        }
        if self.nationality.is_none() {
            self.nationality.clone_from(&held.nationality);
        }
    }
}

impl Register {
    /// The person with this DIN.
    pub async fn find_director(&self, din: &str) -> Result<Option<Director>> {
        let find = &Director::statements().bulk.find;
        self.look_up_one(find, &[din.into()], Director::from_row).await
    }

    /// The name and status under each DIN.
    pub async fn find_director_summaries(
        &self,
        dins: &[&str],
    ) -> Result<Vec<Option<RecordSummary>>> {
        let find = "select din, name, status, as_of, source from directors where din = $1";
        self.look_up_each(find, dins, RecordSummary::from_row).await
    }

    /// All seats in a company, latest appointment first.
    pub async fn list_appointments(&self, cin: &str) -> Result<Vec<Appointment>> {
        let mut seats = self.list_section::<Appointment>(cin).await?;
        seats.sort_unstable_by(|one, other| {
            other.appointed_on.cmp(&one.appointed_on).then_with(|| one.din.cmp(&other.din))
        });
        Ok(seats)
    }

    /// The companies a person sits or sat in, one entry each: the seat held now, else the latest.
    /// Current ones first, then latest appointment first.
    pub async fn list_directorships(&self, din: &str) -> Result<Vec<Directorship>> {
        self.look_up(
            "select seat.cin, companies.name, companies.status, designation, \
                 designation_text, appointed_on, ceased_on, seat.as_of, seat.source \
                 from (select cin, designation, designation_text, appointed_on, ceased_on, \
                       as_of, source, \
                       row_number() over (partition by cin \
                         order by case when ceased_on is null then 0 else 1 end, \
                         appointed_on desc) as place \
                       from appointments where din = $1) as seat \
                 left join companies on companies.cin = seat.cin \
                 where place = 1 \
                 order by case when ceased_on is null then 0 else 1 end, appointed_on desc, \
                 seat.cin limit $2",
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

    /// How many companies a person sits in now, and how many they only sat in before.
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
