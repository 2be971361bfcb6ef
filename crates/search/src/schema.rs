//! The fields of the index, and the content of each field.

use panji_store::register::IndexedCompany;
use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

use crate::analyze::Name;
use crate::stored_company::StoredCompany;
use crate::{places, sound};

/// The lengths of the indexed beginnings of a whole name, in letters.
pub const HEADS: std::ops::RangeInclusive<usize> = 1..=3;
/// The lengths of the indexed beginnings of words, in letters.
pub const STARTS: std::ops::RangeInclusive<usize> = 2..=4;

/// The most digits of an industry's code.
const MAX_NIC_DIGITS: usize = 5;

#[derive(Clone, Copy)]
pub struct Fields {
    /// The company number without hyphens, as one term.
    pub cin: Field,
    /// Former numbers, in the same form.
    pub former_cin: Field,
    /// The registration number in a CIN.
    pub registration: Field,
    /// Each name without spaces, as one term.
    pub key: Field,
    /// The first letters of each name.
    pub head: Field,
    /// The words of the names, as written and in their normal form.
    pub word: Field,
    /// The words as written, reversed.
    pub backward: Field,
    /// The first letters of each word.
    pub start: Field,
    /// The keys of sound of each word.
    pub sound: Field,
    /// The words of its city and state.
    pub place: Field,
    /// The terms of the filters.
    pub filter: Field,
    /// The date of incorporation as a number, `19940517`; 0 if it is unknown.
    pub incorporated: Field,
    /// Orders candidates before ranking.
    pub static_rank: Field,
    /// The encoded `StoredCompany`.
    pub stored: Field,
}

pub fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let text = |tokenizer| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::Basic);
        TextOptions::default().set_indexing_options(indexing)
    };
    let fields = Fields {
        cin: builder.add_text_field("cin", text("raw")),
        former_cin: builder.add_text_field("former_cin", text("raw")),
        registration: builder.add_text_field("registration", text("raw")),
        key: builder.add_text_field("key", text("raw")),
        head: builder.add_text_field("head", text("whitespace")),
        word: builder.add_text_field("word", text("whitespace")),
        backward: builder.add_text_field("backward", text("whitespace")),
        start: builder.add_text_field("start", text("whitespace")),
        sound: builder.add_text_field("sound", text("whitespace")),
        place: builder.add_text_field("place", text("whitespace")),
        filter: builder.add_text_field("filter", text("raw")),
        incorporated: builder.add_u64_field("incorporated", FAST),
        static_rank: builder.add_u64_field("static_rank", FAST),
        stored: builder.add_bytes_field("stored", STORED),
    };
    (builder.build(), fields)
}

/// The number of digits of a registration number.
pub const REGISTRATION: usize = 6;
/// The number of characters of a CIN.
const CIN_LENGTH: usize = 21;

/// The registration number in a CIN: the last digits, assigned by the registrar.
pub fn registration(cin: &str) -> Option<&str> {
    let digits = cin.get(CIN_LENGTH - REGISTRATION..).filter(|_| cin.len() == CIN_LENGTH)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(digits)
}

/// The term of a company number.
pub fn cin_term(cin: &str) -> String {
    cin.replace('-', "")
}

pub fn state_term(state: &str) -> String {
    format!("state {state}")
}

pub fn status_term(status: &str) -> String {
    format!("status {status}")
}

pub fn listed_term(listed: bool) -> String {
    format!("listed {listed}")
}

pub fn class_term(class: &str) -> String {
    format!("class {class}")
}

pub fn kind_term(kind: &str) -> String {
    format!("kind {kind}")
}

/// The term of the first digits of an industry's code.
pub fn nic_term(digits: &str) -> String {
    format!("nic {digits}")
}

/// The term of a city's key.
pub fn city_term(key: &str) -> String {
    format!("city {key}")
}

pub fn pincode_term(pincode: &str) -> String {
    format!("pincode {pincode}")
}

/// A date as a number that sorts in the same order: `1994-05-17` is 19940517. None if it is not a date.
pub fn date_number(date: &str) -> Option<u64> {
    let digits: String = date.chars().filter(|character| *character != '-').collect();
    (date.len() == 10 && digits.len() == 8).then(|| digits.parse().ok()).flatten()
}

/// The terms by which a company can be filtered.
fn filter_terms(company: &IndexedCompany, stored: &StoredCompany) -> Vec<String> {
    let mut terms = vec![status_term(&stored.status), kind_term(&stored.kind)];
    terms.extend(stored.state.as_deref().map(state_term));
    terms.extend(stored.listed.map(listed_term));
    terms.extend(company.class.as_deref().map(class_term));
    terms.extend(stored.pincode.as_deref().map(pincode_term));
    if let Some(code) = company.nic_code.as_deref().filter(|code| is_nic(code)) {
        terms.extend((1..=code.len()).map(|digits| nic_term(&code[..digits])));
    }
    if let Some(city) = &stored.city {
        let keys = places::city_keys(stored.state.as_deref(), city);
        terms.extend(keys.iter().map(|key| city_term(key)));
    }
    terms
}

/// Whether a text is a code of the national industrial classification, or its first digits.
fn is_nic(code: &str) -> bool {
    (1..=MAX_NIC_DIGITS).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_digit())
}

pub fn document(fields: &Fields, company: &IndexedCompany) -> TantivyDocument {
    let stored = &StoredCompany::new(company);
    let mut document = TantivyDocument::new();
    document.add_text(fields.cin, cin_term(&stored.cin));
    for former in &stored.former_cins {
        document.add_text(fields.former_cin, cin_term(former));
    }
    if let Some(registration) = registration(&stored.cin) {
        document.add_text(fields.registration, registration);
    }
    let mut terms = Terms::default();
    let current = Name::new(&stored.name);
    let letters: usize = current.plain.iter().map(String::len).sum();
    for name in
        std::iter::once(current).chain(stored.former_names.iter().map(|name| Name::new(name)))
    {
        let key = name.compact();
        terms.add(&name, &key);
        document.add_text(fields.key, key);
    }
    document.add_text(fields.head, terms.heads);
    document.add_text(fields.word, terms.words);
    document.add_text(fields.start, terms.starts);
    document.add_text(fields.backward, terms.backward);
    document.add_text(fields.sound, terms.sounds);
    document.add_text(fields.place, places::words(stored).join(" "));
    for term in filter_terms(company, stored) {
        document.add_text(fields.filter, term);
    }
    let incorporated = stored.incorporated_on.as_deref().and_then(date_number);
    document.add_u64(fields.incorporated, incorporated.unwrap_or(0));
    document.add_u64(fields.static_rank, static_rank(stored, letters));
    document.add_bytes(fields.stored, &stored.encode());
    document
}

/// Active and listed companies first, then short names: a query matches a larger part of them.
fn static_rank(stored: &StoredCompany, letters: usize) -> u64 {
    let active = u64::from(stored.status == "active");
    let listed = u64::from(stored.listed == Some(true));
    let brevity = 255 - letters.min(255) as u64;
    (active << 1 | listed) << 8 | brevity
}

/// The parts of a static rank: whether the company is active, and the letters of its name.
pub fn static_rank_parts(static_rank: u64) -> (bool, u64) {
    (static_rank >> 9 & 1 == 1, 255 - (static_rank & 255))
}

/// Terms of several names, one text per field, separated by spaces.
#[derive(Default)]
struct Terms {
    heads: String,
    words: String,
    backward: String,
    starts: String,
    sounds: String,
}

impl Terms {
    fn add(&mut self, name: &Name, key: &str) {
        for letters in HEADS {
            push(&mut self.heads, beginning(key, letters));
        }
        for (plain, normal) in name.plain.iter().zip(&name.words) {
            push(&mut self.words, Some(plain));
            if normal != plain {
                push(&mut self.words, Some(normal));
            }
            push(&mut self.backward, Some(&backward(plain)));
            for letters in STARTS {
                push(&mut self.starts, beginning(plain, letters));
            }
            for sound in sound::keys(normal) {
                push(&mut self.sounds, Some(&sound));
            }
        }
    }
}

/// Reverses a word.
pub fn backward(word: &str) -> String {
    word.chars().rev().collect()
}

fn push(terms: &mut String, term: Option<&str>) {
    if let Some(term) = term {
        terms.push_str(term);
        terms.push(' ');
    }
}

/// The first letters of a text; none if it has fewer.
pub fn beginning(text: &str, letters: usize) -> Option<&str> {
    match text.char_indices().nth(letters) {
        Some((end, _)) => Some(&text[..end]),
        None => (text.chars().count() == letters).then_some(text),
    }
}
