//! Rules about the directors and their other companies.

use panji_ids::{Cin, CinClass};

use super::rule::{Found, Level, Outcome, confidence_of, is_between, is_unknown, months_before};
use crate::api::company_records::{CompanyRecords, Person, PersonDirectorship};
use crate::api::wire::{BoardMember, FindingEvidence, enums};
use crate::locale::dates;

/// The most companies, and the most public companies, of which a person may be a director (section 165(1)).
pub const MAX_COMPANIES: usize = 20;
pub const MAX_PUBLIC_COMPANIES: usize = 10;
/// How long a person is disqualified after a company's default (section 164(2)): five years.
pub const DISQUALIFIED_MONTHS: i64 = 60;
/// A change within this time is recent.
pub const RECENT_MONTHS: i64 = 12;

/// Designations with which a person is not a director.
const NOT_DIRECTORS: [&str; 8] = [
    "manager",
    "ceo",
    "cfo",
    "company_secretary",
    "designated_partner",
    "partner",
    "body_corporate_nominee",
    "authorised_representative",
];

const NO_DIRECTORS: &str = "No source of directors was imported.";

fn is_director(designation: &str) -> bool {
    !NOT_DIRECTORS.contains(&designation)
}

/// Whether a directorship counts for section 165: a current one of an active company that is neither an LLP nor
/// a foreign company, nor licensed under section 8. Dormant companies do not count.
fn counts(entry: &PersonDirectorship) -> Option<CinClass> {
    let active = entry.directorship.company_status.as_deref() == Some("active");
    let current =
        entry.directorship.ceased_on.is_none() && is_director(&entry.directorship.designation);
    let class = Cin::parse(&entry.directorship.cin).ok()?.class()?;
    (active && current && class != CinClass::NotForProfit).then_some(class)
}

/// Whether a class in a CIN is that of a public company. Government companies are not counted: their class does not tell.
fn is_public(class: CinClass) -> bool {
    use CinClass as Class;
    matches!(
        class,
        Class::Public
            | Class::PublicForeignSubsidiary
            | Class::PublicUnlimited
            | Class::GeneralAssociationPublic
    )
}

fn directorship_evidence(
    entry: &PersonDirectorship,
    detail: String,
    date: Option<String>,
) -> FindingEvidence {
    FindingEvidence {
        record: "appointment".into(),
        id: Some(entry.directorship.cin.clone()),
        name: entry.directorship.company_name.clone(),
        detail,
        date,
        as_of: entry.directorship.origin.as_of.clone(),
        source: Some(entry.directorship.origin.source.clone()),
    }
}

fn appointed_on(entry: &PersonDirectorship) -> Option<String> {
    Some(entry.directorship.appointed_on.clone()).filter(|day| !day.is_empty())
}

pub fn many_directorships(records: &CompanyRecords) -> Outcome {
    if is_unknown(&records.directors.coverage) {
        return Outcome::not_checked(NO_DIRECTORS);
    }
    Outcome::of(records.people.iter().filter_map(person_with_many).collect())
}

fn person_with_many(person: &Person) -> Option<Found> {
    let counted: Vec<(&PersonDirectorship, CinClass)> =
        person.directorships.iter().filter_map(|entry| Some((entry, counts(entry)?))).collect();
    let public = counted.iter().filter(|(_, class)| is_public(*class)).count();
    let total = counted.len();
    let (number, what, limit) = match (total > MAX_COMPANIES, public > MAX_PUBLIC_COMPANIES) {
        (true, _) => (total, "active companies", MAX_COMPANIES),
        (false, true) => (public, "active public companies", MAX_PUBLIC_COMPANIES),
        (false, false) => return None,
    };
    let only_public = total <= MAX_COMPANIES;
    let shown = counted.iter().filter(|(_, class)| !only_public || is_public(*class));
    let evidence = shown.map(|(entry, _)| {
        let since = appointed_on(entry);
        let detail = match since.as_deref() {
            Some(day) => format!("Director since {}.", dates::day(day)),
            None => "Director; the date of appointment is not provided.".to_owned(),
        };
        directorship_evidence(entry, detail, since)
    });
    Some(Found {
        is_risk: true,
        severity: Level::Medium,
        // The sources may have missed the end of an appointment.
        confidence: Level::Medium,
        sentence: format!(
            "{} (DIN {}) is listed as director of {number} {what}; section 165 allows {limit}.",
            person.name, person.din
        ),
        evidence: evidence.collect(),
    })
}

pub fn director_disqualified(records: &CompanyRecords) -> Outcome {
    if is_unknown(&records.directors.coverage) {
        return Outcome::not_checked(NO_DIRECTORS);
    }
    let known: Vec<(&Person, &(String, _))> = records
        .people
        .iter()
        .filter_map(|person| Some((person, person.status.as_ref()?)))
        .filter(|(_, (status, _))| status != "unknown")
        .collect();
    if known.is_empty() && !records.people.is_empty() {
        return Outcome::not_checked("No source states the status of the directors' DINs.");
    }
    let unusual = known.into_iter().filter_map(|(person, (status, origin))| {
        let severity = match status.as_str() {
            "disqualified" => Level::High,
            "surrendered" | "deactivated" | "disabled" | "lapsed" | "rejected" => Level::Medium,
            _ => return None,
        };
        Some(Found {
            is_risk: true,
            severity,
            confidence: Level::High,
            sentence: format!(
                "{} (DIN {}) is listed as director, and the DIN has the status {status}.",
                person.name, person.din
            ),
            evidence: vec![FindingEvidence {
                record: "director".into(),
                id: Some(person.din.clone()),
                name: Some(person.name.clone()),
                detail: format!("The source states the status {status}."),
                date: None,
                as_of: origin.as_of.clone(),
                source: Some(origin.source.clone()),
            }],
        })
    });
    Outcome::of(unusual.collect())
}

pub fn directorships_in_struck_off_companies(records: &CompanyRecords) -> Outcome {
    if is_unknown(&records.directors.coverage) {
        return Outcome::not_checked(NO_DIRECTORS);
    }
    let since = months_before(records.day, DISQUALIFIED_MONTHS);
    let people = records.people.iter().filter_map(|person| {
        let directorships: Vec<&PersonDirectorship> =
            person.directorships.iter().filter(|entry| in_struck_off(entry, records, &since)).collect();
        if directorships.is_empty() {
            return None;
        }
        let dated = directorships.iter().all(|entry| entry.struck_off_on.is_some());
        let evidence = directorships.iter().map(|entry| struck_off_evidence(entry));
        let companies = match directorships.len() {
            1 => "a company that is".to_owned(),
            number => format!("{number} companies that are"),
        };
        Some(Found {
            is_risk: true,
            severity: if directorships.len() > 1 { Level::Medium } else { Level::Low },
            confidence: if dated { Level::Medium } else { Level::Low },
            sentence: format!(
                "{} (DIN {}) is or was within five years listed as director of {companies} published \
                 as struck off.",
                person.name, person.din
            ),
            evidence: evidence.collect(),
        })
    });
    Outcome::of(people.collect())
}

/// Whether a directorship was in a company that may have been struck off within the time that counts. What lies
/// further back has lapsed: the directorship ended before, the company was struck off before, or its source of
/// an earlier day already says so.
fn in_struck_off(entry: &PersonDirectorship, records: &CompanyRecords, since: &str) -> bool {
    let lapsed = |day: Option<&str>| day.is_some_and(|day| day <= since);
    let reported = entry.company_origin.as_ref().and_then(|origin| origin.as_of.as_deref());
    entry.directorship.company_status.as_deref() == Some("struck_off")
        && entry.directorship.cin != records.company.cin
        && is_director(&entry.directorship.designation)
        && !lapsed(entry.directorship.ceased_on.as_deref())
        && !lapsed(entry.struck_off_on.as_deref())
        && !lapsed(reported)
}

fn struck_off_evidence(entry: &PersonDirectorship) -> FindingEvidence {
    let origin = entry.company_origin.as_ref();
    let struck_off = match &entry.struck_off_on {
        Some(day) => format!("Struck off on {}", dates::day(day)),
        None => "Struck off; the day is not in the register".to_owned(),
    };
    let until = match &entry.directorship.ceased_on {
        Some(day) => format!("the appointment ended on {}", dates::day(day)),
        None => "no end of the appointment is listed".to_owned(),
    };
    FindingEvidence {
        record: "company".into(),
        id: Some(entry.directorship.cin.clone()),
        name: entry.directorship.company_name.clone(),
        detail: format!("{struck_off}; {until}."),
        date: entry.struck_off_on.clone(),
        as_of: origin.and_then(|origin| origin.as_of.clone()),
        source: origin.map(|origin| origin.source.clone()),
    }
}

pub fn all_directors_changed(records: &CompanyRecords) -> Outcome {
    let directors = &records.directors;
    if is_unknown(&directors.coverage) {
        return Outcome::not_checked(NO_DIRECTORS);
    }
    if directors.coverage != enums::FULL {
        return Outcome::not_checked("Only a part of the directors is known.");
    }
    let since = months_before(records.day, RECENT_MONTHS);
    let is_new = records.company.incorporated_on.as_deref().is_none_or(|day| *day > *since);
    let recent = |day: Option<&str>| is_between(day, &since, records.day);
    let on_board = |member: &&BoardMember| is_director(&member.designation);
    let current: Vec<_> = directors.current.iter().filter(on_board).collect();
    let left: Vec<_> = directors
        .past
        .iter()
        .filter(on_board)
        .filter(|member| recent(member.ceased_on.as_deref()))
        .collect();
    let all_new = current.iter().all(|member| recent(member.appointed_on.as_deref()));
    if is_new || current.is_empty() || left.is_empty() || !all_new {
        return Outcome::Nothing;
    }
    let evidence = |member: &BoardMember, detail: String, date: Option<String>| FindingEvidence {
        record: "appointment".into(),
        id: Some(member.din.clone()),
        name: Some(member.name.clone()),
        detail,
        date,
        as_of: directors.as_of.clone(),
        source: directors.source.clone(),
    };
    let came = current.iter().map(|member| {
        let day = member.appointed_on.as_deref().map_or(String::new(), dates::day);
        evidence(member, format!("Appointed on {day}."), member.appointed_on.clone())
    });
    let went = left.iter().map(|member| {
        let day = member.ceased_on.as_deref().map_or(String::new(), dates::day);
        evidence(member, format!("Left on {day}."), member.ceased_on.clone())
    });
    Outcome::of(vec![Found {
        is_risk: true,
        severity: Level::Medium,
        confidence: confidence_of(&directors.coverage),
        sentence: format!(
            "All {} current directors were appointed within {RECENT_MONTHS} months, and {} left.",
            current.len(),
            left.len()
        ),
        evidence: came.chain(went).collect(),
    }])
}
