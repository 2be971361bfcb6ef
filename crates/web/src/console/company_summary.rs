//! What the strip at the top of a company's page and the comparison say, from the sections that are
//! there. What a source does not state is "Unknown", never 0.

use std::borrow::Cow;

use jiff::civil::Date;
use panji_api::api::wire::{
    Company, CompanyFindings, Compliance, FinancialYear, Financials, Profile, Rupees,
};

use super::company_display::{DisplayCompliance, DisplayFinancials, DisplayOpenCharges, short};
use super::labels;
use super::language::{amounts, dates, key, t, t_with};

const UNKNOWN: &str = key("Unknown");

/// The sections that are there.
#[derive(Clone, Copy, Default)]
pub struct Sections<'a> {
    pub company: Option<&'a Company<'a>>,
    pub profile: Option<&'a Profile<'a>>,
    pub financials: Option<&'a Financials>,
    pub compliance: Option<&'a Compliance>,
    pub findings: Option<&'a CompanyFindings>,
}

/// One thing to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub what: &'static str,
    pub value: String,
    /// The CSS class of the value.
    pub class: &'static str,
    /// In small type below the value.
    pub note: String,
    /// The section of the company's page that has more.
    pub section: &'static str,
}

impl Fact {
    fn new(what: &'static str, section: &'static str, value: Option<String>) -> Fact {
        let class = if value.is_some() { "" } else { "muted" };
        let value = value.unwrap_or_else(|| t(UNKNOWN).to_owned());
        Fact { what, value, class, note: String::new(), section }
    }

    fn class(self, class: &'static str) -> Fact {
        Fact { class, ..self }
    }

    fn note(self, note: impl Into<String>) -> Fact {
        Fact { note: note.into(), ..self }
    }
}

impl Sections<'_> {
    /// The strip of a company's page.
    pub fn strip(&self, today: Date) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some(company) = self.company {
            facts.push(status(company));
            facts.push(age(company, today));
        }
        if let Some(profile) = self.profile {
            facts.push(money(t("Paid-up capital"), "identity", profile.capital.paid_up));
        }
        if let Some(financials) = self.financials {
            let year = newest(financials);
            facts.push(of_year(t("Revenue"), year, |year| (year.revenue, year.growth.revenue)));
            facts.push(of_year(t("Profit"), year, |year| (year.profit, year.growth.profit)));
        }
        facts.extend(self.profile.map(open_charges));
        facts.extend(self.compliance.map(overdue));
        facts.extend(self.findings.and_then(findings));
        facts
    }

    /// The rows of a comparison: the same for every company, whatever is known of it.
    pub fn compared(&self, today: Date) -> Vec<Fact> {
        let company = self.company;
        let of_company = |what, value: Option<String>| Fact::new(what, "identity", value);
        let year = self.financials.and_then(newest);
        let of_year = |what, part| of_year(what, year, part);
        let or_unknown = |fact: Option<Fact>, what| fact.unwrap_or_else(|| of_company(what, None));
        vec![
            or_unknown(company.map(status), t("Status")),
            or_unknown(company.map(|company| age(company, today)), t("Age")),
            of_company(
                t("Class"),
                company.and_then(|company| company.class.as_deref().map(labels::label)),
            ),
            of_company(t("Listed"), company.and_then(|company| company.listed).map(yes_or_no)),
            of_company(
                t("State"),
                company.and_then(|company| {
                    company.registered_office.state.as_deref().map(labels::translated)
                }),
            ),
            of_company(
                t("City"),
                company.and_then(|company| owned(&company.registered_office.city)),
            ),
            of_company(
                t("Industry"),
                company.and_then(|company| owned(&company.industry.description)),
            ),
            money(
                t("Authorised capital"),
                "identity",
                self.profile.and_then(|profile| profile.capital.authorised),
            ),
            money(
                t("Paid-up capital"),
                "identity",
                self.profile.and_then(|profile| profile.capital.paid_up),
            ),
            of_year(t("Revenue"), |year| (year.revenue, year.growth.revenue)),
            of_year(t("EBITDA"), |year| (year.ebitda, None)),
            of_year(t("Profit"), |year| (year.profit, year.growth.profit)),
            of_year(t("Net worth"), |year| (year.net_worth, None)),
            of_year(t("Debt"), |year| (year.total_debt, None)),
            or_unknown(self.profile.map(directors), t("Directors")),
            or_unknown(self.profile.map(open_charges), t("Open charges")),
            or_unknown(self.compliance.map(overdue), t("Overdue filings")),
            Fact::new(
                t("Last annual general meeting"),
                "compliance",
                self.compliance.and_then(|it| it.last_agm_on.as_deref().map(dates::day)),
            ),
        ]
    }
}

fn owned(text: &Option<Cow<'_, str>>) -> Option<String> {
    text.as_deref().map(str::to_owned)
}

fn status(company: &Company) -> Fact {
    Fact::new(t("Status"), "identity", Some(labels::label(&company.status)))
        .class(labels::status_class(&company.status))
        .note(company.class.as_deref().map(labels::label).unwrap_or_default())
}

fn age(company: &Company, today: Date) -> Fact {
    let day = company.incorporated_on.as_deref();
    let value = day.and_then(|day| day.parse::<Date>().ok()).and_then(|day| age_text(day, today));
    let since = day.map(|day| t_with("since {0}", &[&dates::day(day)]));
    Fact::new(t("Age"), "identity", value).note(since.unwrap_or_default())
}

/// In whole years, or in months below one; none for a day in the future.
fn age_text(from: Date, today: Date) -> Option<String> {
    let months = (i64::from(today.year()) - i64::from(from.year())) * 12 + i64::from(today.month())
        - i64::from(from.month())
        - i64::from(today.day() < from.day());
    match months {
        ..0 => None,
        0..12 => Some(amounts::counted(months, "month", "months")),
        _ => Some(amounts::counted(months / 12, "year", "years")),
    }
}

fn money(what: &'static str, section: &'static str, amount: Option<Rupees>) -> Fact {
    Fact::new(what, section, amount.map(short))
}

/// The newest year of the basis that the chart uses.
fn newest(financials: &Financials) -> Option<&FinancialYear> {
    financials.charted().0.pop()
}

fn of_year(
    what: &'static str,
    year: Option<&FinancialYear>,
    part: fn(&FinancialYear) -> (Option<Rupees>, Option<f64>),
) -> Fact {
    let Some(year) = year else { return money(what, "financials", None) };
    let (amount, growth) = part(year);
    // A share of a loss would read as if the loss were a profit.
    let growth = growth.filter(|_| amount.is_some_and(|amount| amount.0 >= 0));
    let growth = growth.map(|growth| format!(", {}", growth_text(growth)));
    let note = format!("{}{}", year.financial_year, growth.unwrap_or_default());
    money(what, "financials", amount).note(note)
}

/// A growth of 0.1234 as +12.3%.
fn growth_text(growth: f64) -> String {
    let percent = growth * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{sign}{:.1}%", percent.abs())
}

fn directors(profile: &Profile) -> Fact {
    let board = &profile.directors;
    let count = board.current.len();
    let known = board.coverage == "full" || count > 0;
    let note = if board.coverage == "full" { "" } else { t("known") };
    let fact = Fact::new(t("Directors"), "directors", known.then(|| count.to_string()));
    if known { fact.note(note) } else { fact }
}

fn open_charges(profile: &Profile) -> Fact {
    let (what, section) = (t("Open charges"), "charges");
    let open = &profile.charges.open;
    match open.count {
        None => Fact::new(what, section, None),
        Some(0) => none_or_none_known(what, section, &profile.charges.coverage),
        Some(count) => Fact::new(what, section, Some(count.to_string())).note(open.amount_text()),
    }
}

fn overdue(compliance: &Compliance) -> Fact {
    let (what, section) = (t("Overdue filings"), "compliance");
    match (compliance.overdue(), compliance.roc_filings.is_empty(), &*compliance.coverage) {
        (0, _, "full") | (0, false, _) => none_or_none_known(what, section, &compliance.coverage),
        (0, true, _) => Fact::new(what, section, None),
        (count, ..) => Fact::new(what, section, Some(count.to_string())).class("bad"),
    }
}

/// t("None") only if the source lists all of them.
fn none_or_none_known(what: &'static str, section: &'static str, coverage: &str) -> Fact {
    match coverage {
        "full" => Fact::new(what, section, Some(t("None").to_owned())).class("good"),
        _ => Fact::new(what, section, Some(t("None known").to_owned())).class("muted"),
    }
}

/// None if there are no findings.
fn findings(findings: &CompanyFindings) -> Option<Fact> {
    let count = findings.findings.len();
    let risks = findings.findings.iter().filter(|finding| finding.kind == "risk").count();
    let fact = Fact::new(t("Findings"), "findings", Some(count.to_string()));
    let fact = match risks {
        0 => fact.note(t("context only")),
        _ => fact.class("bad").note(amounts::counted(risks as i64, "risk", "risks")),
    };
    (count > 0).then_some(fact)
}

fn yes_or_no(value: bool) -> String {
    if value { t("Yes") } else { t("No") }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_in_whole_years_or_months() {
        let day = |text: &str| text.parse::<Date>().expect("a day");
        let age = |from: &str| age_text(day(from), day("2026-11-17"));
        assert_eq!(age("1994-03-18").as_deref(), Some("32 years"));
        assert_eq!(age("2025-11-17").as_deref(), Some("1 year"));
        assert_eq!(age("2025-11-18").as_deref(), Some("11 months"));
        assert_eq!(age("2026-11-17").as_deref(), Some("0 months"));
        assert_eq!(age("2026-11-18"), None);
    }

    #[test]
    fn growth_has_its_sign() {
        assert_eq!(growth_text(0.1234), "+12.3%");
        assert_eq!(growth_text(-0.5), "−50.0%");
    }

    #[test]
    fn nothing_known_is_unknown_in_every_row() {
        let rows = Sections::default().compared("2026-11-17".parse().expect("a day"));
        assert!(rows.iter().all(|row| row.value == UNKNOWN), "{rows:?}");
        assert!(Sections::default().strip("2026-11-17".parse().expect("a day")).is_empty());
    }
}
