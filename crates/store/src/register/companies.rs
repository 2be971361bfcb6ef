//! Companies, LLPs and foreign companies: identity, capital and former numbers.

use std::sync::LazyLock;

use super::{CompanyLei, Coverage, Register};
use crate::engine::Row;
use crate::error::Result;
use crate::packed::PackedRow;
use crate::table::{Table, table};
use serde_json::Value;

table! {
    /// A company, an LLP or a foreign company.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(default)]
    Company as CompanyOf<Text> in "companies", key 1 {
        /// The current CIN, LLPIN or FCRN.
        cin: Text,
        /// The current legal name.
        name: Text,
        /// `company`, `llp` or `foreign_company`.
        kind: Text,
        /// Normalized.
        status: Text,
        /// In the source's words.
        status_text: Option<Text>,
        /// Normalized.
        class: Option<Text>,
        /// In the source's words.
        class_text: Option<Text>,
        /// Normalized.
        category: Option<Text>,
        /// In the source's words.
        category_text: Option<Text>,
        /// Normalized.
        sub_category: Option<Text>,
        /// In the source's words.
        sub_category_text: Option<Text>,
        /// Whether its shares are listed.
        listed: Option<bool>,
        /// The date of incorporation or registration.
        incorporated_on: Option<Text>,
        /// The registrar's number.
        registration_number: Option<Text>,
        /// The registered office in one line.
        address: Option<Text>,
        city: Option<Text>,
        district: Option<Text>,
        state: Option<Text>,
        /// Two letters, as in a CIN.
        state_code: Option<Text>,
        pincode: Option<Text>,
        country: Option<Text>,
        email: Option<Text>,
        /// Code of the registrar of companies.
        roc_code: Option<Text>,
        roc_name: Option<Text>,
        /// The industry code.
        nic_code: Option<Text>,
        nic_description: Option<Text>,
        /// JSON list of `name` and `until`.
        former_names: Text,
        /// JSON list of texts.
        former_cins: Text,
        /// In paise.
        authorised_capital: Option<i64>,
        /// In paise.
        paid_up_capital: Option<i64>,
        /// Number of members.
        members: Option<i64>,
        /// Date of the last annual general meeting.
        last_agm_on: Option<Text>,
        last_balance_sheet_on: Option<Text>,
        last_annual_return_year: Option<Text>,
        /// JSON of [`Coverage`](super::Coverage).
        coverage: Text,
        /// JSON list of those of the former numbers that no source states.
        inferred_cins: Option<Text>,
        /// The name in the source's words, if `name` was corrected.
        name_text: Option<Text>,
        /// The address in the source's words, if `address` was corrected.
        address_text: Option<Text>,
    }
}

table! {
    CompanyPan in "company_pans", key 1 {
        cin: String,
        pan: String,
    }
}

/// How often a former number is resolved to the next one. Once is enough, unless the company
/// changes its number at this moment.
const MAX_LOOKUPS: usize = 3;

/// The fields of a record that a verification returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSummary {
    /// The number of the record, such as CIN, DIN or GSTIN.
    pub id: String,
    /// The legal name.
    pub name: String,
    /// Normalized.
    pub status: String,
    pub origin: Origin,
}

/// The source of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

impl RecordSummary {
    /// Columns: number, name, status, date and source.
    pub(super) fn from_row(row: &Row<'_>) -> Result<RecordSummary> {
        let origin = Origin { as_of: row.get(3)?, source: row.get(4)? };
        Ok(RecordSummary { id: row.get(0)?, name: row.get(1)?, status: row.get(2)?, origin })
    }
}

impl Origin {
    /// Columns: date and source.
    pub(super) fn from_row(row: &Row<'_>) -> Result<Origin> {
        Ok(Origin { as_of: row.get(0)?, source: row.get(1)? })
    }
}

/// The current number of a company in the register, and the coverage of its sections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyReference {
    /// The current CIN, LLPIN or FCRN.
    pub cin: String,
    pub coverage: Coverage,
}

impl<Text: AsRef<str>> CompanyOf<Text> {
    pub fn reference(&self) -> CompanyReference {
        CompanyReference { cin: self.cin.as_ref().to_owned(), coverage: self.coverage() }
    }

    pub fn origin(&self) -> Origin {
        let owned = |text: &Text| text.as_ref().to_owned();
        Origin { as_of: self.as_of.as_ref().map(owned), source: owned(&self.source) }
    }
}

impl Company {
    /// Fills the missing fields from the stored record. Fields that belong together are taken
    /// together: no city is combined with another address.
    pub(super) fn complete_from(&mut self, stored: &Company) {
        macro_rules! keep {
            ($( $first:ident $(with $($rest:ident),+)?; )*) => {
                $( if self.$first.is_none() $( $( && self.$rest.is_none() )+ )? {
                    self.$first.clone_from(&stored.$first);
                    $( $( self.$rest.clone_from(&stored.$rest); )+ )?
                } )*
            };
        }
        if self.status_text.is_none() && self.status == "unknown" {
            self.status_text.clone_from(&stored.status_text);
            self.status.clone_from(&stored.status);
        }
        keep! {
            class_text with class;
            category_text with category;
            sub_category_text with sub_category;
            listed;
            incorporated_on;
            registration_number;
            address with address_text, city, district, pincode, country;
            state with state_code;
            email;
            roc_name with roc_code;
            nic_code with nic_description;
            authorised_capital;
            paid_up_capital;
            members;
            last_agm_on;
            last_balance_sheet_on;
            last_annual_return_year;
        }
        add_missing(&mut self.former_names, &stored.former_names);
        add_missing(&mut self.former_cins, &stored.former_cins);
        if let Some(inferred) = &stored.inferred_cins {
            add_missing(self.inferred_cins.get_or_insert_with(|| "[]".to_owned()), inferred);
        }
        self.merge_coverage(stored);
    }

    /// Takes over the fields, the name and the number of another record of the company.
    pub(super) fn absorb(&mut self, former: &Company) {
        self.complete_from(former);
        let number = Value::Array(vec![former.cin.as_str().into()]).to_string();
        add_missing(&mut self.former_cins, &number);
        add_missing(self.inferred_cins.get_or_insert_with(|| "[]".to_owned()), &number);
        if !former.name.eq_ignore_ascii_case(&self.name) {
            let name = serde_json::json!([{"name": former.name}]).to_string();
            add_missing(&mut self.former_names, &name);
        }
        // The other record may have had this number or this name as a former one.
        let (cin, name) = (self.cin.clone(), self.name.clone());
        self.remove_former(&cin, &name);
    }

    /// Removes a number and a name from the former ones.
    pub(super) fn remove_former(&mut self, cin: &str, name: &str) {
        remove_entry(&mut self.former_cins, cin);
        remove_entry(&mut self.former_names, name);
        if let Some(inferred) = &mut self.inferred_cins {
            remove_entry(inferred, cin);
        }
        self.inferred_cins.take_if(|inferred| inferred == "[]");
    }
}

fn remove_entry(list: &mut String, text: &str) {
    let mut entries = serde_json::from_str::<Vec<Value>>(list).unwrap_or_default();
    entries.retain(|entry| entry_name(entry) != text.to_uppercase());
    *list = Value::Array(entries).to_string();
}

/// Adds the entries of one stored list to another that has not got them, at its end.
fn add_missing(own: &mut String, other: &str) {
    if other == "[]" || own == other {
        return;
    }
    if own == "[]" {
        other.clone_into(own);
        return;
    }
    let read = |text: &str| serde_json::from_str::<Vec<Value>>(text).unwrap_or_default();
    let mut entries = read(own);
    let before = entries.len();
    for entry in read(other) {
        if !entries.iter().any(|own| entry_name(own) == entry_name(&entry)) {
            entries.push(entry);
        }
    }
    if entries.len() > before {
        *own = Value::Array(entries).to_string();
    }
}

/// What makes an entry of a list of former names or numbers the same as another.
fn entry_name(entry: &Value) -> String {
    entry.get("name").unwrap_or(entry).as_str().unwrap_or_default().to_uppercase()
}

impl Register {
    /// The company with this current or former number.
    pub async fn find_company(&self, cin: &str) -> Result<Option<Company>> {
        let find = &Company::statements().bulk.find;
        self.find_under_any_number(find, cin, Company::from_row).await
    }

    /// The company with each current or former number.
    pub async fn find_companies(&self, cins: &[&str]) -> Result<Vec<Option<Company>>> {
        let find = &Company::statements().bulk.find;
        self.find_under_any_numbers(find, cins, Company::from_row).await
    }

    /// A company with its LEI. Few companies have one: whether there is any is read with the company.
    pub async fn find_company_with_lei(
        &self,
        cin: &str,
    ) -> Result<Option<(PackedRow, Option<CompanyLei>)>> {
        static FIND: LazyLock<String> = LazyLock::new(|| {
            format!(
                "select {}, exists (select 1 from company_leis where cin = $1) from companies \
                 where cin = $1",
                Company::COLUMNS.join(", ")
            )
        });
        let found = self.find_under_any_number(&FIND, cin, |row| {
            let columns = Company::COLUMNS.len();
            Ok((PackedRow::read(row, columns)?, row.get(columns)?))
        });
        let Some((company, has_lei)): Option<(PackedRow, bool)> = found.await? else {
            return Ok(None);
        };
        let lei = match CompanyOf::from_packed(&company).filter(|_| has_lei) {
            Some(company) => Box::pin(self.find_company_lei(company.cin)).await?,
            None => None,
        };
        Ok(Some((company, lei)))
    }

    /// The reference of the company with this current or former number, without reading the whole
    /// record.
    pub async fn find_company_reference(&self, cin: &str) -> Result<Option<CompanyReference>> {
        let find = "select cin, coverage from companies where cin = $1";
        self.find_under_any_number(find, cin, |row| {
            let coverage: String = row.get(1)?;
            Ok(CompanyReference { cin: row.get(0)?, coverage: Coverage::from_stored(&coverage) })
        })
        .await
    }

    /// The name and status of the company with each current or former number.
    pub async fn find_company_summaries(
        &self,
        cins: &[&str],
    ) -> Result<Vec<Option<RecordSummary>>> {
        let find = "select cin, name, status, as_of, source from companies where cin = $1";
        self.find_under_any_numbers(find, cins, RecordSummary::from_row).await
    }

    async fn find_under_any_number<T: Send>(
        &self,
        find: &'static str,
        cin: &str,
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut found = self.look_up_one(find, &[cin.into()], map).await?;
        if found.is_none() {
            let missing = vec![(0, cin.to_owned())];
            let places = std::slice::from_mut(&mut found);
            Box::pin(self.find_under_successors(find, missing, places, map)).await?;
        }
        Ok(found)
    }

    /// Searches each number itself first, which is nearly always the current one, and only then its
    /// successor. Each lookup reads one key, which is on one server.
    async fn find_under_any_numbers<T: Send>(
        &self,
        find: &'static str,
        cins: &[&str],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let mut found = self.look_up_each(find, cins, map).await?;
        let missing: Vec<(usize, String)> = found
            .iter()
            .zip(cins)
            .enumerate()
            .filter(|(_, (found, _))| found.is_none())
            .map(|(index, (_, cin))| (index, (*cin).to_owned()))
            .collect();
        if !missing.is_empty() {
            Box::pin(self.find_under_successors(find, missing, &mut found, map)).await?;
        }
        Ok(found)
    }

    async fn find_under_successors<T: Send>(
        &self,
        find: &'static str,
        mut missing: Vec<(usize, String)>,
        found: &mut [Option<T>],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<()> {
        for _ in 1..MAX_LOOKUPS {
            missing = self.find_successors(missing).await?;
            let numbers: Vec<&str> = missing.iter().map(|(_, number)| number.as_str()).collect();
            let stored = self.look_up_each(find, &numbers, map).await?;
            for ((index, _), stored) in missing.iter().zip(stored) {
                found[*index] = stored;
            }
            missing.retain(|(index, _)| found[*index].is_none());
        }
        Ok(())
    }

    /// The successors of these numbers, if there are any.
    async fn find_successors(&self, former: Vec<(usize, String)>) -> Result<Vec<(usize, String)>> {
        let find_successor = "select cin from company_aliases where former_cin = $1";
        let numbers: Vec<&str> = former.iter().map(|(_, number)| number.as_str()).collect();
        let successors = self.look_up_each(find_successor, &numbers, |row| row.get(0)).await?;
        let indexes = former.iter().map(|(index, _)| *index);
        Ok(indexes.zip(successors).filter_map(|(index, next)| Some((index, next?))).collect())
    }

    pub async fn find_company_pan(&self, cin: &str) -> Result<Option<CompanyPan>> {
        let find = &CompanyPan::statements().bulk.find;
        self.look_up_one(find, &[cin.into()], CompanyPan::from_row).await
    }

    pub async fn find_company_pans(&self, cins: &[&str]) -> Result<Vec<Option<CompanyPan>>> {
        let find = &CompanyPan::statements().bulk.find;
        self.look_up_each(find, cins, CompanyPan::from_row).await
    }

    /// The number of the company that the newest source gives this PAN.
    pub async fn find_pan_company(&self, pan: &str) -> Result<Option<String>> {
        let find = "select cin from company_pans where pan = $1 \
                    order by coalesce(as_of, '') desc, cin limit 1";
        self.look_up_one(find, &[pan.into()], |row| row.get(0)).await
    }

    /// For each PAN, the newest source that assigns it to a company.
    pub async fn find_company_pan_origins(&self, pans: &[&str]) -> Result<Vec<Option<Origin>>> {
        let find = "select as_of, source from company_pans where pan = $1 \
                    order by coalesce(as_of, '') desc, cin limit 1";
        self.look_up_each(find, pans, Origin::from_row).await
    }
}
