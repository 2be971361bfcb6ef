//! Directors and their appointments.

use jiff::civil::Date;

use crate::Synthetic;
use crate::company::Company;
use crate::names::{LegalForm, person_name};
use crate::random::{Purpose, Random};

/// There are four directors per three companies.
const COMPANIES_OF_FOUR: u64 = 3;
/// Real DINs have not reached this number.
const FIRST_DIN: u64 = 20_000_000;
/// The number of DINs is a power of two, so that every odd factor reaches all of them.
const DINS: u64 = 1 << 24;
const DIN_STRIDE: u64 = 10_368_889;
/// Attempts to find one more director before the company gets fewer.
const MAX_DRAWS: usize = 12;

/// A person with a DIN. No such person exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Director {
    pub din: String,
    pub name: String,
    /// The status of the DIN in words.
    pub status: &'static str,
    pub nationality: &'static str,
}

/// An appointment in a company.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appointment {
    pub director: u64,
    pub designation: &'static str,
    pub appointed_on: Date,
    pub ceased_on: Option<Date>,
}

/// The number of directors in a register of `companies` companies.
pub fn director_count(companies: u64) -> u64 {
    (companies * 4).div_ceil(COMPANIES_OF_FOUR)
}

/// The indices of the directors whose own company this is: two, one and one of every four.
pub(crate) fn own_directors(company: u64) -> std::ops::Range<u64> {
    let first = company / COMPANIES_OF_FOUR * 4;
    match company % COMPANIES_OF_FOUR {
        0 => first..first + 2,
        number => first + number + 1..first + number + 2,
    }
}

impl Synthetic {
    /// The director at an index.
    pub fn director(&self, index: u64) -> Director {
        let offset = Random::of(self.seed, Purpose::Director, u64::MAX).below(DINS);
        let din = FIRST_DIN + (index * DIN_STRIDE + offset) % DINS;
        let mut random = Random::of(self.seed, Purpose::Director, index);
        let status = match random.below(100) {
            0..82 => "Approved",
            82..97 => "Deactivated due to non-filing of DIR-3 KYC",
            97..99 => "Disqualified",
            _ => "Surrendered",
        };
        let nationality = if random.per_mille(12) { "Foreign" } else { "Indian" };
        Director { din: din.to_string(), name: person_name(&mut random), status, nationality }
    }

    /// The appointments in a company, each of another director. A director of another company has a
    /// lower index than the company's own directors, so that the appointments do not depend on the
    /// size of the register.
    pub(crate) fn appointments(&self, company: &Company) -> Vec<Appointment> {
        let mut random = Random::of(self.seed, Purpose::Appointments, company.index);
        let own = own_directors(company.index);
        let wanted = wanted_appointments(&mut random, company);
        let mut directors: Vec<u64> = own.clone().take(wanted).collect();
        let group = company.founder.filter(|founder| *founder != company.index);
        for _ in 0..MAX_DRAWS {
            if directors.len() >= wanted {
                break;
            }
            let drawn = match (group, random.below(10)) {
                (Some(founder), 0..6) => {
                    let core = own_directors(founder);
                    core.start + random.below(core.end - core.start)
                }
                // A family member, with a company nearby.
                (_, 0..5) => own.end - 1 - random.below(own.end.min(4)),
                // One of the directors with many appointments, a few of them with very many.
                _ => {
                    let spacing = if random.per_mille(100) { 2_000 } else { 40 };
                    random.below(own.end) / spacing * spacing
                }
            };
            if !directors.contains(&drawn) {
                directors.push(drawn);
            }
        }
        let numbered = directors.into_iter().enumerate();
        numbered
            .map(|(number, director)| appointment(&mut random, company, number, director))
            .collect()
    }
}

fn wanted_appointments(random: &mut Random, company: &Company) -> usize {
    let appointments = match company.form {
        LegalForm::OnePerson | LegalForm::Foreign => 1,
        LegalForm::Public | LegalForm::Nidhi => {
            random.between(3, if company.listed { 9 } else { 6 })
        }
        LegalForm::Charity => 3,
        LegalForm::Producer => 5,
        LegalForm::Llp => 2 + u64::from(random.per_mille(120)),
        LegalForm::Private | LegalForm::Unlimited => match random.below(20) {
            0..14 => 2,
            14..18 => 3,
            _ => 4,
        },
    };
    appointments as usize
}

fn appointment(
    random: &mut Random,
    company: &Company,
    number: usize,
    director: u64,
) -> Appointment {
    let designation = match (company.form, number) {
        (LegalForm::Llp, 0 | 1) => "Designated Partner",
        (LegalForm::Llp, _) => "Partner",
        (LegalForm::Foreign, _) => "Authorised Representative",
        (LegalForm::Public, 0) => "Managing Director",
        (LegalForm::Public, 1) => "Whole-time director",
        (_, 0) if company.listed => "Managing Director",
        (_, 3..) if random.per_mille(200) => "Additional Director",
        _ => "Director",
    };
    let founding = number < 2 && random.per_mille(800);
    let appointed_on =
        if founding { company.registered_on } else { later(random, company.registered_on) };
    let left = number > 0 && random.per_mille(120);
    let ceased_on = left.then(|| later(random, appointed_on));
    Appointment { director, designation, appointed_on, ceased_on }
}

/// A day between `day` and the end of 2025; `day` itself if it is later.
pub(crate) fn later(random: &mut Random, day: Date) -> Date {
    const LAST_YEAR: i16 = 2025;
    let years = (LAST_YEAR + 1 - day.year()).max(0) as u64;
    if years == 0 {
        return day;
    }
    let year = day.year() + random.below(years) as i16;
    let drawn = Date::constant(year, random.between(1, 12) as i8, random.between(1, 28) as i8);
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
    fn appointments_refer_to_existing_directors_and_some_have_many() {
        let register = Synthetic::new(5);
        let mut counts = vec![0; director_count(3_000) as usize];
        for index in 0..3_000 {
            let appointments = register.appointments(&register.company(index));
            assert!(!appointments.is_empty());
            let mut directors: Vec<u64> =
                appointments.iter().map(|appointment| appointment.director).collect();
            assert!(directors.iter().all(|director| *director < director_count(index + 1)));
            directors.sort_unstable();
            directors.dedup();
            assert_eq!(directors.len(), appointments.len());
            directors.iter().for_each(|director| counts[*director as usize] += 1);
        }
        assert!(counts.iter().any(|appointments| *appointments > 10));
        assert!(counts.iter().filter(|appointments| **appointments == 0).count() < 250);
    }
}
