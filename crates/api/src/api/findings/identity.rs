//! Rules about the name, the registered office and the address.

use panji_store::register::Company;

use super::rule::{Found, Level, Outcome, is_between, is_unknown, months_before};
use crate::api::company_records::{CompanyRecords, NameSimilarity, SimilarCompany};
use crate::api::wire::FindingEvidence;
use crate::locale::dates;

/// A change within this time is recent.
pub const RECENT_MONTHS: i64 = 12;
/// From this number of companies on, an address is unusual.
pub const MANY_AT_ADDRESS: usize = 20;
/// The divisions of the industrial classification with financial and insurance activities.
const FINANCIAL_DIVISIONS: [&str; 3] = ["64", "65", "66"];

const INDEX_INCOMPLETE: &str =
    "The search index does not contain the whole register yet, so that names were not compared.";

/// Whether a company is regulated beyond the Companies Act, as far as the register tells: listed, or in finance or
/// insurance by its industry.
fn is_regulated(listed: Option<bool>, nic_code: Option<&str>) -> bool {
    let financial =
        |code: &str| FINANCIAL_DIVISIONS.iter().any(|division| code.starts_with(division));
    listed == Some(true) || nic_code.is_some_and(financial)
}

fn similar_evidence(similar: &SimilarCompany, what: &str) -> FindingEvidence {
    let company: &Company = &similar.company;
    let similarity = match similar.similarity {
        NameSimilarity::Same => "The name is the same except for its legal form",
        NameSimilarity::Similar => "The name is spelled nearly the same",
    };
    let former = similar.matched_name.as_deref();
    let former = former.map_or(String::new(), |name| format!(" as its former name \"{name}\""));
    FindingEvidence {
        record: "company".into(),
        id: Some(company.cin.clone()),
        name: Some(company.name.clone()),
        detail: format!("{similarity}{former}; the company is {what}."),
        date: None,
        as_of: company.as_of.clone(),
        source: Some(company.source.clone()),
    }
}

/// Companies with a similar name that `chosen` selects and describes. Those with a director in common belong to one
/// group, and do not count.
fn similar(records: &CompanyRecords, chosen: impl Fn(&Company) -> Option<&'static str>) -> Outcome {
    let Some(similar) = &records.similar else { return Outcome::not_checked(INDEX_INCOMPLETE) };
    let others = similar.iter().filter(|other| !other.shares_director);
    let evidence: Vec<(FindingEvidence, NameSimilarity)> = others
        .filter_map(|other| {
            let what = chosen(&other.company)?;
            Some((similar_evidence(other, what), other.similarity))
        })
        .collect();
    if evidence.is_empty() {
        return Outcome::Nothing;
    }
    let same = evidence.iter().any(|(_, similarity)| *similarity == NameSimilarity::Same);
    let names: Vec<String> = evidence
        .iter()
        .take(3)
        .filter_map(|(evidence, _)| {
            Some(format!("{} ({})", evidence.name.as_ref()?, evidence.id.as_ref()?))
        })
        .collect();
    let what = if evidence.len() == 1 { "another company" } else { "other companies" };
    Outcome::of(vec![Found {
        is_risk: false,
        severity: Level::Low,
        confidence: if same { Level::Medium } else { Level::Low },
        sentence: format!("The name is like that of {what}: {}.", names.join(", ")),
        evidence: evidence.into_iter().map(|(evidence, _)| evidence).collect(),
    }])
}

pub fn name_like_struck_off_company(records: &CompanyRecords) -> Outcome {
    similar(records, |company| (company.status == "struck_off").then_some("struck off"))
}

pub fn name_like_regulated_company(records: &CompanyRecords) -> Outcome {
    let own = &records.company;
    if is_regulated(own.listed, own.industry.nic_code.as_deref()) {
        return Outcome::Nothing;
    }
    similar(records, |company| {
        let regulated = is_regulated(company.listed, company.nic_code.as_deref());
        match (regulated && company.status == "active", company.listed) {
            (false, _) => None,
            (true, Some(true)) => Some("listed"),
            (true, _) => Some("in finance or insurance by its industry code"),
        }
    })
}

pub fn recent_name_change(records: &CompanyRecords) -> Outcome {
    let company = &records.company;
    if company.former_names.is_empty() && is_unknown_or_partial(&company.coverage) {
        return Outcome::not_checked("No source of former names was imported.");
    }
    let since = months_before(records.day, RECENT_MONTHS);
    let recent: Vec<_> = company
        .former_names
        .iter()
        .filter(|former| is_between(former.until.as_deref(), &since, records.day))
        .collect();
    let Some(last) = recent.last() else { return Outcome::Nothing };
    let evidence = recent.iter().map(|former| {
        let mut evidence = records.company_evidence(
            format!(
                "The name was \"{}\" until {}.",
                former.name,
                former.until.as_deref().map_or(String::new(), dates::day)
            ),
            former.until.clone(),
        );
        evidence.record = "former_name".into();
        evidence
    });
    Outcome::of(vec![Found {
        is_risk: false,
        severity: Level::Low,
        confidence: Level::High,
        sentence: format!(
            "The company was named {} until {}, within {RECENT_MONTHS} months.",
            last.name,
            last.until.as_deref().map_or(String::new(), dates::day)
        ),
        evidence: evidence.collect(),
    }])
}

fn is_unknown_or_partial(coverage: &str) -> bool {
    is_unknown(coverage) || coverage == crate::api::wire::enums::PARTIAL
}

pub fn recent_office_change(records: &CompanyRecords) -> Outcome {
    let Some(changes) = &records.office_changes else {
        return Outcome::not_checked(
            "Changes of this company are not recorded yet: its source was imported once.",
        );
    };
    let since = months_before(records.day, RECENT_MONTHS);
    let recent = changes
        .iter()
        .filter(|change| is_between(Some(change.changed_on.as_str()), &since, records.day));
    let found = recent.map(|change| {
        let place = |place: &Option<String>| place.clone().unwrap_or_else(|| "unknown".to_owned());
        let mut evidence = records.company_evidence(
            format!("From \"{}\" to \"{}\".", place(&change.from), place(&change.to)),
            Some(change.changed_on.clone()),
        );
        evidence.source = Some(change.source.clone());
        Found {
            is_risk: false,
            severity: Level::Low,
            confidence: Level::High,
            sentence: format!(
                "The source of {} has another registered office than the one before it, within \
                 {RECENT_MONTHS} months.",
                dates::day(&change.changed_on)
            ),
            evidence: vec![evidence],
        }
    });
    Outcome::of(found.collect())
}

pub fn companies_at_address(records: &CompanyRecords) -> Outcome {
    let Some(cluster) = &records.address else {
        return Outcome::not_checked(
            "The address is not known, too general to be compared, or the graph is being built.",
        );
    };
    if cluster.total < MANY_AT_ADDRESS {
        return Outcome::Nothing;
    }
    let evidence = cluster.companies.iter().map(|(cin, name, origin)| FindingEvidence {
        record: "company".into(),
        id: Some(cin.clone()),
        name: Some(name.clone()),
        detail: "Its registered office has the same address.".to_owned(),
        date: None,
        as_of: origin.as_of.clone(),
        source: Some(origin.source.clone()),
    });
    let shared = cluster.description.as_deref();
    let shared = shared.map_or(String::new(), |words| format!(" {words}"));
    Outcome::of(vec![Found {
        is_risk: false,
        severity: Level::Low,
        confidence: Level::Medium,
        sentence: format!(
            "{} companies have their registered office at this address.{shared}",
            cluster.total
        ),
        evidence: evidence.collect(),
    }])
}
