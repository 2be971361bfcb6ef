//! Names of companies and people: synthetic, and repeated about as often as in the real register.

use std::sync::LazyLock;

use crate::invented_words::{invented_word, letters};
use crate::random::{Random, Weighted};
use crate::sectors::Sector;
use crate::vocabulary::{BRANDS, DEITIES, FIRST_NAMES, HONORIFICS, PLACES, SURNAMES};

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
    Deity,
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
        (Shape::Deity, 45),
        (Shape::Numbered, 9),
        (Shape::Family, 12),
        (Shape::Local, 25),
    ])
});

/// The name of a company of this trade; `group` is the word that the companies of its group share.
pub(crate) fn company_name(
    random: &mut Random,
    sector: &Sector,
    form: LegalForm,
    old: bool,
    group: Option<&str>,
) -> String {
    let mut name = match form {
        LegalForm::Charity => {
            format!("{} {} {}", distinctive(random), invented_word(random), random.one_of(CAUSES))
        }
        LegalForm::Producer => {
            format!(
                "{} {} {}",
                PLACES.pick(random),
                invented_word(random),
                random.one_of(PRODUCERS)
            )
        }
        LegalForm::Nidhi => format!("{} {}", distinctive(random), invented_word(random)),
        _ => core(random, sector, group),
    };
    let legal = legal_words(random, form, old);
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
fn core(random: &mut Random, sector: &Sector, group: Option<&str>) -> String {
    let shape = *SHAPES.pick(random);
    let first = match group {
        Some(group) => group.to_owned(),
        None => distinctive(random),
    };
    let activity = sector.activity(random);
    let shape = if group.is_some() { shape_within_group(random, shape) } else { shape };
    match shape {
        Shape::Lone => invented_word(random),
        Shape::Plain if group.is_none() && is_common(&first) && random.per_mille(930) => {
            format!("{first} {} {activity}", distinctive(random))
        }
        Shape::Plain => format!("{first} {activity}"),
        Shape::Qualified => format!("{first} {} {activity}", sector.qualifier(random)),
        Shape::Double => format!("{first} {} {activity}", distinctive(random)),
        Shape::DoubleQualified => {
            format!("{first} {} {} {activity}", distinctive(random), sector.qualifier(random))
        }
        Shape::OfIndia => {
            let india = if random.per_mille(300) { "(INDIA)" } else { "INDIA" };
            format!("{first} {activity} {india}")
        }
        Shape::OfPlace => format!("{first} {activity} ({})", PLACES.pick(random)),
        Shape::Initials => format!("{} {activity}", initials(random)),
        Shape::Joined => {
            format!("{first} {activity} {} {}", and(random), other(random, sector, activity))
        }
        Shape::QualifiedJoined => format!(
            "{first} {} {activity} {} {}",
            sector.qualifier(random),
            and(random),
            other(random, sector, activity)
        ),
        Shape::DoubleJoined => format!(
            "{first} {} {activity} {} {}",
            distinctive(random),
            and(random),
            other(random, sector, activity)
        ),
        Shape::Deity => of_deity(random, activity),
        Shape::Numbered => numbered(random, activity),
        Shape::Family => {
            let kin = ["SONS", "BROTHERS", "COMPANY", "DAUGHTERS", "BROS", "CO"];
            let kin = kin[random.early_index(kin.len())];
            format!(
                "{} {} {} {kin} {activity}",
                FIRST_NAMES.pick(random),
                SURNAMES.pick(random),
                and(random)
            )
        }
        Shape::Local => {
            format!(
                "{} {} {} {activity}",
                PLACES.pick(random),
                invented_word(random),
                sector.qualifier(random)
            )
        }
    }
}

/// The name of a company of a group starts with the group's word.
fn shape_within_group(random: &mut Random, shape: Shape) -> Shape {
    match shape {
        Shape::Lone
        | Shape::Initials
        | Shape::Deity
        | Shape::Numbered
        | Shape::Family
        | Shape::Local => {
            if random.per_mille(500) {
                Shape::Double
            } else {
                Shape::Qualified
            }
        }
        // Plain names are so common that a registrar would reject another one.
        Shape::Plain if random.per_mille(600) => Shape::Double,
        other => other,
    }
}

fn of_deity(random: &mut Random, activity: &str) -> String {
    let (honorific, deity) = (HONORIFICS.pick(random), DEITIES.pick(random));
    match random.below(10) {
        0 => format!("{honorific} {deity} {activity}"),
        1..=3 => format!("{honorific} {deity} {} {activity}", DEITIES.pick(random)),
        4..=5 => format!("{honorific} {deity} {} {activity}", PLACES.pick(random)),
        _ => format!("{honorific} {deity} {} {activity}", distinctive(random)),
    }
}

fn numbered(random: &mut Random, activity: &str) -> String {
    match random.below(3) {
        0 => format!("{} {} {activity}", random.between(1, 999), distinctive(random)),
        1 => format!("{}{} {activity}", invented_word(random), random.between(1, 365)),
        _ => format!("{} {} {activity}", invented_word(random), random.between(2, 2050)),
    }
}

/// A second trade, different from the first.
fn other(random: &mut Random, sector: &Sector, activity: &str) -> &'static str {
    let second = sector.activity(random);
    if second == activity { "ALLIED SERVICES" } else { second }
}

fn and(random: &mut Random) -> &'static str {
    if random.per_mille(180) { "&" } else { "AND" }
}

/// The distinctive word of a name.
fn distinctive(random: &mut Random) -> String {
    match random.below(1_000) {
        0..570 => invented_word(random),
        570..645 => FIRST_NAMES.pick(random).to_owned(),
        645..710 => SURNAMES.pick(random).to_owned(),
        710..740 => DEITIES.pick(random).to_owned(),
        740..765 => PLACES.pick(random).to_owned(),
        765..850 => BRANDS.pick(random).to_owned(),
        850..950 => letters(random, 3, 4),
        _ => format!("{}{}", letters(random, 1, 2), invented_word(random)),
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
fn initials(random: &mut Random) -> String {
    let letters = letters(random, 2, 3);
    let separated: Vec<String> = letters.chars().map(String::from).collect();
    let word = distinctive(random);
    if random.per_mille(400) {
        format!("{}. {word}", separated.join("."))
    } else {
        format!("{} {word}", separated.join(" "))
    }
}

fn legal_words(random: &mut Random, form: LegalForm, old: bool) -> &'static str {
    match form {
        LegalForm::Private if old && random.per_mille(60) => {
            random.one_of(&["PVT LTD", "PVT. LTD.", "PVT LTD.", "(P) LTD"])
        }
        LegalForm::Private => "PRIVATE LIMITED",
        LegalForm::Public if old && random.per_mille(150) => random.one_of(&["LTD", "LTD."]),
        LegalForm::Public => "LIMITED",
        LegalForm::OnePerson => "(OPC) PRIVATE LIMITED",
        LegalForm::Llp if random.per_mille(15) => "LIMITED LIABILITY PARTNERSHIP",
        LegalForm::Llp => "LLP",
        LegalForm::Producer => "PRODUCER COMPANY LIMITED",
        LegalForm::Nidhi => "NIDHI LIMITED",
        LegalForm::Charity => random.one_of(&[
            "FOUNDATION",
            "FOUNDATION",
            "FOUNDATION",
            "ASSOCIATION",
            "COUNCIL",
            "FEDERATION",
        ]),
        LegalForm::Unlimited => "",
        LegalForm::Foreign => random.one_of(&[
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
pub(crate) fn group_name(random: &mut Random) -> String {
    match random.below(10) {
        0..=2 => SURNAMES.pick(random).to_owned(),
        3 => letters(random, 3, 3),
        4 => format!("{} {}", FIRST_NAMES.pick(random), SURNAMES.pick(random)),
        _ => invented_word(random),
    }
}

/// The trade name of a shop, such as `SHREE SAI TRADERS`.
pub(crate) fn shop_name(random: &mut Random, sector: &Sector) -> String {
    core(random, sector, None)
}

/// The name of a person.
pub(crate) fn person_name(random: &mut Random) -> String {
    let (first, last) = (FIRST_NAMES.pick(random), SURNAMES.pick(random));
    match random.below(20) {
        // In the south the initial of the father's name comes first.
        0..=2 => format!("{} {first}", letters(random, 1, 1)),
        3..=7 => format!("{first} {} {last}", FIRST_NAMES.pick(random)),
        8..=9 => format!("{first} KUMAR {last}"),
        10 => format!("{first} {} {last}", letters(random, 1, 1)),
        11 => first.to_owned(),
        _ => format!("{first} {last}"),
    }
}
