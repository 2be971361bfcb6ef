//! Combines roles into seats.
//!
//! The portal has one role for each designation of a person in a company. A seat is an
//! uninterrupted time in one company under any designations, so roles that overlap, or follow each
//! other within a day, are one seat; a person who left and came back has two. A seat begins with
//! its earliest role and ends with its last one. Its designation is the latest among the current
//! roles (among all roles if the seat has ended); for equal dates, the one on the board.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use panji_store::register::Appointment;

use super::document::SOURCE;
use crate::vocabulary;

/// A role that is part of a seat.
pub struct Role {
    pub cin: String,
    /// The day the role began, or that of the designation if no earlier day is given.
    pub begin: Option<String>,
    /// The day of the current designation.
    pub designated_on: Option<String>,
    pub ceased_on: Option<String>,
    pub designation_text: Option<String>,
}

/// The seats of a person, by company, the earliest first.
pub fn seats_of(din: &str, name: &str, roles: Vec<Role>) -> Vec<Appointment> {
    let mut by_company: BTreeMap<String, Vec<Role>> = BTreeMap::new();
    for role in roles {
        by_company.entry(role.cin.clone()).or_default().push(role);
    }
    let seats = by_company.into_values().flat_map(group_into_seats);
    seats.map(|seat| appointment(din, name, &seat)).collect()
}

fn group_into_seats(mut roles: Vec<Role>) -> Vec<Vec<Role>> {
    roles.sort_by(|one, other| one.begin.cmp(&other.begin));
    let mut seats: Vec<Vec<Role>> = Vec::new();
    for role in roles {
        match seats.last_mut() {
            Some(seat) if continues(seat, &role) => seat.push(role),
            _ => seats.push(vec![role]),
        }
    }
    seats
}

/// Whether a role begins before the seat ends, or on the day after at the latest.
fn continues(seat: &[Role], role: &Role) -> bool {
    let Some(end) = end_of(seat) else { return true };
    // The key of a seat is its first day, so two seats without one cannot be distinguished.
    let Some(begin) = role.begin.as_deref() else { return true };
    let day_after = end.parse::<Date>().ok().and_then(|day| day.checked_add(1.day()).ok());
    day_after.is_none_or(|day_after| begin <= day_after.to_string().as_str())
}

/// The last day of a seat; none if one of its roles is current.
fn end_of(seat: &[Role]) -> Option<&str> {
    let is_current = seat.iter().any(|role| role.ceased_on.is_none());
    if is_current { None } else { seat.iter().filter_map(|role| role.ceased_on.as_deref()).max() }
}

fn appointment(din: &str, name: &str, seat: &[Role]) -> Appointment {
    let end = end_of(seat);
    let counts = |role: &&Role| end.is_some() || role.ceased_on.is_none();
    let designated = |role: &Role| role.designated_on.clone().or_else(|| role.begin.clone());
    let latest = seat.iter().filter(counts).max_by_key(|role| {
        (designated(role), is_on_the_board(role), role.designation_text.clone())
    });
    let designation_text = latest.and_then(|role| role.designation_text.clone());
    let word = designation_text.as_deref().map_or(vocabulary::OTHER, vocabulary::designation);
    Appointment {
        cin: seat[0].cin.clone(),
        din: din.to_owned(),
        appointed_on: seat.iter().find_map(|role| role.begin.clone()).unwrap_or_default(),
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

    fn seats(roles: Vec<Role>) -> Vec<(String, String, Option<String>)> {
        seats_of("00000001", "A PERSON", roles)
            .into_iter()
            .map(|seat| (seat.appointed_on, seat.designation, seat.ceased_on))
            .collect()
    }

    fn seat(
        from: &str,
        designation: &str,
        until: Option<&str>,
    ) -> (String, String, Option<String>) {
        (from.to_owned(), designation.to_owned(), until.map(str::to_owned))
    }

    #[test]
    fn a_change_of_designation_is_one_seat() {
        let found = seats(vec![
            role("Director", "2020-04-01", "2020-09-30", ""),
            role("Additional Director", "2020-01-10", "2020-01-10", "2020-03-31"),
        ]);
        assert_eq!(found, [seat("2020-01-10", "director", None)]);
    }

    #[test]
    fn a_person_who_left_and_came_back_has_two_seats() {
        let found = seats(vec![
            role("Managing Director", "2019-06-01", "2019-06-01", ""),
            role("Director", "2010-01-01", "2010-01-01", "2015-12-31"),
        ]);
        let expected = [
            seat("2010-01-01", "director", Some("2015-12-31")),
            seat("2019-06-01", "managing_director", None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_board_seat_takes_precedence_over_an_office_of_the_same_day() {
        let found = seats(vec![
            role("Managing Director", "2021-08-18", "2021-08-18", ""),
            role("CEO", "2021-08-18", "2021-08-18", ""),
        ]);
        assert_eq!(found, [seat("2021-08-18", "managing_director", None)]);
    }

    #[test]
    fn an_office_that_ended_neither_ends_nor_names_the_seat() {
        let found = seats(vec![
            role("Director", "2018-01-01", "2018-01-01", ""),
            role("CFO", "2019-01-01", "2019-01-01", "2020-01-01"),
        ]);
        assert_eq!(found, [seat("2018-01-01", "director", None)]);
    }

    #[test]
    fn a_role_without_days_is_a_seat_without_a_first_day() {
        assert_eq!(seats(vec![role("Partner", "", "", "")]), [seat("", "partner", None)]);
    }
}
