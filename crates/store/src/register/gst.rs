//! GST registrations and the returns filed under them.

use std::cmp::Ordering;

use super::{MAX_SECTION_ROWS, Origin, RecordSummary, Register, SectionRecord};
use crate::error::Result;
use crate::table::{Table, table};

table! {
    GstRegistration in "gst_registrations", key 1 {
        gstin: String,
        /// The PAN in the GSTIN, if it contains one.
        pan: Option<String>,
        legal_name: String,
        trade_name: Option<String>,
        /// Normalized.
        status: String,
        /// In the source's words.
        status_text: Option<String>,
        /// Normalized.
        taxpayer_type: String,
        /// In the source's words.
        taxpayer_type_text: Option<String>,
        /// Normalized.
        constitution: String,
        /// In the source's words.
        constitution_text: Option<String>,
        registered_on: Option<String>,
        cancelled_on: Option<String>,
        /// Jurisdiction of the central tax authority.
        jurisdiction_centre: Option<String>,
        /// Jurisdiction of the state tax authority.
        jurisdiction_state: Option<String>,
        /// The principal place of business, as JSON text.
        principal_place: Option<String>,
        /// JSON list.
        additional_places: String,
        /// JSON list.
        nature_of_business: String,
        /// Whether e-invoicing applies.
        e_invoice: Option<bool>,
    }
}

table! {
    /// A return for one period.
    GstFiling in "gst_filings", key 3 {
        gstin: String,
        /// The last month of the period, such as `2026-02`.
        period: String,
        /// For example `GSTR-3B`.
        return_type: String,
        /// The financial year of the period.
        financial_year: String,
        filed_on: Option<String>,
        /// In the source's words.
        mode: Option<String>,
        /// The acknowledgement number.
        arn: Option<String>,
        /// `filed`, `not_filed` or `other`.
        status: String,
    }
}

impl SectionRecord for GstFiling {
    /// Newest period first.
    fn list_order(&self, other: &GstFiling) -> Ordering {
        other.period.cmp(&self.period).then_with(|| self.return_type.cmp(&other.return_type))
    }
}

impl Register {
    pub async fn find_gst_registration(&self, gstin: &str) -> Result<Option<GstRegistration>> {
        let find = &GstRegistration::statements().bulk.find;
        self.look_up_one(find, &[gstin.into()], GstRegistration::from_row).await
    }

    /// The name and status of each GSTIN.
    pub async fn find_gst_summaries(&self, gstins: &[&str]) -> Result<Vec<Option<RecordSummary>>> {
        let find = "select gstin, legal_name, status, as_of, source from gst_registrations \
                    where gstin = $1";
        self.look_up_each(find, gstins, RecordSummary::from_row).await
    }

    /// The returns filed under a GSTIN, newest period first.
    pub async fn list_gst_filings(&self, gstin: &str) -> Result<Vec<GstFiling>> {
        self.list(gstin).await
    }

    /// The registrations of a PAN: active ones first, then by GSTIN.
    pub async fn list_gst_registrations(&self, pan: &str) -> Result<Vec<GstRegistration>> {
        self.look_up(
            "select gstin, pan, legal_name, trade_name, status, status_text, taxpayer_type, \
                 taxpayer_type_text, constitution, constitution_text, registered_on, cancelled_on, \
                 jurisdiction_centre, jurisdiction_state, principal_place, additional_places, \
                 nature_of_business, e_invoice, as_of, source from gst_registrations \
                 where pan = $1 order by case when status = 'active' then 0 else 1 end, gstin \
                 limit $2",
            &[pan.into(), MAX_SECTION_ROWS.into()],
            GstRegistration::from_row,
        )
        .await
    }

    /// The number of registrations of each PAN.
    pub async fn count_gst_registrations(&self, pans: &[&str]) -> Result<Vec<i64>> {
        let count = "select count(*) from gst_registrations where pan = $1";
        let counts = self.look_up_each(count, pans, |row| row.get(0)).await?;
        Ok(counts.into_iter().map(|count| count.unwrap_or(0)).collect())
    }

    /// The newest source of the registrations of each PAN.
    pub async fn find_gst_origins(&self, pans: &[&str]) -> Result<Vec<Option<Origin>>> {
        let find = "select as_of, source from gst_registrations where pan = $1 \
                    order by coalesce(as_of, '') desc, gstin limit 1";
        self.look_up_each(find, pans, Origin::from_row).await
    }
}
