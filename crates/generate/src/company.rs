//! A company of the register, computed from the seed and its index.

use std::sync::LazyLock;

use jiff::civil::Date;

use crate::Synthetic;
use crate::layout::{Kind, Placement};
use crate::names::{LegalForm, company_name, group_name};
use crate::places::{REGISTRARS, Registrar, Town};
use crate::random::{Purpose, Random, Weighted};
use crate::sectors::Sector;

/// Companies per business group.
const COMPANIES_PER_GROUP: u64 = 48;
/// How many of a thousand companies belong to a group that another company founded.
const GROUP_MEMBERS: u64 = 60;

/// An industry code that no current number has.
const TRADE_BEFORE_MOVING: &str = "74920";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerName {
    pub name: String,
    /// The last day of the name.
    pub until: Date,
}

/// A company, an LLP or a foreign company. Nothing about it is real.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Company {
    /// The index in the register.
    pub index: u64,
    /// The CIN, LLPIN or FCRN.
    pub cin: String,
    pub name: String,
    pub form: LegalForm,
    /// The status in the words of the company master.
    pub status: &'static str,
    pub registered_on: Date,
    /// Whether its shares are listed.
    pub listed: bool,
    pub state: &'static str,
    /// Former names, newest first.
    pub former_names: Vec<FormerName>,
    /// A former CIN.
    pub former_cin: Option<String>,
    /// In rupees.
    pub authorised: u64,
    /// In rupees.
    pub paid_up: u64,
    pub(crate) kind: Kind,
    pub(crate) class_code: &'static str,
    pub(crate) nic: &'static str,
    pub(crate) industry: &'static str,
    pub(crate) registrar: &'static Registrar,
    pub(crate) town: &'static Town,
    pub(crate) address: String,
    pub(crate) pincode: String,
    /// The index of the company that founded its group, if it belongs to one.
    pub(crate) founder: Option<u64>,
}

impl Company {
    /// Whether it is still in business.
    pub fn is_active(&self) -> bool {
        self.status == "Active"
    }

    /// The city of its registered office.
    pub fn city(&self) -> &'static str {
        self.town.0
    }

    /// The address of its registered office.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The PIN code of its registered office.
    pub fn pincode(&self) -> &str {
        &self.pincode
    }

    /// The company's PAN. Real PANs are issued from A upwards; these count down from Z.
    pub fn pan(&self) -> String {
        let holder = if self.kind == Kind::Llp { 'F' } else { 'C' };
        let initial = self.name.chars().find(char::is_ascii_uppercase).unwrap_or('X');
        pan(self.index, holder, initial)
    }
}

/// A PAN that is unique among holders of the same kind.
pub(crate) fn pan(index: u64, holder: char, initial: char) -> String {
    const DIGITS: u64 = 9_999;
    let triple = 26 * 26 * 26 - 1 - index / DIGITS;
    // Neighbors get different digits; the factor is coprime to their number.
    let digits = index % DIGITS * 4_567 % DIGITS + 1;
    let letter = |number: u64| char::from(b'A' + (number % 26) as u8);
    let check = letter(index * 7 + triple);
    format!(
        "{}{}{}{holder}{initial}{digits:04}{check}",
        letter(triple / 676),
        letter(triple / 26),
        letter(triple)
    )
}

impl Synthetic {
    /// The company at an index.
    pub fn company(&self, index: u64) -> Company {
        let placement = self.layout.placement(index);
        let mut random = Random::of(self.seed, Purpose::Company, index);
        let registrar = &REGISTRARS[placement.registrar];
        let form = legal_form(&mut random, &placement);
        let sector = Sector::draw(&mut random);
        let founder = group_founder(&mut random, index, form);
        let registered_on = day_of(&placement);
        let old = placement.year < 2006;
        let listed = form == LegalForm::Public && placement.year < 2024 && random.per_mille(65);
        let class_code = class_code(&mut random, form);
        let codes = if placement.year >= 2022 { sector.newer_codes } else { sector.older_codes };
        let nic = codes[random.early_index(codes.len())];
        let cin = identifier(&placement, registrar, listed, nic, class_code);
        let status = status(&mut random, &placement, form);
        let (authorised, paid_up) = capital(&mut random, form, listed);
        let town = &registrar.towns[random.early_index(registrar.towns.len())];
        let (address, pincode) = self.office(index, town);
        let mut company = Company {
            index,
            cin,
            name: self.name_of(index, sector, form, old, founder, Purpose::Name),
            form,
            status,
            registered_on,
            listed,
            state: registrar.state,
            former_names: Vec::new(),
            former_cin: None,
            authorised,
            paid_up,
            kind: placement.kind,
            class_code,
            nic,
            industry: sector.industry,
            registrar,
            town,
            address,
            pincode,
            founder,
        };
        self.add_history(&mut random, &mut company, &placement, sector);
        company
    }

    /// The name at an index; the former name uses another purpose.
    fn name_of(
        &self,
        index: u64,
        sector: &Sector,
        form: LegalForm,
        old: bool,
        founder: Option<u64>,
        purpose: Purpose,
    ) -> String {
        let group = founder.map(|founder| self.group(founder));
        let mut random = Random::of(self.seed, purpose, index);
        company_name(&mut random, sector, form, old, group.as_deref())
    }

    /// The word that the companies of a group share.
    fn group(&self, founder: u64) -> String {
        group_name(&mut Random::of(self.seed, Purpose::Group, founder))
    }

    fn add_history(
        &self,
        random: &mut Random,
        company: &mut Company,
        placement: &Placement,
        sector: &Sector,
    ) {
        if company.kind == Kind::Foreign || placement.year > 2024 {
            return;
        }
        let age = (2026 - placement.year) as u64;
        let until = |random: &mut Random| {
            let year = placement.year + 1 + random.below(age - 1) as i16;
            Date::constant(year, random.between(1, 12) as i8, random.between(1, 28) as i8)
        };
        if random.per_mille(70) {
            let old = placement.year < 2006;
            // A company changes its name with a new trade or a new owner.
            let sector = if random.per_mille(500) { sector } else { Sector::draw(random) };
            let name =
                self.name_of(company.index, sector, company.form, old, None, Purpose::FormerName);
            company.former_names.push(FormerName { name, until: until(random) });
        }
        if company.form == LegalForm::Public && random.per_mille(300) {
            // Formerly private: the legal words changed when it became public.
            let plain = company.name.trim_end_matches(" LTD.").trim_end_matches(" LTD");
            let plain = plain.trim_end_matches(" LIMITED");
            let name = format!("{plain} PRIVATE LIMITED");
            company.former_names.push(FormerName { name, until: until(random) });
            company.former_names.sort_by_key(|former| std::cmp::Reverse(former.until));
            let private = company.cin.replace("PLC", "PTC");
            let unlisted = private.replacen('L', "U", usize::from(company.listed));
            company.former_cin = Some(unlisted).filter(|former| *former != company.cin);
        } else if company.kind == Kind::Company && random.per_mille(15) {
            // The office moved from the state of another registrar, with an industry code that none
            // has now: so no two companies have had the same number.
            let from = REGISTRARS[(placement.registrar + 2) % REGISTRARS.len()].older_code;
            let moved = format!("U{TRADE_BEFORE_MOVING}{from}{}", &company.cin[8..]);
            company.former_cin = Some(moved);
        }
    }

    /// The street and the PIN code.
    fn office(&self, index: u64, town: &Town) -> (String, String) {
        crate::office::street_and_pincode(&mut Random::of(self.seed, Purpose::Office, index), town)
    }
}

/// The index of the company that founded the group of this one. The groups founded first have many
/// more members.
fn group_founder(random: &mut Random, index: u64, form: LegalForm) -> Option<u64> {
    if matches!(form, LegalForm::Foreign | LegalForm::OnePerson | LegalForm::Charity) {
        return None;
    }
    if index.is_multiple_of(COMPANIES_PER_GROUP) {
        return Some(index);
    }
    let groups = (index / COMPANIES_PER_GROUP + 1) as usize;
    let early = random.per_mille(300);
    let group = if early { random.early_index(groups) } else { random.index(groups) } as u64;
    random.per_mille(GROUP_MEMBERS).then_some(group * COMPANIES_PER_GROUP)
}

fn legal_form(random: &mut Random, placement: &Placement) -> LegalForm {
    match placement.kind {
        Kind::Llp => return LegalForm::Llp,
        Kind::Foreign => return LegalForm::Foreign,
        Kind::Company => {}
    }
    let since_2013 = placement.year >= 2013;
    match random.below(1_000) {
        0..45 => LegalForm::Public,
        45..48 if since_2013 => LegalForm::Nidhi,
        48..56 if since_2013 => LegalForm::Producer,
        56..68 => LegalForm::Charity,
        68..70 => LegalForm::Unlimited,
        70..125 if since_2013 => LegalForm::OnePerson,
        _ => LegalForm::Private,
    }
}

fn class_code(random: &mut Random, form: LegalForm) -> &'static str {
    match form {
        LegalForm::Public => match random.below(1_000) {
            0..15 => "GOI",
            15..50 => "SGC",
            50..55 => "FLC",
            _ => "PLC",
        },
        LegalForm::Nidhi => "PLC",
        LegalForm::OnePerson => "OPC",
        LegalForm::Charity => {
            if random.per_mille(60) {
                "GAP"
            } else {
                "NPL"
            }
        }
        LegalForm::Unlimited => {
            if random.per_mille(250) {
                "ULL"
            } else {
                "ULT"
            }
        }
        LegalForm::Private if random.per_mille(7) => "FTC",
        _ => "PTC",
    }
}

fn identifier(
    placement: &Placement,
    registrar: &Registrar,
    listed: bool,
    nic: &str,
    class_code: &str,
) -> String {
    match placement.kind {
        Kind::Company => {
            let listing = if listed { 'L' } else { 'U' };
            let state =
                if placement.year >= 2023 { registrar.newer_code } else { registrar.older_code };
            format!(
                "{listing}{nic}{state}{}{class_code}{:06}",
                placement.year,
                placement.number + 1
            )
        }
        // Real LLPINs have reached ACT; these start with M or N.
        Kind::Llp => {
            let triple = 26 * 26 * 12 + placement.number / 10_000;
            let letter = |number: u64| char::from(b'A' + (number % 26) as u8);
            let letters = [letter(triple / 676), letter(triple / 26), letter(triple)];
            format!("{}{}{}-{:04}", letters[0], letters[1], letters[2], placement.number % 10_000)
        }
        // Real FCRNs have not reached F10000.
        Kind::Foreign => format!("F{:05}", 60_000 + placement.number),
    }
}

fn day_of(placement: &Placement) -> Date {
    // The last year ends on the date of the register.
    let days = if placement.year == 2026 { 181 } else { 365 };
    let into = (placement.into_year * days / 1_000_000) as i16;
    Date::constant(placement.year, 1, 1).saturating_add(jiff::Span::new().days(into))
}

static OLD_STATUS: LazyLock<Weighted<&str>> = LazyLock::new(|| {
    Weighted::new([
        ("Active", 560),
        ("Strike Off", 370),
        ("Under process of striking off", 18),
        ("Amalgamated", 20),
        ("Converted to LLP", 12),
        ("Under Liquidation", 5),
        ("Dissolved (Liquidated)", 5),
        ("Inactive for e-filing", 3),
        ("Dormant under section 455", 2),
        ("Under CIRP", 2),
        ("Dissolved under section 59(8)", 1),
        ("Strike Off-AwaitingPublication", 1),
        ("Dissolved under section 54", 1),
    ])
});

fn status(random: &mut Random, placement: &Placement, form: LegalForm) -> &'static str {
    let young = placement.year >= 2022;
    if young && random.per_mille(940) || form == LegalForm::Foreign && random.per_mille(700) {
        return "Active";
    }
    match *OLD_STATUS.pick(random) {
        "Converted to LLP" if form == LegalForm::Llp => "Strike Off",
        status => status,
    }
}

/// Authorised and paid-up capital in rupees.
fn capital(random: &mut Random, form: LegalForm, listed: bool) -> (u64, u64) {
    const LAKH: u64 = 100_000;
    const USUAL: [u64; 14] = [1, 1, 1, 10, 1, 5, 15, 2, 25, 10, 50, 3, 100, 20];
    if form == LegalForm::Charity && random.per_mille(500) || form == LegalForm::Foreign {
        return (0, 0);
    }
    let large = listed || form == LegalForm::Public && random.per_mille(600);
    let authorised = if large {
        LAKH * 100 * (1 + random.early_index(500) as u64)
    } else if random.per_mille(60) {
        LAKH * 50 * (1 + random.early_index(60) as u64)
    } else {
        LAKH * USUAL[random.early_index(USUAL.len())]
    };
    let paid_up = match random.below(100) {
        0..50 => authorised.min(LAKH),
        50..59 if !listed => 0,
        59..66 if !listed => 10_000,
        66..84 => authorised,
        _ => authorised / 100 * random.between(2, 99),
    };
    (authorised, paid_up)
}
