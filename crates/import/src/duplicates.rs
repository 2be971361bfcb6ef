//! Companies that the sources list under several numbers. A company gets another CIN when it is
//! listed, moves to another state, or changes its industry or class, and some sources list both.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use panji_ids::Cin;
use panji_store::register::{Company, JoinBasis};
use panji_store::{Register, StoreError};

use crate::values::name::without_legal_form;

/// Two numbers that may be of the same company. A person has to decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PossibleDuplicate {
    pub first: NumberAndName,
    pub second: NumberAndName,
    /// What is the same, and what is not.
    pub reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NumberAndName {
    pub cin: String,
    pub name: String,
}

impl From<&Company> for NumberAndName {
    fn from(company: &Company) -> NumberAndName {
        NumberAndName { cin: company.cin.clone(), name: company.name.clone() }
    }
}

/// A number that is a former number of another company.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    pub cin: String,
    pub former_cin: String,
    pub basis: JoinBasis,
}

/// What the comparison of the register's companies found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Duplicates {
    pub joins: Vec<Join>,
    pub possible_duplicates: BTreeSet<PossibleDuplicate>,
}

/// Whether two records are of the same company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Same(JoinBasis),
    Possible(&'static str),
    Different,
}

/// Compares the companies of the register that share a number or a name.
pub async fn find_duplicates(register: &Register) -> Result<Duplicates, StoreError> {
    let decisions = register.list_join_decisions().await?;
    let separated: BTreeSet<[&str; 2]> = decisions
        .iter()
        .filter(|decision| !decision.is_same)
        .map(|decision| pair(&decision.cin, &decision.former_cin))
        .collect();
    let mut found = Duplicates::default();
    let mut joined = BTreeSet::new();
    for group in &register.list_duplicate_candidates().await? {
        let mut companies = Vec::new();
        for cin in group.iter().filter(|cin| !joined.contains(*cin)) {
            companies.extend(register.find_company(cin).await?);
        }
        found.compare(companies, &separated);
        joined.extend(found.joins.iter().map(|join| join.former_cin.clone()));
    }
    Ok(found)
}

fn pair<'a>(first: &'a str, second: &'a str) -> [&'a str; 2] {
    if first < second { [first, second] } else { [second, first] }
}

impl Duplicates {
    /// Compares the companies of a group with each other. The first one is the current one.
    fn compare(&mut self, mut companies: Vec<Company>, separated: &BTreeSet<[&str; 2]>) {
        companies.sort_by(|a, b| by_recency(b, a));
        while !companies.is_empty() {
            let current = companies.remove(0);
            companies.retain(|other| {
                if separated.contains(&pair(&current.cin, &other.cin)) {
                    return true;
                }
                match compare(&current, other) {
                    Comparison::Same(basis) => {
                        let (cin, former_cin) = (current.cin.clone(), other.cin.clone());
                        self.joins.push(Join { cin, former_cin, basis });
                        return false;
                    }
                    Comparison::Possible(reason) => {
                        let (first, second) = ((&current).into(), other.into());
                        self.possible_duplicates.insert(PossibleDuplicate {
                            first,
                            second,
                            reason,
                        });
                    }
                    Comparison::Different => {}
                }
                true
            });
        }
    }
}

/// Orders two records of a company: the one with the newer source is greater. For equal dates the
/// active one, the listed one, and the one with more capital are more likely to be current.
fn by_recency(a: &Company, b: &Company) -> Ordering {
    let key = |company: &Company| {
        let is_active = company.status == "active";
        let is_listed = company.listed == Some(true);
        (is_active, is_listed, company.paid_up_capital, company.authorised_capital)
    };
    let by_date = a.as_of.cmp(&b.as_of);
    by_date.then_with(|| key(a).cmp(&key(b))).then_with(|| a.cin.cmp(&b.cin))
}

fn compare(a: &Company, b: &Company) -> Comparison {
    let (Ok(a_cin), Ok(b_cin)) = (Cin::parse(&a.cin), Cin::parse(&b.cin)) else {
        return Comparison::Different;
    };
    let dates = match (&a.incorporated_on, &b.incorporated_on) {
        (Some(a), Some(b)) => Some(a == b),
        _ => None,
    };
    let number = |cin: &Cin| {
        let (state, number) = (cin.state_code().to_owned(), cin.registration_number().to_owned());
        (state, cin.year(), number)
    };
    if number(&a_cin) == number(&b_cin) {
        return match (dates, is_same_name(a, b)) {
            (Some(true), true) => Comparison::Same(JoinBasis::Number),
            (Some(true), false) => {
                Comparison::Possible("the same number and date of incorporation, but another name")
            }
            (Some(false), true) => {
                Comparison::Possible("the same number and name, but another date of incorporation")
            }
            (None, true) => Comparison::Possible(
                "the same number and name, but a date of incorporation is not known",
            ),
            (Some(false) | None, false) => Comparison::Different,
        };
    }
    if dates != Some(true) || !a.name.eq_ignore_ascii_case(&b.name) {
        return Comparison::Different;
    }
    if a_cin.state_code() != b_cin.state_code() && a_cin.year() == b_cin.year() {
        return Comparison::Same(JoinBasis::Name);
    }
    Comparison::Possible("the same name and date of incorporation, but another number")
}

/// Whether the names are the same apart from their legal form, or one was a former name of the
/// other.
fn is_same_name(a: &Company, b: &Company) -> bool {
    let distinctive = |name: &str| without_legal_form(name);
    let (own, other) = (distinctive(&a.name), distinctive(&b.name));
    let had = |company: &Company, name: &str| {
        let former: Vec<serde_json::Value> =
            serde_json::from_str(&company.former_names).unwrap_or_default();
        former.iter().filter_map(|entry| entry["name"].as_str()).any(|had| distinctive(had) == name)
    };
    !own.is_empty() && own == other || had(a, &other) || had(b, &own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &str = "U17110MH2001PLC990501";
    const PRIVATE: &str = "U17110MH2001PTC990501";
    const ELSEWHERE: &str = "U17110GJ2001PTC990877";

    fn company(cin: &str, name: &str, incorporated_on: &str) -> Company {
        Company {
            cin: cin.to_owned(),
            name: name.to_owned(),
            status: "active".to_owned(),
            incorporated_on: Some(incorporated_on.to_owned()),
            former_names: "[]".to_owned(),
            as_of: Some("2026-01-10".to_owned()),
            ..Company::default()
        }
    }

    fn compare(companies: &[Company]) -> Duplicates {
        let mut found = Duplicates::default();
        found.compare(companies.to_vec(), &BTreeSet::new());
        found
    }

    #[test]
    fn a_number_with_another_class_is_of_the_same_company_if_name_and_date_agree() {
        let public = company(PUBLIC, "NAMUNA STEEL LIMITED", "2001-05-14");
        for name in ["Namuna Steel Private Limited", "NAMUNA STEELPRIVATE LIMITED"] {
            let private = company(PRIVATE, name, "2001-05-14");
            let found = compare(&[public.clone(), private]);
            assert_eq!(found.joins.len(), 1, "{name}");
            assert_eq!(found.joins[0].basis, JoinBasis::Number);
            assert!(found.possible_duplicates.is_empty());
        }
        let renamed = Company {
            former_names: r#"[{"name":"Namuna Steel Ltd"}]"#.to_owned(),
            ..company(PRIVATE, "Udaharan Alloys Private Limited", "2001-05-14")
        };
        assert_eq!(compare(&[public, renamed]).joins.len(), 1, "a former name agrees");
    }

    #[test]
    fn the_newest_record_is_current_then_the_active_one() {
        let newer = Company {
            as_of: Some("2026-02-01".to_owned()),
            status: "struck_off".to_owned(),
            ..company(PUBLIC, "NAMUNA STEEL LIMITED", "2001-05-14")
        };
        let older = company(PRIVATE, "NAMUNA STEEL PRIVATE LIMITED", "2001-05-14");
        assert_eq!(compare(&[older.clone(), newer.clone()]).joins[0].cin, PUBLIC);
        let same_day = Company { as_of: older.as_of.clone(), ..newer };
        assert_eq!(compare(&[same_day, older]).joins[0].cin, PRIVATE);
    }

    #[test]
    fn what_agrees_only_in_part_is_a_possible_duplicate_and_not_joined() {
        let public = company(PUBLIC, "NAMUNA STEEL LIMITED", "2001-05-14");
        let other_name = company(PRIVATE, "UDAHARAN DIGITAL PRIVATE LIMITED", "2001-05-14");
        let other_date = company(PRIVATE, "NAMUNA STEEL PRIVATE LIMITED", "2001-06-14");
        let no_date = Company { incorporated_on: None, ..other_date.clone() };
        for other in [other_name, other_date, no_date] {
            let found = compare(&[public.clone(), other]);
            assert_eq!((found.joins.len(), found.possible_duplicates.len()), (0, 1), "{found:?}");
        }
        let unrelated = company(PRIVATE, "UDAHARAN DIGITAL PRIVATE LIMITED", "2001-06-14");
        assert_eq!(compare(&[public, unrelated]), Duplicates::default());
    }

    #[test]
    fn the_same_name_and_date_in_another_state_is_a_company_that_moved() {
        let here = company(PRIVATE, "NAMUNA STEEL PRIVATE LIMITED", "2001-05-14");
        let there = company(ELSEWHERE, "Namuna Steel Private Limited", "2001-05-14");
        let found = compare(&[here.clone(), there]);
        assert_eq!(found.joins[0].basis, JoinBasis::Name);
        let same_state = company("U17110MH2001PTC990877", &here.name, "2001-05-14");
        let found = compare(&[here, same_state]);
        assert_eq!((found.joins.len(), found.possible_duplicates.len()), (0, 1));
    }

    #[test]
    fn numbers_that_a_person_separated_stay_apart() {
        let public = company(PUBLIC, "NAMUNA STEEL LIMITED", "2001-05-14");
        let private = company(PRIVATE, "NAMUNA STEEL PRIVATE LIMITED", "2001-05-14");
        let mut found = Duplicates::default();
        found.compare(vec![public, private], &BTreeSet::from([pair(PRIVATE, PUBLIC)]));
        assert_eq!(found, Duplicates::default());
    }
}
