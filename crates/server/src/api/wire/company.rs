//! A company's identity, capital and PAN.

use std::borrow::Cow;

use panji_store::register::{self, CoveredSection};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Board, ChargesSummary, CompanyLei, Rupees, SectionOrigin, origin, stored_list, words};

/// A company, an LLP or a foreign company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Company {
    /// The present CIN, LLPIN or FCRN.
    #[schema(example = "L17111MH1994PLC990011")]
    pub cin: String,
    /// The present legal name. A space that the source lost before a legal word is added:
    /// `SERVICES PRIVATELIMITED` is `SERVICES PRIVATE LIMITED`.
    pub name: String,
    /// The name in the source's words.
    pub name_text: String,
    /// The kind of company.
    #[schema(value_type = words::CompanyKind)]
    pub kind: String,
    /// The status.
    #[schema(value_type = words::CompanyStatus)]
    pub status: String,
    /// The status in the source's words.
    pub status_text: Option<String>,
    /// The class.
    #[schema(value_type = Option<words::CompanyClass>)]
    pub class: Option<String>,
    /// The class in the source's words.
    pub class_text: Option<String>,
    /// The category.
    #[schema(value_type = Option<words::CompanyCategory>)]
    pub category: Option<String>,
    /// The category in the source's words.
    pub category_text: Option<String>,
    /// The sub-category.
    #[schema(value_type = Option<words::CompanySubCategory>)]
    pub sub_category: Option<String>,
    /// The sub-category in the source's words.
    pub sub_category_text: Option<String>,
    /// Whether its shares are listed.
    pub listed: Option<bool>,
    /// The date of incorporation or registration.
    #[schema(example = "1994-03-18")]
    pub incorporated_on: Option<String>,
    /// The registrar's number for the company.
    pub registration_number: Option<String>,
    /// The registered office.
    pub registered_office: RegisteredOffice,
    /// The company's e-mail address.
    pub email: Option<String>,
    /// The registrar of companies.
    pub roc: Roc,
    /// The industry.
    pub industry: Industry,
    /// Former names.
    pub former_names: Vec<FormerName>,
    /// Numbers the company had before; each still finds the company.
    pub former_cins: Vec<String>,
    /// Those of `former_cins` that no source states: the sources list the company under several
    /// numbers, with the same name and date of incorporation.
    pub inferred_former_cins: Vec<String>,
    /// The legal entity identifier; null if none is known.
    pub lei: Option<CompanyLei>,
    /// What an empty list or a null means.
    #[schema(value_type = words::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}

/// A registered office.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct RegisteredOffice {
    /// The address in one line. A word that the source broke with a comma is joined: `Roa,d` is
    /// `Road`.
    pub address: Option<String>,
    /// The address in the source's words.
    pub address_text: Option<String>,
    /// The city.
    pub city: Option<String>,
    /// The district.
    pub district: Option<String>,
    /// The state's name.
    pub state: Option<String>,
    /// The state's two letters, as in a CIN.
    pub state_code: Option<String>,
    /// The PIN code.
    pub pincode: Option<String>,
    /// The country.
    pub country: Option<String>,
}

/// A registrar of companies.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Roc {
    /// The registrar's code.
    pub code: Option<String>,
    /// The registrar's name.
    pub name: Option<String>,
}

/// An industry, as the source states it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Industry {
    /// The code of the National Industrial Classification; its edition depends on the CIN's age.
    pub nic_code: Option<String>,
    /// The industry in words.
    pub description: Option<String>,
}

/// A name the company had before.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct FormerName {
    /// The name.
    pub name: String,
    /// The last day the name was used.
    pub until: Option<String>,
}

impl Company {
    pub fn new(company: register::Company, lei: Option<CompanyLei>) -> Company {
        // A newer source that states less changed the company since: it is complete only as of then.
        let stated = company.coverage();
        let stated = stated.get(CoveredSection::Company);
        let stated = stated.filter(|statement| statement.as_of >= company.as_of);
        let coverage = SectionOrigin::new(stated, std::iter::once(origin(&company)));
        Company {
            cin: company.cin,
            name_text: company.name_text.unwrap_or_else(|| company.name.clone()),
            name: company.name,
            kind: company.kind,
            status: company.status,
            status_text: company.status_text,
            class: company.class,
            class_text: company.class_text,
            category: company.category,
            category_text: company.category_text,
            sub_category: company.sub_category,
            sub_category_text: company.sub_category_text,
            listed: company.listed,
            incorporated_on: company.incorporated_on,
            registration_number: company.registration_number,
            registered_office: RegisteredOffice {
                address_text: company.address_text.or_else(|| company.address.clone()),
                address: company.address,
                city: company.city,
                district: company.district,
                state: company.state,
                state_code: company.state_code,
                pincode: company.pincode,
                country: company.country,
            },
            email: company.email,
            roc: Roc { code: company.roc_code, name: company.roc_name },
            industry: Industry { nic_code: company.nic_code, description: company.nic_description },
            former_names: stored_list(&company.former_names),
            former_cins: stored_list(&company.former_cins),
            inferred_former_cins: company
                .inferred_cins
                .as_deref()
                .map_or_else(Vec::new, stored_list),
            lei,
            coverage: coverage.coverage,
            as_of: company.as_of,
            source: company.source,
        }
    }
}

/// A company's capital.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Capital {
    /// Authorised capital.
    pub authorised: Option<Rupees>,
    /// Paid-up capital.
    pub paid_up: Option<Rupees>,
    /// Always `INR`.
    #[schema(example = "INR")]
    pub currency: Cow<'static, str>,
    /// The number of members.
    pub members: Option<i64>,
    /// `full` if authorised and paid-up capital are known, `none` if nothing is.
    #[schema(value_type = words::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

impl From<&register::Company> for Capital {
    fn from(company: &register::Company) -> Capital {
        let amounts = [company.authorised_capital, company.paid_up_capital];
        let SectionOrigin { coverage, as_of, source } = if amounts.iter().all(Option::is_some) {
            SectionOrigin::known(words::FULL, Some(origin(company)))
        } else if amounts.iter().any(Option::is_some) || company.members.is_some() {
            SectionOrigin::known(words::PARTIAL, Some(origin(company)))
        } else {
            SectionOrigin::known(words::NONE, None)
        };
        Capital {
            authorised: company.authorised_capital.map(Rupees),
            paid_up: company.paid_up_capital.map(Rupees),
            currency: Cow::Borrowed("INR"),
            members: company.members,
            coverage,
            as_of,
            source,
        }
    }
}

/// The PAN of a company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct CompanyPan {
    /// The company.
    pub cin: String,
    /// Its PAN; null if the register has none.
    pub pan: Option<String>,
    /// `full` if the PAN is known, otherwise `none`.
    #[schema(value_type = words::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: Option<String>,
}

impl CompanyPan {
    pub fn new(cin: String, record: Option<register::CompanyPan>) -> CompanyPan {
        let coverage = if record.is_some() { words::FULL } else { words::NONE };
        let SectionOrigin { coverage, as_of, source } =
            SectionOrigin::known(coverage, record.as_ref().map(origin));
        CompanyPan { cin, pan: record.map(|record| record.pan), coverage, as_of, source }
    }
}

/// A company's identity, capital, directors and charges in one answer.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Profile {
    /// The company.
    pub company: Company,
    /// Its capital.
    pub capital: Capital,
    /// Its directors.
    pub directors: Board,
    /// Its charges.
    pub charges: ChargesSummary,
    /// The coverage of `company`; each section has its own.
    #[schema(value_type = words::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: String,
}
