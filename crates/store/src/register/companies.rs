//! Companies, LLPs and foreign companies: identity, capital, and the numbers they had before.

use super::Register;
use crate::engine::Row;
use crate::error::Result;
use crate::table::{Table, table};

table! {
    /// A company, an LLP or a foreign company.
    Company in "companies", key 1 {
        /// The present CIN, LLPIN or FCRN.
        cin: String,
        /// The present legal name.
        name: String,
        /// `company`, `llp` or `foreign_company`.
        kind: String,
        /// The status word.
        status: String,
        /// The status in the source's words.
        status_text: Option<String>,
        /// The class word.
        class: Option<String>,
        /// The class in the source's words.
        class_text: Option<String>,
        /// The category word.
        category: Option<String>,
        /// The category in the source's words.
        category_text: Option<String>,
        /// The sub-category word.
        sub_category: Option<String>,
        /// The sub-category in the source's words.
        sub_category_text: Option<String>,
        /// Whether its shares are listed.
        listed: Option<bool>,
        /// The date of incorporation or registration.
        incorporated_on: Option<String>,
        /// The registrar's number.
        registration_number: Option<String>,
        /// The registered office in one line.
        address: Option<String>,
        /// Its city.
        city: Option<String>,
        /// Its district.
        district: Option<String>,
        /// Its state's name.
        state: Option<String>,
        /// Its state's two letters, as in a CIN.
        state_code: Option<String>,
        /// Its PIN code.
        pincode: Option<String>,
        /// Its country.
        country: Option<String>,
        /// The company's e-mail address.
        email: Option<String>,
        /// The registrar's code.
        roc_code: Option<String>,
        /// The registrar's name.
        roc_name: Option<String>,
        /// The industry's code.
        nic_code: Option<String>,
        /// The industry in words.
        nic_description: Option<String>,
        /// Former names, a JSON list of `name` and `until`.
        former_names: String,
        /// Former CINs, a JSON list of texts.
        former_cins: String,
        /// Authorised capital in paise.
        authorised_capital: Option<i64>,
        /// Paid-up capital in paise.
        paid_up_capital: Option<i64>,
        /// The number of members.
        members: Option<i64>,
        /// The date of the last annual general meeting.
        last_agm_on: Option<String>,
        /// The date of the last balance sheet.
        last_balance_sheet_on: Option<String>,
        /// The financial year of the last annual return.
        last_annual_return_year: Option<String>,
    }
}

table! {
    /// The PAN that belongs to a company.
    CompanyPan in "company_pans", key 1 {
        /// The company.
        cin: String,
        /// Its PAN.
        pan: String,
    }
}

/// How often a number is followed to the next before it is given up. Once is enough, unless the
/// company changes its number at this very moment.
const MOST_NUMBERS_FOLLOWED: usize = 3;

/// What a verification tells of what is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordSummary {
    /// The number it is held under.
    pub id: String,
    /// The legal name.
    pub name: String,
    /// The status word.
    pub status: String,
    /// From where it is known.
    pub origin: Origin,
}

/// From where something is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

impl RecordSummary {
    /// Reads number, name, status, date and source.
    pub(super) fn from_row(row: &Row<'_>) -> Result<RecordSummary> {
        let origin = Origin { as_of: row.get(3)?, source: row.get(4)? };
        Ok(RecordSummary { id: row.get(0)?, name: row.get(1)?, status: row.get(2)?, origin })
    }
}

impl Origin {
    /// Reads date and source.
    pub(super) fn from_row(row: &Row<'_>) -> Result<Origin> {
        Ok(Origin { as_of: row.get(0)?, source: row.get(1)? })
    }
}

/// That a company is held, under which number, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompanyKey {
    /// The present CIN, LLPIN or FCRN.
    pub cin: String,
    /// The date of its source.
    pub as_of: Option<String>,
    /// The format of its source.
    pub source: String,
}

impl Company {
    /// Under which number the company is held, and from where.
    pub fn key(&self) -> CompanyKey {
        CompanyKey { cin: self.cin.clone(), as_of: self.as_of.clone(), source: self.source.clone() }
    }

    /// Takes over from a held record what this one does not say. What belongs together goes
    /// together: no city stays beside an address that it is not part of.
    pub(super) fn complete_from(&mut self, held: &Company) {
        macro_rules! keep {
            ($( $first:ident $(with $($rest:ident),+)?; )*) => {
                $( if self.$first.is_none() $( $( && self.$rest.is_none() )+ )? {
                    self.$first.clone_from(&held.$first);
                    $( $( self.$rest.clone_from(&held.$rest); )+ )?
                } )*
            };
        }
        if self.status_text.is_none() && self.status == "unknown" {
            self.status_text.clone_from(&held.status_text);
            self.status.clone_from(&held.status);
        }
        keep! {
            class_text with class;
            category_text with category;
            sub_category_text with sub_category;
            listed;
            incorporated_on;
            registration_number;
            address with city, district, pincode, country;
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
        for (own, held) in [
            (&mut self.former_names, &held.former_names),
            (&mut self.former_cins, &held.former_cins),
        ] {
            if own == "[]" {
                own.clone_from(held);
            }
        }
    }
}

impl Register {
    /// The company with this number, or the one that had it before.
    pub async fn find_company(&self, cin: &str) -> Result<Option<Company>> {
        let find = &Company::statements().bulk.find;
        self.find_under_any_number(find, cin, Company::from_row).await
    }

    /// Whether a company is held, under this number or as a former one.
    pub async fn find_company_key(&self, cin: &str) -> Result<Option<CompanyKey>> {
        let find = "select cin, as_of, source from companies where cin = $1";
        self.find_under_any_number(find, cin, |row| {
            Ok(CompanyKey { cin: row.get(0)?, as_of: row.get(1)?, source: row.get(2)? })
        })
        .await
    }

    /// The name and status of the company with each number, or of the one that had it before.
    pub async fn find_company_summaries(
        &self,
        cins: &[&str],
    ) -> Result<Vec<Option<RecordSummary>>> {
        let find = "select cin, name, status, as_of, source from companies where cin = $1";
        self.find_under_any_numbers(find, cins, RecordSummary::from_row).await
    }

    async fn find_under_any_number<T>(
        &self,
        find: &'static str,
        cin: &str,
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.find_under_any_numbers(find, &[cin], map).await?.pop().flatten())
    }

    /// Looks under each number itself, which nearly every caller has right, and only then for one
    /// that followed it. Each look asks for one key, which lies on one server.
    async fn find_under_any_numbers<T>(
        &self,
        find: &'static str,
        cins: &[&str],
        map: fn(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<Option<T>>> {
        let mut found = self.look_up_each(find, cins, map).await?;
        let mut missing: Vec<(usize, String)> = found
            .iter()
            .zip(cins)
            .enumerate()
            .filter(|(_, (found, _))| found.is_none())
            .map(|(place, (_, cin))| (place, (*cin).to_owned()))
            .collect();
        for _ in 1..MOST_NUMBERS_FOLLOWED {
            missing = self.find_followers(missing).await?;
            let numbers: Vec<&str> = missing.iter().map(|(_, number)| number.as_str()).collect();
            let held = self.look_up_each(find, &numbers, map).await?;
            for ((place, _), held) in missing.iter().zip(held) {
                found[*place] = held;
            }
            missing.retain(|(place, _)| found[*place].is_none());
        }
        Ok(found)
    }

    /// The numbers that followed these, for those that have one.
    async fn find_followers(&self, former: Vec<(usize, String)>) -> Result<Vec<(usize, String)>> {
        let follow = "select cin from company_aliases where former_cin = $1";
        let numbers: Vec<&str> = former.iter().map(|(_, number)| number.as_str()).collect();
        let followers = self.look_up_each(follow, &numbers, |row| row.get(0)).await?;
        let places = former.iter().map(|(place, _)| *place);
        Ok(places.zip(followers).filter_map(|(place, next)| Some((place, next?))).collect())
    }

    /// The company's PAN, where one is held.
    pub async fn find_company_pan(&self, cin: &str) -> Result<Option<CompanyPan>> {
        let find = &CompanyPan::statements().bulk.find;
        self.look_up_one(find, &[cin.into()], CompanyPan::from_row).await
    }

    /// From where it is known that a company has this PAN, for each of them; the newest source.
    pub async fn find_company_pan_origins(&self, pans: &[&str]) -> Result<Vec<Option<Origin>>> {
        let find = "select as_of, source from company_pans where pan = $1 \
                    order by coalesce(as_of, '') desc, cin limit 1";
        self.look_up_each(find, pans, Origin::from_row).await
    }
}
