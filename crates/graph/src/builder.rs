//! Makes a base from companies, which come in the order of their numbers, and appointments in any order.

use std::collections::BTreeMap;

use panji_store::register::LinkedCompany;

use crate::address::address_key;
use crate::base::{Base, Lists, Shared};
use crate::email::email_domain;
use crate::error::GraphError;
use crate::node::{CompanyNumber, pack_din};

/// Indexes have 32 bits, and half of them are enough for every company of the world.
const MAX_COMPANIES: usize = 1 << 31;

/// What links a company with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompanyLinks {
    /// The hash of the registered office; 0 for none.
    pub(crate) office: u64,
    /// The hash of the email domain; 0 for none.
    pub(crate) domain: u64,
    pub(crate) former: Vec<CompanyNumber>,
}

impl CompanyLinks {
    pub fn of(company: &LinkedCompany) -> CompanyLinks {
        let (city, pincode) = (company.city.as_deref(), company.pincode.as_deref());
        let address = company.address.as_deref();
        let domain = company.email.as_deref().and_then(email_domain);
        CompanyLinks {
            office: address.and_then(|text| address_key(text, city, pincode)).unwrap_or(0),
            domain: domain.map_or(0, |domain| hash(&domain)),
            former: company
                .former_numbers()
                .iter()
                .filter_map(|cin| CompanyNumber::pack(cin))
                .collect(),
        }
    }
}

fn hash(text: &str) -> u64 {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(text.as_bytes());
    digest[..8].iter().fold(0, |hash, byte| hash << 8 | u64::from(*byte)).max(1)
}

#[derive(Default)]
pub struct Builder {
    numbers: Vec<u128>,
    offices: Vec<u64>,
    domains: Vec<u64>,
    former: Vec<(u32, CompanyNumber)>,
    /// Pairs of a company's index and a DIN.
    appointments: Vec<(u32, u32)>,
    /// Companies that only an appointment names; their indexes follow those of the others.
    unlisted: BTreeMap<CompanyNumber, u32>,
}

impl Builder {
    /// The number of companies so far.
    pub fn companies(&self) -> u64 {
        self.numbers.len() as u64
    }

    /// Adds a company. Its number must be higher than those before; another is ignored, like a text
    /// that is no number.
    pub fn add_company(&mut self, cin: &str, links: &CompanyLinks) -> Result<(), GraphError> {
        let Some(number) = CompanyNumber::pack(cin) else { return Ok(()) };
        if self.numbers.last().is_some_and(|last| *last >= number.0) {
            return Ok(());
        }
        let index = self.next_index()?;
        self.numbers.push(number.0);
        self.offices.push(links.office);
        self.domains.push(links.domain);
        self.former.extend(links.former.iter().map(|former| (index, *former)));
        Ok(())
    }

    /// Adds an appointment, after all companies.
    pub fn add_appointment(&mut self, cin: &str, din: &str) -> Result<(), GraphError> {
        let (Some(number), Some(din)) = (CompanyNumber::pack(cin), pack_din(din)) else {
            return Ok(());
        };
        let company = match self.numbers.binary_search(&number.0) {
            Ok(position) => u32::try_from(position).unwrap_or(u32::MAX),
            Err(_) => {
                let next = self.next_index()?;
                *self.unlisted.entry(number).or_insert(next)
            }
        };
        if self.appointments.last() != Some(&(company, din)) {
            self.appointments.push((company, din));
        }
        Ok(())
    }

    fn next_index(&self) -> Result<u32, GraphError> {
        let next = self.numbers.len() + self.unlisted.len();
        let fits = u32::try_from(next).ok().filter(|_| next < MAX_COMPANIES);
        fits.ok_or(GraphError::TooLarge(MAX_COMPANIES))
    }

    /// The base, which has the register's changes up to `seq`.
    pub(crate) fn finish(mut self, seq: i64) -> Base {
        self.insert_unlisted();
        let Builder { numbers, offices, domains, former, mut appointments, .. } = self;
        appointments.sort_unstable();
        appointments.dedup();
        let by_company =
            row_offsets(numbers.len(), appointments.iter().map(|(company, _)| *company as usize));
        let by_company = Lists {
            offsets: by_company,
            values: appointments.iter().map(|(_, din)| *din).collect(),
        };
        for appointment in &mut appointments {
            *appointment = (appointment.1, appointment.0);
        }
        appointments.sort_unstable();
        let mut dins: Vec<u32> = appointments.iter().map(|(din, _)| *din).collect();
        let offsets = group_offsets(&dins);
        dins.dedup();
        let companies =
            Lists { offsets, values: appointments.into_iter().map(|(_, at)| at).collect() };
        let find = |number: &CompanyNumber| numbers.binary_search(&number.0).ok();
        let mut former: Vec<(u32, u32)> = former
            .iter()
            .filter_map(|(company, number)| Some((*company, u32::try_from(find(number)?).ok()?)))
            .filter(|(company, former)| company != former)
            .collect();
        former.sort_unstable();
        former.dedup();
        let (offices, domains) = (Shared::new(offices), Shared::new(domains));
        let base = Base {
            seq,
            directors: by_company,
            dins,
            companies,
            offices,
            domains,
            former,
            numbers,
            ..Base::default()
        };
        base.with_lookup_tables()
    }

    /// Moves the companies that only an appointment names into the order of numbers.
    fn insert_unlisted(&mut self) {
        if self.unlisted.is_empty() {
            return;
        }
        let listed = (0u32..).zip(&self.numbers).map(|(index, number)| (*number, index));
        let mut all: Vec<(u128, u32)> =
            listed.chain(self.unlisted.iter().map(|(number, index)| (number.0, *index))).collect();
        all.sort_unstable();
        let mut moved = vec![0; all.len()];
        for (position, (_, index)) in (0u32..).zip(&all) {
            moved[*index as usize] = position;
        }
        let keys = |old: &[u64]| -> Vec<u64> {
            all.iter().map(|(_, index)| old.get(*index as usize).copied().unwrap_or(0)).collect()
        };
        (self.offices, self.domains) = (keys(&self.offices), keys(&self.domains));
        self.numbers = all.iter().map(|(number, _)| *number).collect();
        for (company, _) in &mut self.appointments {
            *company = moved[*company as usize];
        }
        for (company, _) in &mut self.former {
            *company = moved[*company as usize];
        }
    }
}

/// The offset of each row, from the row of each value in order.
fn row_offsets(rows: usize, row_of_values: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut offsets = vec![0u32; rows + 1];
    for row in row_of_values {
        offsets[row + 1] += 1;
    }
    for row in 0..rows {
        offsets[row + 1] += offsets[row];
    }
    offsets
}

/// The offset of each group of equal values, and the end.
fn group_offsets(sorted: &[u32]) -> Vec<u32> {
    let mut offsets: Vec<u32> = (0u32..)
        .zip(sorted)
        .filter(|(at, value)| *at == 0 || sorted[*at as usize - 1] != **value)
        .map(|(at, _)| at)
        .collect();
    offsets.push(u32::try_from(sorted.len()).unwrap_or(u32::MAX));
    offsets
}
