//! The company that a path names, by its number or its LEI.

use std::ops::Deref;

use panji_ids::{CompanyId, Lei};
use panji_store::register::{Company, CompanyReference, Record};
use panji_store::{PackedRow, Table};

use super::call::Call;
use super::charging::ChargeableCall;
use super::sections::FoundCompany;
use crate::http::error::{ApiError, ErrorCode};

/// The identifier of a company in a path.
enum CompanyIdentifier {
    Number(CompanyId),
    Lei(Lei),
}

/// The number of a company: the one in the path, or the one stored for an LEI.
enum CompanyNumber {
    Requested(CompanyId),
    Stored(String),
}

impl Deref for CompanyNumber {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            CompanyNumber::Requested(id) => id.as_str(),
            CompanyNumber::Stored(number) => number,
        }
    }
}

impl Call {
    /// The company in the path, or `company_not_found`.
    /// Checks the funds first (402 before 404).
    pub async fn company(self) -> Result<(ChargeableCall, Company), ApiError> {
        let past_day = self.past_day()?;
        let (mut call, number) = self.find_company_number().await?;
        let found = call.register().find_company(&number).await?;
        let company = found.ok_or_else(|| company_not_found(&number))?;
        let Some(day) = past_day else { return Ok((call, company)) };
        let past = call.register().company_at(&company, day.end_ms).await?;
        let Some(Record::Company(then)) = call.read_past(&day, past).await? else {
            return Err(ApiError::internal("the past of a company has no company"));
        };
        Ok((call, then))
    }

    /// The same, with its LEI. Checks the funds first (402 before 404).
    pub async fn company_with_lei(self) -> Result<(ChargeableCall, FoundCompany), ApiError> {
        if self.past_day()?.is_some() {
            return Box::pin(self.past_company_with_lei()).await;
        }
        let (call, number) = self.find_company_number().await?;
        let found = call.register().find_company_with_lei(&number).await?;
        let (row, lei) = found.ok_or_else(|| company_not_found(&number))?;
        Ok((call, FoundCompany { row, lei: lei.map(Box::new) }))
    }

    async fn past_company_with_lei(self) -> Result<(ChargeableCall, FoundCompany), ApiError> {
        let (call, company) = self.company().await?;
        let lei = call.register().find_company_lei(&company.cin).await?.map(Box::new);
        Ok((call, FoundCompany { row: PackedRow::of(&company.values()), lei }))
    }

    /// The reference of the company in the path, or `company_not_found`.
    /// Checks the funds first (402 before 404).
    pub async fn company_reference(self) -> Result<(ChargeableCall, CompanyReference), ApiError> {
        if self.past_day()?.is_some() {
            let (call, company) = Box::pin(self.company()).await?;
            return Ok((call, company.reference()));
        }
        let (call, number) = self.find_company_number().await?;
        let company = call.register().find_company_reference(&number).await?;
        let company = company.ok_or_else(|| company_not_found(&number))?;
        Ok((call, company))
    }

    /// Checks the funds first (402 before 404), and finds the number of the company in the path:
    /// the one that is there, or the one that its LEI belongs to.
    async fn find_company_number(self) -> Result<(ChargeableCall, CompanyNumber), ApiError> {
        let identifier = self.company_identifier_in_path().await?;
        let call = self.check_funds().await?;
        let number = match identifier {
            CompanyIdentifier::Number(id) => CompanyNumber::Requested(id),
            CompanyIdentifier::Lei(lei) => {
                let number = call.register().find_lei_company(lei.as_str()).await?;
                CompanyNumber::Stored(number.ok_or_else(|| lei_not_found(lei))?)
            }
        };
        Ok((call, number))
    }

    /// The company in the path, by its number or its LEI.
    async fn company_identifier_in_path(&self) -> Result<CompanyIdentifier, ApiError> {
        let text = self.path_value("cin");
        if !Lei::resembles(text) {
            return self.company_id().await.map(CompanyIdentifier::Number);
        }
        Lei::parse(text).map(CompanyIdentifier::Lei).map_err(|error| {
            let message = format!("The LEI in the path is malformed: {error}.");
            ApiError::new(ErrorCode::InvalidIdentifier, message).param("cin")
        })
    }
}

fn lei_not_found(lei: Lei) -> ApiError {
    ApiError::new(
        ErrorCode::CompanyNotFound,
        format!("No company with the LEI {lei} is in the register."),
    )
    .param("cin")
}

pub fn company_not_found(cin: &str) -> ApiError {
    ApiError::new(
        ErrorCode::CompanyNotFound,
        format!("No company with the number {cin} is in the register."),
    )
    .param("cin")
}
