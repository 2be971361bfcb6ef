//! The due-diligence report: everything that the register has about a company, as a PDF.

mod accept;
mod charts;
mod compliance;
mod financials;
mod findings_pages;
mod network;
mod people;
mod sheet;
mod summary;
#[cfg(test)]
mod tests;

use panji_pdf::Document;
use panji_store::ledger::Mode;
use tokio::sync::Semaphore;

use self::accept::accepts;
use self::sheet::{LABEL, WIDE};
use super::call::Call;
use super::charging::ResponseFile;
use super::company_records::CompanyRecords;
use super::findings::{day_of, findings};
use super::network::read_network;
use super::wire::{CompanyFindings, CompanyNetwork};
use crate::http::error::{ApiError, ApiResult, ErrorCode};

/// The media type of the report.
const MEDIA_TYPE: &str = "application/pdf";
/// Reports written at the same time; each uses a whole processor core.
static WRITERS: Semaphore = Semaphore::const_new(2);

/// Due-diligence report of a company as PDF
///
/// Everything that the register holds about a company on pages to hand on: summary, identity, people, charges,
/// financial years with charts, filings on a timeline, GST registrations, findings with their evidence, sources and dates, and what
/// is not known. The response is a PDF file; the fields of the envelope are in the headers `Request-Id`,
/// `Panji-Credits-Charged` and `Panji-Credits-Remaining`. Errors are JSON as everywhere.
#[utoipa::path(
    get,
    path = "/v1/companies/{cin}/report",
    operation_id = "getCompanyReport",
    tag = "Companies",
    params(("cin" = String, Path, description = "A CIN, LLPIN or FCRN, current or former, or an LEI.")),
    responses((status = 200, content_type = "application/pdf")),
)]
pub async fn get_company_report(call: Call) -> ApiResult {
    if !accepts(&call.headers, MEDIA_TYPE) {
        return Err(ApiError::from_code(ErrorCode::NotAcceptable).param("Accept"));
    }
    let (call, company) = call.company().await?;
    let mode = call.caller.mode;
    let day = day_of(mode, call.context.at_ms)?;
    let register_span = call.context.span("register");
    let network = match call.dataset().graph.snapshot() {
        Some(snapshot) => {
            Some(read_network(&call.register(), snapshot, &company, network::DEPTH).await?.data)
        }
        None => None,
    };
    let records = CompanyRecords::read(call.dataset(), company, day).await?;
    drop(register_span);
    let cin = &records.company.cin;
    let name = format!("report-{cin}-{day}.pdf");
    let bytes = write(records, network, mode == Mode::Test).await?;
    call.respond_file(ResponseFile { media_type: MEDIA_TYPE, name, bytes }).await
}

/// Writes the report on a thread of its own, because layout takes many milliseconds.
async fn write(
    records: CompanyRecords,
    network: Option<CompanyNetwork>,
    sample: bool,
) -> Result<Vec<u8>, ApiError> {
    let failed = |error: &dyn std::error::Error| ApiError::internal(error.to_string());
    let permit = WRITERS.acquire().await.map_err(|error| failed(&error))?;
    let writing = tokio::task::spawn_blocking(move || {
        let findings = findings(&records);
        write_pages(&records, network.as_ref(), &findings, sample)
    });
    let written = writing.await.map_err(|error| failed(&error));
    drop(permit);
    written
}

/// The pages of a report. `sample` marks one about fictitious data.
pub fn write_pages(
    records: &CompanyRecords,
    network: Option<&CompanyNetwork>,
    findings: &CompanyFindings,
    sample: bool,
) -> Vec<u8> {
    let company = &records.company;
    let mut document = Document::new(&format!("{} ({})", company.name, company.cin));
    summary::write(&mut document, records, findings, sample);
    people::write(&mut document, records);
    network::write(&mut document, network);
    financials::write_charges(&mut document, records);
    financials::write_financials(&mut document, records);
    compliance::write(&mut document, records);
    findings_pages::write(&mut document, findings);
    let head =
        if sample { format!("{} · sample data", company.name) } else { company.name.to_string() };
    document.head(WIDE, LABEL, &head);
    document.foot(WIDE, LABEL, |page, pages| findings_pages::foot(findings, page, pages));
    document.finish()
}
