//! Everything that the register has about a company, read once for the findings and the report.

use std::collections::HashSet;

use jiff::civil::Date;
use panji_search::{Found, Match, SearchRequest};
use panji_store::register::{
    self, Appointment, Charge, CompanyPan, CreditRating, Directorship, EpfoEstablishment, Filing,
    FinancialYear, GstFiling, GstRegistration, Origin,
};
use panji_store::{Register, StoreError};

use super::registered_office::{
    AddressCluster, OfficeChange, find_address_cluster, list_office_changes,
};
use super::{sections, wire};
use crate::app::Dataset;
use crate::http::error::ApiError;

/// The most directors whose other companies are read.
const MAX_PEOPLE: usize = 100;
/// The most GST registrations whose returns are read.
const MAX_GST_WITH_RETURNS: usize = 50;
/// The most companies with a similar name.
const MAX_SIMILAR: usize = 20;
/// From this score of the search on, two names are the same but for their legal form.
const SAME_NAME: f64 = 0.8;
/// From this score on, a name with another spelling is similar: about one letter in ten differs.
const SIMILAR_NAME: f64 = 0.62;

/// What the register has about a company.
pub struct CompanyRecords {
    /// The day for which findings are checked.
    pub day: Date,
    pub company: wire::Company<'static>,
    pub capital: wire::Capital,
    pub directors: wire::CompanyDirectors,
    pub charges: wire::CompanyCharges,
    pub financials: wire::Financials,
    pub compliance: wire::Compliance,
    pub pan: Option<CompanyPan>,
    /// The GST registrations of its PAN.
    pub gst: Vec<GstRecords>,
    /// The current directors with all their directorships.
    pub people: Vec<Person>,
    /// The companies with a similar name; none if the index is incomplete.
    pub similar: Option<Vec<SimilarCompany>>,
    /// The companies at its registered office; none if they are not known.
    pub address: Option<AddressCluster>,
    /// The changes of its registered office; none if the register does not keep them.
    pub office_changes: Option<Vec<OfficeChange>>,
}

/// A GST registration with its returns, newest first.
#[derive(Clone, Debug, Default)]
pub struct GstRecords {
    pub registration: GstRegistration,
    pub returns: Vec<GstFiling>,
}

/// A person with a current appointment in the company.
#[derive(Clone, Debug, Default)]
pub struct Person {
    pub din: String,
    pub name: String,
    /// The status of the DIN with its source, if a source states one.
    pub status: Option<(String, Origin)>,
    /// One per company, this one included.
    pub directorships: Vec<PersonDirectorship>,
}

/// The directorship of a person in some company, and what is known of that company.
#[derive(Clone, Debug)]
pub struct PersonDirectorship {
    pub directorship: Directorship,
    /// The source of the company's status; none if the company is not in the register.
    pub company_origin: Option<Origin>,
    /// The day on which the company was struck off; none if it is not known.
    pub struck_off_on: Option<String>,
}

/// How similar the names of two companies are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSimilarity {
    /// The same except for the legal form.
    Same,
    /// Spelled nearly the same.
    Similar,
}

/// Another company with a similar name.
#[derive(Clone, Debug)]
pub struct SimilarCompany {
    pub company: register::Company,
    /// The former name that is similar, if it is not the current one.
    pub matched_name: Option<String>,
    pub similarity: NameSimilarity,
    /// Whether both companies have a director in common.
    pub shares_director: bool,
}

/// The records of a company.
#[derive(Default)]
pub struct StoredRecords {
    pub company: register::Company,
    pub lei: Option<wire::CompanyLei>,
    pub appointments: Vec<Appointment>,
    pub charges: Vec<Charge>,
    pub years: Vec<FinancialYear>,
    pub filings: Vec<Filing>,
    pub ratings: Vec<CreditRating>,
    pub establishments: Vec<EpfoEstablishment>,
    pub pan: Option<CompanyPan>,
    pub gst: Vec<GstRecords>,
    pub people: Vec<Person>,
    pub similar: Option<Vec<SimilarCompany>>,
    pub address: Option<AddressCluster>,
    pub office_changes: Option<Vec<OfficeChange>>,
}

impl CompanyRecords {
    pub fn new(stored: StoredRecords, day: Date) -> CompanyRecords {
        let reference = stored.company.reference();
        let capital = wire::Capital::from(&stored.company);
        let compliance = wire::Compliance::new(
            &stored.company,
            stored.filings,
            stored.ratings,
            stored.establishments,
        );
        CompanyRecords {
            day,
            company: wire::Company::new(stored.company, stored.lei),
            capital,
            directors: wire::CompanyDirectors::new(&reference, stored.appointments),
            charges: wire::CompanyCharges::new(&reference, stored.charges),
            financials: wire::Financials::new(&reference, stored.years),
            compliance,
            pan: stored.pan,
            gst: stored.gst,
            people: stored.people,
            similar: stored.similar,
            address: stored.address,
            office_changes: stored.office_changes,
        }
    }

    /// Reads everything about a company.
    pub async fn read(
        dataset: &Dataset,
        company: register::Company,
        day: Date,
    ) -> Result<CompanyRecords, ApiError> {
        let register = &*dataset.register;
        let cin = company.cin.clone();
        let appointments = register.list_appointments(&cin).await?;
        let people = read_people(register, &appointments).await?;
        let similar = read_similar(dataset, &company, &people).await?;
        let pan = register.find_company_pan(&cin).await?;
        let gst = match &pan {
            Some(pan) => read_gst(register, &pan.pan).await?,
            None => Vec::new(),
        };
        let stored = StoredRecords {
            lei: sections::lei(register, &cin).await?,
            charges: register.list_charges(&cin).await?,
            years: register.list_financial_years(&cin).await?,
            filings: register.list_filings(&cin).await?,
            ratings: register.list_credit_ratings(&cin).await?,
            establishments: register.list_epfo_establishments(&cin).await?,
            address: find_address_cluster(dataset, &company).await?,
            office_changes: list_office_changes(register, &company).await?,
            company,
            appointments,
            pan,
            gst,
            people,
            similar,
        };
        Ok(CompanyRecords::new(stored, day))
    }

    /// The company itself as a place of evidence.
    pub fn company_evidence(&self, detail: String, date: Option<String>) -> wire::FindingEvidence {
        wire::FindingEvidence {
            record: "company".into(),
            id: Some(self.company.cin.to_string()),
            name: Some(self.company.name.to_string()),
            detail,
            date,
            as_of: self.company.as_of.as_deref().map(str::to_owned),
            source: Some(self.company.source.to_string()),
        }
    }
}

/// The current directors, each with the directorships in all companies.
async fn read_people(
    register: &Register,
    appointments: &[Appointment],
) -> Result<Vec<Person>, StoreError> {
    let mut people: Vec<Person> = Vec::new();
    for appointment in appointments.iter().filter(|appointment| appointment.ceased_on.is_none()) {
        if people.len() < MAX_PEOPLE && !people.iter().any(|person| person.din == appointment.din) {
            let (din, name) = (appointment.din.clone(), appointment.name.clone());
            people.push(Person { din, name, ..Person::default() });
        }
    }
    let dins: Vec<&str> = people.iter().map(|person| person.din.as_str()).collect();
    let summaries = register.find_director_summaries(&dins).await?;
    for (person, summary) in people.iter_mut().zip(summaries) {
        if let Some(summary) = summary {
            person.name = summary.name;
            person.status = Some((summary.status, summary.origin));
        }
        person.directorships = read_directorships(register, &person.din).await?;
    }
    Ok(people)
}

async fn read_directorships(
    register: &Register,
    din: &str,
) -> Result<Vec<PersonDirectorship>, StoreError> {
    let directorships = register.list_directorships(din).await?;
    let cins: Vec<&str> =
        directorships.iter().map(|directorship| directorship.cin.as_str()).collect();
    let summaries = register.find_company_summaries(&cins).await?;
    let origins = summaries.into_iter().map(|summary| summary.map(|summary| summary.origin));
    let directorships = directorships.into_iter().zip(origins);
    let directorships = directorships.map(|(directorship, company_origin)| PersonDirectorship {
        directorship,
        company_origin,
        struck_off_on: None,
    });
    Ok(directorships.collect())
}

async fn read_gst(register: &Register, pan: &str) -> Result<Vec<GstRecords>, StoreError> {
    let mut stored = Vec::new();
    for registration in register.list_gst_registrations(pan).await? {
        let returns = match stored.len() < MAX_GST_WITH_RETURNS {
            true => register.list_gst_filings(&registration.gstin).await?,
            false => Vec::new(),
        };
        stored.push(GstRecords { registration, returns });
    }
    Ok(stored)
}

/// The companies whose name is the same except for the legal form, or spelled nearly the same.
async fn read_similar(
    dataset: &Dataset,
    company: &register::Company,
    people: &[Person],
) -> Result<Option<Vec<SimilarCompany>>, ApiError> {
    if dataset.search.building().is_some() {
        return Ok(None);
    }
    let request = SearchRequest {
        text: &company.name,
        limit: MAX_SIMILAR,
        best_only: true,
        ..SearchRequest::default()
    };
    let hits = dataset.search.find(&request)?;
    let own_cins: HashSet<&str> = people
        .iter()
        .flat_map(|person| &person.directorships)
        .map(|entry| entry.directorship.cin.as_str())
        .collect();
    let mut similar = Vec::new();
    for found in hits.companies.into_iter().filter(|found| found.cin != company.cin) {
        if let Some(similarity) = name_similarity(&found)
            && let Some(other) = dataset.register.find_company(&found.cin).await?
        {
            similar.push(SimilarCompany {
                shares_director: own_cins.contains(other.cin.as_str()),
                company: other,
                matched_name: found.matched_name,
                similarity,
            });
        }
    }
    Ok(Some(similar))
}

/// How similar the name of a company that a search found is; none if it is a different name. A longer name is a
/// different one: "Namuna" and "Namuna Mills".
fn name_similarity(found: &Found) -> Option<NameSimilarity> {
    match found.kind_of_match {
        _ if found.score >= SAME_NAME => Some(NameSimilarity::Same),
        Match::Fuzzy if found.score >= SIMILAR_NAME => Some(NameSimilarity::Similar),
        _ => None,
    }
}
