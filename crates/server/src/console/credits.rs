//! Credits: the balance, buying more, what came and went, and the mark below which to warn.

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
use super::frame::{Frame, Tab, respond, respond_unaccepted};
use super::problem::Problem;
use super::session::SignedIn;
use super::words;
use crate::accounts::roles::Permission;
use crate::locale::{amounts, dates};
use crate::payments::invoice::{self, seller_state, states};
use crate::payments::razorpay::ProviderError;
use crate::payments::{PACKS, Provider, create_order};

/// Entries shown.
const SHOWN_ENTRIES: i64 = 50;
const MAX_NAME: usize = 200;
const MAX_ADDRESS: usize = 500;
/// What is said of letters that the invoice cannot show.
const UNSHOWN: &str = "The invoice supports Latin letters and Indian scripts that are written from left \
                       to right. Please use one of these.";
/// The choice of an own amount.
const OWN: &str = "own";

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
    mark: String,
    form: Purchase,
    fill_note: Option<&'static str>,
    errors: Errors,
    states: Vec<(String, &'static str)>,
    smallest: i64,
    largest: i64,
    entries: Vec<ShownEntry>,
    refunds: Vec<ShownRefund>,
    invoices: Vec<ShownInvoice>,
}

/// How credits are sold here.
#[derive(PartialEq, Eq)]
enum Selling {
    Money,
    Play,
    No,
}

struct ShownEntry {
    at: String,
    kind: String,
    reference: String,
    amount: String,
    added: bool,
    balance_after: String,
}

struct ShownRefund {
    at: String,
    order_id: String,
    amount: String,
    credits: String,
    taken: String,
}

struct ShownInvoice {
    number: String,
    order_id: String,
    issued: String,
    credits: String,
    total: String,
    test: bool,
}

/// What a person wants to buy, and what is to stand on the invoice.
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
    /// Not empty where the form asks to be filled in from the GSTIN.
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
    whole: Option<String>,
}

impl Errors {
    fn any(&self) -> bool {
        let Errors { warn_below, pack, amount, name, address, state, gstin, whole } = self;
        [warn_below, pack, amount, name, address, state, gstin, whole]
            .iter()
            .any(|error| error.is_some())
    }
}

/// What was just done.
#[derive(Deserialize)]
pub struct CreditsQuery {
    #[serde(default)]
    done: String,
}

/// The balance below which to warn.
#[derive(Deserialize)]
pub struct WarnBelow {
    warn_below: String,
}

/// Shows the page.
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
    let entries = app.ledger.list_credit_entries(account_id, Mode::Live, SHOWN_ENTRIES).await?;
    let refunds = app.ledger.list_payment_refunds(account_id).await?;
    let invoices = if may_buy { shown_invoices(signed_in).await? } else { Vec::new() };
    Ok(CreditsPage {
        frame: signed_in.frame(Tab::Credits, "Credits"),
        may_buy,
        selling: match app.payments {
            Provider::Razorpay(_) => Selling::Money,
            Provider::Test => Selling::Play,
            Provider::None => Selling::No,
        },
        balance: amounts::rupees(balance),
        owed,
        low: balance < warn_below && !entries.is_empty(),
        warn_below,
        mark: warn_below.to_string(),
        fill_note: None,
        form: first_form(details, &signed_in.session.account.name),
        errors: Errors::default(),
        states: states(),
        smallest: i64::from(app.config.payments.smallest.get()),
        largest: i64::from(app.config.payments.largest.get()),
        entries: entries.iter().map(shown_entry).collect(),
        refunds: refunds.iter().map(shown_refund).collect(),
        invoices,
    })
}

fn first_form(details: Option<BillingDetails>, account_name: &str) -> Purchase {
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

async fn shown_invoices(signed_in: &SignedIn) -> Result<Vec<ShownInvoice>, Problem> {
    let invoices = signed_in.app.ledger.list_invoices(signed_in.account_id()).await?;
    let mut shown = Vec::with_capacity(invoices.len());
    for invoice in invoices {
        let content = super::invoices::content(&invoice)?;
        shown.push(ShownInvoice {
            number: invoice.number,
            order_id: invoice.order_id,
            issued: dates::day_of(invoice.issued_at),
            credits: amounts::grouped(content.credits),
            total: amounts::rupees_and_paise(content.total),
            test: content.test,
        });
    }
    Ok(shown)
}

fn shown_entry(entry: &Entry) -> ShownEntry {
    let sign = if entry.amount > 0 { "+" } else { "" };
    ShownEntry {
        at: dates::minute(entry.at),
        kind: match entry.kind {
            EntryKind::Refund if entry.amount < 0 => "Payment refunded".to_owned(),
            kind => words::plain(kind.as_str()),
        },
        reference: entry.reference.clone(),
        amount: format!("{sign}{}", amounts::grouped(entry.amount)),
        added: entry.amount > 0,
        balance_after: amounts::grouped(entry.balance_after),
    }
}

fn shown_refund(refund: &PaymentRefund) -> ShownRefund {
    ShownRefund {
        at: dates::minute(refund.at),
        order_id: refund.order_id.clone(),
        amount: amounts::rupees_and_paise(refund.amount),
        credits: amounts::grouped(refund.credits),
        taken: amounts::grouped(refund.taken),
    }
}

/// Makes an order and leads to its page, where the person sees the sum and pays. A form that asks
/// for it is only filled in.
pub async fn buy(
    AuthenticatedForm { signed_in, mut form }: AuthenticatedForm<Purchase>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::Buy)?;
    if !form.fill.is_empty() {
        return fill_in(&signed_in, form).await;
    }
    buyer::complete(&signed_in, &mut form).await;
    let app = signed_in.app.clone();
    let bounds = (
        i64::from(app.config.payments.smallest.get()),
        i64::from(app.config.payments.largest.get()),
    );
    let (credits, details) = match read(&form, bounds) {
        Ok(read) => read,
        Err(errors) => return unaccepted(&signed_in, form, *errors).await,
    };
    app.ledger.set_billing_details(signed_in.account_id(), &details).await?;
    let mut buyer = details;
    if buyer.state_code.is_empty() {
        // Where the buyer gives no place, the law takes the seller's.
        buyer.state_code = seller_state(&app.config.seller);
    }
    match create_order(&app.ledger, &app.payments, signed_in.account_id(), credits, buyer).await {
        Ok(order) => {
            Ok(Redirect::to(&format!("/console/credits/orders/{}", order.id)).into_response())
        }
        Err(ProviderError::Store(StoreError::Conflict(reason))) => {
            let whole = Some(format!("The order was not created: {reason}."));
            unaccepted(&signed_in, form, Errors { whole, ..Errors::default() }).await
        }
        Err(ProviderError::Store(error)) => Err(error.into()),
        Err(error) => {
            tracing::warn!(%error, "an order could not be made");
            let whole = "The payment provider is not responding, so the order was not created. \
                         Please try again in a minute.";
            let errors = Errors { whole: Some(whole.to_owned()), ..Errors::default() };
            unaccepted(&signed_in, form, errors).await
        }
    }
}

/// Shows the form with what the GSTIN says of the buyer.
async fn fill_in(signed_in: &SignedIn, mut form: Purchase) -> Result<Response, Problem> {
    match buyer::fill_in(signed_in, &mut form).await {
        Ok(note) => {
            Ok(respond(&CreditsPage { form, fill_note: Some(note), ..page(signed_in).await? }))
        }
        Err(error) => {
            let errors = Errors { gstin: Some(error.to_string()), ..Errors::default() };
            unaccepted(signed_in, form, errors).await
        }
    }
}

async fn unaccepted(
    signed_in: &SignedIn,
    form: Purchase,
    errors: Errors,
) -> Result<Response, Problem> {
    let page = CreditsPage { form, errors, ..page(signed_in).await? };
    Ok(respond_unaccepted(&page))
}

/// Reads a purchase, or tells what is wrong with it.
fn read(form: &Purchase, bounds: (i64, i64)) -> Result<(i64, BillingDetails), Box<Errors>> {
    let mut errors = Errors::default();
    let credits = read_amount(form, bounds).unwrap_or_else(|error| {
        let place = if form.pack == OWN { &mut errors.amount } else { &mut errors.pack };
        *place = Some(error.to_string());
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
            *error = Some(UNSHOWN.to_owned());
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
    if form.pack != OWN {
        let pack = form.pack.parse().ok().filter(|pack| PACKS.contains(pack));
        return pack.ok_or(AmountError::NoPack);
    }
    let digits: String = form.amount.chars().filter(|c| !matches!(c, ',' | ' ' | '₹')).collect();
    let amount = digits.parse().ok().filter(|amount| (smallest..=largest).contains(amount));
    amount.ok_or(AmountError::OutOfRange { smallest, largest })
}

/// Sets the balance below which to warn.
pub async fn set_mark(
    AuthenticatedForm { signed_in, form }: AuthenticatedForm<WarnBelow>,
) -> Result<Response, Problem> {
    signed_in.require(Permission::Buy)?;
    let digits: String = form.warn_below.chars().filter(|c| !matches!(c, ',' | ' ')).collect();
    let Some(mark) = digits.parse().ok().filter(|mark: &i64| *mark >= 0) else {
        let error = "Enter a whole number of credits, or 0 to turn the alert off.".to_owned();
        let errors = Errors { warn_below: Some(error), ..Errors::default() };
        let page = CreditsPage { mark: form.warn_below, errors, ..page(&signed_in).await? };
        return Ok(respond_unaccepted(&page));
    };
    signed_in.app.ledger.set_warn_below(signed_in.account_id(), mark).await?;
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
    fn letters_that_the_invoice_cannot_show_are_refused() {
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
    fn a_gstin_is_checked_and_names_the_state() {
        let first = "29ZZACK4368A1Z";
        let gstin = format!("{first}{}", Gstin::check_digit_for(first).expect("a digit"));
        let (credits, details) = read(&form("500", "", &gstin), (100, 500_000)).expect("good");
        assert_eq!((credits, details.state_code.as_str()), (500, "29"));
        let wrong = read(&form("500", "", "29AAAPA0000A1Z#"), (100, 500_000));
        assert!(wrong.expect_err("refused").gstin.is_some());
        let nowhere = Purchase { address: " ".into(), ..form("500", "", &gstin) };
        assert!(read(&nowhere, (100, 500_000)).expect_err("refused").address.is_some());
    }
}
