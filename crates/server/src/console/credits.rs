//! The credits page: balance, purchases, transactions, and the threshold of the low balance alert.

use askama::Template;
use axum::extract::Query;
use axum::response::{IntoResponse, Redirect, Response};
use panji_pdf::can_show;
use panji_store::StoreError;
use panji_store::calendar::now_ms;
use panji_store::ledger::{BillingDetails, Entry, EntryKind, Mode, PaymentRefund};
use serde::Deserialize;

use super::buyer::{self, read_gstin};
use super::forms::AuthenticatedForm;
use super::frame::{Frame, Tab, respond, respond_with_errors};
use super::problem::Problem;
use super::session::SignedIn;
use super::words;
use crate::accounts::roles::Permission;
use crate::locale::{amounts, dates};
use crate::payments::invoice::{self, seller_state, states};
use crate::payments::razorpay::ProviderError;
use crate::payments::{PACKS, Provider, create_order};

/// Transactions on the page.
const MAX_ENTRIES: i64 = 50;
const MAX_NAME: usize = 200;
const MAX_ADDRESS: usize = 500;
const UNSUPPORTED_SCRIPT: &str = "The invoice supports Latin letters and Indian scripts that are \
                                  written from left to right. Please use one of these.";
/// The form value for a custom amount.
const CUSTOM_AMOUNT: &str = "own";

#[derive(Template)]
#[template(path = "credits.html")]
struct CreditsPage {
    frame: Frame,
    may_buy: bool,
    selling: Selling,
    balance: String,
    owed: i64,
    low: bool,
    warn_below: i64,
    threshold: String,
    form: Purchase,
    fill_note: Option<&'static str>,
    errors: Errors,
    states: Vec<(String, &'static str)>,
    smallest: i64,
    largest: i64,
    entries: Vec<EntryRow>,
    refunds: Vec<RefundRow>,
    invoices: Vec<InvoiceRow>,
}

#[derive(PartialEq, Eq)]
enum Selling {
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
    taken: String,
}

struct InvoiceRow {
    number: String,
    order_id: String,
    issued: String,
    credits: String,
    total: String,
    test: bool,
}

/// An amount to buy, and the billing details for the invoice.
#[derive(Clone, Default, Deserialize)]
pub struct Purchase {
    #[serde(default)]
    pack: String,
    #[serde(default)]
    amount: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) address: String,
    #[serde(default)]
    pub(super) state: String,
    #[serde(default)]
    pub(super) gstin: String,
    /// Not empty if the button “Fill in” was pressed.
    #[serde(default)]
    fill: String,
}

#[derive(Debug, Default)]
struct Errors {
    warn_below: Option<String>,
    pack: Option<String>,
    amount: Option<String>,
    name: Option<String>,
    address: Option<String>,
    state: Option<String>,
    gstin: Option<String>,
    general: Option<String>,
}

impl Errors {
    fn any(&self) -> bool {
        let Errors { warn_below, pack, amount, name, address, state, gstin, general } = self;
        [warn_below, pack, amount, name, address, state, gstin, general]
            .iter()
            .any(|error| error.is_some())
    }
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
) -> Result<Response, Problem> {
    let mut page = page(&signed_in).await?;
    let notice = match query.done.as_str() {
        "bought" => Some("Payment received. The credits were added to your balance."),
        "marked" => Some("Alert saved."),
        _ => None,
    };
    page.frame = page.frame.with_notice(notice);
    Ok(respond(&page))
}

async fn page(signed_in: &SignedIn) -> Result<CreditsPage, Problem> {
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
    Ok(CreditsPage {
        frame: signed_in.frame(Tab::Credits, "Credits"),
        may_buy,
        selling: match app.payments {
            Provider::Razorpay(_) => Selling::Razorpay,
            Provider::Test => Selling::TestPayments,
            Provider::None => Selling::No,
        },
        balance: amounts::rupees(balance),
        owed,
        low: balance < warn_below && !entries.is_empty(),
        warn_below,
        threshold: warn_below.to_string(),
        fill_note: None,
        form: initial_form(details, &signed_in.session.account.name),
        errors: Errors::default(),
        states: states(),
        smallest: i64::from(app.config.payments.smallest.get()),
        largest: i64::from(app.config.payments.largest.get()),
        entries: entries.iter().map(entry_row).collect(),
        refunds: refunds.iter().map(refund_row).collect(),
        invoices,
    })
}

fn initial_form(details: Option<BillingDetails>, account_name: &str) -> Purchase {
    let details = details.unwrap_or_else(|| BillingDetails {
        name: account_name.to_owned(),
        ..BillingDetails::default()
    });
    Purchase {
        pack: PACKS[0].to_string(),
        amount: String::new(),
        name: details.name,
        address: details.address,
        state: details.state_code,
        gstin: details.gstin,
        fill: String::new(),
    }
}

async fn invoice_rows(signed_in: &SignedIn) -> Result<Vec<InvoiceRow>, Problem> {
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
            EntryKind::Refund if entry.amount < 0 => "Payment refunded".to_owned(),
            kind => words::label(kind.as_str()),
        },
        reference: entry.reference.clone(),
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
        taken: amounts::grouped(refund.taken),
    }
}

/// Creates an order and redirects to its page, where the user sees the total and pays. If the
/// button “Fill in” was pressed, only fills in the form.
pub async fn buy(
    AuthenticatedForm { signed_in, mut form }: AuthenticatedForm<Purchase>,
) -> Result<Response, Problem> {
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
    let (credits, details) = match read(&form, bounds) {
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
            let general = Some(format!("The order was not created: {reason}."));
            page_with_errors(&signed_in, form, Errors { general, ..Errors::default() }).await
        }
        Err(ProviderError::Store(error)) => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "an order could not be created");
            let general = "The payment provider is not responding, so the order was not created. \
                         Please try again in a minute.";
            let errors = Errors { general: Some(general.to_owned()), ..Errors::default() };
            page_with_errors(&signed_in, form, errors).await
        }
    }
}

async fn fill_in(signed_in: &SignedIn, mut form: Purchase) -> Result<Response, Problem> {
    match buyer::fill_in(signed_in, &mut form).await {
        Ok(note) => {
            Ok(respond(&CreditsPage { form, fill_note: Some(note), ..page(signed_in).await? }))
        }
        Err(error) => {
            let errors = Errors { gstin: Some(error.to_string()), ..Errors::default() };
            page_with_errors(signed_in, form, errors).await
        }
    }
}

async fn page_with_errors(
    signed_in: &SignedIn,
    form: Purchase,
    errors: Errors,
) -> Result<Response, Problem> {
    let page = CreditsPage { form, errors, ..page(signed_in).await? };
    Ok(respond_with_errors(&page))
}

fn read(form: &Purchase, bounds: (i64, i64)) -> Result<(i64, BillingDetails), Box<Errors>> {
    let mut errors = Errors::default();
    let credits = read_amount(form, bounds).unwrap_or_else(|error| {
        let field = if form.pack == CUSTOM_AMOUNT { &mut errors.amount } else { &mut errors.pack };
        *field = Some(error.to_string());
        0
    });
    let mut details = BillingDetails {
        name: form.name.trim().to_owned(),
        address: form.address.trim().replace("\r\n", "\n"),
        state_code: form.state.clone(),
        gstin: form.gstin.trim().to_uppercase(),
    };
    if details.name.is_empty() || details.name.chars().count() > MAX_NAME {
        errors.name = Some(format!("Enter a name of up to {MAX_NAME} characters."));
    }
    if details.address.chars().count() > MAX_ADDRESS {
        errors.address = Some(format!("Enter at most {MAX_ADDRESS} characters."));
    }
    for (text, error) in
        [(&details.name, &mut errors.name), (&details.address, &mut errors.address)]
    {
        if !can_show(text) {
            *error = Some(UNSUPPORTED_SCRIPT.to_owned());
        }
    }
    match read_gstin(&form.gstin) {
        Ok(Some(gstin)) => {
            details.state_code = gstin.state_code().to_owned();
            if details.address.is_empty() {
                errors.address = Some("Enter the address: it is required with a GSTIN.".to_owned());
            }
        }
        Ok(None) => {
            let known = states().iter().any(|(code, _)| *code == details.state_code);
            if !known && !details.state_code.is_empty() {
                errors.state = Some("Choose a state from the list.".to_owned());
            }
        }
        Err(error) => errors.gstin = Some(error.to_string()),
    }
    if errors.any() { Err(Box::new(errors)) } else { Ok((credits, details)) }
}

/// What is wrong with the amount in a form.
#[derive(Debug, thiserror::Error)]
enum AmountError {
    #[error("Choose an amount, or enter a custom amount.")]
    NoPack,
    #[error(
        "Enter whole rupees, from {} to {}.",
        amounts::rupees(*.smallest),
        amounts::rupees(*.largest)
    )]
    OutOfRange { smallest: i64, largest: i64 },
}

fn read_amount(form: &Purchase, (smallest, largest): (i64, i64)) -> Result<i64, AmountError> {
    if form.pack != CUSTOM_AMOUNT {
        let pack = form.pack.parse().ok().filter(|pack| PACKS.contains(pack));
        return pack.ok_or(AmountError::NoPack);
    }
    let digits: String = form.amount.chars().filter(|c| !matches!(c, ',' | ' ' | '₹')).collect();
    let amount = digits.parse().ok().filter(|amount| (smallest..=largest).contains(amount));
    amount.ok_or(AmountError::OutOfRange { smallest, largest })
}

pub async fn set_alert_threshold(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<WarnBelow>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::Buy)?;
    let digits: String = form.warn_below.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    let Some(threshold) = digits.parse().ok().filter(|threshold: &i64| *threshold >= 0) else {
        let error = "Enter a whole number of credits, or 0 to turn the alert off.".to_owned();
        let errors = Errors { warn_below: Some(error), ..Errors::default() };
        let page = CreditsPage { threshold: form.warn_below, errors, ..page(&signed_in).await? };
        return Ok(respond_with_errors(&page));
    };
    signed_in.app.ledger.set_warn_below(signed_in.account_id(), threshold).await?;
    Ok(Redirect::to("/console/credits?done=marked").into_response())
}

#[cfg(test)]
mod tests {
    use panji_ids::Gstin;

    use super::*;

    fn form(pack: &str, amount: &str, gstin: &str) -> Purchase {
        Purchase {
            pack: pack.to_owned(),
            amount: amount.to_owned(),
            name: "Namuna Traders".to_owned(),
            address: "1 Udaharan Road".to_owned(),
            state: "27".to_owned(),
            gstin: gstin.to_owned(),
            fill: String::new(),
        }
    }

    #[test]
    fn an_amount_is_a_pack_or_within_bounds() {
        let amount = |pack, amount| read_amount(&form(pack, amount, ""), (100, 500_000)).ok();
        assert_eq!(amount("2000", ""), Some(2_000));
        assert_eq!(amount("own", "₹1,25,000"), Some(125_000));
        for wrong in ["", "99", "500001", "1.5", "-500", "9999999999999999999999"] {
            assert_eq!(amount("own", wrong), None, "{wrong}");
        }
        assert_eq!(amount("501", ""), None);
    }

    #[test]
    fn letters_that_the_invoice_cannot_render_are_refused() {
        let chinese = Purchase { name: "样本".into(), ..form("500", "", "") };
        let errors = read(&chinese, (100, 500_000)).expect_err("refused");
        assert!(errors.name.is_some() && errors.address.is_none());
        for name in ["नमूना ट्रेडर्स", "மாதிரி வணிகர்கள்", "নমুনা", "ಮಾದರಿ", "₹ Śrī"]
        {
            let indian =
                Purchase { name: name.into(), address: name.into(), ..form("500", "", "") };
            assert!(read(&indian, (100, 500_000)).is_ok(), "{name}");
        }
        let accents = Purchase {
            address: "Café Namuna,\r\nPanaji – 403001".into(),
            ..form("500", "", "")
        };
        assert!(read(&accents, (100, 500_000)).is_ok());
    }

    #[test]
    fn a_gstin_is_checked_and_determines_the_state() {
        let first = "29ZZACK4368A1Z";
        let gstin = format!("{first}{}", Gstin::check_digit_for(first).expect("a digit"));
        let (credits, details) =
            read(&form("500", "", &gstin), (100, 500_000)).expect("a valid purchase");
        assert_eq!((credits, details.state_code.as_str()), (500, "29"));
        let wrong = read(&form("500", "", "29AAAPA0000A1Z#"), (100, 500_000));
        assert!(wrong.expect_err("refused").gstin.is_some());
        let no_address = Purchase { address: " ".into(), ..form("500", "", &gstin) };
        assert!(read(&no_address, (100, 500_000)).expect_err("refused").address.is_some());
    }
}
