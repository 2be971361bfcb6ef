//! Panji's own format: one JSON object per line, one line per record, described in `docs/data.md`.

use jiff::civil::Date;
use panji_ids::{CompanyId, Din, Gstin, Pan, state_code_by_name};
use panji_store::register::{
    Appointment, Charge, Company, CompanyPan, CreditRating, Director, Document, EpfoEstablishment,
    Filing, FinancialYear, GstFiling, GstRegistration, Record,
};
use serde::{Deserialize, Serialize};

use crate::rupees::Paise;
use crate::vocabulary;

/// The name under which records of this format are served as `source`.
pub const SOURCE: &str = "panji";

/// Reads one line. The error is a sentence that says what to mend.
pub fn parse_line(line: &str) -> Result<Record, String> {
    let parsed: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    parsed.into_record()
}

#[derive(Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "a line lives for one call only")]
enum Line {
    Company(CompanyLine),
    Director(DirectorLine),
    Appointment(AppointmentLine),
    Charge(ChargeLine),
    FinancialYear(FinancialYearLine),
    Filing(FilingLine),
    Document(DocumentLine),
    Rating(RatingLine),
    Epfo(EpfoLine),
    Gst(GstLine),
    GstFiling(GstFilingLine),
    Pan(PanLine),
}

impl Line {
    fn into_record(self) -> Result<Record, String> {
        Ok(match self {
            Line::Company(line) => Record::Company(line.into_record()?),
            Line::Director(line) => Record::Director(line.into_record()?),
            Line::Appointment(line) => Record::Appointment(line.into_record()?),
            Line::Charge(line) => Record::Charge(line.into_record()?),
            Line::FinancialYear(line) => Record::FinancialYear(line.into_record()?),
            Line::Filing(line) => Record::Filing(line.into_record()?),
            Line::Document(line) => Record::Document(line.into_record()?),
            Line::Rating(line) => Record::Rating(line.into_record()?),
            Line::Epfo(line) => Record::Epfo(line.into_record()?),
            Line::Gst(line) => Record::Gst(line.into_record()?),
            Line::GstFiling(line) => Record::GstFiling(line.into_record()?),
            Line::Pan(line) => Record::Pan(line.into_record()?),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CompanyLine {
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
    as_of: Option<Date>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfficeLine {
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
struct RocLine {
    code: Option<String>,
    name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndustryLine {
    nic_code: Option<String>,
    description: Option<String>,
}

/// Stored as JSON text, in the words of the contract.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct FormerNameLine {
    name: String,
    until: Option<Date>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CapitalLine {
    authorised: Option<Paise>,
    paid_up: Option<Paise>,
    members: Option<i64>,
}

impl CompanyLine {
    fn into_record(self) -> Result<Company, String> {
        let id = company_id(&self.cin)?;
        let former_cins: Vec<String> =
            self.former_cins.iter().map(|cin| canonical_cin(cin)).collect::<Result<_, _>>()?;
        let office = self.registered_office;
        let state_code = office
            .state_code
            .or_else(|| office.state.as_deref().and_then(state_code_by_name).map(str::to_owned))
            .or_else(|| id.cin().map(|cin| cin.state_code().to_owned()));
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
            state: office.state,
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
            authorised_capital: paise(self.capital.authorised),
            paid_up_capital: paise(self.capital.paid_up),
            members: self.capital.members,
            last_agm_on: date(self.last_agm_on),
            last_balance_sheet_on: date(self.last_balance_sheet_on),
            last_annual_return_year: self.last_annual_return_year,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectorLine {
    din: String,
    name: String,
    status_text: Option<String>,
    nationality: Option<String>,
    as_of: Option<Date>,
}

impl DirectorLine {
    fn into_record(self) -> Result<Director, String> {
        Ok(Director {
            din: canonical_din(&self.din)?,
            name: required("name", self.name)?,
            status: word(vocabulary::director_status, self.status_text.as_deref(), "unknown"),
            status_text: self.status_text,
            nationality: self.nationality,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AppointmentLine {
    cin: String,
    din: String,
    name: String,
    designation_text: Option<String>,
    appointed_on: Option<Date>,
    ceased_on: Option<Date>,
    as_of: Option<Date>,
}

impl AppointmentLine {
    fn into_record(self) -> Result<Appointment, String> {
        Ok(Appointment {
            cin: canonical_cin(&self.cin)?,
            din: canonical_din(&self.din)?,
            appointed_on: date(self.appointed_on).unwrap_or_default(),
            name: required("name", self.name)?,
            designation: word(vocabulary::designation, self.designation_text.as_deref(), "other"),
            designation_text: self.designation_text,
            ceased_on: date(self.ceased_on),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChargeLine {
    cin: String,
    charge_id: String,
    lender: String,
    amount: Option<Paise>,
    created_on: Option<Date>,
    modified_on: Option<Date>,
    satisfied_on: Option<Date>,
    assets: Option<String>,
    address: Option<String>,
    as_of: Option<Date>,
}

impl ChargeLine {
    fn into_record(self) -> Result<Charge, String> {
        let status = match (self.satisfied_on, self.modified_on) {
            (Some(_), _) => "satisfied",
            (None, Some(_)) => "modified",
            (None, None) => "open",
        };
        Ok(Charge {
            cin: canonical_cin(&self.cin)?,
            charge_id: required("charge_id", self.charge_id)?,
            lender: required("lender", self.lender)?,
            amount: paise(self.amount),
            status: status.to_owned(),
            created_on: date(self.created_on),
            modified_on: date(self.modified_on),
            satisfied_on: date(self.satisfied_on),
            assets: self.assets,
            address: self.address,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FinancialYearLine {
    cin: String,
    from_date: Date,
    to_date: Date,
    basis: Basis,
    form_type: Option<String>,
    filed_on: Option<Date>,
    revenue: Option<Paise>,
    other_income: Option<Paise>,
    total_income: Option<Paise>,
    total_expenses: Option<Paise>,
    finance_cost: Option<Paise>,
    depreciation: Option<Paise>,
    ebitda: Option<Paise>,
    profit_before_tax: Option<Paise>,
    tax: Option<Paise>,
    profit: Option<Paise>,
    share_capital: Option<Paise>,
    reserves: Option<Paise>,
    net_worth: Option<Paise>,
    total_debt: Option<Paise>,
    total_assets: Option<Paise>,
    current_assets: Option<Paise>,
    current_liabilities: Option<Paise>,
    cash: Option<Paise>,
    as_of: Option<Date>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Basis {
    Standalone,
    Consolidated,
}

impl FinancialYearLine {
    fn into_record(self) -> Result<FinancialYear, String> {
        if self.from_date > self.to_date {
            return Err(format!("from_date {} is after to_date {}", self.from_date, self.to_date));
        }
        let basis = match self.basis {
            Basis::Standalone => "standalone",
            Basis::Consolidated => "consolidated",
        };
        Ok(FinancialYear {
            cin: canonical_cin(&self.cin)?,
            to_date: self.to_date.to_string(),
            basis: basis.to_owned(),
            financial_year: financial_year_of(self.to_date),
            from_date: self.from_date.to_string(),
            form_type: self.form_type,
            filed_on: date(self.filed_on),
            revenue: paise(self.revenue),
            other_income: paise(self.other_income),
            total_income: paise(self.total_income),
            total_expenses: paise(self.total_expenses),
            finance_cost: paise(self.finance_cost),
            depreciation: paise(self.depreciation),
            ebitda: paise(self.ebitda),
            profit_before_tax: paise(self.profit_before_tax),
            tax: paise(self.tax),
            profit: paise(self.profit),
            share_capital: paise(self.share_capital),
            reserves: paise(self.reserves),
            net_worth: paise(self.net_worth),
            total_debt: paise(self.total_debt),
            total_assets: paise(self.total_assets),
            current_assets: paise(self.current_assets),
            current_liabilities: paise(self.current_liabilities),
            cash: paise(self.cash),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilingLine {
    cin: String,
    form_type: String,
    description: String,
    financial_year: Option<String>,
    due_on: Option<Date>,
    filed_on: Option<Date>,
    as_of: Option<Date>,
}

impl FilingLine {
    fn into_record(self) -> Result<Filing, String> {
        if self.due_on.is_none() && self.filed_on.is_none() {
            return Err("a filing needs due_on or filed_on".to_owned());
        }
        let form_type = required("form_type", self.form_type)?;
        // What was due stays the same filing when it is made; what was never due is told apart by
        // the day it was made.
        let day = self.due_on.or(self.filed_on).map(|day| day.to_string()).unwrap_or_default();
        let year = self.financial_year.as_deref().map(financial_year).transpose()?;
        Ok(Filing {
            cin: canonical_cin(&self.cin)?,
            filing_key: format!("{form_type}|{}|{day}", year.as_deref().unwrap_or_default()),
            form_type,
            description: self.description,
            financial_year: year,
            due_on: date(self.due_on),
            filed_on: date(self.filed_on),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentLine {
    cin: String,
    form_type: String,
    file_name: String,
    filing_date: Date,
    financial_year: Option<String>,
    file_size: Option<i64>,
    as_of: Option<Date>,
}

impl DocumentLine {
    fn into_record(self) -> Result<Document, String> {
        Ok(Document {
            cin: canonical_cin(&self.cin)?,
            filing_date: self.filing_date.to_string(),
            file_name: required("file_name", self.file_name)?,
            form_type: required("form_type", self.form_type)?,
            financial_year: self.financial_year.as_deref().map(financial_year).transpose()?,
            file_size: self.file_size,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RatingLine {
    cin: String,
    agency: String,
    instrument: String,
    rating: String,
    outlook: Option<String>,
    action: Option<String>,
    amount: Option<Paise>,
    rated_on: Date,
    as_of: Option<Date>,
}

impl RatingLine {
    fn into_record(self) -> Result<CreditRating, String> {
        Ok(CreditRating {
            cin: canonical_cin(&self.cin)?,
            agency: required("agency", self.agency)?,
            instrument: required("instrument", self.instrument)?,
            rated_on: self.rated_on.to_string(),
            rating: required("rating", self.rating)?,
            outlook: self.outlook,
            action: self.action,
            amount: paise(self.amount),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EpfoLine {
    cin: String,
    establishment_id: String,
    name: String,
    status: Option<String>,
    employees: Option<i64>,
    last_wage_month: Option<String>,
    amount: Option<Paise>,
    paid_on: Option<Date>,
    as_of: Option<Date>,
}

impl EpfoLine {
    fn into_record(self) -> Result<EpfoEstablishment, String> {
        Ok(EpfoEstablishment {
            cin: canonical_cin(&self.cin)?,
            establishment_id: required("establishment_id", self.establishment_id)?,
            name: required("name", self.name)?,
            status: self.status,
            employees: self.employees,
            last_wage_month: self.last_wage_month.as_deref().map(month).transpose()?,
            amount: paise(self.amount),
            paid_on: date(self.paid_on),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GstLine {
    gstin: String,
    legal_name: String,
    trade_name: Option<String>,
    status_text: Option<String>,
    taxpayer_type_text: Option<String>,
    constitution_text: Option<String>,
    registered_on: Option<Date>,
    cancelled_on: Option<Date>,
    #[serde(default)]
    jurisdiction: JurisdictionLine,
    principal_place: Option<PlaceLine>,
    #[serde(default)]
    additional_places: Vec<PlaceLine>,
    #[serde(default)]
    nature_of_business: Vec<String>,
    e_invoice: Option<bool>,
    as_of: Option<Date>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct JurisdictionLine {
    centre: Option<String>,
    state: Option<String>,
}

/// A place of business, stored as JSON text in the words of the contract.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct PlaceLine {
    address: Option<String>,
    city: Option<String>,
    district: Option<String>,
    state: Option<String>,
    pincode: Option<String>,
    #[serde(default)]
    nature: Vec<String>,
}

impl GstLine {
    fn into_record(self) -> Result<GstRegistration, String> {
        let gstin = Gstin::parse(&self.gstin).map_err(|error| format!("gstin: {error}"))?;
        Ok(GstRegistration {
            gstin: gstin.as_str().to_owned(),
            pan: gstin.pan().map(|pan| pan.as_str().to_owned()),
            legal_name: required("legal_name", self.legal_name)?,
            trade_name: self.trade_name,
            status: word(vocabulary::gst_status, self.status_text.as_deref(), "unknown"),
            status_text: self.status_text,
            taxpayer_type: word(
                vocabulary::taxpayer_type,
                self.taxpayer_type_text.as_deref(),
                "unknown",
            ),
            taxpayer_type_text: self.taxpayer_type_text,
            constitution: word(
                vocabulary::constitution,
                self.constitution_text.as_deref(),
                "unknown",
            ),
            constitution_text: self.constitution_text,
            registered_on: date(self.registered_on),
            cancelled_on: date(self.cancelled_on),
            jurisdiction_centre: self.jurisdiction.centre,
            jurisdiction_state: self.jurisdiction.state,
            principal_place: self.principal_place.as_ref().map(json),
            additional_places: json(&self.additional_places),
            nature_of_business: json(&self.nature_of_business),
            e_invoice: self.e_invoice,
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GstFilingLine {
    gstin: String,
    return_type: String,
    period: String,
    financial_year: String,
    filed_on: Option<Date>,
    mode: Option<String>,
    arn: Option<String>,
    status_text: Option<String>,
    as_of: Option<Date>,
}

impl GstFilingLine {
    fn into_record(self) -> Result<GstFiling, String> {
        let gstin = Gstin::parse(&self.gstin).map_err(|error| format!("gstin: {error}"))?;
        Ok(GstFiling {
            gstin: gstin.as_str().to_owned(),
            period: month(&self.period)?,
            return_type: required("return_type", self.return_type)?,
            financial_year: financial_year(&self.financial_year)?,
            filed_on: date(self.filed_on),
            mode: self.mode.map(|mode| mode.to_lowercase()),
            arn: self.arn,
            status: word(vocabulary::return_status, self.status_text.as_deref(), "filed"),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PanLine {
    cin: String,
    pan: String,
    as_of: Option<Date>,
}

impl PanLine {
    fn into_record(self) -> Result<CompanyPan, String> {
        let pan = Pan::parse(&self.pan).map_err(|error| format!("pan: {error}"))?;
        Ok(CompanyPan {
            cin: canonical_cin(&self.cin)?,
            pan: pan.as_str().to_owned(),
            as_of: date(self.as_of),
            source: SOURCE.into(),
        })
    }
}

fn company_id(text: &str) -> Result<CompanyId, String> {
    CompanyId::parse(text).map_err(|error| format!("cin: {error}"))
}

fn canonical_cin(text: &str) -> Result<String, String> {
    company_id(text).map(|id| id.as_str().to_owned())
}

fn canonical_din(text: &str) -> Result<String, String> {
    Din::parse(text).map(|din| din.as_str().to_owned()).map_err(|error| format!("din: {error}"))
}

fn required(field: &str, text: String) -> Result<String, String> {
    if text.trim().is_empty() { Err(format!("{field} is empty")) } else { Ok(text) }
}

fn word(look_up: fn(&str) -> &'static str, text: Option<&str>, missing: &str) -> String {
    text.map_or(missing, look_up).to_owned()
}

fn date(date: Option<Date>) -> Option<String> {
    date.map(|date| date.to_string())
}

fn paise(amount: Option<Paise>) -> Option<i64> {
    amount.map(|Paise(paise)| paise)
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("lists of texts can always be written as JSON")
}

/// The Indian financial year (April to March) that a day falls in.
fn financial_year_of(day: Date) -> String {
    let first = if day.month() >= 4 { day.year() } else { day.year() - 1 };
    format!("{first:04}-{:02}", (first + 1) % 100)
}

fn financial_year(text: &str) -> Result<String, String> {
    let well_formed = text.len() == 7
        && text.as_bytes()[4] == b'-'
        && text[..4]
            .parse::<u32>()
            .ok()
            .is_some_and(|first| text[5..].parse::<u32>().ok() == Some((first + 1) % 100));
    if well_formed {
        Ok(text.to_owned())
    } else {
        Err(format!("{text:?} is no financial year, as 2023-24"))
    }
}

fn month(text: &str) -> Result<String, String> {
    let well_formed = text.len() == 7 && format!("{text}-01").parse::<Date>().is_ok();
    if well_formed { Ok(text.to_owned()) } else { Err(format!("{text:?} is no month, as 2026-02")) }
}
