//! Combines roles into appointments.
//!
//! The portal has one role for each designation of a person in a company. An appointment is an
//! uninterrupted time in one company under any designations, so roles that overlap, or follow each
//! other within a day, are one appointment; a person who left and came back has two. An appointment
//! begins with its earliest role and ends with its last one. Its designation is the latest among
//! the current roles (among all roles if the appointment has ended); for equal dates, the one on
//! the board.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use panji_store::register::Appointment;

use super::document::SOURCE;
use crate::vocabulary;

/// A role that is part of an appointment.
pub struct Role {
    pub cin: String,
    /// The day the role began, or that of the designation if no earlier day is given.
    pub begin: Option<String>,
    /// The day of the current designation.
    pub designated_on: Option<String>,
    pub ceased_on: Option<String>,
    pub designation_text: Option<String>,
}

/// The appointments of a person, by company, the earliest first.
pub fn appointments_of(din: &str, name: &str, roles: Vec<Role>) -> Vec<Appointment> {
    let mut by_company: BTreeMap<String, Vec<Role>> = BTreeMap::new();
    for role in roles {
        by_company.entry(role.cin.clone()).or_default().push(role);
    }
    let groups = by_company.into_values().flat_map(group_into_appointments);
    groups.map(|roles| appointment(din, name, &roles)).collect()
}

/// The roles of each appointment.
fn group_into_appointments(mut roles: Vec<Role>) -> Vec<Vec<Role>> {
    roles.sort_by(|one, other| one.begin.cmp(&other.begin));
    let mut groups: Vec<Vec<Role>> = Vec::new();
    for role in roles {
        match groups.last_mut() {
            Some(group) if continues(group, &role) => group.push(role),
            _ => groups.push(vec![role]),
        }
    }
    groups
}

/// Whether a role begins before the appointment of the roles ends, or on the day after at the
/// latest.
fn continues(roles: &[Role], role: &Role) -> bool {
    let Some(end) = end_of(roles) else { return true };
    // The key of an appointment is its first day, so two without one cannot be distinguished.
    let Some(begin) = role.begin.as_deref() else { return true };
    let day_after = end.parse::<Date>().ok().and_then(|day| day.checked_add(1.day()).ok());
    day_after.is_none_or(|day_after| begin <= day_after.to_string().as_str())
}

/// The last day of an appointment; none if one of its roles is current.
fn end_of(roles: &[Role]) -> Option<&str> {
    let is_current = roles.iter().any(|role| role.ceased_on.is_none());
    if is_current { None } else { roles.iter().filter_map(|role| role.ceased_on.as_deref()).max() }
}

fn appointment(din: &str, name: &str, roles: &[Role]) -> Appointment {
    let end = end_of(roles);
    let counts = |role: &&Role| end.is_some() || role.ceased_on.is_none();
    let designated = |role: &Role| role.designated_on.clone().or_else(|| role.begin.clone());
    let latest = roles.iter().filter(counts).max_by_key(|role| {
        (designated(role), is_on_the_board(role), role.designation_text.clone())
    });
    let designation_text = latest.and_then(|role| role.designation_text.clone());
    let word = designation_text.as_deref().map_or(vocabulary::OTHER, vocabulary::designation);
    Appointment {
        cin: roles[0].cin.clone(),
        din: din.to_owned(),
        appointed_on: roles.iter().find_map(|role| role.begin.clone()).unwrap_or_default(),
        name: name.to_owned(),
        designation: word.to_owned(),
        ceased_on: end.map(str::to_owned),
        designation_text,
        as_of: None,
        source: SOURCE.to_owned(),
    }
}

fn is_on_the_board(role: &Role) -> bool {
    let word = vocabulary::designation(role.designation_text.as_deref().unwrap_or_default());
    word.ends_with("director") || word.ends_with("partner")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(designation: &str, begin: &str, designated_on: &str, ceased_on: &str) -> Role {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Role {
            cin: "U12345KA2015PTC000123".to_owned(),
            begin: some(begin),
            designated_on: some(designated_on),
            ceased_on: some(ceased_on),
            designation_text: some(designation),
        }
    }

    fn summaries(roles: Vec<Role>) -> Vec<(String, String, Option<String>)> {
        appointments_of("00000001", "A PERSON", roles)
            .into_iter()
            .map(|found| (found.appointed_on, found.designation, found.ceased_on))
            .collect()
    }

    fn summary(
        from: &str,
        designation: &str,
        until: Option<&str>,
    ) -> (String, String, Option<String>) {
        (from.to_owned(), designation.to_owned(), until.map(str::to_owned))
    }

    #[test]
    fn a_change_of_designation_is_one_appointment() {
        let found = summaries(vec![
            role("Director", "2020-04-01", "2020-09-30", ""),
            role("Additional Director", "2020-01-10", "2020-01-10", "2020-03-31"),
        ]);
        assert_eq!(found, [summary("2020-01-10", "director", None)]);
    }

    #[test]
    fn a_person_who_left_and_came_back_has_two_appointments() {
        let found = summaries(vec![
            role("Managing Director", "2019-06-01", "2019-06-01", ""),
            role("Director", "2010-01-01", "2010-01-01", "2015-12-31"),
        ]);
        let expected = [
            summary("2010-01-01", "director", Some("2015-12-31")),
            summary("2019-06-01", "managing_director", None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_designation_on_the_board_takes_precedence_over_an_office_of_the_same_day() {
        let found = summaries(vec![
            role("Managing Director", "2021-08-18", "2021-08-18", ""),
            role("CEO", "2021-08-18", "2021-08-18", ""),
        ]);
        assert_eq!(found, [summary("2021-08-18", "managing_director", None)]);
    }

    #[test]
    fn an_office_that_ended_neither_ends_nor_names_the_appointment() {
        let found = summaries(vec![
            role("Director", "2018-01-01", "2018-01-01", ""),
            role("CFO", "2019-01-01", "2019-01-01", "2020-01-01"),
        ]);
        assert_eq!(found, [summary("2018-01-01", "director", None)]);
    }

    #[test]
    fn a_role_without_days_is_an_appointment_without_a_first_day() {
        assert_eq!(summaries(vec![role("Partner", "", "", "")]), [summary("", "partner", None)]);
    }
}
