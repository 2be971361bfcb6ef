//! Company endpoints: identity, and the sections of a company.

use panji_store::register::DocumentFilter;

use super::call::Call;
use super::paging::{last_page, page_links};
use super::{sections, wire};
use crate::http::error::{ApiError, ApiResult};

/// The highest page number that is accepted.
const MAX_PAGE: i64 = 1_000_000;

/// Identity of a company
///
/// Name, kind, status, class, registered office, registrar, industry, former names and numbers, and the
/// LEI with the parents. A former number or the LEI finds the company under its current number. Calls within the daily free quota cost
/// nothing.
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}",
    operation_id = "getCompany",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::Company)),
)]
pub async fn get_company(call: Call) -> ApiResult {
    let (call, found) = call.company_with_lei().await?;
    let company = sections::company(&call.register(), &found).await?;
    call.respond(&company).await
}

/// PAN of a company
///
/// The company's own PAN. Costs nothing when the register has no PAN for it.
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/pan",
    operation_id = "getCompanyPan",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::CompanyPan)),
)]
pub async fn get_company_pan(call: Call) -> ApiResult {
    let (call, company) = call.company_reference().await?;
    let section = sections::pan(&call.register(), &company).await?;
    call.respond_with_section(&section).await
}

/// Identity, capital, directors and charges in one response
///
/// The company as getCompany returns it, with its capital, its directors and its charges.
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/profile",
    operation_id = "getCompanyProfile",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::Profile)),
)]
pub async fn get_company_profile(call: Call) -> ApiResult {
    let (call, found) = call.company_with_lei().await?;
    let company = found.company()?;
    let appointments = call.register().list_appointments(company.cin).await?;
    let charges = call.register().list_charges(company.cin).await?;
    let reference = company.reference();
    let capital = wire::Capital::from(&company);
    let company = sections::company(&call.register(), &found).await?;
    let profile = wire::Profile {
        capital,
        directors: wire::Board::new(&reference, appointments),
        charges: wire::ChargesSummary::new(&reference, charges),
        coverage: company.coverage.clone(),
        as_of: company.as_of.clone(),
        source: company.source.clone(),
        company,
    };
    call.respond(&profile).await
}

/// Financial years of a company, with ratios and growth
///
/// Each financial year in the register, newest first, standalone before consolidated, in rupees; the
/// quarters and half-years likewise, as `interim`. Costs nothing when there is no year.
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/financials",
    operation_id = "getCompanyFinancials",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::Financials)),
)]
pub async fn get_company_financials(call: Call) -> ApiResult {
    let (call, company) = call.company_reference().await?;
    let section = sections::financials(&call.register(), &company).await?;
    call.respond_with_section(&section).await
}

/// Directors of a company, current and past
///
/// The appointments to the board, or the partners of an LLP, with designation and dates; latest appointment first.
/// Costs nothing when nothing is known (`coverage` is `none`).
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/directors",
    operation_id = "getCompanyDirectors",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::CompanyDirectors)),
)]
pub async fn get_company_directors(call: Call) -> ApiResult {
    let (call, company) = call.company_reference().await?;
    let section = sections::directors(&call.register(), &company).await?;
    call.respond_with_section(&section).await
}

/// Charges on a company's assets
///
/// Every charge with its lender, amount, status and dates, newest first, and the sum of those that are not
/// satisfied. Costs nothing when nothing is known (`coverage` is `none`).
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/charges",
    operation_id = "getCompanyCharges",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::CompanyCharges)),
)]
pub async fn get_company_charges(call: Call) -> ApiResult {
    let (call, company) = call.company_reference().await?;
    let section = sections::charges(&call.register(), &company).await?;
    call.respond_with_section(&section).await
}

/// Filings, credit ratings and provident fund of a company
///
/// The last annual filings, the statutory filings with their due days, credit ratings and provident-fund
/// establishments. Costs nothing when nothing is known (`coverage` is `none`).
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/compliance",
    operation_id = "getCompanyCompliance",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("as_of" = Option<String>, Query, format = Date, description = "What this register said on that day, up to the end of the day in India; now unless given."),
    ),
    responses((status = 200, body = wire::Compliance)),
)]
pub async fn get_company_compliance(call: Call) -> ApiResult {
    let (call, company) = call.company().await?;
    let section = sections::compliance(&call.register(), &company).await?;
    call.respond_with_section(&section).await
}

/// Public documents of a company, paged
///
/// The documents filed with the registrar, newest first, 50 per page. The `Link` header has the
/// first, previous, next and last page. Costs nothing when nothing is known (`coverage` is `none`).
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/documents",
    operation_id = "listCompanyDocuments",
    tag = "Companies",
    params(
        ("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI."),
        ("page" = Option<i64>, Query, minimum = 1, maximum = 1000000, description = "The page, from 1; 50 documents each. A page past the end is empty."),
        ("year" = Option<String>, Query, description = "Only documents filed in a calendar year (`2024`) or for a financial year (`2023-24`)."),
    ),
    responses((status = 200, body = wire::Documents)),
)]
pub async fn list_company_documents(call: Call) -> ApiResult {
    let page = call.query.number("page", 1..=MAX_PAGE)?.unwrap_or(1);
    let filter = document_filter(call.query.get("year"))?;
    let (call, company) = call.company_reference().await?;
    let per_page = i64::from(call.app.config.limits.documents_per_page.get());
    let section = sections::documents(&call.register(), &company, &filter, page, per_page).await?;
    let documents = &section.data;
    let total = documents.total_documents.unwrap_or(0);
    let path = format!("/v1/companies/{}/documents", documents.cin);
    let year = call.query.get("year").map(|year| format!("&year={year}")).unwrap_or_default();
    let links = page_links(&call, &path, &year, page, last_page(total, per_page));
    if !section.billable {
        return call.respond_free(links.as_slice(), documents).await;
    }
    call.respond_with_headers(links.as_slice(), documents).await
}

fn document_filter(year: Option<&str>) -> Result<DocumentFilter, ApiError> {
    let Some(text) = year else { return Ok(DocumentFilter::All) };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let calendar_year = || -> Option<u16> {
        (text.len() == 4 && digits(text)).then(|| text.parse().ok()).flatten()
    };
    let financial_year = || {
        let (first, second) = text.split_once('-')?;
        let well_formed = first.len() == 4 && second.len() == 2 && digits(first) && digits(second);
        let follows = (first.parse::<u32>().ok()? + 1) % 100 == second.parse::<u32>().ok()?;
        (well_formed && follows).then(|| text.to_owned())
    };
    calendar_year()
        .map(DocumentFilter::FiledIn)
        .or_else(|| financial_year().map(DocumentFilter::ForFinancialYear))
        .ok_or_else(|| {
            let message =
                "year must be a calendar year such as 2024 or a financial year such as 2023-24.";
            ApiError::parameter("year", message)
        })
}
