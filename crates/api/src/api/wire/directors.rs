//! Directors: the board of a company, a person, and a person's companies.

use std::borrow::Cow;

use panji_store::register::{self, CompanyReference, CoveredSection, Directorship};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SectionOrigin, enums};

/// The directors of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyDirectors {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// The members in office, latest appointment first.
    pub current: Vec<BoardMember>,
    /// The members who left, latest appointment first.
    pub past: Vec<BoardMember>,
    /// What an empty list means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

/// The directors of a company, without the company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Board {
    /// The members in office, latest appointment first.
    pub current: Vec<BoardMember>,
    /// The members who left, latest appointment first.
    pub past: Vec<BoardMember>,
    /// What an empty list means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
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
    #[schema(value_type = enums::Designation)]
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
    pub fn new(company: &CompanyReference, appointments: Vec<register::Appointment>) -> Board {
        let statement = company.coverage.get(CoveredSection::Directors);
        let SectionOrigin { coverage, as_of, source } =
            SectionOrigin::of_list(statement, &appointments);
        let (current, past): (Vec<_>, Vec<_>) =
            appointments.into_iter().partition(|appointment| appointment.ceased_on.is_none());
        let members = |appointments: Vec<register::Appointment>| {
            appointments.into_iter().map(member).collect()
        };
        Board { current: members(current), past: members(past), coverage, as_of, source }
    }
}

fn member(appointment: register::Appointment) -> BoardMember {
    BoardMember {
        din: appointment.din,
        name: appointment.name,
        designation: appointment.designation,
        designation_text: appointment.designation_text,
        appointed_on: Some(appointment.appointed_on).filter(|date| !date.is_empty()),
        ceased_on: appointment.ceased_on,
    }
}

impl CompanyDirectors {
    pub fn new(
        company: &CompanyReference,
        appointments: Vec<register::Appointment>,
    ) -> CompanyDirectors {
        let Board { current, past, coverage, as_of, source } = Board::new(company, appointments);
        CompanyDirectors { cin: company.cin.clone(), current, past, coverage, as_of, source }
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
    #[schema(value_type = enums::DirectorStatus)]
    pub status: String,
    /// The status in the source's words.
    pub status_text: Option<String>,
    /// The nationality.
    pub nationality: Option<String>,
    /// The number of companies of the person.
    pub directorships: DirectorshipCounts,
    /// How complete `directorships` is: `partial` if companies are known, `none` if not.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// The number of companies of a person in this register; null if none is known.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DirectorshipCounts {
    /// Current and past.
    pub total: Option<i64>,
    /// Companies in which the person is a director now.
    pub current: Option<i64>,
    /// Companies in which the person was a director before and is not now.
    pub past: Option<i64>,
}

impl Director {
    pub fn new(director: register::Director, (current, past): (i64, i64)) -> Director {
        let is_known = current + past > 0;
        let known = |count| is_known.then_some(count);
        let directorships = DirectorshipCounts {
            total: known(current + past),
            current: known(current),
            past: known(past),
        };
        Director {
            din: director.din,
            name: director.name,
            status: director.status,
            status_text: director.status_text,
            nationality: director.nationality,
            directorships,
            coverage: Cow::Borrowed(if is_known { enums::PARTIAL } else { enums::NONE }),
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
    /// How complete the list is: `partial` if companies are known, `none` if not.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the newest source data; null if no company is known.
    pub as_of: Option<String>,
    /// The format of that source; null if no company is known.
    pub source: Option<String>,
}

/// A company of a director.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DirectorCompany {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// Its name; null if the company is not in the register.
    pub name: Option<String>,
    /// Its status; null if the company is not in the register.
    #[schema(value_type = Option<enums::CompanyStatus>)]
    pub status: Option<String>,
    /// The designation, as in the company's directors.
    #[schema(value_type = enums::Designation)]
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
    pub fn new(
        director: register::Director,
        directorships: Vec<Directorship>,
    ) -> DirectorCompanies {
        let SectionOrigin { coverage, as_of, source } = SectionOrigin::new(
            None,
            directorships.iter().map(|directorship| directorship.origin.clone()),
        );
        let companies = directorships
            .into_iter()
            .map(|directorship| DirectorCompany {
                cin: directorship.cin,
                name: directorship.company_name,
                status: directorship.company_status,
                designation: directorship.designation,
                designation_text: directorship.designation_text,
                appointed_on: Some(directorship.appointed_on).filter(|date| !date.is_empty()),
                current: directorship.ceased_on.is_none(),
                ceased_on: directorship.ceased_on,
            })
            .collect();
        let (din, name) = (director.din, director.name);
        DirectorCompanies { din, name, companies, coverage, as_of, source }
    }
}
