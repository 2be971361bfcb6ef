//! A company's identity, capital and PAN.

use std::borrow::Cow;

use panji_store::register::{self, CoverageLevel, CoverageStatement, CoveredSection};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Board, ChargesSummary, CompanyLei, Rupees, SectionOrigin, enums, origin, stored_list};

/// A company, an LLP or a foreign company.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Company<'a> {
    /// The current CIN, LLPIN or FCRN.
    #[schema(example = "L17111MH1994PLC990011")]
    pub cin: Cow<'a, str>,
    /// The current legal name. A space that the source lost before a legal word is added:
    /// `SERVICES PRIVATELIMITED` is `SERVICES PRIVATE LIMITED`.
    pub name: Cow<'a, str>,
    /// The name in the source's words.
    pub name_text: Cow<'a, str>,
    /// The kind of company.
    #[schema(value_type = enums::CompanyKind)]
    pub kind: Cow<'a, str>,
    /// The status.
    #[schema(value_type = enums::CompanyStatus)]
    pub status: Cow<'a, str>,
    /// The status in the source's words.
    pub status_text: Option<Cow<'a, str>>,
    /// The class.
    #[schema(value_type = Option<enums::CompanyClass>)]
    pub class: Option<Cow<'a, str>>,
    /// The class in the source's words.
    pub class_text: Option<Cow<'a, str>>,
    /// The category.
    #[schema(value_type = Option<enums::CompanyCategory>)]
    pub category: Option<Cow<'a, str>>,
    /// The category in the source's words.
    pub category_text: Option<Cow<'a, str>>,
    /// The sub-category.
    #[schema(value_type = Option<enums::CompanySubCategory>)]
    pub sub_category: Option<Cow<'a, str>>,
    /// The sub-category in the source's words.
    pub sub_category_text: Option<Cow<'a, str>>,
    /// Whether its shares are listed.
    pub listed: Option<bool>,
    /// The date of incorporation or registration.
    #[schema(example = "1994-03-18")]
    pub incorporated_on: Option<Cow<'a, str>>,
    /// The registrar's number for the company.
    pub registration_number: Option<Cow<'a, str>>,
    /// The registered office.
    pub registered_office: RegisteredOffice<'a>,
    /// The company's email address.
    pub email: Option<Cow<'a, str>>,
    /// The registrar of companies.
    pub roc: Roc<'a>,
    /// The industry.
    pub industry: Industry<'a>,
    /// Former names.
    pub former_names: Vec<FormerName>,
    /// Numbers the company had before; each still finds the company.
    pub former_cins: Vec<String>,
    /// Those of `former_cins` that no source states: the sources list the company under several
    /// numbers, with the same name and date of incorporation.
    pub inferred_former_cins: Vec<String>,
    /// The legal entity identifier; null if none is known.
    pub lei: Option<Box<CompanyLei>>,
    /// What an empty list or a null means.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<Cow<'a, str>>,
    /// The format of the source.
    pub source: Cow<'a, str>,
}

/// A registered office.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct RegisteredOffice<'a> {
    /// The address in one line. A word that the source broke with a comma is joined: `Roa,d` is
    /// `Road`.
    pub address: Option<Cow<'a, str>>,
    /// The address in the source's words.
    pub address_text: Option<Cow<'a, str>>,
    /// The city.
    pub city: Option<Cow<'a, str>>,
    /// The district.
    pub district: Option<Cow<'a, str>>,
    /// The state's name.
    pub state: Option<Cow<'a, str>>,
    /// The state's two letters, as in a CIN.
    pub state_code: Option<Cow<'a, str>>,
    /// The PIN code.
    pub pincode: Option<Cow<'a, str>>,
    /// The country.
    pub country: Option<Cow<'a, str>>,
}

/// A registrar of companies.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Roc<'a> {
    /// The registrar's code.
    pub code: Option<Cow<'a, str>>,
    /// The registrar's name.
    pub name: Option<Cow<'a, str>>,
}

/// An industry, as the source states it.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Industry<'a> {
    /// The code of the National Industrial Classification; its edition depends on the CIN's age.
    pub nic_code: Option<Cow<'a, str>>,
    /// The industry in words.
    pub description: Option<Cow<'a, str>>,
}

/// A name the company had before.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct FormerName {
    /// The name.
    pub name: String,
    /// The last day the name was used.
    pub until: Option<String>,
}

impl<'a> Company<'a> {
    pub fn new<Text>(company: register::CompanyOf<Text>, lei: Option<CompanyLei>) -> Company<'a>
    where
        Text: AsRef<str> + Clone + Into<Cow<'a, str>>,
    {
        // A newer source that states less changed the company since: it is complete only as of then.
        let as_of = company.as_of.as_ref().map(AsRef::as_ref);
        let is_full = |stated: &CoverageStatement| {
            stated.coverage == CoverageLevel::Full && stated.as_of.as_deref() >= as_of
        };
        let stated = company.coverage();
        let is_full = stated.get(CoveredSection::Company).is_some_and(is_full);
        let text = |column: Option<Text>| column.map(Into::into);
        Company {
            cin: company.cin.into(),
            name_text: company.name_text.unwrap_or_else(|| company.name.clone()).into(),
            name: company.name.into(),
            kind: company.kind.into(),
            status: company.status.into(),
            status_text: text(company.status_text),
            class: text(company.class),
            class_text: text(company.class_text),
            category: text(company.category),
            category_text: text(company.category_text),
            sub_category: text(company.sub_category),
            sub_category_text: text(company.sub_category_text),
            listed: company.listed,
            incorporated_on: text(company.incorporated_on),
            registration_number: text(company.registration_number),
            registered_office: RegisteredOffice {
                address_text: text(company.address_text.or_else(|| company.address.clone())),
                address: text(company.address),
                city: text(company.city),
                district: text(company.district),
                state: text(company.state),
                state_code: text(company.state_code),
                pincode: text(company.pincode),
                country: text(company.country),
            },
            email: text(company.email),
            roc: Roc { code: text(company.roc_code), name: text(company.roc_name) },
            industry: Industry {
                nic_code: text(company.nic_code),
                description: text(company.nic_description),
            },
            former_names: stored_list(company.former_names.as_ref()),
            former_cins: stored_list(company.former_cins.as_ref()),
            inferred_former_cins: company
                .inferred_cins
                .map_or_else(Vec::new, |inferred| stored_list(inferred.as_ref())),
            lei: lei.map(Box::new),
            coverage: Cow::Borrowed(if is_full { enums::FULL } else { enums::PARTIAL }),
            as_of: text(company.as_of),
            source: company.source.into(),
        }
    }
}

impl Company<'_> {
    pub fn origin(&self) -> SectionOrigin {
        SectionOrigin {
            coverage: self.coverage.clone(),
            as_of: self.as_of.as_deref().map(str::to_owned),
            source: Some(self.source.to_string()),
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
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source; null if nothing is known.
    pub source: Option<String>,
}

impl<Text: AsRef<str>> From<&register::CompanyOf<Text>> for Capital {
    fn from(company: &register::CompanyOf<Text>) -> Capital {
        let amounts = [company.authorised_capital, company.paid_up_capital];
        let SectionOrigin { coverage, as_of, source } = if amounts.iter().all(Option::is_some) {
            SectionOrigin::known(enums::FULL, Some(company.origin()))
        } else if amounts.iter().any(Option::is_some) || company.members.is_some() {
            SectionOrigin::known(enums::PARTIAL, Some(company.origin()))
        } else {
            SectionOrigin::known(enums::NONE, None)
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
    /// The company's CIN, LLPIN or FCRN.
    pub cin: String,
    /// Its PAN; null if the register has none.
    pub pan: Option<String>,
    /// `full` if the PAN is known, otherwise `none`.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<String>,
    /// The format of the source.
    pub source: Option<String>,
}

impl CompanyPan {
    pub fn new(cin: String, record: Option<register::CompanyPan>) -> CompanyPan {
        let coverage = if record.is_some() { enums::FULL } else { enums::NONE };
        let SectionOrigin { coverage, as_of, source } =
            SectionOrigin::known(coverage, record.as_ref().map(origin));
        CompanyPan { cin, pan: record.map(|record| record.pan), coverage, as_of, source }
    }
}

/// A company's identity, capital, directors and charges in one response.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Profile<'a> {
    /// The company.
    pub company: Company<'a>,
    /// Its capital.
    pub capital: Capital,
    /// Its directors.
    pub directors: Board,
    /// Its charges.
    pub charges: ChargesSummary,
    /// The coverage of `company`; each section has its own.
    #[schema(value_type = enums::Coverage)]
    pub coverage: Cow<'static, str>,
    /// The date of the source data.
    pub as_of: Option<Cow<'a, str>>,
    /// The format of the source.
    pub source: Cow<'a, str>,
}
