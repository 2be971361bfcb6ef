//! The form to buy credits: the amount, and the billing details for the invoice.

use panji_api::payments::PACKS;
use panji_api::payments::invoice::states;
use panji_ids::{Gstin, IdError};
use panji_pdf::can_show;
use panji_store::ledger::BillingDetails;
use serde::Deserialize;

use super::language::{amounts, key, t, t_with};

const MAX_NAME: usize = 200;
const MAX_ADDRESS: usize = 500;
const UNSUPPORTED_SCRIPT: &str =
    key("The invoice supports Latin letters and Indian scripts that are \
                                  written from left to right. Please use one of these.");
/// The form value for a custom amount.
pub const CUSTOM_AMOUNT: &str = "own";

/// An amount to buy, and the billing details for the invoice.
#[derive(Clone, Default, Deserialize)]
pub struct Purchase {
    #[serde(default)]
    pub(super) pack: String,
    #[serde(default)]
    pub(super) amount: String,
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
    pub(super) fill: String,
}

#[derive(Debug, Default)]
pub struct PurchaseErrors {
    pub(super) pack: Option<String>,
    pub(super) amount: Option<String>,
    pub(super) name: Option<String>,
    pub(super) address: Option<String>,
    pub(super) state: Option<String>,
    pub(super) gstin: Option<String>,
    pub(super) general: Option<String>,
}

impl PurchaseErrors {
    fn any(&self) -> bool {
        let PurchaseErrors { pack, amount, name, address, state, gstin, general } = self;
        [pack, amount, name, address, state, gstin, general].iter().any(|error| error.is_some())
    }
}

/// The form before the first input: the stored billing details, or the account's name.
pub fn initial_form(details: Option<BillingDetails>, account_name: &str) -> Purchase {
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

/// The amount and the billing details of a purchase, or an error for each wrong field.
pub fn read(
    form: &Purchase,
    bounds: (i64, i64),
) -> Result<(i64, BillingDetails), Box<PurchaseErrors>> {
    let mut errors = PurchaseErrors::default();
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
        errors.name = Some(t_with("Enter a name of up to {0} characters.", &[&MAX_NAME]));
    }
    if details.address.chars().count() > MAX_ADDRESS {
        errors.address = Some(t_with("Enter at most {0} characters.", &[&MAX_ADDRESS]));
    }
    for (text, error) in
        [(&details.name, &mut errors.name), (&details.address, &mut errors.address)]
    {
        if !can_show(text) {
            *error = Some(t(UNSUPPORTED_SCRIPT).to_owned());
        }
    }
    match read_gstin(&form.gstin) {
        Ok(Some(gstin)) => {
            details.state_code = gstin.state_code().to_owned();
            if details.address.is_empty() {
                errors.address =
                    Some(t("Enter the address: it is required with a GSTIN.").to_owned());
            }
        }
        Ok(None) => {
            let known = states().iter().any(|(code, _)| *code == details.state_code);
            if !known && !details.state_code.is_empty() {
                errors.state = Some(t("Choose a state from the list.").to_owned());
            }
        }
        Err(error) => errors.gstin = Some(error.to_string()),
    }
    if errors.any() { Err(Box::new(errors)) } else { Ok((credits, details)) }
}

/// What is wrong with the amount in a form.
#[derive(Debug, thiserror::Error)]
enum AmountError {
    #[error("{}", t("Choose an amount, or enter a custom amount."))]
    NoPack,
    #[error("{}", t_with(
        "Enter whole rupees, from {0} to {1}.",
        &[&amounts::rupees(*.smallest), &amounts::rupees(*.largest)],
    ))]
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

/// What is wrong with the GSTIN in a form.
#[derive(Debug, thiserror::Error)]
pub enum GstinError {
    #[error("{}", t("Enter the GSTIN first."))]
    Missing,
    #[error("{}", t_with("This is not a valid GSTIN: {0}.", &[.0]))]
    Malformed(#[source] IdError),
}

/// None if the field is empty.
pub fn read_gstin(text: &str) -> Result<Option<Gstin>, GstinError> {
    let text = text.trim().to_uppercase();
    if text.is_empty() {
        return Ok(None);
    }
    Gstin::parse(&text).map(Some).map_err(GstinError::Malformed)
}

#[cfg(test)]
mod tests {
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
