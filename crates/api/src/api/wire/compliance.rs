//! Compliance: statutory filings, credit ratings and provident fund.

use std::borrow::Cow;

use panji_import::vocabulary;
use panji_store::register::{self, CoveredSection};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Rupees, SectionOrigin, enums, origin};

/// The compliance of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Compliance {
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// The day of the last annual general meeting.
    pub last_agm_on: Option<String>,
    /// The day of the last balance sheet.
    pub last_balance_sheet_on: Option<String>,
    /// The financial year of the last annual return.
    pub last_annual_return_year: Option<String>,
    /// Statutory filings, latest due first.
    pub roc_filings: Vec<RocFiling>,
    /// Credit ratings, newest first.
    pub credit_ratings: Vec<CreditRating>,
    /// Provident-fund establishments.
    pub epfo: Vec<Epfo>,
    /// What an empty list means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

/// A statutory filing.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct RocFiling {
    /// The form.
    #[schema(example = "AOC-4")]
    pub form_type: String,
    /// The form in words.
    pub description: String,
    /// The financial year it is for.
    pub financial_year: Option<String>,
    /// The last day to file it.
    pub due_on: Option<String>,
    /// The day it was filed.
    pub filed_on: Option<String>,
    /// The status; `overdue` means not filed by the source's date although due.
    #[schema(value_type = enums::FilingStatus)]
    pub status: Cow<'static, str>,
}

/// A credit rating.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CreditRating {
    /// The agency.
    pub agency: String,
    /// What is rated.
    pub instrument: String,
    /// The rating's symbol.
    pub rating: String,
    /// The outlook: `stable`, `positive`, `negative`, `watch_positive`, `watch_negative`,
    /// `watch_developing` or `other`.
    #[schema(value_type = Option<enums::RatingOutlook>)]
    pub outlook: Option<Cow<'static, str>>,
    /// The outlook in the source's words.
    pub outlook_text: Option<String>,
    /// The agency's action: `assigned`, `reaffirmed`, `upgraded`, `downgraded`, `withdrawn`,
    /// `suspended` or `other`.
    #[schema(value_type = Option<enums::RatingAction>)]
    pub action: Option<Cow<'static, str>>,
    /// The same in the source's words.
    pub action_text: Option<String>,
    /// The rated amount.
    pub amount: Option<Rupees>,
    /// The day of the rating.
    pub rated_on: String,
}

/// An establishment registered with the provident fund.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Epfo {
    /// The fund's number for the establishment.
    pub establishment_id: String,
    /// The name in the fund's records.
    pub name: String,
    /// Its working status: `live`, `closed` or `other`.
    #[schema(value_type = Option<enums::EstablishmentStatus>)]
    pub status: Option<Cow<'static, str>>,
    /// The status in the source's words.
    pub status_text: Option<String>,
    /// Employees in the last wage month.
    pub employees: Option<i64>,
    /// The last wage month paid for.
    #[schema(example = "2026-02")]
    pub last_wage_month: Option<String>,
    /// The amount paid.
    pub amount: Option<Rupees>,
    /// The day it was paid.
    pub paid_on: Option<String>,
}

impl Compliance {
    pub fn new(
        company: &register::Company,
        filings: Vec<register::Filing>,
        ratings: Vec<register::CreditRating>,
        establishments: Vec<register::EpfoEstablishment>,
    ) -> Compliance {
        let coverage = company.coverage();
        let statement = coverage.get(CoveredSection::Compliance);
        let records = filings.iter().map(origin).chain(ratings.iter().map(origin));
        let records = records.chain(establishments.iter().map(origin));
        // Of a company stored before its sources stated it, the dates are those of the company's source.
        let dates = [&company.last_agm_on, &company.last_balance_sheet_on];
        let has_dates =
            dates.into_iter().chain([&company.last_annual_return_year]).any(Option::is_some);
        let own = (statement.is_none() && has_dates).then(|| origin(company));
        let SectionOrigin { coverage, as_of, source } =
            SectionOrigin::new(statement, records.chain(own));
        Compliance {
            cin: company.cin.clone(),
            last_agm_on: company.last_agm_on.clone(),
            last_balance_sheet_on: company.last_balance_sheet_on.clone(),
            last_annual_return_year: company.last_annual_return_year.clone(),
            roc_filings: filings.into_iter().filter_map(roc_filing).collect(),
            credit_ratings: ratings.into_iter().map(CreditRating::from).collect(),
            epfo: establishments.into_iter().map(Epfo::from).collect(),
            coverage,
            as_of,
            source,
        }
    }
}

/// The status of a filing on the date of its source; none if it was not due yet and not filed.
fn roc_filing(filing: register::Filing) -> Option<RocFiling> {
    let status = match (&filing.filed_on, &filing.due_on) {
        (Some(filed_on), Some(due_on)) if filed_on > due_on => "filed_late",
        (Some(_), _) => "filed",
        (None, Some(due_on)) if Some(due_on) < filing.as_of.as_ref() => "overdue",
        (None, _) => return None,
    };
    Some(RocFiling {
        form_type: filing.form_type,
        description: filing.description,
        financial_year: filing.financial_year,
        due_on: filing.due_on,
        filed_on: filing.filed_on,
        status: status.into(),
    })
}

impl From<register::CreditRating> for CreditRating {
    fn from(rating: register::CreditRating) -> CreditRating {
        CreditRating {
            agency: rating.agency,
            instrument: rating.instrument,
            rating: rating.rating,
            outlook: rating.outlook.as_deref().map(|text| vocabulary::rating_outlook(text).into()),
            outlook_text: rating.outlook,
            action: rating.action.as_deref().map(|text| vocabulary::rating_action(text).into()),
            action_text: rating.action,
            amount: rating.amount.map(Rupees),
            rated_on: rating.rated_on,
        }
    }
}

impl From<register::EpfoEstablishment> for Epfo {
    fn from(establishment: register::EpfoEstablishment) -> Epfo {
        Epfo {
            establishment_id: establishment.establishment_id,
            name: establishment.name,
            status: establishment
                .status
                .as_deref()
                .map(|text| vocabulary::establishment_status(text).into()),
            status_text: establishment.status,
            employees: establishment.employees,
            last_wage_month: establishment.last_wage_month,
            amount: establishment.amount.map(Rupees),
            paid_on: establishment.paid_on,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(due_on: Option<&str>, filed_on: Option<&str>) -> Option<String> {
        let own = |text: Option<&str>| text.map(str::to_owned);
        let filing = register::Filing {
            due_on: own(due_on),
            filed_on: own(filed_on),
            as_of: Some("2026-03-31".into()),
            ..Default::default()
        };
        roc_filing(filing).map(|filing| filing.status.into_owned())
    }

    #[test]
    fn a_filing_is_judged_by_its_dates() {
        assert_eq!(status(Some("2025-10-30"), Some("2025-10-30")), Some("filed".into()));
        assert_eq!(status(Some("2025-10-30"), Some("2025-10-31")), Some("filed_late".into()));
        assert_eq!(status(None, Some("2025-10-31")), Some("filed".into()));
        assert_eq!(status(Some("2026-03-30"), None), Some("overdue".into()));
        assert_eq!(status(Some("2026-03-31"), None), None);
        assert_eq!(status(Some("2026-10-30"), None), None);
    }
}
