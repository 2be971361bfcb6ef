//! The credits page: balance, purchases, transactions, and the threshold of the low balance alert.

use askama::Template;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use panji_api::accounts::roles::Permission;
use panji_api::payments::invoice::{self, seller_state, states};
use panji_api::payments::razorpay::ProviderError;
use panji_api::payments::{PACKS, Provider, create_order};
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{Entry, EntryKind, Mode, PaymentRefund};
use serde::Deserialize;

use super::buyer;
use super::forms::AuthenticatedForm;
use super::labels;
use super::language::{amounts, dates, filters, t, t_with};
use super::layout::{Layout, Tab, respond, respond_with_errors};
use super::page_error::PageError;
use super::purchase_form::{self, CUSTOM_AMOUNT, Purchase, PurchaseErrors};
use super::session::SignedIn;

/// Transactions on the page.
const MAX_ENTRIES: i64 = 50;

#[derive(Template)]
#[template(path = "credits.html")]
struct CreditsPage {
    layout: Layout,
    may_buy: bool,
    /// Whether the account has credits but no key that uses them, and the member may create one.
    needs_live_key: bool,
    selling: PurchaseMethod,
    balance: String,
    owed: i64,
    low: bool,
    warn_below: i64,
    threshold: String,
    form: Purchase,
    fill_note: Option<&'static str>,
    warn_below_error: Option<String>,
    errors: PurchaseErrors,
    states: Vec<(String, &'static str)>,
    smallest: i64,
    largest: i64,
    entries: Vec<EntryRow>,
    refunds: Vec<RefundRow>,
    invoices: Vec<InvoiceRow>,
}

#[derive(PartialEq, Eq)]
enum PurchaseMethod {
    Razorpay,
    TestPayments,
    No,
}

struct EntryRow {
    at: String,
    kind: String,
    reference: String,
    amount: String,
    added: bool,
    balance_after: String,
}

struct RefundRow {
    at: String,
    order_id: String,
    amount: String,
    credits: String,
    deducted: String,
}

struct InvoiceRow {
    number: String,
    order_id: String,
    issued: String,
    credits: String,
    total: String,
    test: bool,
}

#[derive(Deserialize)]
pub struct CreditsQuery {
    #[serde(default)]
    done: String,
}

#[derive(Deserialize)]
pub struct WarnBelow {
    warn_below: String,
}

pub async fn show(
    signed_in: SignedIn,
    Query(query): Query<CreditsQuery>,
) -> Result<Response, PageError> {
    let mut page = page(&signed_in).await?;
    let notice = match query.done.as_str() {
        "bought" => Some(t("Payment received. The credits were added to your balance.")),
        "threshold" => Some(t("Alert saved.")),
        _ => None,
    };
    page.layout = page.layout.with_notice(notice);
    Ok(respond(&page))
}

async fn page(signed_in: &SignedIn) -> Result<CreditsPage, PageError> {
    let (app, account_id) = (&signed_in.app, signed_in.account_id());
    let snapshot = app.ledger.find_balance(account_id, Mode::Live, now_ms()).await?;
    let balance = snapshot.map_or(0, |snapshot| snapshot.balance);
    let owed = app.ledger.find_owed(account_id).await?;
    let warn_below = app.ledger.find_warn_below(account_id).await?;
    let may_buy = signed_in.may(Permission::Buy);
    let details = app.ledger.find_billing_details(account_id).await?;
    let entries = app.ledger.list_credit_entries(account_id, Mode::Live, MAX_ENTRIES).await?;
    let refunds = app.ledger.list_payment_refunds(account_id).await?;
    let invoices = if may_buy { invoice_rows(signed_in).await? } else { Vec::new() };
    let keys = app.ledger.list_keys(account_id).await?;
    let has_live_key = keys.iter().any(|key| key.mode == Mode::Live && key.revoked_at.is_none());
    Ok(CreditsPage {
        layout: signed_in.layout(Tab::Credits, t("Credits")),
        may_buy,
        needs_live_key: balance > 0 && !has_live_key && signed_in.may(Permission::ManageKeys),
        selling: match app.payments {
            Provider::Razorpay(_) => PurchaseMethod::Razorpay,
            Provider::Test => PurchaseMethod::TestPayments,
            Provider::None => PurchaseMethod::No,
        },
        balance: amounts::rupees(balance),
        owed,
        low: balance < warn_below && !entries.is_empty(),
        warn_below,
        threshold: warn_below.to_string(),
        fill_note: None,
        form: purchase_form::initial_form(details, &signed_in.session.account.name),
        warn_below_error: None,
        errors: PurchaseErrors::default(),
        states: states(),
        smallest: i64::from(app.config.payments.smallest.get()),
        largest: i64::from(app.config.payments.largest.get()),
        entries: entries.iter().map(entry_row).collect(),
        refunds: refunds.iter().map(refund_row).collect(),
        invoices,
    })
}

async fn invoice_rows(signed_in: &SignedIn) -> Result<Vec<InvoiceRow>, PageError> {
    let invoices = signed_in.app.ledger.list_invoices(signed_in.account_id()).await?;
    let mut rows = Vec::with_capacity(invoices.len());
    for invoice in invoices {
        let content = super::invoices::content(&invoice)?;
        rows.push(InvoiceRow {
            number: invoice.number,
            order_id: invoice.order_id,
            issued: dates::day_of(invoice.issued_at),
            credits: amounts::grouped(content.credits),
            total: amounts::rupees_and_paise(content.total),
            test: content.test,
        });
    }
    Ok(rows)
}

fn entry_row(entry: &Entry) -> EntryRow {
    let sign = if entry.amount > 0 { "+" } else { "" };
    EntryRow {
        at: dates::minute(entry.at),
        kind: match entry.kind {
            EntryKind::Refund if entry.amount < 0 => t("Payment refunded").to_owned(),
            kind => labels::label(kind.as_str()),
        },
        reference: entry.reference.to_string(),
        amount: format!("{sign}{}", amounts::grouped(entry.amount)),
        added: entry.amount > 0,
        balance_after: amounts::grouped(entry.balance_after),
    }
}

fn refund_row(refund: &PaymentRefund) -> RefundRow {
    RefundRow {
        at: dates::minute(refund.at),
        order_id: refund.order_id.clone(),
        amount: amounts::rupees_and_paise(refund.amount),
        credits: amounts::grouped(refund.credits),
        deducted: amounts::grouped(refund.deducted),
    }
}

/// Creates an order and redirects to its page, where the user sees the total and pays. If the
/// button “Fill in” was pressed, only fills in the form.
pub async fn buy(
    AuthenticatedForm { signed_in, mut form }: AuthenticatedForm<Purchase>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::Buy)?;
    if !form.fill.is_empty() {
        return fill_in(&signed_in, form).await;
    }
    buyer::fill_missing(&signed_in, &mut form).await;
    let app = signed_in.app.clone();
    let bounds = (
        i64::from(app.config.payments.smallest.get()),
        i64::from(app.config.payments.largest.get()),
    );
    let (credits, details) = match purchase_form::read(&form, bounds) {
        Ok(read) => read,
        Err(errors) => return page_with_errors(&signed_in, form, *errors).await,
    };
    app.ledger.set_billing_details(signed_in.account_id(), &details).await?;
    let mut buyer = details;
    if buyer.state_code.is_empty() {
        // By law, the place of supply is the seller's if the buyer specifies none.
        buyer.state_code = seller_state(&app.config.seller);
    }
    match create_order(&app.ledger, &app.payments, signed_in.account_id(), credits, buyer).await {
        Ok(order) => {
            Ok(Redirect::to(&format!("/console/credits/orders/{}", order.id)).into_response())
        }
        Err(ProviderError::Store(StoreError::Conflict(reason))) => {
            let general = Some(t_with("The order was not created: {0}.", &[&reason]));
            page_with_errors(
                &signed_in,
                form,
                PurchaseErrors { general, ..PurchaseErrors::default() },
            )
            .await
        }
        Err(ProviderError::Store(error)) => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "an order could not be created");
            let general =
                t("The payment provider is not responding, so the order was not created. \
                         Please try again in a minute.");
            let errors =
                PurchaseErrors { general: Some(general.to_owned()), ..PurchaseErrors::default() };
            page_with_errors(&signed_in, form, errors).await
        }
    }
}

async fn fill_in(signed_in: &SignedIn, mut form: Purchase) -> Result<Response, PageError> {
    match buyer::fill_in(signed_in, &mut form).await {
        Ok(note) => {
            Ok(respond(&CreditsPage { form, fill_note: Some(note), ..page(signed_in).await? }))
        }
        Err(error) => {
            let errors =
                PurchaseErrors { gstin: Some(error.to_string()), ..PurchaseErrors::default() };
            page_with_errors(signed_in, form, errors).await
        }
    }
}

async fn page_with_errors(
    signed_in: &SignedIn,
    form: Purchase,
    errors: PurchaseErrors,
) -> Result<Response, PageError> {
    let page = CreditsPage { form, errors, ..page(signed_in).await? };
    Ok(respond_with_errors(&page))
}

pub async fn set_alert_threshold(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<WarnBelow>,
) -> Result<Response, PageError> {
    signed_in.require(Permission::Buy)?;
    let digits: String = form.warn_below.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    let Some(threshold) = digits.parse().ok().filter(|threshold: &i64| *threshold >= 0) else {
        let error = t("Enter a whole number of credits, or 0 to turn the alert off.").to_owned();
        let page = CreditsPage {
            threshold: form.warn_below,
            warn_below_error: Some(error),
            ..page(&signed_in).await?
        };
        return Ok(respond_with_errors(&page));
    };
    signed_in.app.ledger.set_warn_below(signed_in.account_id(), threshold).await?;
    Ok(Redirect::to("/console/credits?done=threshold").into_response())
}
