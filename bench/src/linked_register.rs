//! A synthetic register on disk in which companies are linked, hubs included: most people have one or two
//! appointments, and some companies share offices and email domains.

use std::path::Path;

use panji_store::engine::Workload;
use panji_store::{Engine, Register};
use rusqlite::OpenFlags;

/// Two companies in this many have a second appointment: five million appointments for three million
/// companies.
const THIRDS: u64 = 3;
/// One company in this many is at the office of a provider, and has the domain of an accountant.
const IN_HUB: u64 = 50;
/// The providers and accountants, and the people with many appointments.
pub const HUBS: u64 = 40;
/// One appointment in this many is that of a person with many appointments.
const HUB_APPOINTMENT: u64 = 200;

/// A sequence that is the same every time (SplitMix64).
pub struct Sequence(pub u64);

impl Sequence {
    fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next_number() % limit.max(1)
    }
}

pub fn cin(number: u64) -> String {
    format!("U{:05}MH2001PTC{:06}", number / 1_000_000, number % 1_000_000)
}

/// The number of a person with many appointments, or of another one.
pub fn din(person: u64) -> String {
    format!("{person:08}")
}

/// Writes the register, without the change feed and the index by person, which a build does not read.
pub async fn fill(path: &Path, companies: u64) -> anyhow::Result<u64> {
    drop(Register::open(Engine::open_sqlite(path, Workload::Register)?, 0).await?);
    // As the program writes it: with a checksum in every page.
    let mut connection = panji_checksum_vfs::open(path, OpenFlags::default())?;
    connection.execute_batch("pragma synchronous = off; drop index appointments_by_din")?;
    let write = connection.transaction()?;
    let mut sequence = Sequence(1);
    let mut appointments = 0;
    {
        let mut company = write.prepare(
            "insert into companies (cin, name, kind, status, address, city, pincode, email, former_names, \
             former_cins, source) values (?1, 'Namuna Limited', 'company', 'active', ?2, 'Mumbai', \
             '400013', ?3, '[]', '[]', 'namuna')",
        )?;
        let mut appointment = write.prepare(
            "insert or ignore into appointments (cin, din, appointed_on, name, designation, source) \
             values (?1, ?2, '2020-01-01', 'Namuna', 'director', 'namuna')",
        )?;
        for number in 0..companies {
            let cin = cin(number);
            let (address, email) = office_and_email(&mut sequence, companies);
            company.execute((&cin, address, email))?;
            for _ in 0..1 + u64::from(sequence.below(THIRDS) > 0) {
                let person = match sequence.below(HUB_APPOINTMENT) {
                    0 => sequence.below(HUBS),
                    _ => HUBS + sequence.below(companies * 6 / 5),
                };
                appointments += appointment.execute((&cin, din(person)))? as u64;
            }
        }
    }
    write.commit()?;
    Ok(appointments)
}

fn office_and_email(sequence: &mut Sequence, companies: u64) -> (String, String) {
    let in_hub = sequence.below(IN_HUB) == 0;
    let hub = sequence.below(HUBS);
    let (house, road) = match in_hub {
        true => (hub, companies + hub),
        // A third shares its office with another one.
        false => (sequence.below(300), sequence.below(companies.div_ceil(200))),
    };
    let domain = match in_hub {
        true => format!("accountant{hub}.example"),
        false => format!("d{}.example", sequence.below(companies)),
    };
    let address = format!("Shop No. {house}, Ground Floor, Road {road}, Kalpana Nagar");
    (address, format!("cs@{domain}"))
}
