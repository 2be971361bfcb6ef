//! Fictitious records: no company, person or registration here exists.

use panji_store::register::{
    Appointment, Charge, Company, CompanyLei, CompanyPan, CreditRating, DIRECT_PARENT, Director,
    Document, EpfoEstablishment, Filing, FinancialYear, GstFiling, GstRegistration, LeiEntity,
    LeiParent, Record,
};

/// The CIN of the company of [`one_of_each`].
pub const CIN: &str = "U17110MH2001PTC990501";
/// The DIN of its director.
pub const DIN: &str = "99000501";
pub const PAN: &str = "ZZZCU0501Z";
pub const GSTIN: &str = "27ZZZCU0501Z1Z0";
pub const LEI: &str = "98450099PANJI0000184";
/// The LEI of its parent abroad.
pub const PARENT_LEI: &str = "98450099PANJI0000281";
/// The date of all these records.
pub const AS_OF: &str = "2026-01-10";

fn as_of() -> Option<String> {
    Some(AS_OF.to_owned())
}

fn source() -> String {
    "panji".to_owned()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// An active private company in Maharashtra.
pub fn company(cin: &str, name: &str) -> Company {
    Company {
        cin: cin.to_owned(),
        name: name.to_owned(),
        kind: "company".to_owned(),
        status: "active".to_owned(),
        status_text: some("Active"),
        listed: Some(false),
        incorporated_on: some("2001-05-14"),
        state: some("Maharashtra"),
        state_code: some("MH"),
        former_names: "[]".to_owned(),
        former_cins: "[]".to_owned(),
        authorised_capital: Some(100_000_000),
        paid_up_capital: Some(50_000_050),
        coverage: "{}".to_owned(),
        as_of: as_of(),
        source: source(),
        ..Company::default()
    }
}

/// A person with an approved DIN.
pub fn director(din: &str, name: &str) -> Director {
    Director {
        din: din.to_owned(),
        name: name.to_owned(),
        status: "approved".to_owned(),
        nationality: some("India"),
        as_of: as_of(),
        source: source(),
        ..Director::default()
    }
}

/// An appointment of a director, current or ended.
pub fn appointment(
    cin: &str,
    din: &str,
    appointed_on: &str,
    ceased_on: Option<&str>,
) -> Appointment {
    Appointment {
        cin: cin.to_owned(),
        din: din.to_owned(),
        appointed_on: appointed_on.to_owned(),
        name: "Namuna Udaharan".to_owned(),
        designation: "director".to_owned(),
        ceased_on: ceased_on.map(str::to_owned),
        as_of: as_of(),
        source: source(),
        ..Appointment::default()
    }
}

/// An open charge.
pub fn charge(cin: &str, charge_id: &str, created_on: Option<&str>) -> Charge {
    Charge {
        cin: cin.to_owned(),
        charge_id: charge_id.to_owned(),
        lender: "Misal Bank Limited".to_owned(),
        amount: Some(25_000_000),
        status: "open".to_owned(),
        created_on: created_on.map(str::to_owned),
        as_of: as_of(),
        source: source(),
        ..Charge::default()
    }
}

/// A year from April to March; `end` is the year it ends in.
pub fn financial_year(cin: &str, end: i64, basis: &str) -> FinancialYear {
    FinancialYear {
        cin: cin.to_owned(),
        to_date: format!("{end}-03-31"),
        basis: basis.to_owned(),
        period_type: "year".to_owned(),
        financial_year: format!("{}-{:02}", end - 1, end % 100),
        from_date: format!("{}-04-01", end - 1),
        revenue: Some(12_345_678_900),
        profit: Some(-1_250),
        as_of: as_of(),
        source: source(),
        ..FinancialYear::default()
    }
}

/// An annual return with a due date.
pub fn filing(cin: &str, filing_key: &str, due_on: Option<&str>) -> Filing {
    Filing {
        cin: cin.to_owned(),
        filing_key: filing_key.to_owned(),
        form_type: "MGT-7".to_owned(),
        description: "Annual return".to_owned(),
        due_on: due_on.map(str::to_owned),
        as_of: as_of(),
        source: source(),
        ..Filing::default()
    }
}

pub fn document(cin: &str, filing_date: &str, file_name: &str, year: Option<&str>) -> Document {
    Document {
        cin: cin.to_owned(),
        filing_date: filing_date.to_owned(),
        file_name: file_name.to_owned(),
        form_type: "AOC-4".to_owned(),
        financial_year: year.map(str::to_owned),
        file_size: Some(1_063_924),
        as_of: as_of(),
        source: source(),
    }
}

/// A rating of the company's bank facilities.
pub fn rating(cin: &str, agency: &str, rated_on: &str) -> CreditRating {
    CreditRating {
        cin: cin.to_owned(),
        agency: agency.to_owned(),
        instrument: "Long-term bank facilities".to_owned(),
        rated_on: rated_on.to_owned(),
        rating: "TULYA BBB".to_owned(),
        as_of: as_of(),
        source: source(),
        ..CreditRating::default()
    }
}

/// A provident-fund establishment.
pub fn epfo(cin: &str, establishment_id: &str) -> EpfoEstablishment {
    EpfoEstablishment {
        cin: cin.to_owned(),
        establishment_id: establishment_id.to_owned(),
        name: "UDAHARAN TEXTILES".to_owned(),
        employees: Some(212),
        as_of: as_of(),
        source: source(),
        ..EpfoEstablishment::default()
    }
}

pub fn gst(gstin: &str, pan: &str, status: &str) -> GstRegistration {
    GstRegistration {
        gstin: gstin.to_owned(),
        pan: some(pan),
        legal_name: "Udaharan Textiles Private Limited".to_owned(),
        status: status.to_owned(),
        taxpayer_type: "regular".to_owned(),
        constitution: "private_limited_company".to_owned(),
        additional_places: "[]".to_owned(),
        nature_of_business: "[]".to_owned(),
        e_invoice: Some(true),
        as_of: as_of(),
        source: source(),
        ..GstRegistration::default()
    }
}

/// A filed GST return.
pub fn gst_filing(gstin: &str, period: &str, return_type: &str) -> GstFiling {
    GstFiling {
        gstin: gstin.to_owned(),
        period: period.to_owned(),
        return_type: return_type.to_owned(),
        financial_year: "2025-26".to_owned(),
        status: "filed".to_owned(),
        as_of: as_of(),
        source: source(),
        ..GstFiling::default()
    }
}

pub fn pan(cin: &str, pan: &str) -> CompanyPan {
    CompanyPan { cin: cin.to_owned(), pan: pan.to_owned(), as_of: as_of(), source: source() }
}

/// An LEI in use.
pub fn lei(cin: &str, lei: &str) -> CompanyLei {
    CompanyLei {
        cin: cin.to_owned(),
        lei: lei.to_owned(),
        legal_name: "UDAHARAN TEXTILES PRIVATE LIMITED".to_owned(),
        entity_status: "active".to_owned(),
        registration_status: "issued".to_owned(),
        registration_status_text: some("ISSUED"),
        registered_on: some("2021-05-06"),
        next_renewal_on: some("2026-05-08"),
        as_of: as_of(),
        source: source(),
        ..CompanyLei::default()
    }
}

/// The direct parent of the holder of an LEI.
pub fn lei_parent(lei: &str, parent_lei: &str) -> LeiParent {
    LeiParent {
        lei: lei.to_owned(),
        relation: DIRECT_PARENT.to_owned(),
        parent_lei: parent_lei.to_owned(),
        active: true,
        as_of: as_of(),
        source: source(),
        ..LeiParent::default()
    }
}

/// A holder of an LEI abroad.
pub fn lei_entity(lei: &str, name: &str) -> LeiEntity {
    LeiEntity {
        lei: lei.to_owned(),
        name: name.to_owned(),
        country: some("DE"),
        as_of: as_of(),
        source: source(),
    }
}

/// One record of every kind, all of one company.
pub fn one_of_each() -> Vec<Record> {
    vec![
        Record::Company(company(CIN, "Udaharan Textiles Private Limited")),
        Record::Director(director(DIN, "Namuna Udaharan")),
        Record::Appointment(appointment(CIN, DIN, "2001-05-14", None)),
        Record::Charge(charge(CIN, "990050101", Some("2019-02-01"))),
        Record::FinancialYear(financial_year(CIN, 2025, "standalone")),
        Record::Filing(filing(CIN, "MGT-7|2024-25|2025-11-29", Some("2025-11-29"))),
        Record::Document(document(CIN, "2025-11-20", "AOC-4-2025-11-20.pdf", Some("2024-25"))),
        Record::Rating(rating(CIN, "Tulya Ratings", "2025-08-01")),
        Record::Epfo(epfo(CIN, "MHBAN9905010000")),
        Record::Gst(gst(GSTIN, PAN, "active")),
        Record::GstFiling(gst_filing(GSTIN, "2025-12", "GSTR-3B")),
        Record::Pan(pan(CIN, PAN)),
        Record::Lei(lei(CIN, LEI)),
        Record::LeiParent(lei_parent(LEI, PARENT_LEI)),
        Record::LeiEntity(lei_entity(PARENT_LEI, "Beispiel Textil GmbH")),
    ]
}
