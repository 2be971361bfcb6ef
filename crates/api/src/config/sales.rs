//! Settings for selling credits: payments and the seller.

use std::num::NonZeroU32;

use panji_ids::Gstin;
use serde::Deserialize;

use super::error::SalesError;
use super::url::check_url;

/// The upper bound of `payments.largest`, in rupees: far below where sums could overflow.
pub(super) const MAX_LARGEST: u32 = 1_000_000_000;
/// Characters of an invoice series. With year and number an invoice number has at most the 16 that
/// the GST rules allow.
pub(super) const MAX_SERIES: usize = 3;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaymentSettings {
    pub razorpay_key_id: String,
    pub razorpay_key_secret: String,
    pub razorpay_webhook_secret: String,
    pub razorpay_url: String,
    pub razorpay_checkout_url: String,
    pub test_payments: bool,
    pub smallest: NonZeroU32,
    pub largest: NonZeroU32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SellerSettings {
    pub name: String,
    pub address: String,
    pub gstin: String,
    pub email: String,
    pub sac: String,
    pub invoice_series: String,
}

impl PaymentSettings {
    pub fn has_razorpay(&self) -> bool {
        !self.razorpay_key_id.is_empty()
    }

    pub(super) fn check(&self) -> Result<(), SalesError> {
        let parts = [
            ("payments.razorpay_key_id", &self.razorpay_key_id),
            ("payments.razorpay_key_secret", &self.razorpay_key_secret),
            ("payments.razorpay_webhook_secret", &self.razorpay_webhook_secret),
        ];
        let missing = parts.iter().find(|(_, text)| text.is_empty());
        if let Some((name, _)) = missing.filter(|_| parts.iter().any(|(_, text)| !text.is_empty()))
        {
            return Err(SalesError::IncompleteRazorpay { name });
        }
        for (name, url) in [
            ("payments.razorpay_url", &self.razorpay_url),
            ("payments.razorpay_checkout_url", &self.razorpay_checkout_url),
        ] {
            check_url(name, url)?;
        }
        if self.smallest > self.largest || self.largest.get() > MAX_LARGEST {
            return Err(SalesError::Amounts);
        }
        Ok(())
    }
}

impl SellerSettings {
    /// `needed` is true with Razorpay: real payments need invoices with a seller.
    pub(super) fn check(&self, needed: bool) -> Result<(), SalesError> {
        let parts = [
            ("seller.name", &self.name),
            ("seller.address", &self.address),
            ("seller.gstin", &self.gstin),
        ];
        if let Some((name, _)) = parts.iter().find(|(_, text)| needed && text.trim().is_empty()) {
            return Err(SalesError::IncompleteSeller { name });
        }
        if !self.gstin.is_empty() {
            Gstin::parse(&self.gstin).map_err(SalesError::Gstin)?;
        }
        let series = &self.invoice_series;
        let fits = (1..=MAX_SERIES).contains(&series.len());
        if !fits || !series.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(SalesError::InvoiceSeries);
        }
        Ok(())
    }
}

// Not derived, so that no secret is logged.
impl std::fmt::Debug for PaymentSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PaymentSettings")
            .field("razorpay_key_id", &self.razorpay_key_id)
            .field("razorpay_url", &self.razorpay_url)
            .field("test_payments", &self.test_payments)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Overrides};

    #[test]
    fn incomplete_razorpay_settings_and_a_missing_seller_are_refused() {
        let check = |settings: &[(&str, &str)], part: &str| {
            let own = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
            let overrides = Overrides { file: None, settings: settings.iter().map(own).collect() };
            let error = Config::load(&overrides, std::iter::empty()).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        };
        let keys = [
            ("payments.razorpay_key_id", "rzp_test_namuna"),
            ("payments.razorpay_key_secret", "a"),
            ("payments.razorpay_webhook_secret", "b"),
        ];
        check(&keys[..2], "payments.razorpay_webhook_secret is missing");
        check(&keys[1..], "payments.razorpay_key_id is missing");
        check(&keys, "seller.name is missing");
        check(&[("payments.razorpay_url", "http://api.example.in")], "must begin with https://");
        check(&[("payments.razorpay_checkout_url", "here")], "payments.razorpay_checkout_url");
        check(&[("payments.smallest", "600000")], "payments.smallest");
        check(&[("payments.smallest", "0")], "payments.smallest must be at least 1");
        check(&[("seller.gstin", "29ZZACK4368A1ZX")], "seller.gstin");
        check(&[("seller.invoice_series", "PANJI")], "seller.invoice_series");
    }
}
