//! GST registrations: two per company, some of them of the company, most of small traders.

use std::sync::LazyLock;

use jiff::civil::Date;
use panji_ids::Gstin;

use crate::Synthetic;
use crate::company::{Company, pan};
use crate::names::{LegalForm, person_name, shop_name};
use crate::office::street_and_pincode;
use crate::places::{REGISTRARS, Registrar, Town};
use crate::random::{Purpose, Random, Weighted};
use crate::sectors::Sector;

/// Companies whose registrations are generated together; registrations that they do not need go to
/// traders.
pub(crate) const BLOCK: u64 = 16;
/// Registrations per company of the register.
pub(crate) const PER_COMPANY: u64 = 2;
/// The tax started on this day; earlier taxpayers were migrated.
const TAX_START: Date = Date::constant(2017, 7, 1);
/// Traders' PANs follow those of companies.
const FIRST_TRADER: u64 = crate::MAX_COMPANIES;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registration {
    pub gstin: String,
    pub legal_name: String,
    pub trade_name: String,
    pub status: &'static str,
    pub taxpayer_type: &'static str,
    pub constitution: &'static str,
    pub registered_on: Date,
    pub cancelled_on: Option<Date>,
    pub nature: &'static str,
    pub place: Place,
    pub more_places: Vec<Place>,
    pub e_invoice: bool,
    /// Whether its returns are generated.
    pub has_returns: bool,
}

/// A place of business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub street: String,
    pub town: &'static Town,
    pub state: &'static str,
    pub pincode: String,
}

const NATURES: &[&str] = &[
    "Retail Business",
    "Wholesale Business",
    "Supplier of Services",
    "Factory / Manufacturing",
    "Works Contract",
    "Office / Sale Office",
    "Warehouse / Depot",
    "Export",
    "Import",
];

impl Synthetic {
    /// The registrations of a block of companies. The last block may be smaller.
    pub(crate) fn registrations(&self, companies: &[Company]) -> Vec<Registration> {
        let Some(first) = companies.first() else { return Vec::new() };
        let room = companies.len() * PER_COMPANY as usize;
        let mut registrations = Vec::with_capacity(room);
        for company in companies {
            let mut random = Random::of(self.seed, Purpose::Gst, company.index);
            let states = states_of(&mut random, company);
            let free = room - registrations.len();
            for registrar in states.into_iter().take(free) {
                registrations.push(of_company(&mut random, company, registrar));
            }
        }
        let first_slot = first.index * PER_COMPANY;
        for slot in first_slot + registrations.len() as u64..first_slot + room as u64 {
            registrations.push(self.trader(slot));
        }
        registrations
    }

    fn trader(&self, slot: u64) -> Registration {
        let mut random = Random::of(self.seed, Purpose::GstDetails, slot);
        let registrar = anywhere(&mut random);
        let sector = Sector::draw(&mut random);
        let (holder, constitution) = match random.below(100) {
            0..80 => ('P', "Proprietorship"),
            80..93 => ('F', "Partnership"),
            93..96 => ('H', "Hindu Undivided Family"),
            96..98 => ('T', "Society/ Club/ Trust/ AOP"),
            _ => ('A', "Society/ Club/ Trust/ AOP"),
        };
        let trade_name = shop_name(&mut random, sector);
        let legal_name = match holder {
            'P' => person_name(&mut random),
            'H' => format!("{} HUF", person_name(&mut random)),
            _ => trade_name.clone(),
        };
        // The PAN of a person contains the first letter of the family name.
        let initial =
            legal_name.rsplit(' ').find_map(|word| word.chars().find(char::is_ascii_uppercase));
        let pan = pan(FIRST_TRADER + slot, holder, initial.unwrap_or('X'));
        let registered_on = crate::people::later(&mut random, TAX_START);
        let composition = random.per_mille(120);
        finish(
            &mut random,
            Basics {
                pan,
                legal_name,
                trade_name,
                constitution,
                registered_on,
                composition,
                ended: false,
            },
            registrar,
            None,
        )
    }
}

struct Basics {
    pan: String,
    legal_name: String,
    trade_name: String,
    constitution: &'static str,
    registered_on: Date,
    composition: bool,
    /// Whether the holder no longer exists.
    ended: bool,
}

fn of_company(
    random: &mut Random,
    company: &Company,
    registrar: &'static Registrar,
) -> Registration {
    let constitution = match company.form {
        LegalForm::Llp => "Limited Liability Partnership",
        LegalForm::Public | LegalForm::Nidhi => "Public Limited Company",
        LegalForm::Foreign => "Foreign Company",
        LegalForm::Charity => "Society/ Club/ Trust/ AOP",
        LegalForm::Unlimited => "Unlimited Company",
        _ => "Private Limited Company",
    };
    let trade_name = company.name.replace("PRIVATE LIMITED", "PVT LTD");
    let basics = Basics {
        pan: company.pan(),
        legal_name: company.name.clone(),
        trade_name,
        constitution,
        registered_on: crate::people::later(random, company.registered_on.max(TAX_START)),
        composition: false,
        ended: !company.is_active(),
    };
    finish(random, basics, registrar, Some(company))
}

fn finish(
    random: &mut Random,
    basics: Basics,
    registrar: &'static Registrar,
    company: Option<&Company>,
) -> Registration {
    let mut gstin = format!("{}{}1Z", registrar.gst_code, basics.pan);
    gstin.extend(Gstin::check_digit_for(&gstin));
    let cancelled = basics.ended || random.per_mille(180);
    let status = match (cancelled, random.below(10)) {
        (true, 0..3) => "Cancelled suo-moto",
        (true, _) => "Cancelled",
        (false, 0) if random.per_mille(200) => "Suspended",
        (false, _) => "Active",
    };
    let at_home = company.filter(|company| company.state == registrar.state);
    let place = match at_home {
        Some(company) => Place {
            street: company.address.clone(),
            town: company.town,
            state: company.state,
            pincode: company.pincode.clone(),
        },
        None => place_in(random, registrar),
    };
    let further = if random.per_mille(60) { 1 + random.early_index(4) } else { 0 };
    let more_places = (0..further).map(|_| place_in(random, registrar)).collect();
    Registration {
        gstin,
        legal_name: basics.legal_name,
        trade_name: basics.trade_name,
        status,
        taxpayer_type: if basics.composition { "Composition" } else { "Regular" },
        constitution: basics.constitution,
        registered_on: basics.registered_on,
        cancelled_on: cancelled.then(|| crate::people::later(random, basics.registered_on)),
        nature: NATURES[random.early_index(NATURES.len())],
        place,
        more_places,
        e_invoice: company.is_some() && random.per_mille(400),
        has_returns: !cancelled
            && basics.registered_on < Date::constant(2026, 4, 1)
            && random.per_mille(if company.is_some() { 30 } else { 12 }),
    }
}

fn place_in(random: &mut Random, registrar: &'static Registrar) -> Place {
    let town = &registrar.towns[random.early_index(registrar.towns.len())];
    let (street, pincode) = street_and_pincode(random, town);
    Place { street, town, state: registrar.state, pincode }
}

/// The states in which a company is registered, its own first; empty for most companies that no
/// longer exist.
fn states_of(random: &mut Random, company: &Company) -> Vec<&'static Registrar> {
    let count = match (company.is_active(), random.below(100)) {
        (true, 0..28) | (false, 0..82) => return Vec::new(),
        (true, 28..80) | (false, _) => 1,
        (true, 80..95) => random.between(2, 3),
        (true, _) => random.between(4, 12),
    };
    let mut states = vec![company.registrar];
    for _ in 1..count {
        let other = anywhere(random);
        if states.iter().all(|state| state.gst_code != other.gst_code) {
            states.push(other);
        }
    }
    states
}

/// A random registrar, by its weight.
fn anywhere(random: &mut Random) -> &'static Registrar {
    static BY_WEIGHT: LazyLock<Weighted<&Registrar>> = LazyLock::new(|| {
        Weighted::new(REGISTRARS.iter().map(|registrar| (registrar, registrar.weight)))
    });
    BY_WEIGHT.pick(random)
}
