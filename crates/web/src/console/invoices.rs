//! Invoices as pages and as PDF files.

use askama::Template;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use panji_api::accounts::roles::Permission;
use panji_api::payments::amount_in_words::in_words;
use panji_api::payments::invoice::Content;
use panji_api::payments::invoice_pdf;
use panji_store::ledger::Invoice;

use super::language::{amounts, dates, filters, t, t_with, translated};
use super::layout::{Layout, Tab, respond};
use super::page_error::PageError;
use super::session::SignedIn;

#[derive(Template)]
#[template(path = "invoice.html")]
struct InvoicePage {
    layout: Layout,
    invoice: Invoice,
    content: Content,
    place_of_supply: String,
    words: String,
}

pub fn content(invoice: &Invoice) -> Result<Content, PageError> {
    serde_json::from_str(&invoice.content)
        .map_err(|error| PageError::internal(format!("invoice {}: {error}", invoice.number)))
}

pub async fn show(
    signed_in: SignedIn,
    Path(order_id): Path<String>,
) -> Result<Response, PageError> {
    let invoice = find(&signed_in, &order_id).await?;
    let content = content(&invoice)?;
    let code = &content.buyer.state_code;
    let place_of_supply = panji_ids::gst_state(code)
        .map_or(t("not specified").to_owned(), |state| {
            format!("{} ({code})", translated(state.to_owned()))
        });
    Ok(respond(&InvoicePage {
        layout: signed_in.layout(Tab::Credits, &t_with("Invoice {0}", &[&invoice.number])),
        words: in_words(content.total),
        place_of_supply,
        content,
        invoice,
    }))
}

pub async fn pdf(signed_in: SignedIn, Path(order_id): Path<String>) -> Result<Response, PageError> {
    let invoice = find(&signed_in, &order_id).await?;
    let file = invoice_pdf::write(&invoice, &content(&invoice)?);
    let name = invoice.number.replace('/', "-");
    let headers = [
        (header::CONTENT_TYPE, "application/pdf".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"invoice-{name}.pdf\"")),
        (header::CACHE_CONTROL, "private, no-store".to_owned()),
    ];
    Ok((headers, file).into_response())
}

async fn find(signed_in: &SignedIn, order_id: &str) -> Result<Invoice, PageError> {
    signed_in.require(Permission::Buy)?;
    let invoice = signed_in.app.ledger.find_invoice(signed_in.account_id(), order_id).await?;
    invoice.ok_or_else(|| PageError::not_found(t("This order has no invoice.")))
}
