//! Compares an item with a company: features for the model, and evidence for the reader. What is
//! missing on one side is unknown, not different.

use std::collections::HashSet;

use panji_ids::{cin_state, state_code_by_name};

use crate::analyze::split;
use crate::matching::model::{Features, Model};
use crate::matching::name_fit::{Forms, MAX_MISTAKE_SHARE, NameFit, Numbers};
use crate::matching::{CompanyDetails, MatchItem};
use crate::places;
use crate::request::Found;

/// The digits of a PIN code that name its sorting district.
const DISTRICT: usize = 3;
/// The fewest letters of a word of an address that is compared.
const MIN_ADDRESS_WORD: usize = 4;
/// The share of common words from which two addresses agree, and below which they differ.
const SAME_ADDRESS: f64 = 0.5;
const OTHER_ADDRESS: f64 = 0.15;
/// The largest sum of weights that counts.
const MAX_WEIGHT_SUM: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    Differs,
    Unknown,
}

impl Verdict {
    pub const ALL: [Verdict; 3] = [Verdict::Agrees, Verdict::Differs, Verdict::Unknown];

    /// The word in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::Unknown => "unknown",
        }
    }

    fn of(agrees: bool) -> Verdict {
        if agrees { Verdict::Agrees } else { Verdict::Differs }
    }
}

/// What one field shows about a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub field: &'static str,
    pub verdict: Verdict,
    /// One sentence.
    pub detail: String,
    /// Its part of the score, in logits: positive for the candidate, negative against it.
    pub weight: f64,
}

/// Collects features and evidence; the weight of an evidence is that of the features added with it.
struct Collector<'a> {
    model: &'a Model,
    features: Features,
    evidence: Vec<Evidence>,
}

impl Collector<'_> {
    fn add(
        &mut self,
        field: &'static str,
        verdict: Verdict,
        detail: String,
        values: &[(&'static str, f64)],
    ) {
        let mut weight = 0.0;
        for (feature, value) in values {
            self.features.set(feature, *value);
            weight += self.model.weight(feature) * value;
        }
        let weight = (weight * 100.0).round() / 100.0;
        self.evidence.push(Evidence { field, verdict, detail, weight });
    }
}

/// The features and the evidence of a company, whose best name fits by `fit`.
pub fn compare(
    item: &MatchItem<'_>,
    company: &Found,
    former: bool,
    fit: &NameFit,
    details: &CompanyDetails,
    model: &Model,
) -> (Features, Vec<Evidence>) {
    let mut collector = Collector { model, features: Features::default(), evidence: Vec::new() };
    add_name(&mut collector, company, former, fit);
    add_form(&mut collector, fit.forms);
    add_numbers(&mut collector, fit.numbers);
    if let Some(state) = item.state {
        add_state(&mut collector, state, company.state.as_deref());
    }
    if let Some(city) = item.city {
        add_city(&mut collector, city, company, details);
    }
    if let Some(pincode) = item.pincode {
        add_pincode(&mut collector, pincode, company.pincode.as_deref());
    }
    if let Some(address) = item.address {
        add_address(&mut collector, address, company, details);
    }
    if let Some(year) = item.incorporated_year {
        add_year(&mut collector, year, company.incorporated_on.as_deref());
    }
    if let Some(director) = item.director {
        add_director(&mut collector, director, details);
    }
    (collector.features, collector.evidence)
}

fn add_name(collector: &mut Collector<'_>, company: &Found, former: bool, fit: &NameFit) {
    let heaviest = |part: &Option<(f64, String)>| part.as_ref().map_or(0.0, |(weight, _)| *weight);
    let flag = |is: bool| f64::from(u8::from(is));
    let values = [
        ("equal", flag(fit.equal)),
        ("of_query", fit.of_query),
        ("of_name", fit.of_name),
        ("query_missing", heaviest(&fit.query_missing)),
        ("name_missing", heaviest(&fit.name_missing)),
        ("misspelled", fit.misspelled.as_ref().map_or(0.0, |(weight, ..)| *weight)),
        ("out_of_order", flag(fit.out_of_order)),
        ("mistakes", fit.mistakes / MAX_MISTAKE_SHARE),
        ("continued", flag(fit.continued)),
        ("mass", fit.mass.min(MAX_WEIGHT_SUM) / MAX_WEIGHT_SUM),
    ];
    let missing = fit.query_missing.is_some() || fit.name_missing.is_some();
    let verdict = Verdict::of(fit.equal || !missing);
    collector.add("name", verdict, name_detail(fit), &values);
    if former {
        let name = company.matched_name.as_deref().unwrap_or_default();
        let detail = format!("The name is a former name of the company: {name}.");
        collector.add("former_name", Verdict::Agrees, detail, &[("former_name", 1.0)]);
    }
}

fn name_detail(fit: &NameFit) -> String {
    if fit.equal {
        return "The names are equal.".to_owned();
    }
    let mut parts = Vec::new();
    if let Some((_, word)) = &fit.query_missing {
        parts.push(format!("the register's name does not have {word:?}"));
    }
    if let Some((_, word)) = &fit.name_missing {
        parts.push(format!("the text does not have {word:?}"));
    }
    if let Some((_, typed, registered)) = &fit.misspelled {
        parts.push(format!("{typed:?} stands for {registered:?}"));
    }
    if fit.continued {
        parts.push("the text is truncated: the name continues".to_owned());
    }
    if fit.out_of_order {
        parts.push("the words are in another order".to_owned());
    }
    match parts.is_empty() {
        true => "The words agree.".to_owned(),
        false => {
            let mut text = parts.join("; ");
            text[..1].make_ascii_uppercase();
            format!("{text}.")
        }
    }
}

fn add_form(collector: &mut Collector<'_>, forms: Forms) {
    let (verdict, detail, feature) = match forms {
        Forms::Unknown => (Verdict::Unknown, "The text has no legal form.", None),
        Forms::Agree => (Verdict::Agrees, "The legal form is the same.", Some("form_agrees")),
        Forms::PrivateDiffers => (
            Verdict::Differs,
            "One is a private and the other a public company.",
            Some("form_private_differs"),
        ),
        Forms::Differ => (Verdict::Differs, "The legal form is another one.", Some("form_differs")),
    };
    let values: Vec<_> = feature.into_iter().map(|feature| (feature, 1.0)).collect();
    collector.add("legal_form", verdict, detail.to_owned(), &values);
}

fn add_numbers(collector: &mut Collector<'_>, numbers: Numbers) {
    let (detail, feature) = match numbers {
        Numbers::Same => return,
        Numbers::OnOneSide => ("Only one of the names has a number.", "number_on_one_side"),
        Numbers::Differ => ("The numbers in the names differ.", "number_differs"),
    };
    collector.add("number", Verdict::Differs, detail.to_owned(), &[(feature, 1.0)]);
}

/// The name of a state by its letters or its name; none if it is unknown.
pub fn state_name(text: &str) -> Option<&'static str> {
    let text = text.trim();
    cin_state(&text.to_ascii_uppercase()).or_else(|| cin_state(state_code_by_name(text)?))
}

fn add_state(collector: &mut Collector<'_>, given: &str, registered: Option<&str>) {
    let (name, own) = (
        state_name(given),
        registered.map(|registered| state_name(registered).unwrap_or(registered)),
    );
    let (verdict, detail, feature) = match (name, own) {
        (Some(name), Some(own)) if name == own => {
            (Verdict::Agrees, format!("Both are in {own}."), Some("state_agrees"))
        }
        (Some(name), Some(own)) => (
            Verdict::Differs,
            format!("The item is in {name}, the registered office in {own}."),
            Some("state_differs"),
        ),
        (None, _) => (Verdict::Unknown, "The given state is not known.".to_owned(), None),
        (_, None) => (Verdict::Unknown, "The company's state is not known.".to_owned(), None),
    };
    let values: Vec<_> = feature.into_iter().map(|feature| (feature, 1.0)).collect();
    collector.add("state", verdict, detail, &values);
}

fn add_city(collector: &mut Collector<'_>, given: &str, company: &Found, details: &CompanyDetails) {
    let state = company.state.as_deref();
    // Old and new names of a city are the same.
    let typed = places::city_keys(state, given);
    let own = company.city.as_deref().map(|city| places::city_keys(state, city));
    let in_address = || {
        let words = split(details.address.as_deref()?);
        Some(typed.iter().any(|typed| words.contains(typed)))
    };
    let agrees = match &own {
        _ if split(given).is_empty() => None,
        Some(own) if own.iter().any(|own| typed.contains(own)) => Some(true),
        Some(_) => Some(in_address().unwrap_or(false)),
        None => in_address(),
    };
    let (verdict, detail, values) = match agrees {
        Some(true) => (Verdict::Agrees, "The city is the same.", vec![("city_agrees", 1.0)]),
        Some(false) => (
            Verdict::Differs,
            "The registered office is in another city.",
            vec![("city_differs", 1.0)],
        ),
        None => (Verdict::Unknown, "The company's city is not known.", vec![]),
    };
    collector.add("city", verdict, detail.to_owned(), &values);
}

fn add_pincode(collector: &mut Collector<'_>, given: &str, registered: Option<&str>) {
    let typed: String = given.chars().filter(char::is_ascii_digit).collect();
    let (verdict, detail, values) = match registered {
        Some(own) if own == typed => {
            (Verdict::Agrees, "The PIN code is the same.", vec![("pincode_agrees", 1.0)])
        }
        Some(own) if typed.len() == own.len() && typed.get(..DISTRICT) == own.get(..DISTRICT) => (
            Verdict::Differs,
            "The registered office has another PIN code with the same first three digits.",
            vec![("pincode_near", 1.0)],
        ),
        Some(own) if typed.len() == own.len() => (
            Verdict::Differs,
            "The registered office has another PIN code.",
            vec![("pincode_differs", 1.0)],
        ),
        Some(_) => (Verdict::Unknown, "The given PIN code does not have six digits.", vec![]),
        None => (Verdict::Unknown, "The company's PIN code is not known.", vec![]),
    };
    collector.add("pincode", verdict, detail.to_owned(), &values);
}

fn add_address(
    collector: &mut Collector<'_>,
    given: &str,
    company: &Found,
    details: &CompanyDetails,
) {
    let address_words = |text: &str| -> HashSet<String> {
        split(text).into_iter().filter(|word| word.len() >= MIN_ADDRESS_WORD).collect()
    };
    let typed = address_words(given);
    let own = details.address.as_deref().map(address_words);
    let share = own.filter(|own| !own.is_empty() && !typed.is_empty()).map(|own| {
        let common = typed.iter().filter(|word| own.contains(*word)).count();
        common as f64 / typed.len().min(own.len()) as f64
    });
    let (verdict, detail, values) = match share {
        Some(share) if share >= SAME_ADDRESS => (
            Verdict::Agrees,
            "Most words of the addresses are the same.",
            vec![("address_agrees", 1.0)],
        ),
        Some(share) if share < OTHER_ADDRESS => (
            Verdict::Differs,
            "The addresses have almost no words in common.",
            vec![("address_differs", 1.0)],
        ),
        Some(_) => (Verdict::Unknown, "Some words of the addresses are the same.", vec![]),
        None => (Verdict::Unknown, "The company's address is not known.", vec![]),
    };
    collector.add("address", verdict, detail.to_owned(), &values);
    // An address has a PIN code, too.
    let pincode = split(given)
        .into_iter()
        .rev()
        .find(|word| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some(pincode) = pincode
        && collector.evidence.iter().all(|evidence| evidence.field != "pincode")
    {
        add_pincode(collector, &pincode, company.pincode.as_deref());
    }
}

fn add_year(collector: &mut Collector<'_>, given: u16, registered: Option<&str>) {
    let own: Option<u16> = registered.and_then(|date| date.get(..4)?.parse().ok());
    let (verdict, detail, values) = match own {
        Some(own) if own == given => (
            Verdict::Agrees,
            format!("Both were incorporated in {own}."),
            vec![("year_agrees", 1.0)],
        ),
        Some(own) => (
            Verdict::Differs,
            format!("The company was incorporated in {own}."),
            vec![("year_differs", 1.0)],
        ),
        None => (Verdict::Unknown, "The year of incorporation is not known.".to_owned(), vec![]),
    };
    collector.add("incorporated_year", verdict, detail, &values);
}

fn add_director(collector: &mut Collector<'_>, given: &str, details: &CompanyDetails) {
    let person = |text: &str| -> Vec<String> {
        let mut words = split(text);
        words.sort();
        words
    };
    let typed = person(given);
    // Initials stand for names: every word of the shorter name must begin one of the longer.
    let same = |own: &String| {
        let own = person(own);
        let (few, many) = if typed.len() <= own.len() { (&typed, &own) } else { (&own, &typed) };
        let whole = few.iter().filter(|word| many.contains(word)).count();
        let begins = |word: &String| many.iter().any(|other| other.starts_with(word.as_str()));
        whole > 0 && few.len() > 1 && few.iter().all(begins)
    };
    let (verdict, detail, values) = match &details.directors {
        Some(own) if own.iter().any(same) => (
            Verdict::Agrees,
            "The company has a director with this name.",
            vec![("director_agrees", 1.0)],
        ),
        Some(own) if !own.is_empty() && details.all_directors => (
            Verdict::Differs,
            "No director of the company has this name.",
            vec![("director_differs", 1.0)],
        ),
        _ => (Verdict::Unknown, "Not all directors of the company are known.", vec![]),
    };
    collector.add("director", verdict, detail.to_owned(), &values);
}
