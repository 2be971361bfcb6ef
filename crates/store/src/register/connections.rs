//! What links companies with each other: registered offices, email addresses, former numbers and the
//! people in office. Read in pages to build the graph, and by key to keep it up to date.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::{Appointment, MAX_SECTION_ROWS, Register};
use crate::engine::Row;
use crate::error::Result;
use crate::table::Table;

/// The fields of a company that link it with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedCompany {
    pub cin: String,
    /// The address of the registered office.
    pub address: Option<String>,
    pub city: Option<String>,
    pub pincode: Option<String>,
    pub email: Option<String>,
    /// JSON text.
    pub former_cins: String,
}

impl LinkedCompany {
    pub fn former_numbers(&self) -> Vec<String> {
        if self.former_cins == "[]" {
            return Vec::new();
        }
        serde_json::from_str(&self.former_cins).unwrap_or_default()
    }

    fn from_row(row: &Row<'_>) -> Result<LinkedCompany> {
        Ok(LinkedCompany {
            cin: row.get(0)?,
            address: row.get(1)?,
            city: row.get(2)?,
            pincode: row.get(3)?,
            email: row.get(4)?,
            former_cins: row.get(5)?,
        })
    }
}

/// The key of an appointment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppointmentKey {
    pub cin: String,
    pub din: String,
    pub appointed_on: String,
}

/// Selects companies, except records under a former number.
macro_rules! select_linked {
    ($end:literal) => {
        concat!(
            "select cin, address, city, pincode, email, former_cins from companies where not exists ",
            "(select 1 from company_aliases where former_cin = companies.cin) and ",
            $end
        )
    };
}

impl Register {
    /// Companies ordered by CIN, after a given one.
    pub fn list_linked<'a>(
        &'a self,
        after: &'a str,
        limit: i64,
    ) -> BoxFuture<'a, Result<Vec<LinkedCompany>>> {
        async move {
            let list = select_linked!("cin > $1 order by cin limit $2");
            self.engine.query(list, &[after.into(), limit.into()], LinkedCompany::from_row).await
        }
        .boxed()
    }

    pub async fn find_linked(&self, cin: &str) -> Result<Option<LinkedCompany>> {
        let find = select_linked!("cin = $1");
        self.engine.query_opt(find, &[cin.into()], LinkedCompany::from_row).await
    }

    /// The keys of all appointments, ordered by CIN, DIN and date, after a given one.
    pub async fn list_appointment_keys(
        &self,
        after: &AppointmentKey,
        limit: i64,
    ) -> Result<Vec<AppointmentKey>> {
        let list = "select cin, din, appointed_on from appointments \
                    where (cin, din, appointed_on) > ($1, $2, $3) \
                    order by cin, din, appointed_on limit $4";
        let parameters =
            [(&after.cin).into(), (&after.din).into(), (&after.appointed_on).into(), limit.into()];
        let read = |row: &Row<'_>| {
            Ok(AppointmentKey { cin: row.get(0)?, din: row.get(1)?, appointed_on: row.get(2)? })
        };
        self.engine.query(list, &parameters, read).await
    }

    /// The DINs of the people with an appointment in a company, from the primary.
    pub async fn list_appointed_dins(&self, cin: &str) -> Result<Vec<String>> {
        let list = "select distinct din from appointments where cin = $1 limit $2";
        let parameters = [cin.into(), MAX_SECTION_ROWS.into()];
        self.engine.query(list, &parameters, |row| row.get(0)).await
    }

    /// The appointments of one person in one company, latest first.
    pub async fn list_appointments_of(&self, cin: &str, din: &str) -> Result<Vec<Appointment>> {
        let list = "select cin, din, appointed_on, name, designation, designation_text, ceased_on, \
                    as_of, source from appointments where cin = $1 and din = $2 \
                    order by appointed_on desc limit $3";
        let parameters = [cin.into(), din.into(), MAX_SECTION_ROWS.into()];
        self.look_up(list, &parameters, Appointment::from_row).await
    }
}
