//! From roles to seats.
//!
//! The portal gives a role for each designation a person has in a company. A seat is the uninterrupted
//! time in one company under any designations, so roles that overlap, or follow each other within a
//! day, are one seat; a person who left and came back has two. A seat begins with the earliest of its
//! roles and ends with the last one. Its designation is the latest among the current roles (among all
//! of them, once the seat has ended), and of two with the same date the one on the board.

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
    /// The day of the present designation.
    pub designated_on: Option<String>,
    pub ceased_on: Option<String>,
    pub designation_text: Option<String>,
}

/// The seats of a person, company by company, from the earliest.
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
    // The key of a seat is its first day, so two without one cannot be distinguished.
    let Some(begin) = role.begin.as_deref() else { return true };
    let day_after = end.parse::<Date>().ok().and_then(|day| day.checked_add(1.day()).ok());
    day_after.is_none_or(|day_after| begin <= day_after.to_string().as_str())
}

/// The day a seat ended; none while one of its roles is current.
fn end_of(seat: &[Role]) -> Option<&str> {
    let is_current = seat.iter().any(|role| role.ceased_on.is_none());
    if is_current { None } else { seat.iter().filter_map(|role| role.ceased_on.as_deref()).max() }
}

fn appointment(din: &str, name: &str, seat: &[Role]) -> Appointment {
    let end = end_of(seat);
    let counts = |role: &&Role| end.is_some() || role.ceased_on.is_none();
    let designated = |role: &Role| role.designated_on.clone().or_else(|| role.begin.clone());
    let present = seat.iter().filter(counts).max_by_key(|role| {
        (designated(role), is_on_the_board(role), role.designation_text.clone())
    });
    let designation_text = present.and_then(|role| role.designation_text.clone());
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
        let held = seats(vec![
            role("Director", "2020-04-01", "2020-09-30", ""),
            role("Additional Director", "2020-01-10", "2020-01-10", "2020-03-31"),
        ]);
        assert_eq!(held, [seat("2020-01-10", "director", None)]);
    }

    #[test]
    fn who_left_and_came_back_has_two_seats() {
        let held = seats(vec![
            role("Managing Director", "2019-06-01", "2019-06-01", ""),
            role("Director", "2010-01-01", "2010-01-01", "2015-12-31"),
        ]);
        let expected = [
            seat("2010-01-01", "director", Some("2015-12-31")),
            seat("2019-06-01", "managing_director", None),
        ];
        assert_eq!(held, expected);
    }

    #[test]
    fn a_seat_on_the_board_goes_before_an_office_taken_the_same_day() {
        let held = seats(vec![
            role("Managing Director", "2021-08-18", "2021-08-18", ""),
            role("CEO", "2021-08-18", "2021-08-18", ""),
        ]);
        assert_eq!(held, [seat("2021-08-18", "managing_director", None)]);
    }

    #[test]
    fn an_office_that_ended_does_not_end_the_seat_nor_name_it() {
        let held = seats(vec![
            role("Director", "2018-01-01", "2018-01-01", ""),
            role("CFO", "2019-01-01", "2019-01-01", "2020-01-01"),
        ]);
        assert_eq!(held, [seat("2018-01-01", "director", None)]);
    }

    #[test]
    fn a_role_without_days_is_a_seat_without_a_first_day() {
        assert_eq!(seats(vec![role("Partner", "", "", "")]), [seat("", "partner", None)]);
    }
}
