//! The content of an invoice: seller, buyer, and the taxes.

use panji_ids::{Gstin, gst_state};
use panji_store::ledger::{BillingDetails, NewInvoice, Order};
use serde::{Deserialize, Serialize};

use super::TEST_PROVIDER;
use crate::config::SellerSettings;

/// The GST rate of the credits, in percent.
pub const GST_PERCENT: i64 = 18;
/// The invoice series of test payments, so that the real series has no gaps and no test invoices.
const TEST_SERIES: &str = "TST";
/// Union territories without a legislature: half of the tax there is UTGST.
const UNION_TERRITORIES: [&str; 7] = ["04", "25", "26", "31", "35", "38", "97"];
/// The highest state code of a GSTIN.
const MAX_STATE_CODE: u8 = 99;
/// Codes of former states and of no state: a buyer cannot be there.
const NOT_STATES: [&str; 4] = ["25", "28", "97", "99"];

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Seller {
    pub name: String,
    pub address: String,
    pub gstin: String,
    pub email: String,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Tax {
    /// CGST, SGST, UTGST or IGST.
    pub name: String,
    /// In percent.
    pub rate: i64,
    /// In paise.
    pub amount: i64,
}

/// The content of an invoice, stored when it is issued.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Content {
    pub seller: Seller,
    pub buyer: BillingDetails,
    /// The service accounting code.
    pub sac: String,
    pub credits: i64,
    /// The price before tax, in paise.
    pub taxable: i64,
    pub taxes: Vec<Tax>,
    /// In paise, with tax.
    pub total: i64,
    /// The provider's payment id.
    pub payment_id: String,
    /// A test payment, without money.
    pub test: bool,
}

/// The tax on credits, in paise. A credit costs a rupee, so this is exact.
pub fn tax_paise(credits: i64) -> i64 {
    credits * GST_PERCENT
}

/// The price of credits with tax, in paise.
pub fn total_paise(credits: i64) -> i64 {
    credits * 100 + tax_paise(credits)
}

/// The taxes: within one state half is central and half is state tax, between states all is
/// integrated tax.
pub fn taxes(credits: i64, seller_state: &str, buyer_state: &str) -> Vec<Tax> {
    let tax = |name: &str, rate| Tax { name: name.to_owned(), rate, amount: credits * rate };
    if seller_state != buyer_state {
        return vec![tax("IGST", GST_PERCENT)];
    }
    let state_tax = if UNION_TERRITORIES.contains(&buyer_state) { "UTGST" } else { "SGST" };
    vec![tax("CGST", GST_PERCENT / 2), tax(state_tax, GST_PERCENT / 2)]
}

/// The state code in the seller's GSTIN; empty without a GSTIN.
pub fn seller_state(seller: &SellerSettings) -> String {
    Gstin::parse(&seller.gstin).map(|gstin| gstin.state_code().to_owned()).unwrap_or_default()
}

/// The codes and names of the states that a buyer can be in.
pub fn states() -> Vec<(String, &'static str)> {
    let code = |number: u8| format!("{number:02}");
    (1..=MAX_STATE_CODE)
        .map(code)
        .filter(|code| !NOT_STATES.contains(&code.as_str()))
        .filter_map(|code| gst_state(&code).map(|name| (code, name)))
        .collect()
}

/// The invoice of a paid order.
pub fn content(order: &Order, buyer: &BillingDetails, settings: &SellerSettings) -> NewInvoice {
    let test = order.provider == TEST_PROVIDER;
    let content = Content {
        taxes: taxes(order.credits, &seller_state(settings), &buyer.state_code),
        seller: Seller {
            name: settings.name.clone(),
            address: settings.address.clone(),
            gstin: settings.gstin.to_uppercase(),
            email: settings.email.clone(),
        },
        buyer: buyer.clone(),
        sac: settings.sac.clone(),
        credits: order.credits,
        taxable: order.credits * 100,
        total: order.total,
        payment_id: order.payment_id.clone().unwrap_or_default(),
        test,
    };
    NewInvoice {
        series: if test { TEST_SERIES.to_owned() } else { settings.invoice_series.to_uppercase() },
        content: serde_json::to_string(&content).expect("plain fields can always be serialized"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_is_eighteen_percent_to_the_paisa() {
        assert_eq!((tax_paise(500), total_paise(500)), (9_000, 59_000));
        assert_eq!(total_paise(101), 11_918);
    }

    #[test]
    fn tax_is_split_within_a_state_and_whole_between_states() {
        let kinds = |seller, buyer| -> Vec<(String, i64)> {
            taxes(500, seller, buyer).into_iter().map(|tax| (tax.name, tax.amount)).collect()
        };
        let line = |name: &str, amount| (name.to_owned(), amount);
        assert_eq!(kinds("29", "29"), [line("CGST", 4_500), line("SGST", 4_500)]);
        assert_eq!(kinds("04", "04"), [line("CGST", 4_500), line("UTGST", 4_500)]);
        assert_eq!(kinds("07", "07"), [line("CGST", 4_500), line("SGST", 4_500)]);
        assert_eq!(kinds("29", "27"), [line("IGST", 9_000)]);
        assert_eq!(kinds("", "27"), [line("IGST", 9_000)]);
    }

    #[test]
    fn a_buyer_can_be_in_any_existing_state() {
        let states = states();
        assert!(states.iter().any(|(code, name)| code == "27" && *name == "Maharashtra"));
        assert!(states.iter().any(|(code, _)| code == "38"));
        assert!(!states.iter().any(|(code, _)| code == "28" || code == "99"));
        assert_eq!(states.len(), 36);
    }
}
