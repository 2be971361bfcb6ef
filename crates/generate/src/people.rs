//! Directors, and the seats they hold.

use jiff::civil::Date;

use crate::Synthetic;
use crate::chance::{Chance, Purpose};
use crate::company::Company;
use crate::names::{LegalForm, person_name};

/// For every three companies there are four directors.
const COMPANIES_OF_FOUR: u64 = 3;
/// Real DINs have not come to this number.
const FIRST_DIN: u64 = 20_000_000;
/// As many DINs as a power of two, so that every odd factor reaches all of them.
const DINS: u64 = 1 << 24;
const DIN_STRIDE: u64 = 10_368_889;
/// Draws for one more seat before the company does with fewer.
const MAX_DRAWS: usize = 12;

/// A person with a DIN. Nobody like that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Director {
    /// The DIN.
    pub din: String,
    /// The name.
    pub name: String,
    /// The status of the DIN in words.
    pub status: &'static str,
    /// The nationality.
    pub nationality: &'static str,
}

/// A seat in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    pub director: u64,
    pub designation: &'static str,
    pub appointed_on: Date,
    pub ceased_on: Option<Date>,
}

/// How many directors a register of so many companies has.
pub fn director_count(companies: u64) -> u64 {
    (companies * 4).div_ceil(COMPANIES_OF_FOUR)
}

/// The directors whose own company this is, by their indices: two, one and one of every four.
pub(crate) fn own_directors(company: u64) -> std::ops::Range<u64> {
    let first = company / COMPANIES_OF_FOUR * 4;
    match company % COMPANIES_OF_FOUR {
        0 => first..first + 2,
        place => first + place + 1..first + place + 2,
    }
}

impl Synthetic {
    /// The director at an index.
    pub fn director(&self, index: u64) -> Director {
        let offset = Chance::of(self.seed, Purpose::Director, u64::MAX).below(DINS);
        let din = FIRST_DIN + (index * DIN_STRIDE + offset) % DINS;
        let mut chance = Chance::of(self.seed, Purpose::Director, index);
        let status = match chance.below(100) {
            0..82 => "Approved",
            82..97 => "Deactivated due to non-filing of DIR-3 KYC",
            97..99 => "Disqualified",
            _ => "Surrendered",
        };
        let nationality = if chance.per_mille(12) { "Foreign" } else { "Indian" };
        Director { din: din.to_string(), name: person_name(&mut chance), status, nationality }
    }

    /// The seats in a company, each held by another director. A director who is drawn from
    /// elsewhere stands before the company's own ones in the register, so that the seats do not
    /// depend on its size.
    pub(crate) fn seats(&self, company: &Company) -> Vec<Seat> {
        let mut chance = Chance::of(self.seed, Purpose::Seats, company.index);
        let own = own_directors(company.index);
        let wanted = wanted_seats(&mut chance, company);
        let mut directors: Vec<u64> = own.clone().take(wanted).collect();
        let house = company.founder.filter(|founder| *founder != company.index);
        for _ in 0..MAX_DRAWS {
            if directors.len() >= wanted {
                break;
            }
            let drawn = match (house, chance.below(10)) {
                (Some(founder), 0..6) => {
                    let core = own_directors(founder);
                    core.start + chance.below(core.end - core.start)
                }
                // Family, with a company next door.
                (_, 0..5) => own.end - 1 - chance.below(own.end.min(4)),
                // One of those who sit on many boards, a few of them on very many.
                _ => {
                    let spacing = if chance.per_mille(100) { 2_000 } else { 40 };
                    chance.below(own.end) / spacing * spacing
                }
            };
            if !directors.contains(&drawn) {
                directors.push(drawn);
            }
        }
        let places = directors.into_iter().enumerate();
        places.map(|(place, director)| seat(&mut chance, company, place, director)).collect()
    }
}

fn wanted_seats(chance: &mut Chance, company: &Company) -> usize {
    let seats = match company.form {
        LegalForm::OnePerson | LegalForm::Foreign => 1,
        LegalForm::Public | LegalForm::Nidhi => {
            chance.between(3, if company.listed { 9 } else { 6 })
        }
        LegalForm::Charity => 3,
        LegalForm::Producer => 5,
        LegalForm::Llp => 2 + u64::from(chance.per_mille(120)),
        LegalForm::Private | LegalForm::Unlimited => match chance.below(20) {
            0..14 => 2,
            14..18 => 3,
            _ => 4,
        },
    };
    seats as usize
}

fn seat(chance: &mut Chance, company: &Company, place: usize, director: u64) -> Seat {
    let designation = match (company.form, place) {
        (LegalForm::Llp, 0 | 1) => "Designated Partner",
        (LegalForm::Llp, _) => "Partner",
        (LegalForm::Foreign, _) => "Authorised Representative",
        (LegalForm::Public, 0) => "Managing Director",
        (LegalForm::Public, 1) => "Whole-time director",
        (_, 0) if company.listed => "Managing Director",
        (_, 3..) if chance.per_mille(200) => "Additional Director",
        _ => "Director",
    };
    let founding = place < 2 && chance.per_mille(800);
    let appointed_on =
        if founding { company.registered_on } else { later(chance, company.registered_on) };
    let left = place > 0 && chance.per_mille(120);
    let ceased_on = left.then(|| later(chance, appointed_on));
    Seat { director, designation, appointed_on, ceased_on }
}

/// A day from one on to the end of 2025; that one where it is later than that.
pub(crate) fn later(chance: &mut Chance, day: Date) -> Date {
    const LAST_YEAR: i16 = 2025;
    let years = (LAST_YEAR + 1 - day.year()).max(0) as u64;
    if years == 0 {
        return day;
    }
    let year = day.year() + chance.below(years) as i16;
    let drawn = Date::constant(year, chance.between(1, 12) as i8, chance.between(1, 28) as i8);
    drawn.max(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_director_has_one_own_company() {
        for companies in [1, 2, 3, 4, 300] {
            let own: Vec<u64> = (0..companies).flat_map(own_directors).collect();
            assert_eq!(own, (0..director_count(companies)).collect::<Vec<_>>(), "{companies}");
        }
    }

    #[test]
    fn seats_are_held_by_directors_that_the_register_has_and_some_hold_many() {
        let register = Synthetic::new(5);
        let mut held = vec![0; director_count(3_000) as usize];
        for index in 0..3_000 {
            let seats = register.seats(&register.company(index));
            assert!(!seats.is_empty());
            let mut directors: Vec<u64> = seats.iter().map(|seat| seat.director).collect();
            assert!(directors.iter().all(|director| *director < director_count(index + 1)));
            directors.sort_unstable();
            directors.dedup();
            assert_eq!(directors.len(), seats.len());
            directors.iter().for_each(|director| held[*director as usize] += 1);
        }
        assert!(held.iter().any(|seats| *seats > 10));
        assert!(held.iter().filter(|seats| **seats == 0).count() < 250);
    }
}
