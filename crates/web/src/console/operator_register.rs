//! The operator's pages about the register: record counts, imports, and rejected rows.

use std::collections::BTreeMap;

use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use panji_store::register::{ImportRun, RecordCount, SourceImport, StoredReject};

use super::labels;
use super::language::{amounts, dates, filters, t};
use super::layout::{Layout, Tab, respond};
use super::operator::require_operator;
use super::page_error::PageError;
use super::session::SignedIn;

const MAX_IMPORTS: i64 = 50;
/// The register stores no more per import.
const MAX_REJECTS: i64 = 1_000;

#[derive(Template)]
#[template(path = "operator_register.html")]
struct RegisterPage {
    layout: Layout,
    size_mib: i64,
    newest_change: i64,
    record_counts: Vec<RecordCount>,
    latest: Vec<SourceImport>,
    imports: Vec<ImportRun>,
}

#[derive(Template)]
#[template(path = "operator_import.html")]
struct ImportPage {
    layout: Layout,
    run: ImportRun,
    reasons: Vec<(String, i64)>,
    rejects: Vec<StoredReject>,
}

pub async fn show(signed_in: SignedIn) -> Result<Response, PageError> {
    require_operator(&signed_in)?;
    let register = &signed_in.app.live.register;
    Ok(respond(&RegisterPage {
        layout: signed_in.layout(Tab::Operator, t("Register")),
        size_mib: register.size_bytes().await? >> 20,
        newest_change: register.newest_change().await?,
        record_counts: register.list_record_counts().await?,
        latest: register.list_latest_imports().await?,
        imports: register.list_imports(MAX_IMPORTS).await?,
    }))
}

pub async fn show_import(
    signed_in: SignedIn,
    Path(import_id): Path<String>,
) -> Result<Response, PageError> {
    require_operator(&signed_in)?;
    let register = &signed_in.app.live.register;
    let run = register.find_import(&import_id).await?;
    let run = run.ok_or_else(|| PageError::not_found(t("This import does not exist.")))?;
    let reasons: BTreeMap<String, i64> = serde_json::from_str(&run.reasons).unwrap_or_default();
    Ok(respond(&ImportPage {
        layout: signed_in.layout(Tab::Operator, t("Import")),
        rejects: register.list_rejects(&run.id, MAX_REJECTS).await?,
        reasons: reasons.into_iter().collect(),
        run,
    }))
}
