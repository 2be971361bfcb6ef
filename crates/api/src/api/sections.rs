//! The sections of a company: what each is called, how it is read from the register, and what it costs.

use std::borrow::Cow;

use panji_store::register::{
    Appointment, Charge, Company, CompanyLei, CompanyOf, CompanyPan, CompanyReference,
    CoveredSection, CreditRating, DIRECT_PARENT, Document, DocumentFilter, EpfoEstablishment,
    Filing, FinancialYear, LeiParent, Origin, ULTIMATE_PARENT,
};
use panji_store::{PackedRow, Register, StoreError};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::wire::{self, EnrichedSection, SectionOrigin, enums};
use crate::config::operation::Operation;
use crate::config::{LimitSettings, Prices};
use crate::http::error::ApiError;

/// A company with its LEI.
pub struct FoundCompany {
    pub row: PackedRow,
    /// Boxed, because few companies have one.
    pub lei: Option<Box<CompanyLei>>,
}

impl FoundCompany {
    pub fn company(&self) -> Result<CompanyOf<&str>, ApiError> {
        CompanyOf::from_packed(&self.row)
            .ok_or_else(|| ApiError::internal("a column of a company has another type"))
    }
}

/// A section of a company as the API returns it. Where nothing is known it costs nothing.
pub struct BillableSection<T> {
    pub data: T,
    pub billable: bool,
}

impl<T> BillableSection<T> {
    fn map<U>(self, wrap: impl FnOnce(T) -> U) -> BillableSection<U> {
        BillableSection { data: wrap(self.data), billable: self.billable }
    }
}

/// A section of a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Company,
    Pan,
    Capital,
    Directors,
    Charges,
    Financials,
    Compliance,
    Documents,
}

impl Section {
    /// All sections.
    pub const ALL: [Section; 8] = [
        Section::Company,
        Section::Pan,
        Section::Capital,
        Section::Directors,
        Section::Charges,
        Section::Financials,
        Section::Compliance,
        Section::Documents,
    ];

    /// The name under which a bulk request asks for it.
    pub fn name(self) -> &'static str {
        match self {
            Section::Company => "company",
            Section::Pan => "pan",
            Section::Capital => "capital",
            Section::Directors => "directors",
            Section::Charges => "charges",
            Section::Financials => "financials",
            Section::Compliance => "compliance",
            Section::Documents => "documents",
        }
    }

    /// The name of its schema.
    pub fn schema_name(self) -> Cow<'static, str> {
        match self {
            Section::Company => wire::Company::name(),
            Section::Pan => wire::CompanyPan::name(),
            Section::Capital => wire::Capital::name(),
            Section::Directors => wire::CompanyDirectors::name(),
            Section::Charges => wire::CompanyCharges::name(),
            Section::Financials => wire::Financials::name(),
            Section::Compliance => wire::Compliance::name(),
            Section::Documents => wire::Documents::name(),
        }
    }

    /// The list price.
    pub fn price(self, prices: &Prices) -> i64 {
        match self {
            Section::Company => prices.of(Operation::GetCompany),
            Section::Pan => prices.of(Operation::GetCompanyPan),
            Section::Capital => prices.capital(),
            Section::Directors => prices.of(Operation::GetCompanyDirectors),
            Section::Charges => prices.of(Operation::GetCompanyCharges),
            Section::Financials => prices.of(Operation::GetCompanyFinancials),
            Section::Compliance => prices.of(Operation::GetCompanyCompliance),
            Section::Documents => prices.of(Operation::ListCompanyDocuments),
        }
    }

    /// The members that the section has: the properties of its schema.
    pub fn members(self) -> Vec<String> {
        let schema = match self {
            Section::Company => wire::Company::schema(),
            Section::Pan => wire::CompanyPan::schema(),
            Section::Capital => wire::Capital::schema(),
            Section::Directors => wire::CompanyDirectors::schema(),
            Section::Charges => wire::CompanyCharges::schema(),
            Section::Financials => wire::Financials::schema(),
            Section::Compliance => wire::Compliance::schema(),
            Section::Documents => wire::Documents::schema(),
        };
        match schema {
            RefOr::T(Schema::Object(object)) => object.properties.into_keys().collect(),
            _ => Vec::new(),
        }
    }

    /// Reads the section of each company.
    pub async fn read_each(
        self,
        register: &Register,
        limits: &LimitSettings,
        companies: &[Company],
    ) -> Result<Vec<BillableSection<EnrichedSection>>, StoreError> {
        use EnrichedSection as Read;
        let cins: Vec<&str> = companies.iter().map(|company| company.cin.as_str()).collect();
        let keys = companies.iter().map(Company::reference);
        Ok(match self {
            Section::Company => {
                let mut read = Vec::with_capacity(companies.len());
                let leis = register.find_company_leis(&cins).await?;
                for (company, any) in companies.iter().zip(leis) {
                    let lei = match any {
                        Some(_) => lei(register, &company.cin).await?,
                        None => None,
                    };
                    let data = Box::new(wire::Company::new(company.clone(), lei));
                    read.push(BillableSection { data: Read::Company(data), billable: true });
                }
                read
            }
            Section::Capital => companies
                .iter()
                .map(|company| {
                    let data = wire::Capital::from(company);
                    BillableSection {
                        billable: is_known(&data.coverage),
                        data: Read::Capital(data),
                    }
                })
                .collect(),
            Section::Pan => {
                let found = register.find_company_pans(&cins).await?;
                keys.zip(found).map(|(key, pan)| pan_of(&key, pan).map(Read::Pan)).collect()
            }
            Section::Directors => {
                let found = register.list_each(&cins).await?;
                keys.zip(found)
                    .map(|(key, of)| directors_of(&key, of).map(Read::Directors))
                    .collect()
            }
            Section::Charges => {
                let found = register.list_each(&cins).await?;
                keys.zip(found).map(|(key, of)| charges_of(&key, of).map(Read::Charges)).collect()
            }
            Section::Financials => {
                let found = register.list_each(&cins).await?;
                keys.zip(found)
                    .map(|(key, of)| financials_of(&key, of).map(Read::Financials))
                    .collect()
            }
            Section::Compliance => {
                let filings = register.list_each(&cins).await?;
                let ratings = register.list_each(&cins).await?;
                let establishments = register.list_each(&cins).await?;
                let read = companies.iter().zip(filings).zip(ratings).zip(establishments);
                read.map(|(((company, filings), ratings), establishments)| {
                    compliance_of(company, filings, ratings, establishments).map(Read::Compliance)
                })
                .collect()
            }
            Section::Documents => {
                let per_page = limits.documents_per_page.get().into();
                let found = register.list_newest_documents(&cins, per_page).await?;
                let mut read = Vec::with_capacity(companies.len());
                for (key, listed) in keys.zip(found) {
                    let newest = first_documents(register, &key, listed, per_page).await?;
                    read.push(newest.map(Read::Documents));
                }
                read
            }
        })
    }
}

/// Whether a section with this coverage is charged for.
fn is_known(coverage: &str) -> bool {
    coverage != enums::NONE
}

/// The identity, with the LEI.
pub async fn company<'a>(
    register: &Register,
    found: &'a FoundCompany,
) -> Result<wire::Company<'a>, ApiError> {
    let lei = match &found.lei {
        Some(lei) => Some(Box::pin(with_parents(register, CompanyLei::clone(lei))).await?),
        None => None,
    };
    Ok(wire::Company::new(found.company()?, lei))
}

/// The LEI of a company with its parents.
pub async fn lei(register: &Register, cin: &str) -> Result<Option<wire::CompanyLei>, StoreError> {
    match register.find_company_lei(cin).await? {
        Some(lei) => with_parents(register, lei).await.map(Some),
        None => Ok(None),
    }
}

async fn with_parents(
    register: &Register,
    record: CompanyLei,
) -> Result<wire::CompanyLei, StoreError> {
    let parents = register.list_lei_parents(&record.lei).await?;
    let direct = parent(register, &parents, DIRECT_PARENT).await?;
    let ultimate = parent(register, &parents, ULTIMATE_PARENT).await?;
    Ok(wire::CompanyLei::new(record, direct, ultimate))
}

/// The newest statement: the current parent, or why there is none.
async fn parent(
    register: &Register,
    parents: &[LeiParent],
    relation: &str,
) -> Result<Option<wire::LeiParent>, StoreError> {
    let stated = parents.iter().filter(|parent| parent.active && parent.relation == relation);
    let newest = stated.max_by_key(|parent| (&parent.as_of, !parent.parent_lei.is_empty()));
    let Some(newest) = newest else { return Ok(None) };
    let holder = match newest.parent_lei.as_str() {
        "" => None,
        lei => register.find_lei_holder(lei).await?,
    };
    Ok(Some(wire::LeiParent::new(newest.clone(), holder)))
}

/// The company's own PAN.
pub async fn pan(
    register: &Register,
    company: &CompanyReference,
) -> Result<BillableSection<wire::CompanyPan>, StoreError> {
    Ok(pan_of(company, register.find_company_pan(&company.cin).await?))
}

fn pan_of(
    company: &CompanyReference,
    found: Option<CompanyPan>,
) -> BillableSection<wire::CompanyPan> {
    let billable = found.is_some();
    BillableSection { data: wire::CompanyPan::new(company.cin.clone(), found), billable }
}

/// Directors, current and past.
pub async fn directors(
    register: &Register,
    company: &CompanyReference,
) -> Result<BillableSection<wire::CompanyDirectors>, StoreError> {
    Ok(directors_of(company, register.list_appointments(&company.cin).await?))
}

fn directors_of(
    company: &CompanyReference,
    appointments: Vec<Appointment>,
) -> BillableSection<wire::CompanyDirectors> {
    let data = wire::CompanyDirectors::new(company, appointments);
    BillableSection { billable: is_known(&data.coverage), data }
}

/// Charges, open and satisfied.
pub async fn charges(
    register: &Register,
    company: &CompanyReference,
) -> Result<BillableSection<wire::CompanyCharges>, StoreError> {
    Ok(charges_of(company, register.list_charges(&company.cin).await?))
}

fn charges_of(
    company: &CompanyReference,
    charges: Vec<Charge>,
) -> BillableSection<wire::CompanyCharges> {
    let data = wire::CompanyCharges::new(company, charges);
    BillableSection { billable: is_known(&data.coverage), data }
}

/// Financial years.
pub async fn financials(
    register: &Register,
    company: &CompanyReference,
) -> Result<BillableSection<wire::Financials>, StoreError> {
    Ok(financials_of(company, register.list_financial_years(&company.cin).await?))
}

fn financials_of(
    company: &CompanyReference,
    years: Vec<FinancialYear>,
) -> BillableSection<wire::Financials> {
    let billable = years.iter().any(FinancialYear::is_year);
    BillableSection { data: wire::Financials::new(company, years), billable }
}

/// Filings, credit ratings and provident-fund establishments.
pub async fn compliance(
    register: &Register,
    company: &Company,
) -> Result<BillableSection<wire::Compliance>, StoreError> {
    let filings = register.list_filings(&company.cin).await?;
    let ratings = register.list_credit_ratings(&company.cin).await?;
    let establishments = register.list_epfo_establishments(&company.cin).await?;
    Ok(compliance_of(company, filings, ratings, establishments))
}

fn compliance_of(
    company: &Company,
    filings: Vec<Filing>,
    ratings: Vec<CreditRating>,
    establishments: Vec<EpfoEstablishment>,
) -> BillableSection<wire::Compliance> {
    let data = wire::Compliance::new(company, filings, ratings, establishments);
    BillableSection { billable: is_known(&data.coverage), data }
}

/// One page of documents.
pub async fn documents(
    register: &Register,
    company: &CompanyReference,
    filter: &DocumentFilter,
    page: i64,
    per_page: i64,
) -> Result<BillableSection<wire::Documents>, StoreError> {
    let cin = &company.cin;
    let listed = register.list_documents(cin, filter, per_page, (page - 1) * per_page).await?;
    if page == 1 && *filter == DocumentFilter::All {
        return first_documents(register, company, listed, per_page).await;
    }
    let total = match i64::try_from(listed.len()) {
        Ok(count) if page == 1 && count < per_page => count,
        _ => register.count_documents(cin, filter).await?,
    };
    // The filter narrows the list, not what is known.
    let newest = register.find_newest_document_origin(cin).await?;
    Ok(documents_page(company, page, listed, total, newest))
}

/// The first page of all documents.
async fn first_documents(
    register: &Register,
    company: &CompanyReference,
    listed: Vec<Document>,
    per_page: i64,
) -> Result<BillableSection<wire::Documents>, StoreError> {
    // Most companies have a page at most: then it says everything.
    let total = match i64::try_from(listed.len()) {
        Ok(count) if count < per_page => count,
        _ => register.count_documents(&company.cin, &DocumentFilter::All).await?,
    };
    let newest = listed.first().map(wire::origin);
    Ok(documents_page(company, 1, listed, total, newest))
}

fn documents_page(
    company: &CompanyReference,
    page: i64,
    listed: Vec<Document>,
    total: i64,
    newest: Option<Origin>,
) -> BillableSection<wire::Documents> {
    let cin = company.cin.clone();
    let documents = listed.into_iter().map(wire::Document::from).collect();
    let statement = company.coverage.get(CoveredSection::Documents);
    let origin = SectionOrigin::new(statement, newest.into_iter());
    let total_documents = origin.known_count(total);
    let SectionOrigin { coverage, as_of, source } = origin;
    let billable = is_known(&coverage);
    let data = wire::Documents { cin, total_documents, page, documents, coverage, as_of, source };
    BillableSection { data, billable }
}
