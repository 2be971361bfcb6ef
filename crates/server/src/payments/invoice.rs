//! What stands on an invoice: seller, buyer, and the tax by its kinds.

use panji_ids::{Gstin, gst_state};
use panji_store::ledger::{BillingDetails, NewInvoice, Order};
use serde::{Deserialize, Serialize};

use super::TEST_PROVIDER;
use crate::config::SellerSettings;

/// Goods and services tax on what is sold here, in per cent.
pub const GST_PER_CENT: i64 = 18;
/// The series of purchases without money, so that the real one has only real ones.
const TEST_SERIES: &str = "TST";
/// Union territories without a legislature of their own: half of the tax is UTGST there.
const UNION_TERRITORIES: [&str; 7] = ["04", "25", "26", "31", "35", "38", "97"];
/// The codes that a GSTIN can begin with.
const MAX_STATE_CODE: u8 = 99;
/// Codes of states that are no more, or are no place where somebody lives.
const NO_PLACES: [&str; 4] = ["25", "28", "97", "99"];

/// Who sells.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct Seller {
    pub name: String,
    pub address: String,
    pub gstin: String,
    pub email: String,
}

/// One line of tax.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Tax {
    /// CGST, SGST, UTGST or IGST.
    pub name: String,
    /// In per cent.
    pub rate: i64,
    /// In paise.
    pub amount: i64,
}

/// An invoice's content, kept as it was issued.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Content {
    /// Who sells.
    pub seller: Seller,
    /// Who buys.
    pub buyer: BillingDetails,
    /// The service accounting code.
    pub sac: String,
    /// Credits sold.
    pub credits: i64,
    /// Their price in paise.
    pub taxable: i64,
    /// The tax by its kinds.
    pub taxes: Vec<Tax>,
    /// What was paid, in paise.
    pub total: i64,
    /// The provider's name for the payment.
    pub payment_id: String,
    /// Whether no money was moved.
    pub test: bool,
}

/// The tax on some credits, in paise. A credit is a rupee, so this is exact.
pub fn tax_paise(credits: i64) -> i64 {
    credits * GST_PER_CENT
}

/// What some credits cost with tax, in paise.
pub fn total_paise(credits: i64) -> i64 {
    credits * 100 + tax_paise(credits)
}

/// The tax by its kinds: within one state half goes to the centre and half to the state, between
/// states all is integrated.
pub fn taxes(credits: i64, seller_state: &str, buyer_state: &str) -> Vec<Tax> {
    let tax = |name: &str, rate| Tax { name: name.to_owned(), rate, amount: credits * rate };
    if seller_state != buyer_state {
        return vec![tax("IGST", GST_PER_CENT)];
    }
    let own = if UNION_TERRITORIES.contains(&buyer_state) { "UTGST" } else { "SGST" };
    vec![tax("CGST", GST_PER_CENT / 2), tax(own, GST_PER_CENT / 2)]
}

/// The state that a seller's GSTIN names; empty without one.
pub fn seller_state(seller: &SellerSettings) -> String {
    Gstin::parse(&seller.gstin).map(|gstin| gstin.state_code().to_owned()).unwrap_or_default()
}

/// The states that a buyer can be in: codes and names.
pub fn states() -> Vec<(String, &'static str)> {
    let code = |number: u8| format!("{number:02}");
    (1..=MAX_STATE_CODE)
        .map(code)
        .filter(|code| !NO_PLACES.contains(&code.as_str()))
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
        content: serde_json::to_string(&content).expect("plain fields become JSON"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_is_eighteen_per_cent_to_the_paisa() {
        assert_eq!((tax_paise(500), total_paise(500)), (9_000, 59_000));
        assert_eq!(total_paise(101), 11_918);
    }

    #[test]
    fn tax_is_split_within_a_state_and_whole_between_states() {
        let kinds = |seller, buyer| -> Vec<(String, i64)> {
            taxes(500, seller, buyer).into_iter().map(|tax| (tax.name, tax.amount)).collect()
        };
        let is = |name: &str, amount| (name.to_owned(), amount);
        assert_eq!(kinds("29", "29"), [is("CGST", 4_500), is("SGST", 4_500)]);
        assert_eq!(kinds("04", "04"), [is("CGST", 4_500), is("UTGST", 4_500)]);
        assert_eq!(kinds("07", "07"), [is("CGST", 4_500), is("SGST", 4_500)]);
        assert_eq!(kinds("29", "27"), [is("IGST", 9_000)]);
        assert_eq!(kinds("", "27"), [is("IGST", 9_000)]);
    }

    #[test]
    fn a_buyer_can_be_in_any_state_there_is() {
        let states = states();
        assert!(states.iter().any(|(code, name)| code == "27" && *name == "Maharashtra"));
        assert!(states.iter().any(|(code, _)| code == "38"));
        assert!(!states.iter().any(|(code, _)| code == "28" || code == "99"));
        assert_eq!(states.len(), 36);
    }
}
