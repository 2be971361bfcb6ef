//! Legal entity identifiers of companies, and the parents that their holders report.

use super::Register;
use crate::error::Result;
use crate::table::{Table, table};

/// LEIs that are read at most. India has some hundred thousand, the world some three million.
const MAX_LEIS: i64 = 5_000_000;

/// The direct parent, as in `LeiParent::relation`.
pub const DIRECT_PARENT: &str = "direct";
/// The ultimate parent: the value of the same field.
pub const ULTIMATE_PARENT: &str = "ultimate";

table! {
    /// An LEI of a company. A company may have several, of which at most one is in use.
    CompanyLei in "company_leis", key 2 {
        cin: String,
        lei: String,
        /// The name under which it is registered.
        legal_name: String,
        /// Normalized.
        entity_status: String,
        /// In the source's words.
        entity_status_text: Option<String>,
        /// Normalized.
        registration_status: String,
        /// In the source's words.
        registration_status_text: Option<String>,
        /// The date of the first registration.
        registered_on: Option<String>,
        next_renewal_on: Option<String>,
    }
}

table! {
    /// A parent of the holder of an LEI, or the reason why it reports none.
    LeiParent in "lei_parents", key 3 {
        lei: String,
        /// `direct` or `ultimate`.
        relation: String,
        /// Empty where there is a reason instead.
        parent_lei: String,
        /// Whether it is the parent at present.
        active: bool,
        /// The reason, normalized.
        exception: Option<String>,
        /// In the source's words.
        exception_text: Option<String>,
    }
}

table! {
    /// A holder of an LEI that is no company of this register.
    LeiEntity in "lei_entities", key 1 {
        lei: String,
        name: String,
        /// Two letters, of its legal address.
        country: Option<String>,
    }
}

/// The legal entity that an LEI names: a company of this register, or a parent of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeiHolder {
    pub name: String,
    /// If it is a company with a number of this register.
    pub cin: Option<String>,
}

/// The LEI of a company: one that is not withdrawn before the others, then the newest.
macro_rules! lei_of_company {
    ($columns:literal) => {
        concat!(
            "select ",
            $columns,
            " from company_leis where cin = $1 order by case when registration_status in ",
            "('annulled', 'cancelled', 'duplicate', 'merged', 'retired') then 1 else 0 end, ",
            "coalesce(as_of, '') desc, lei limit 1"
        )
    };
}

/// The company that an LEI belongs to, by the newest record of it.
macro_rules! holder_of_lei {
    ($columns:literal) => {
        concat!(
            "select ",
            $columns,
            " from company_leis where lei = $1 order by coalesce(as_of, '') desc, cin limit 1"
        )
    };
}

impl Register {
    /// The LEI of a company under its current number.
    pub async fn find_company_lei(&self, cin: &str) -> Result<Option<CompanyLei>> {
        let find = lei_of_company!(
            "cin, lei, legal_name, entity_status, entity_status_text, registration_status, \
             registration_status_text, registered_on, next_renewal_on, as_of, source"
        );
        let found = self.look_up_one(find, &[cin.into()], CompanyLei::from_row).await?;
        let Some(found) = found else { return Ok(None) };
        let holder = self.find_lei_company(&found.lei).await?;
        Ok((holder.as_deref() == Some(cin)).then_some(found))
    }

    /// The LEI of each company.
    pub async fn find_company_leis(&self, cins: &[&str]) -> Result<Vec<Option<String>>> {
        let find = lei_of_company!("lei");
        let leis: Vec<Option<String>> = self.look_up_each(find, cins, |row| row.get(0)).await?;
        let known: Vec<&str> = leis.iter().flatten().map(String::as_str).collect();
        let find_holder = holder_of_lei!("cin");
        let holders: Vec<Option<String>> =
            self.look_up_each(find_holder, &known, |row| row.get(0)).await?;
        let mut holders = holders.into_iter().flatten();
        let owned = leis.into_iter().zip(cins).map(|(lei, cin)| {
            let lei = lei?;
            (holders.next().as_deref() == Some(*cin)).then_some(lei)
        });
        Ok(owned.collect())
    }

    /// The number of the company that an LEI belongs to.
    pub async fn find_lei_company(&self, lei: &str) -> Result<Option<String>> {
        self.look_up_one(holder_of_lei!("cin"), &[lei.into()], |row| row.get(0)).await
    }

    /// The name of the holder of an LEI, if it is known.
    pub async fn find_lei_holder(&self, lei: &str) -> Result<Option<LeiHolder>> {
        let company = self
            .look_up_one(holder_of_lei!("legal_name, cin"), &[lei.into()], |row| {
                Ok(LeiHolder { name: row.get(0)?, cin: row.get(1)? })
            })
            .await?;
        if company.is_some() {
            return Ok(company);
        }
        let find = "select name from lei_entities where lei = $1";
        self.look_up_one(find, &[lei.into()], |row| Ok(LeiHolder { name: row.get(0)?, cin: None }))
            .await
    }

    /// What is known of the parents of the holder of an LEI, current and past, ordered by key.
    pub async fn list_lei_parents(&self, lei: &str) -> Result<Vec<LeiParent>> {
        self.list_section(lei).await
    }

    pub async fn find_lei_entity(&self, lei: &str) -> Result<Option<LeiEntity>> {
        let find = &LeiEntity::statements().bulk.find;
        self.look_up_one(find, &[lei.into()], LeiEntity::from_row).await
    }

    /// All LEIs of a company, withdrawn ones included, ordered by LEI.
    pub async fn list_company_leis(&self, cin: &str) -> Result<Vec<CompanyLei>> {
        self.list_section(cin).await
    }

    /// The LEIs of all companies.
    pub async fn list_leis(&self) -> Result<Vec<String>> {
        let list = "select distinct lei from company_leis limit $1";
        self.engine.query(list, &[MAX_LEIS.into()], |row| row.get(0)).await
    }

    /// The different LEIs that companies name as their parents, in no order.
    pub async fn list_parent_leis(&self) -> Result<Vec<String>> {
        let list = "select distinct parent_lei from lei_parents where parent_lei <> '' limit $1";
        self.engine.query(list, &[MAX_LEIS.into()], |row| row.get(0)).await
    }
}
