//! Directors: the board of a company, a person, and a person's companies.

use panji_store::register::{self, CompanyKey, Directorship};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{newest, stamp, words};

/// The directors of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyDirectors {
    /// The company.
    pub cin: String,
    /// The members in office, latest appointment first.
    pub current: Vec<BoardMember>,
    /// The members who left, latest appointment first.
    pub past: Vec<BoardMember>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// The directors of a company, without the company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Board {
    /// The members in office, latest appointment first.
    pub current: Vec<BoardMember>,
    /// The members who left, latest appointment first.
    pub past: Vec<BoardMember>,
}

/// A director or partner of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct BoardMember {
    /// The person's DIN.
    #[schema(example = "99000101")]
    pub din: String,
    /// The person's name.
    pub name: String,
    /// The designation.
    #[schema(value_type = words::Designation)]
    pub designation: String,
    /// The designation in the source's words.
    pub designation_text: Option<String>,
    /// The day of appointment.
    pub appointed_on: Option<String>,
    /// The day of cessation.
    pub ceased_on: Option<String>,
}

impl Board {
    /// Splits a company's appointments into current and past.
    pub fn new(appointments: Vec<register::Appointment>) -> Board {
        let (current, past): (Vec<_>, Vec<_>) =
            appointments.into_iter().partition(|seat| seat.ceased_on.is_none());
        let members = |seats: Vec<register::Appointment>| seats.into_iter().map(member).collect();
        Board { current: members(current), past: members(past) }
    }
}

fn member(seat: register::Appointment) -> BoardMember {
    BoardMember {
        din: seat.din,
        name: seat.name,
        designation: seat.designation,
        designation_text: seat.designation_text,
        appointed_on: Some(seat.appointed_on).filter(|date| !date.is_empty()),
        ceased_on: seat.ceased_on,
    }
}

impl CompanyDirectors {
    pub fn new(company: &CompanyKey, appointments: Vec<register::Appointment>) -> CompanyDirectors {
        let (as_of, source) = stamp(&appointments, company);
        let Board { current, past } = Board::new(appointments);
        CompanyDirectors { cin: company.cin.clone(), current, past, as_of, source }
    }
}

/// A person with a DIN.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Director {
    /// The DIN.
    #[schema(example = "99000101")]
    pub din: String,
    /// The person's name.
    pub name: String,
    /// The status.
    #[schema(value_type = words::DirectorStatus)]
    pub status: String,
    /// The status in the source's words.
    pub status_text: Option<String>,
    /// The nationality.
    pub nationality: Option<String>,
    /// The number of companies of the person.
    pub directorships: DirectorshipCounts,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// In how many companies a person sits or sat.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DirectorshipCounts {
    /// Current and past.
    pub total: i64,
    /// Companies in which the person is a director now.
    pub current: i64,
    /// Companies in which the person was a director before and is not now.
    pub past: i64,
}

impl Director {
    pub fn new(director: register::Director, (current, past): (i64, i64)) -> Director {
        Director {
            din: director.din,
            name: director.name,
            status: director.status,
            status_text: director.status_text,
            nationality: director.nationality,
            directorships: DirectorshipCounts { total: current + past, current, past },
            as_of: director.as_of,
            source: director.source,
        }
    }
}

/// The companies of a director.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DirectorCompanies {
    /// The DIN.
    pub din: String,
    /// The person's name.
    pub name: String,
    /// One entry per company: current ones first, then latest appointment first.
    pub companies: Vec<DirectorCompany>,
    /// The date of the newest source data; null if no company is known.
    pub as_of: Option<String>,
    /// The format of that source; null if no company is known.
    pub source: Option<String>,
}

/// A company of a director.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DirectorCompany {
    /// The company.
    pub cin: String,
    /// Its name; null if the company is not in the register.
    pub name: Option<String>,
    /// Its status; null if the company is not in the register.
    #[schema(value_type = Option<words::CompanyStatus>)]
    pub status: Option<String>,
    /// The designation, as in the company's directors.
    #[schema(value_type = words::Designation)]
    pub designation: String,
    /// The designation in the source's words.
    pub designation_text: Option<String>,
    /// The day of appointment.
    pub appointed_on: Option<String>,
    /// The day of cessation.
    pub ceased_on: Option<String>,
    /// Whether the person is a director now.
    pub current: bool,
}

impl DirectorCompanies {
    pub fn new(director: register::Director, seats: Vec<Directorship>) -> DirectorCompanies {
        let (as_of, source) = newest(seats.iter().map(|seat| seat.origin.clone()));
        let companies = seats
            .into_iter()
            .map(|seat| DirectorCompany {
                cin: seat.cin,
                name: seat.company_name,
                status: seat.company_status,
                designation: seat.designation,
                designation_text: seat.designation_text,
                appointed_on: Some(seat.appointed_on).filter(|date| !date.is_empty()),
                current: seat.ceased_on.is_none(),
                ceased_on: seat.ceased_on,
            })
            .collect();
        DirectorCompanies { din: director.din, name: director.name, companies, as_of, source }
    }
}
