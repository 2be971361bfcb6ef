//! GST registrations and the returns filed under them.

use super::{MAX_SECTION_ROWS, Origin, RecordSummary, Register};
use crate::error::Result;
use crate::table::{Table, table};

table! {
    /// A GST registration.
    GstRegistration in "gst_registrations", key 1 {
        /// The GSTIN.
        gstin: String,
        /// The PAN inside it, where it carries one.
        pan: Option<String>,
        /// The legal name.
        legal_name: String,
        /// The trade name.
        trade_name: Option<String>,
        /// The status word.
        status: String,
        /// The status in the source's words.
        status_text: Option<String>,
        /// The taxpayer type's word.
        taxpayer_type: String,
        /// The taxpayer type in the source's words.
        taxpayer_type_text: Option<String>,
        /// The constitution's word.
        constitution: String,
        /// The constitution in the source's words.
        constitution_text: Option<String>,
        /// The day of registration.
        registered_on: Option<String>,
        /// The day of cancellation.
        cancelled_on: Option<String>,
        /// The centre's jurisdiction.
        jurisdiction_centre: Option<String>,
        /// The state's jurisdiction.
        jurisdiction_state: Option<String>,
        /// The principal place of business, as JSON text.
        principal_place: Option<String>,
        /// Additional places, a JSON list.
        additional_places: String,
        /// The kinds of business, a JSON list.
        nature_of_business: String,
        /// Whether e-invoicing applies.
        e_invoice: Option<bool>,
    }
}

table! {
    /// A return for one period.
    GstFiling in "gst_filings", key 3 {
        /// The GSTIN.
        gstin: String,
        /// The last month of the period, `2026-02`.
        period: String,
        /// The return, `GSTR-3B`.
        return_type: String,
        /// The financial year of the period.
        financial_year: String,
        /// The day it was filed.
        filed_on: Option<String>,
        /// How it was filed.
        mode: Option<String>,
        /// The acknowledgement number.
        arn: Option<String>,
        /// `filed`, `not_filed` or `other`.
        status: String,
    }
}

impl Register {
    /// The registration with this GSTIN.
    pub async fn find_gst_registration(&self, gstin: &str) -> Result<Option<GstRegistration>> {
        let find = &GstRegistration::statements().bulk.find;
        self.look_up_one(find, &[gstin.into()], GstRegistration::from_row).await
    }

    /// The name and status under each GSTIN.
    pub async fn find_gst_summaries(&self, gstins: &[&str]) -> Result<Vec<Option<RecordSummary>>> {
        let find = "select gstin, legal_name, status, as_of, source from gst_registrations \
                    where gstin = $1";
        self.look_up_each(find, gstins, RecordSummary::from_row).await
    }

    /// The returns filed under a GSTIN, newest period first.
    pub async fn list_gst_filings(&self, gstin: &str) -> Result<Vec<GstFiling>> {
        let mut filings = self.list_section::<GstFiling>(gstin).await?;
        filings.sort_unstable_by(|one, other| {
            other.period.cmp(&one.period).then_with(|| one.return_type.cmp(&other.return_type))
        });
        Ok(filings)
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

    /// How many registrations each PAN has.
    pub async fn count_gst_registrations(&self, pans: &[&str]) -> Result<Vec<i64>> {
        let count = "select count(*) from gst_registrations where pan = $1";
        let counts = self.look_up_each(count, pans, |row| row.get(0)).await?;
        Ok(counts.into_iter().map(|count| count.unwrap_or(0)).collect())
    }

    /// From where registrations of each PAN are known; the newest source.
    pub async fn find_gst_origins(&self, pans: &[&str]) -> Result<Vec<Option<Origin>>> {
        let find = "select as_of, source from gst_registrations where pan = $1 \
                    order by coalesce(as_of, '') desc, gstin limit 1";
        self.look_up_each(find, pans, Origin::from_row).await
    }
}
