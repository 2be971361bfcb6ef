//! The company itself: identity, office, capital and former names.

use panji_ids::{CompanyId, CompanyKind, mask_pans, state_code_by_name};
use panji_store::register::{Company, Coverage};
use serde_json::{Map, Value, json};

use super::document::{Document, SOURCE, join_address};
use crate::values::date::DateOrder;
use crate::values::field::{financial_year_of, json};
use crate::values::json_fields::{self, Fields};
use crate::values::reason::Reason;
use crate::vocabulary;

/// The objects of a document that describe the company itself.
pub struct CompanySource<'a> {
    /// The enclosing object: number, name and history.
    outer: Fields<'a>,
    /// `companyData`, the public master data.
    company: Fields<'a>,
    /// `commonData`, the data of the portal's forms. It is used second: its address and its number of
    /// directors differ from the public page.
    common: Fields<'a>,
}

impl<'a> CompanySource<'a> {
    pub fn new(outer: &'a Map<String, Value>, master: &'a Map<String, Value>) -> Self {
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        let part =
            |name: &str| Fields::new(master.get(name).and_then(Value::as_object).unwrap_or(&EMPTY));
        let outer = Fields::new(outer);
        CompanySource { outer, company: part("companyData"), common: part("commonData") }
    }

    /// The company number, unvalidated.
    pub fn number(&self) -> Option<String> {
        const NAMES: &[&str] = &["cin", "CIN", "llpin", "LLPIN", "fcrn", "FCRN"];
        self.outer.text(NAMES).or_else(|| self.company.text(NAMES))
    }

    fn name(&self) -> Option<String> {
        let outer = self.outer.text(&["company", "companyName"]);
        outer.or_else(|| self.company.text(&["companyName"]))
    }

    /// `llpStatus` is the status of companies too.
    fn status_text(&self) -> Option<String> {
        let public = self.company.text(&["llpStatus", "companyStatus"]);
        public.or_else(|| self.common.text(&["companyStatus", "status"]))
    }

    /// Former numbers in the order of the history; the portal's `ucin` is the first number.
    pub fn former_cins(&self, current: &CompanyId, problems: &mut Vec<Reason>) -> Vec<String> {
        let history = self.outer.objects("cinHistory");
        let listed = history.iter().filter_map(|entry| Fields::new(entry).text(&["oldCin"]));
        let mut former = Vec::new();
        for written in listed.chain(self.common.text(&["ucin"])) {
            match CompanyId::parse(&written) {
                Ok(id) if id == *current => {}
                Ok(id) => {
                    let cin = id.as_str().to_owned();
                    if !former.contains(&cin) {
                        former.push(cin);
                    }
                }
                Err(error) => {
                    let sentence = format!("company {current}: former number {written:?}: {error}");
                    let kind = "a former number is no number of a company";
                    problems.push(Reason::new(kind, mask_pans(&sentence)));
                }
            }
        }
        former
    }

    /// Former names as JSON text. `detectedAt` is the time when a relay noticed the change (two
    /// changes years apart have the same time), so it is not used as the last day of a name.
    fn former_names(&self, current: &str) -> String {
        let history = self.outer.objects("nameHistory");
        let listed = history.iter().filter_map(|entry| Fields::new(entry).text(&["oldName"]));
        let mut former: Vec<String> = Vec::new();
        for name in listed.chain(self.common.text(&["companyIncorporationName"])) {
            let is_listed = former.iter().any(|listed| listed.eq_ignore_ascii_case(&name));
            if !is_listed && !name.eq_ignore_ascii_case(current) {
                former.push(name);
            }
        }
        let entries: Vec<Value> =
            former.iter().map(|name| json!({"name": name, "until": null})).collect();
        json(&entries)
    }

    /// The members of an LLP are its partners. Zero means that the portal does not count them.
    fn members(&mut self, kind: CompanyKind) -> Option<i64> {
        let name = if kind == CompanyKind::Llp { "numberOfPartners" } else { "numberOfMembers" };
        self.company.count(name).filter(|count| *count > 0)
    }

    /// The registered office: the active address of that type.
    fn office(&self) -> Office {
        let addresses = self.company.objects("MCAMDSCompanyAddress");
        let registered = |address: &&&Map<String, Value>| {
            let kind = Fields::new(address).text(&["addressType"]).unwrap_or_default();
            kind.to_ascii_lowercase().contains("registered")
        };
        let active = |address: &&&Map<String, Value>| {
            Fields::new(address).flag(&["activeStatus"]) != Some(false)
        };
        let chosen = addresses
            .iter()
            .filter(registered)
            .find(active)
            .or_else(|| addresses.iter().find(registered))
            .or(addresses.first());
        match chosen {
            Some(address) => Office::of_master_data(address),
            None => {
                let common = self.common.objects("companyAddress");
                common.first().map(|address| Office::of_forms(address)).unwrap_or_default()
            }
        }
    }

    /// None if the address is masked or redacted.
    fn email(&self) -> Option<String> {
        let email = self.company.text(&["emailAddress"]).or(self.common.text(&["emailAddress"]))?;
        (email.contains('@') && !email.contains('*')).then_some(email)
    }

    /// `ROCCode` is a code only if it is one word; otherwise it is the registrar's long name.
    fn roc_code(&self) -> Option<String> {
        self.common.text(&["ROCCode"]).filter(|code| !code.contains(' '))
    }

    /// The industry's code and description: the division of the master data, else the NIC class of
    /// the forms.
    fn industry(&self) -> (Option<String>, Option<String>) {
        let padded = |code: String, digits: usize| format!("{code:0>digits$}");
        match self.company.text(&["mainDivision"]) {
            Some(division) => {
                (Some(padded(division, 2)), self.company.text(&["mainDivisionDescription"]))
            }
            None => (
                self.common.text(&["NICCode1"]).map(|code| padded(code, 5)),
                self.common.text(&["NICCode1Desc"]),
            ),
        }
    }

    /// The latest year end in a list of filings, such as `balanceSheet3years`.
    fn latest_year_end(&mut self, list: &str) -> Option<String> {
        let mut latest = None;
        for entry in self.company.objects(list) {
            let mut entry = Fields::new(entry);
            latest = latest.max(entry.day("financialYear", DateOrder::MonthFirst));
            for problem in entry.problems(list) {
                self.company.add_problem(problem);
            }
        }
        latest
    }

    pub fn record(
        mut self,
        document: &Document,
        problems: &mut Vec<Reason>,
    ) -> Result<Company, Reason> {
        let id = &document.id;
        let nameless = || Reason::fixed("it has no name").about(&format!("company {id}"));
        let name = self.name().ok_or_else(nameless)?;
        let status_text = self.status_text();
        let class_text = self.company.text(&["classOfCompany"]);
        let category_text = self.company.text(&["companyCategory"]);
        let sub_category_text = self.company.text(&["companySubcategory"]);
        let word = |look_up: fn(&str) -> &'static str, text: &Option<String>| {
            text.as_deref().map(|text| look_up(text).to_owned())
        };
        let office = self.office();
        let state_code = office.state.as_deref().and_then(state_code_by_name).map(str::to_owned);
        let (nic_code, nic_description) = self.industry();
        let listed = self.company.flag(&["whetherListedOrNot"]);
        let last_annual_return = self.latest_year_end("annualReturns3years");
        let last_balance_sheet = self.latest_year_end("balanceSheet3years");
        let company = Company {
            cin: id.as_str().to_owned(),
            kind: id.kind().name().to_owned(),
            former_names: self.former_names(&name),
            name,
            status: word(vocabulary::company_status, &status_text)
                .unwrap_or_else(|| "unknown".to_owned()),
            status_text,
            class: word(vocabulary::company_class, &class_text),
            class_text,
            category: word(vocabulary::company_category, &category_text),
            category_text,
            sub_category: word(vocabulary::company_sub_category, &sub_category_text),
            sub_category_text,
            listed: listed.or_else(|| self.common.flag(&["listed"])),
            incorporated_on: self.company.day("dateOfIncorporation", DateOrder::MonthFirst),
            registration_number: self.company.text(&["registrationNumber"]),
            address: office.address,
            city: office.city,
            district: office.district,
            state: office.state,
            state_code: state_code.or_else(|| id.cin().map(|cin| cin.state_code().to_owned())),
            pincode: office.pincode,
            country: office.country,
            email: self.email(),
            roc_code: self.roc_code(),
            roc_name: self.company.text(&["rocName"]).or(self.common.text(&["ROCName"])),
            nic_code,
            nic_description,
            former_cins: json(&document.former_cins),
            inferred_cins: None,
            name_text: None,
            address_text: None,
            authorised_capital: self.company.paise("authorisedCapital"),
            paid_up_capital: self.company.paise("paidUpCapital"),
            members: self.members(id.kind()),
            last_agm_on: self.company.day("dateOfLastAGM", DateOrder::MonthFirst),
            last_balance_sheet_on: self
                .company
                .day("balanceSheetDate", DateOrder::MonthFirst)
                .or(last_balance_sheet),
            last_annual_return_year: last_annual_return.and_then(|day| year_that_ends_on(&day)),
            coverage: Coverage::EMPTY.to_owned(),
            as_of: None,
            source: SOURCE.to_owned(),
        };
        problems.extend(self.company.problems(&format!("company {id}")));
        Ok(company)
    }
}

fn year_that_ends_on(day: &str) -> Option<String> {
    let day: jiff::civil::Date = day.parse().ok()?;
    Some(financial_year_of(day))
}

#[derive(Default)]
struct Office {
    address: Option<String>,
    city: Option<String>,
    district: Option<String>,
    state: Option<String>,
    pincode: Option<String>,
    country: Option<String>,
}

impl Office {
    fn of_master_data(address: &Map<String, Value>) -> Office {
        let line =
            ["streetAddress", "streetAddress2", "streetAddress3", "streetAddress4", "locality"];
        Office::read(address, &line, "postalCode")
    }

    fn of_forms(address: &Map<String, Value>) -> Office {
        Office::read(address, &["addressline1", "addressline2", "arealocality"], "pincode")
    }

    fn read(address: &Map<String, Value>, line: &[&str], pincode: &str) -> Office {
        let parts: Vec<Option<&Value>> = line.iter().map(|name| address.get(*name)).collect();
        let fields = Fields::new(address);
        Office {
            address: join_address(&parts),
            city: fields.text(&["city"]),
            district: fields.text(&["district"]),
            state: fields.text(&["state"]),
            pincode: fields.text(&[pincode]).and_then(|text| json_fields::pincode(&text)),
            country: fields.text(&["country"]),
        }
    }
}
