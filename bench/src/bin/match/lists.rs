//! Makes lists as suppliers, banks and courts have them, with the defects of such lists. Shares no
//! code with the matching.

use panji_bench::companies::Company;
use panji_bench::golden::perturb;
use panji_bench::golden::random::Random;
use panji_search::MatchItem;

use super::register::{SplitRegister, year_of};

/// One in this many items has the state of a branch, not of the registered office.
const OTHER_STATE: usize = 50;
/// The states of branches.
const BRANCH_STATES: [&str; 4] = ["Delhi", "Maharashtra", "Karnataka", "Gujarat"];

/// An item of a list, with the number of the company meant; none if no company of the register is.
pub struct Listing {
    pub name: String,
    pub state: Option<String>,
    pub city: Option<String>,
    pub pincode: Option<String>,
    pub year: Option<u16>,
    pub cin: Option<String>,
}

impl Listing {
    pub fn item(&self) -> MatchItem<'_> {
        MatchItem {
            name: &self.name,
            state: self.state.as_deref(),
            city: self.city.as_deref(),
            pincode: self.pincode.as_deref(),
            incorporated_year: self.year,
            ..MatchItem::default()
        }
    }
}

/// Which other fields a list has.
#[derive(Clone, Copy, PartialEq)]
pub enum Columns {
    Name,
    NameAndState,
    /// Each of state, city, PIN code and year at random.
    Some,
}

/// Which companies a list has.
#[derive(Clone, Copy, PartialEq)]
pub enum Of {
    Present,
    /// Present ones by a former name.
    Former,
    /// Companies that are not in the register: a quarter as many.
    Absent,
}

/// A kind of list.
pub struct Plan {
    pub title: &'static str,
    pub of: Of,
    pub defects: usize,
    pub columns: Columns,
}

const fn plan(title: &'static str, of: Of, defects: usize, columns: Columns) -> Plan {
    Plan { title, of, defects, columns }
}

pub const PLANS: [Plan; 13] = [
    plan("name and state, one defect", Of::Present, 1, Columns::NameAndState),
    plan("name and state, three defects", Of::Present, 3, Columns::NameAndState),
    plan("name, one defect", Of::Present, 1, Columns::Name),
    plan("name, three defects", Of::Present, 3, Columns::Name),
    plan("name and some other fields, two defects", Of::Present, 2, Columns::Some),
    plan("former name, one defect", Of::Former, 1, Columns::Name),
    plan("former name and state, one defect", Of::Former, 1, Columns::NameAndState),
    plan("absent, name and state, one defect", Of::Absent, 1, Columns::NameAndState),
    plan("absent, name and state, three defects", Of::Absent, 3, Columns::NameAndState),
    plan("absent, name, one defect", Of::Absent, 1, Columns::Name),
    plan("absent, name, three defects", Of::Absent, 3, Columns::Name),
    plan("absent, name, no defect", Of::Absent, 0, Columns::Name),
    plan("absent, name and some other fields", Of::Absent, 2, Columns::Some),
];

/// A list of one half of the companies: those at an even position, or those at an odd one.
pub fn list(
    register: &SplitRegister,
    plan: &Plan,
    half: usize,
    items: usize,
    random: &mut Random,
) -> Vec<Listing> {
    let items = match plan.of {
        Of::Present => items,
        Of::Former | Of::Absent => items / 4,
    };
    let of: Vec<&Company> = match plan.of {
        Of::Present => register.present.iter().collect(),
        Of::Former => {
            register.present.iter().filter(|one| register.former_name(one).is_some()).collect()
        }
        Of::Absent => register.absent.iter().collect(),
    };
    let step = (of.len() / 2 / items.max(1)).max(1);
    of.into_iter()
        .skip(half)
        .step_by(2)
        .step_by(step)
        .take(items)
        .map(|company| listing(company, plan, random))
        .collect()
}

fn listing(company: &Company, plan: &Plan, random: &mut Random) -> Listing {
    let mut given = |percent: usize| match plan.columns {
        Columns::Name => false,
        Columns::NameAndState => percent == STATE,
        Columns::Some => random.below(100) < percent,
    };
    let (state, city, pincode, year) = (given(STATE), given(25), given(20), given(10));
    let elsewhere = state && random.below(OTHER_STATE) == 0;
    let mut named = company.clone();
    if let (Of::Former, Some(former)) = (plan.of, company.former_names.first()) {
        named.name.clone_from(former);
    }
    Listing {
        name: add_defects(&named, plan.defects, random),
        state: state.then(|| match elsewhere {
            true => (*random.pick(&BRANCH_STATES)).to_owned(),
            false => company.state.clone(),
        }),
        city: company.city.clone().filter(|_| city && !elsewhere),
        pincode: company.pincode.clone().filter(|_| pincode && !elsewhere),
        year: year_of(company).filter(|_| year),
        cin: (plan.of != Of::Absent).then(|| company.cin.clone()),
    }
}

/// How many of a hundred items have a state, if the list has several columns.
const STATE: usize = 50;

type Defect = fn(&str, &Company, &mut Random) -> Option<String>;

/// The defects in the order in which they happen to a name.
const DEFECTS: [Defect; 18] = [
    |name, _, random| spelling(name, random),
    |name, _, random| with_form(name, random, perturb::typo),
    |name, _, random| with_form(name, random, perturb::abbreviation),
    |name, _, random| with_form(name, random, perturb::initials),
    |name, _, _| ampersand(name),
    |name, _, _| india(name),
    |name, _, random| perturb::suffix(name, random),
    |name, _, random| short_form(name, random),
    |name, _, _| Some(perturb::core(name)),
    |name, company, random| city(name, company, random),
    |name, _, random| Some(format!("{name}{:05}", random.below(100_000))),
    |name, _, random| Some(format!("{}{name}", random.pick(&["M/S", "M/S ", "M/S. ", "MESSRS "]))),
    |name, _, _| Some(format!("THE {name}")),
    |name, _, random| space_inside(name, random),
    |name, _, _| care_of(name),
    |name, _, _| Some(name.replace(' ', "")),
    |name, _, _| truncated(name, 35),
    |name, _, _| truncated(name, 30),
];

/// A company's name with this many different defects.
fn add_defects(company: &Company, defects: usize, random: &mut Random) -> String {
    let upper = company.name.to_uppercase();
    let mut chosen: Vec<usize> = Vec::new();
    let mut name = upper.clone();
    for _ in 0..100 {
        if chosen.len() >= defects {
            break;
        }
        let at = random.below(DEFECTS.len());
        if chosen.contains(&at) {
            continue;
        }
        let mut order = chosen.clone();
        order.push(at);
        order.sort_unstable();
        let spoilt = order.iter().try_fold(upper.clone(), |name, at| {
            let after = DEFECTS[*at](&name, company, random)?;
            (after != name && after.len() > 3).then_some(after)
        });
        if let Some(spoilt) = spoilt {
            (chosen, name) = (order, spoilt);
        }
    }
    name
}

/// A change of the words before the legal form.
fn with_form(
    name: &str,
    random: &mut Random,
    change: fn(&str, &mut Random) -> Option<String>,
) -> Option<String> {
    let core = perturb::core(name);
    let form = name.get(core.len()..).filter(|_| name.starts_with(&core))?;
    Some(format!("{}{form}", change(&core, random)?))
}

fn spelling(name: &str, random: &mut Random) -> Option<String> {
    with_form(name, random, perturb::spelling)
}

fn ampersand(name: &str) -> Option<String> {
    match name.contains(" AND ") {
        true => Some(name.replace(" AND ", " & ")),
        false => name.contains('&').then(|| name.replace('&', "AND")),
    }
}

fn india(name: &str) -> Option<String> {
    if name.contains("(INDIA)") {
        return Some(name.replace("(INDIA)", "(I)"));
    }
    name.contains(" INDIA ").then(|| name.replace(" INDIA ", " (I) "))
}

/// The legal form as bank statements have it.
fn short_form(name: &str, random: &mut Random) -> Option<String> {
    let core = name.strip_suffix("PRIVATE LIMITED")?.trim_end();
    let forms = ["P LTD", "PVT LT", "PVT", "(P) LTD", "PL", "PVT LTD", "P. LTD."];
    let form = *random.pick(&forms);
    let space = if form == "PL" { "" } else { " " };
    Some(format!("{core}{space}{form}"))
}

fn city(name: &str, company: &Company, random: &mut Random) -> Option<String> {
    let city = company.city.as_deref()?.to_uppercase();
    Some(match random.below(3) {
        0 => format!("{name} {city}"),
        1 => format!("{name}, {city}"),
        _ => format!("{name} {city} BRANCH"),
    })
}

fn space_inside(name: &str, random: &mut Random) -> Option<String> {
    let letters: Vec<char> = name.chars().collect();
    let inside: Vec<usize> = (2..letters.len().saturating_sub(2))
        .filter(|at| letters[at - 2..at + 2].iter().all(|letter| letter.is_alphabetic()))
        .collect();
    if inside.is_empty() {
        return None;
    }
    let mut letters = letters;
    letters.insert(*random.pick(&inside), ' ');
    Some(letters.into_iter().collect())
}

fn care_of(name: &str) -> Option<String> {
    Some(format!("{name} C/O ACCOUNTS DEPT"))
}

fn truncated(name: &str, characters: usize) -> Option<String> {
    (name.chars().count() > characters + 1)
        .then(|| name.chars().take(characters).collect::<String>().trim_end().to_owned())
}
