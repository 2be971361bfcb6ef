//! Lines about a company itself: identity, capital, PAN.

use std::collections::BTreeMap;

use jiff::civil::Date;
use panji_ids::{Pan, state_code_by_name};
use panji_store::register::{
    Company, CompanyPan, Coverage, CoverageLevel, CoverageStatement, CoveredSection,
};
use serde::{Deserialize, Serialize};

use super::source::SOURCE;
use crate::values::field::{canonical_cin, company_id, date, json, paise, required, word};
use crate::values::reason::Reason;
use crate::values::rupees::Paise;
use crate::vocabulary;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompanyLine {
    /// Whether the line has only part of the data of the company.
    #[serde(default)]
    pub partial: bool,
    cin: String,
    name: String,
    status_text: Option<String>,
    class_text: Option<String>,
    category_text: Option<String>,
    sub_category_text: Option<String>,
    listed: Option<bool>,
    incorporated_on: Option<Date>,
    registration_number: Option<String>,
    #[serde(default)]
    registered_office: OfficeLine,
    email: Option<String>,
    #[serde(default)]
    roc: RocLine,
    #[serde(default)]
    industry: IndustryLine,
    #[serde(default)]
    former_names: Vec<FormerNameLine>,
    #[serde(default)]
    former_cins: Vec<String>,
    #[serde(default)]
    capital: CapitalLine,
    last_agm_on: Option<Date>,
    last_balance_sheet_on: Option<Date>,
    last_annual_return_year: Option<String>,
    /// How complete the records of a section are.
    #[serde(default)]
    coverage: BTreeMap<CoveredSection, CoverageLevel>,
    as_of: Option<Date>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfficeLine {
    address: Option<String>,
    city: Option<String>,
    district: Option<String>,
    state: Option<String>,
    state_code: Option<String>,
    pincode: Option<String>,
    country: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RocLine {
    code: Option<String>,
    name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndustryLine {
    nic_code: Option<String>,
    description: Option<String>,
}

/// Stored as JSON text with the field names of the API.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FormerNameLine {
    name: String,
    until: Option<Date>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapitalLine {
    authorised: Option<Paise>,
    paid_up: Option<Paise>,
    members: Option<i64>,
}

impl CompanyLine {
    pub fn into_record(self) -> Result<Company, Reason> {
        let id = company_id(&self.cin)?;
        let former_cins: Vec<String> =
            self.former_cins.iter().map(|cin| canonical_cin(cin)).collect::<Result<_, _>>()?;
        let office = self.registered_office;
        let state_code = office
            .state_code
            .or_else(|| office.state.as_deref().and_then(state_code_by_name).map(str::to_owned))
            .or_else(|| id.cin().filter(|_| !self.partial).map(|cin| cin.state_code().to_owned()));
        Ok(Company {
            cin: id.as_str().to_owned(),
            name: required("name", self.name)?,
            kind: id.kind().name().to_owned(),
            status: word(vocabulary::company_status, self.status_text.as_deref(), "unknown"),
            status_text: self.status_text,
            class: self.class_text.as_deref().map(vocabulary::company_class).map(str::to_owned),
            class_text: self.class_text,
            category: self
                .category_text
                .as_deref()
                .map(vocabulary::company_category)
                .map(str::to_owned),
            category_text: self.category_text,
            sub_category: self
                .sub_category_text
                .as_deref()
                .map(vocabulary::company_sub_category)
                .map(str::to_owned),
            sub_category_text: self.sub_category_text,
            listed: self.listed,
            incorporated_on: date(self.incorporated_on),
            registration_number: self.registration_number,
            address: office.address,
            city: office.city,
            district: office.district,
            state: office.state.or_else(|| {
                state_code.as_deref().and_then(panji_ids::cin_state).map(str::to_owned)
            }),
            state_code,
            pincode: office.pincode,
            country: office.country,
            email: self.email,
            roc_code: self.roc.code,
            roc_name: self.roc.name,
            nic_code: self.industry.nic_code,
            nic_description: self.industry.description,
            former_names: json(&self.former_names),
            former_cins: json(&former_cins),
            inferred_cins: None,
            name_text: None,
            address_text: None,
            authorised_capital: paise(self.capital.authorised),
            paid_up_capital: paise(self.capital.paid_up),
            members: self.capital.members,
            last_agm_on: date(self.last_agm_on),
            last_balance_sheet_on: date(self.last_balance_sheet_on),
            last_annual_return_year: self.last_annual_return_year,
            coverage: coverage(self.coverage, self.as_of),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

fn coverage(levels: BTreeMap<CoveredSection, CoverageLevel>, as_of: Option<Date>) -> String {
    let mut coverage = Coverage::default();
    for (section, level) in levels {
        let source = SOURCE.to_owned();
        coverage.insert(section, CoverageStatement { coverage: level, as_of: date(as_of), source });
    }
    coverage.to_stored()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PanLine {
    cin: String,
    pan: String,
    as_of: Option<Date>,
}

impl PanLine {
    pub fn into_record(self) -> Result<CompanyPan, Reason> {
        let pan = Pan::parse(&self.pan).map_err(|error| Reason::of_id("pan", &error))?;
        Ok(CompanyPan {
            cin: canonical_cin(&self.cin)?,
            pan: pan.as_str().to_owned(),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}
