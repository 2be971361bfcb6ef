//! Names of companies and people: invented, and repeated about as often as in the real register.

use std::sync::LazyLock;

use crate::chance::{Chance, Weighted};
use crate::coined::{coined, letters};
use crate::sectors::Sector;
use crate::words::{BRANDS, DEITIES, FIRST_NAMES, HONORIFICS, PLACES, SURNAMES};

/// The legal form of a company, which determines the last words of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegalForm {
    Private,
    Public,
    /// A company of one person.
    OnePerson,
    Llp,
    /// A company owned by producers.
    Producer,
    /// A mutual benefit society.
    Nidhi,
    /// A company not for profit, whose name has no legal words.
    Charity,
    Unlimited,
    Foreign,
}

/// The structure of a name before its legal words.
#[derive(Clone, Copy)]
enum Shape {
    /// `NAVITARA`
    Lone,
    /// `NAVITARA TEXTILES`
    Plain,
    /// `NAVITARA SILK TEXTILES`
    Qualified,
    /// `VARUN NAVITARA TEXTILES`
    Double,
    /// `VARUN NAVITARA SILK TEXTILES`
    DoubleQualified,
    /// `NAVITARA TEXTILES INDIA` or `(INDIA)`
    OfIndia,
    /// `NAVITARA TEXTILES (JAIPUR)`
    OfPlace,
    /// `A K TEXTILES`
    Initials,
    /// `NAVITARA TEXTILES AND EXPORTS`
    Joined,
    /// `NAVITARA SILK TEXTILES AND EXPORTS`
    QualifiedJoined,
    /// `VARUN NAVITARA TEXTILES AND EXPORTS`
    DoubleJoined,
    /// `SHREE LAKSHMI NAVITARA TEXTILES`
    Devout,
    /// `24 SEVEN TEXTILES`
    Numbered,
    /// `SHARMA AND SONS TEXTILES`
    Family,
    /// `JAIPUR SILK TEXTILES`
    Local,
}

static SHAPES: LazyLock<Weighted<Shape>> = LazyLock::new(|| {
    Weighted::new([
        (Shape::Lone, 32),
        (Shape::Plain, 350),
        (Shape::Qualified, 130),
        (Shape::Double, 115),
        (Shape::DoubleQualified, 55),
        (Shape::OfIndia, 55),
        (Shape::OfPlace, 8),
        (Shape::Initials, 18),
        (Shape::Joined, 75),
        (Shape::QualifiedJoined, 35),
        (Shape::DoubleJoined, 20),
        (Shape::Devout, 45),
        (Shape::Numbered, 9),
        (Shape::Family, 12),
        (Shape::Local, 25),
    ])
});

/// The name of a company of this trade; `house` is the word that the companies of its group share.
pub(crate) fn company_name(
    chance: &mut Chance,
    sector: &Sector,
    form: LegalForm,
    old: bool,
    house: Option<&str>,
) -> String {
    let mut name = match form {
        LegalForm::Charity => {
            format!("{} {} {}", distinctive(chance), coined(chance), chance.one_of(CAUSES))
        }
        LegalForm::Producer => {
            format!("{} {} {}", PLACES.pick(chance), coined(chance), chance.one_of(PRODUCERS))
        }
        LegalForm::Nidhi => format!("{} {}", distinctive(chance), coined(chance)),
        _ => core(chance, sector, house),
    };
    let legal = legal_words(chance, form, old);
    if !legal.is_empty() {
        name.push(' ');
        name.push_str(legal);
    }
    name
}

/// Causes of companies not for profit.
const CAUSES: &[&str] = &[
    "SEVA",
    "WELFARE",
    "EDUCATION",
    "CHARITABLE",
    "HEALTH",
    "SKILL DEVELOPMENT",
    "RURAL DEVELOPMENT",
    "CHILD CARE",
    "GRAMIN VIKAS",
    "SPORTS",
    "HERITAGE",
    "WOMEN EMPOWERMENT",
    "RESEARCH",
];
/// Goods of producer companies.
const PRODUCERS: &[&str] = &[
    "FARMERS",
    "AGRO FARMERS",
    "KISAN",
    "ORGANIC FARMERS",
    "KRISHI",
    "MILK",
    "COCONUT",
    "DAIRY FARMERS",
    "MAHILA KISAN",
    "SPICES",
    "HANDLOOM WEAVERS",
    "FISH FARMERS",
];

/// The name before its legal words.
fn core(chance: &mut Chance, sector: &Sector, house: Option<&str>) -> String {
    let shape = *SHAPES.pick(chance);
    let first = match house {
        Some(house) => house.to_owned(),
        None => distinctive(chance),
    };
    let activity = sector.activity(chance);
    let shape = if house.is_some() { shape_within_house(chance, shape) } else { shape };
    match shape {
        Shape::Lone => coined(chance),
        Shape::Plain if house.is_none() && is_common(&first) && chance.per_mille(930) => {
            format!("{first} {} {activity}", distinctive(chance))
        }
        Shape::Plain => format!("{first} {activity}"),
        Shape::Qualified => format!("{first} {} {activity}", sector.qualifier(chance)),
        Shape::Double => format!("{first} {} {activity}", distinctive(chance)),
        Shape::DoubleQualified => {
            format!("{first} {} {} {activity}", distinctive(chance), sector.qualifier(chance))
        }
        Shape::OfIndia => {
            let india = if chance.per_mille(300) { "(INDIA)" } else { "INDIA" };
            format!("{first} {activity} {india}")
        }
        Shape::OfPlace => format!("{first} {activity} ({})", PLACES.pick(chance)),
        Shape::Initials => format!("{} {activity}", initials(chance)),
        Shape::Joined => {
            format!("{first} {activity} {} {}", and(chance), other(chance, sector, activity))
        }
        Shape::QualifiedJoined => format!(
            "{first} {} {activity} {} {}",
            sector.qualifier(chance),
            and(chance),
            other(chance, sector, activity)
        ),
        Shape::DoubleJoined => format!(
            "{first} {} {activity} {} {}",
            distinctive(chance),
            and(chance),
            other(chance, sector, activity)
        ),
        Shape::Devout => devout(chance, activity),
        Shape::Numbered => numbered(chance, activity),
        Shape::Family => {
            let kin = ["SONS", "BROTHERS", "COMPANY", "DAUGHTERS", "BROS", "CO"];
            let kin = kin[chance.early_index(kin.len())];
            format!(
                "{} {} {} {kin} {activity}",
                FIRST_NAMES.pick(chance),
                SURNAMES.pick(chance),
                and(chance)
            )
        }
        Shape::Local => {
            format!(
                "{} {} {} {activity}",
                PLACES.pick(chance),
                coined(chance),
                sector.qualifier(chance)
            )
        }
    }
}

/// The name of a company of a group starts with the group's word.
fn shape_within_house(chance: &mut Chance, shape: Shape) -> Shape {
    match shape {
        Shape::Lone
        | Shape::Initials
        | Shape::Devout
        | Shape::Numbered
        | Shape::Family
        | Shape::Local => {
            if chance.per_mille(500) {
                Shape::Double
            } else {
                Shape::Qualified
            }
        }
        // Plain names are so common that a registrar would reject another one.
        Shape::Plain if chance.per_mille(600) => Shape::Double,
        other => other,
    }
}

fn devout(chance: &mut Chance, activity: &str) -> String {
    let (honorific, deity) = (HONORIFICS.pick(chance), DEITIES.pick(chance));
    match chance.below(10) {
        0 => format!("{honorific} {deity} {activity}"),
        1..=3 => format!("{honorific} {deity} {} {activity}", DEITIES.pick(chance)),
        4..=5 => format!("{honorific} {deity} {} {activity}", PLACES.pick(chance)),
        _ => format!("{honorific} {deity} {} {activity}", distinctive(chance)),
    }
}

fn numbered(chance: &mut Chance, activity: &str) -> String {
    match chance.below(3) {
        0 => format!("{} {} {activity}", chance.between(1, 999), distinctive(chance)),
        1 => format!("{}{} {activity}", coined(chance), chance.between(1, 365)),
        _ => format!("{} {} {activity}", coined(chance), chance.between(2, 2050)),
    }
}

/// A second trade, different from the first.
fn other(chance: &mut Chance, sector: &Sector, activity: &str) -> &'static str {
    let second = sector.activity(chance);
    if second == activity { "ALLIED SERVICES" } else { second }
}

fn and(chance: &mut Chance) -> &'static str {
    if chance.per_mille(180) { "&" } else { "AND" }
}

/// The distinctive word of a name.
fn distinctive(chance: &mut Chance) -> String {
    match chance.below(1_000) {
        0..570 => coined(chance),
        570..645 => FIRST_NAMES.pick(chance).to_owned(),
        645..710 => SURNAMES.pick(chance).to_owned(),
        710..740 => DEITIES.pick(chance).to_owned(),
        740..765 => PLACES.pick(chance).to_owned(),
        765..850 => BRANDS.pick(chance).to_owned(),
        850..950 => letters(chance, 3, 4),
        _ => format!("{}{}", letters(chance, 1, 2), coined(chance)),
    }
}

/// Whether many other names contain the word: it is in one of the lists, or a few letters.
fn is_common(word: &str) -> bool {
    use std::collections::HashSet;
    static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let lists = [&*FIRST_NAMES, &*SURNAMES, &*DEITIES, &*PLACES, &*BRANDS];
        lists.into_iter().flat_map(|words| words.all()).collect()
    });
    word.len() <= 3 || COMMON.contains(word)
}

/// `A K`, `A.K.` or `A K M`.
fn initials(chance: &mut Chance) -> String {
    let letters = letters(chance, 2, 3);
    let separated: Vec<String> = letters.chars().map(String::from).collect();
    let word = distinctive(chance);
    if chance.per_mille(400) {
        format!("{}. {word}", separated.join("."))
    } else {
        format!("{} {word}", separated.join(" "))
    }
}

fn legal_words(chance: &mut Chance, form: LegalForm, old: bool) -> &'static str {
    match form {
        LegalForm::Private if old && chance.per_mille(60) => {
            chance.one_of(&["PVT LTD", "PVT. LTD.", "PVT LTD.", "(P) LTD"])
        }
        LegalForm::Private => "PRIVATE LIMITED",
        LegalForm::Public if old && chance.per_mille(150) => chance.one_of(&["LTD", "LTD."]),
        LegalForm::Public => "LIMITED",
        LegalForm::OnePerson => "(OPC) PRIVATE LIMITED",
        LegalForm::Llp if chance.per_mille(15) => "LIMITED LIABILITY PARTNERSHIP",
        LegalForm::Llp => "LLP",
        LegalForm::Producer => "PRODUCER COMPANY LIMITED",
        LegalForm::Nidhi => "NIDHI LIMITED",
        LegalForm::Charity => chance.one_of(&[
            "FOUNDATION",
            "FOUNDATION",
            "FOUNDATION",
            "ASSOCIATION",
            "COUNCIL",
            "FEDERATION",
        ]),
        LegalForm::Unlimited => "",
        LegalForm::Foreign => chance.one_of(&[
            "INC",
            "GMBH",
            "PTE LTD",
            "LLC",
            "B.V.",
            "CO., LTD.",
            "LIMITED",
            "S.P.A.",
            "CORPORATION",
            "AG",
            "PTY LTD",
        ]),
    }
}

/// The first word of the names of a business group.
pub(crate) fn house_name(chance: &mut Chance) -> String {
    match chance.below(10) {
        0..=2 => SURNAMES.pick(chance).to_owned(),
        3 => letters(chance, 3, 3),
        4 => format!("{} {}", FIRST_NAMES.pick(chance), SURNAMES.pick(chance)),
        _ => coined(chance),
    }
}

/// The trade name of a shop, such as `SHREE SAI TRADERS`.
pub(crate) fn shop_name(chance: &mut Chance, sector: &Sector) -> String {
    core(chance, sector, None)
}

/// The name of a person.
pub(crate) fn person_name(chance: &mut Chance) -> String {
    let (first, last) = (FIRST_NAMES.pick(chance), SURNAMES.pick(chance));
    match chance.below(20) {
        // In the south the initial of the father's name comes first.
        0..=2 => format!("{} {first}", letters(chance, 1, 1)),
        3..=7 => format!("{first} {} {last}", FIRST_NAMES.pick(chance)),
        8..=9 => format!("{first} KUMAR {last}"),
        10 => format!("{first} {} {last}", letters(chance, 1, 1)),
        11 => first.to_owned(),
        _ => format!("{first} {last}"),
    }
}
