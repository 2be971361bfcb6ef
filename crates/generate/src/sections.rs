//! The sections of a company that only some companies have: charges, accounts, filings, ratings,
//! provident fund.

use jiff::civil::Date;

use crate::Synthetic;
use crate::company::Company;
use crate::names::LegalForm;
use crate::people::later;
use crate::random::{Purpose, Random};

/// Years of accounts of a company with accounts.
const YEARS: i16 = 10;
/// The last year with accounts.
const LAST_YEAR: i16 = 2025;
const LAKH: u64 = 100_000;

/// The sections of one company.
#[derive(Default)]
pub(crate) struct Sections {
    pub charges: Vec<Charge>,
    pub years: Vec<Accounts>,
    pub filings: Vec<Filing>,
    pub documents: Vec<Filing>,
    pub ratings: Vec<Rating>,
    pub epfo: Option<Epfo>,
}

pub(crate) struct Charge {
    pub id: u64,
    pub lender: &'static str,
    pub amount: u64,
    pub created_on: Date,
    pub modified_on: Option<Date>,
    pub satisfied_on: Option<Date>,
    pub assets: &'static str,
}

/// The accounts of a year that ends on 31 March, in rupees.
pub(crate) struct Accounts {
    pub year: i16,
    pub consolidated: bool,
    pub revenue: u64,
    pub other_income: u64,
    pub finance_cost: u64,
    pub depreciation: u64,
    pub other_expenses: u64,
    pub tax: u64,
    pub share_capital: u64,
    pub reserves: u64,
    pub debt: u64,
    pub current_assets: u64,
    pub current_liabilities: u64,
    pub total_assets: u64,
    pub cash: u64,
}

pub(crate) struct Filing {
    pub form: &'static str,
    pub description: &'static str,
    /// The financial year of the filing, by its end.
    pub year: i16,
    pub due_on: Date,
    pub filed_on: Option<Date>,
}

pub(crate) struct Rating {
    pub agency: &'static str,
    pub instrument: &'static str,
    pub rating: &'static str,
    pub outlook: &'static str,
    pub action: &'static str,
    pub amount: u64,
    pub rated_on: Date,
}

pub(crate) struct Epfo {
    pub establishment: String,
    pub employees: u64,
    pub amount: u64,
}

const LENDERS: &[&str] = &[
    "Udaharan Bank Limited",
    "Namuna Bank of India",
    "Pratham Sahakari Bank Limited",
    "Dhanlabh Finance Limited",
    "Nagar Gramin Bank",
    "Vishwas Housing Finance Limited",
    "Udyam Capital Limited",
    "Kosh Small Finance Bank Limited",
    "Sagar Mercantile Bank Limited",
    "Antariksh International Bank",
];
const ASSETS: &[&str] = &[
    "Book debts",
    "Immovable property or any interest therein",
    "Movable property (not being pledge)",
    "Motor vehicle",
    "Floating charge",
    "Plant and machinery",
];

impl Synthetic {
    /// The sections of a company; empty for most.
    pub(crate) fn sections(&self, company: &Company) -> Sections {
        let mut random = Random::of(self.seed, Purpose::Money, company.index);
        let random = &mut random;
        let active = company.is_active();
        // One company in forty is large enough to have accounts.
        let large = company.listed || active && company.paid_up > 0 && random.per_mille(36);
        let mut sections = Sections::default();
        if large || random.per_mille(55) {
            let count = 1 + random.early_index(if large { 8 } else { 3 }) as u64;
            sections.charges = (0..count).map(|number| charge(random, company, number)).collect();
        }
        if large {
            sections.years = accounts(random, company);
            if random.per_mille(350) {
                sections.ratings = ratings(random, company);
            }
        }
        let mut papers = Random::of(self.seed, Purpose::Papers, company.index);
        if large || active && papers.per_mille(55) {
            sections.filings = filings(&mut papers, company, 4);
        }
        if large || active && papers.per_mille(15) {
            sections.documents = filings(&mut papers, company, 3);
            sections.documents.retain(|document| document.filed_on.is_some());
        }
        if large || active && papers.per_mille(90) {
            sections.epfo = Some(epfo(&mut papers, company));
        }
        sections
    }
}

fn charge(random: &mut Random, company: &Company, number: u64) -> Charge {
    let created_on = later(random, company.registered_on);
    let modified_on = random.per_mille(200).then(|| later(random, created_on));
    let satisfied_on =
        random.per_mille(450).then(|| later(random, modified_on.unwrap_or(created_on)));
    Charge {
        // A company has at most eight charges, and the registry has not issued numbers this high.
        id: 500_000_000 + company.index * 8 + number,
        lender: LENDERS[random.early_index(LENDERS.len())],
        amount: LAKH * 5 * (1 + random.early_index(2_000) as u64),
        created_on,
        modified_on,
        satisfied_on,
        assets: ASSETS[random.early_index(ASSETS.len())],
    }
}

fn accounts(random: &mut Random, company: &Company) -> Vec<Accounts> {
    let first = (LAST_YEAR - YEARS + 1).max(company.registered_on.year() + 1);
    let mut revenue =
        LAKH * 20 * (1 + random.early_index(if company.listed { 20_000 } else { 1_500 }) as u64);
    let mut reserves = revenue / 4;
    let mut years = Vec::new();
    for year in first..=LAST_YEAR {
        let own = one_year(random, company, year, revenue, &mut reserves);
        if company.listed {
            let mut group_reserves = reserves + reserves / 3;
            let group = one_year(random, company, year, revenue + revenue / 4, &mut group_reserves);
            years.push(Accounts { consolidated: true, ..group });
        }
        years.push(own);
        // Between a fifth less and a third more.
        revenue = revenue * random.between(80, 133) / 100;
    }
    years
}

/// Consistent accounts: assets equal liabilities plus equity.
fn one_year(
    random: &mut Random,
    company: &Company,
    year: i16,
    revenue: u64,
    reserves: &mut u64,
) -> Accounts {
    let percent = |random: &mut Random, least, most| revenue * random.between(least, most) / 100;
    let other_income = percent(random, 0, 4);
    let finance_cost = percent(random, 0, 6);
    let depreciation = percent(random, 1, 6);
    let other_expenses = percent(random, 70, 95);
    let spent = finance_cost + depreciation + other_expenses;
    let earned = (revenue + other_income).saturating_sub(spent);
    let tax = earned / 4;
    *reserves =
        (*reserves + earned - tax).saturating_sub(spent.saturating_sub(revenue + other_income));
    let debt = percent(random, 5, 60);
    let current_liabilities = percent(random, 10, 35);
    let total_assets = company.paid_up + *reserves + debt + current_liabilities;
    let current_assets = total_assets * random.between(30, 75) / 100;
    Accounts {
        year,
        consolidated: false,
        revenue,
        other_income,
        finance_cost,
        depreciation,
        other_expenses,
        tax,
        share_capital: company.paid_up,
        reserves: *reserves,
        debt,
        current_assets,
        current_liabilities,
        total_assets,
        cash: current_assets * random.between(2, 30) / 100,
    }
}

fn filings(random: &mut Random, company: &Company, years: i16) -> Vec<Filing> {
    let first = (LAST_YEAR - years + 1).max(company.registered_on.year() + 1);
    let mut filings = Vec::new();
    for year in first..=LAST_YEAR {
        let forms = annual_forms(company.form, year);
        for (form, description, due_on) in forms {
            let days = random.below(90) as i64 - 60;
            let filed_on = due_on.saturating_add(jiff::Span::new().days(days));
            let filed_on = random.per_mille(930).then_some(filed_on);
            filings.push(Filing { form, description, year, due_on, filed_on });
        }
    }
    filings
}

/// The forms due every year, for the accounts and for the annual return.
pub(crate) fn annual_forms(form: LegalForm, year: i16) -> [(&'static str, &'static str, Date); 2] {
    match form {
        LegalForm::Llp => [
            ("Form 8", "Statement of account and solvency", Date::constant(year, 10, 30)),
            ("Form 11", "Annual return", Date::constant(year, 5, 30)),
        ],
        LegalForm::Foreign => [
            ("FC-3", "Annual accounts", Date::constant(year, 12, 31)),
            ("FC-4", "Annual return", Date::constant(year, 5, 30)),
        ],
        _ => [
            ("AOC-4", "Financial statements", Date::constant(year, 10, 30)),
            ("MGT-7", "Annual return", Date::constant(year, 11, 29)),
        ],
    }
}

fn ratings(random: &mut Random, company: &Company) -> Vec<Rating> {
    const GRADES: &[&str] =
        &["AAA", "AA", "AA-", "A+", "A", "A-", "BBB+", "BBB", "BBB-", "BB+", "BB", "B+", "B"];
    const AGENCIES: &[&str] = &["Namuna Ratings", "Maap Credit Research", "Tula Ratings"];
    let agency = random.one_of(AGENCIES);
    let mut grade = 2 + random.index(GRADES.len() - 4);
    let first = (LAST_YEAR - 1).max(company.registered_on.year() + 1);
    let mut ratings = Vec::new();
    for year in first..=LAST_YEAR {
        let action = match random.below(10) {
            _ if year == first => "Assigned",
            0 => "Upgraded",
            1 => "Downgraded",
            _ => "Reaffirmed",
        };
        match action {
            "Upgraded" => grade -= 1,
            "Downgraded" => grade += 1,
            _ => {}
        }
        let day = Date::constant(year, random.between(1, 12) as i8, random.between(1, 28) as i8);
        ratings.push(Rating {
            agency,
            instrument: "Long-term bank facilities",
            rating: GRADES[grade],
            outlook: random.one_of(&["Stable", "Stable", "Positive", "Negative"]),
            action,
            amount: LAKH * 100 * (1 + random.early_index(900) as u64),
            rated_on: day,
        });
    }
    ratings
}

fn epfo(random: &mut Random, company: &Company) -> Epfo {
    let office = &company.town.0.replace(' ', "");
    let letters = format!("{}{:.3}", company.registrar.older_code, format!("{office}XXX"));
    let employees = 20 + random.early_index(1_500) as u64;
    Epfo {
        establishment: format!("{letters}{:010}", company.index + 1),
        employees,
        amount: employees * random.between(1_800, 4_200),
    }
}
