//! What is known about the registered office of a company beyond its record: who else is there, and
//! how it changed.

use std::collections::BTreeMap;

use panji_store::calendar::ist_day;
use panji_store::register::{Company, Event, Origin};
use panji_store::{Register, StoreError};
use serde_json::Value;

use super::wire;
use crate::app::Dataset;

/// The companies at one address that are read; their total is known without reading them.
const MAX_READ: usize = 50;
/// The companies at one address that are shown as evidence.
const MAX_SHOWN: usize = 20;
/// The events of a company that are read for changes of its office.
const MAX_EVENTS: i64 = 500;
/// Days between two incorporations of the same week.
const WEEK_DAYS: i32 = 6;
/// Words of an address that name a provider of registered offices.
const PROVIDER_WORDS: [&str; 8] = [
    "BUSINESS CENTRE",
    "BUSINESS CENTER",
    "COWORK",
    "CO-WORK",
    "VIRTUAL OFFICE",
    "SERVICED OFFICE",
    "INCUBAT",
    "WORKSPACE",
];

/// The companies at the registered office of a company.
#[derive(Clone, Debug, Default)]
pub struct AddressCluster {
    pub total: usize,
    /// Some of them: number, name and source.
    pub companies: Vec<(String, String, Origin)>,
    /// What the companies share, in words; none if nothing is known.
    pub description: Option<String>,
}

/// A change of the registered office.
#[derive(Clone, Debug, Default)]
pub struct OfficeChange {
    /// The date of the source that has the new one.
    pub changed_on: String,
    pub from: Option<String>,
    pub to: Option<String>,
    pub source: String,
}

/// The companies at the registered office of a company; none if its address is not known, too general to
/// be compared, or the graph is being built.
pub async fn find_address_cluster(
    dataset: &Dataset,
    company: &Company,
) -> Result<Option<AddressCluster>, StoreError> {
    let Some(snapshot) = dataset.graph.snapshot() else { return Ok(None) };
    let Some((total, cins)) = snapshot.companies_at_office_of(&company.cin, MAX_READ) else {
        return Ok(None);
    };
    let mut companies = Vec::new();
    for cin in cins.iter().filter(|cin| **cin != company.cin) {
        companies.extend(dataset.register.find_company(cin).await?);
    }
    let description = describe(company, &companies);
    let shown = companies.into_iter().take(MAX_SHOWN);
    let shown = shown.map(|other| {
        let origin = Origin { as_of: other.as_of, source: other.source };
        (other.cin, other.name, origin)
    });
    Ok(Some(AddressCluster { total, companies: shown.collect(), description }))
}

/// What the companies at an address share: a name, a provider's address, the week of incorporation.
fn describe(company: &Company, others: &[Company]) -> Option<String> {
    if others.is_empty() {
        return None;
    }
    let all = || std::iter::once(company).chain(others);
    let read = others.len() + 1;
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for name in all().filter_map(|one| one.name.split_whitespace().next()) {
        *words.entry(name.to_uppercase()).or_default() += 1;
    }
    let (word, named) = words.into_iter().max_by_key(|(_, count)| *count)?;
    let address = company.address.as_deref().unwrap_or_default().to_uppercase();
    let first = if named * 2 >= read && named > 1 {
        format!("{named} of {read} begin with the name {word}, as at the head office of a group.")
    } else if PROVIDER_WORDS.iter().any(|word| address.contains(word)) {
        "The address names a provider of offices.".to_owned()
    } else {
        "They share no name, and the address names no provider of offices.".to_owned()
    };
    let same_week = all().filter(|other| is_same_week(company, other)).count();
    let week = if same_week > 1 {
        format!(" {same_week} of {read} were incorporated within a week of each other.")
    } else {
        String::new()
    };
    Some(first + &week)
}

fn is_same_week(one: &Company, other: &Company) -> bool {
    let day = |company: &Company| company.incorporated_on.as_deref()?.parse().ok();
    let days: Option<(jiff::civil::Date, jiff::civil::Date)> = day(one).zip(day(other));
    days.and_then(|(one, other)| one.until(other).ok())
        .is_some_and(|span| span.get_days().abs() <= WEEK_DAYS)
}

/// The changes of the registered office that imports made; none if changes are not recorded yet.
pub async fn list_office_changes(
    register: &Register,
    company: &Company,
) -> Result<Option<Vec<OfficeChange>>, StoreError> {
    if register.events_since(&company.source).await?.is_none() {
        return Ok(None);
    }
    let former: Vec<String> = wire::stored_list(&company.former_cins);
    let mut numbers = vec![company.cin.as_str()];
    numbers.extend(former.iter().map(String::as_str));
    let events = register.list_subject_events(&numbers, i64::MAX, MAX_EVENTS).await?;
    let moves = events.iter().filter(|event| event.event_type == "company.office_changed");
    Ok(Some(moves.map(office_change).collect()))
}

fn office_change(event: &Event) -> OfficeChange {
    let address = |text: &Option<String>| {
        let values: Option<Value> =
            text.as_deref().and_then(|text| serde_json::from_str(text).ok());
        let values = values?;
        let parts = ["address", "city", "state", "pincode"];
        let parts: Vec<&str> = parts.iter().filter_map(|part| values[part].as_str()).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    OfficeChange {
        changed_on: event.as_of.clone().unwrap_or_else(|| ist_day(event.recorded_at)),
        from: address(&event.old_values),
        to: address(&event.new_values),
        source: event.source.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn company(name: &str, address: &str, incorporated_on: &str) -> Company {
        Company {
            name: name.into(),
            address: Some(address.into()),
            incorporated_on: Some(incorporated_on.into()),
            ..Company::default()
        }
    }

    fn described(names: [&str; 3], address: &str, days: [&str; 3]) -> String {
        let all: Vec<Company> =
            names.iter().zip(days).map(|(name, day)| company(name, address, day)).collect();
        describe(&all[0], &all[1..]).expect("there are others")
    }

    #[test]
    fn a_group_a_provider_and_neither_are_told_apart() {
        let far = ["2001-01-01", "2010-05-05", "2020-12-31"];
        let group = ["Kalpanik Mills Limited", "KALPANIK AGRO", "Namuna Steel"];
        let others = ["Udaharan Mills", "Misal Agro", "Namuna Steel"];
        assert!(described(group, "1 Marg", far).contains("2 of 3 begin with the name KALPANIK"));
        assert!(described(others, "Namuna Business Centre", far).contains("provider of offices"));
        assert!(described(others, "1 Marg", far).starts_with("They share no name"));
        let close = ["2024-01-31", "2024-02-03", "2020-12-31"];
        assert!(described(others, "1 Marg", close).ends_with("within a week of each other."));
        assert!(!described(others, "1 Marg", far).contains("week"));
    }
}
