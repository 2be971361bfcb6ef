//! Tests of comparing names.

use super::*;
use crate::matching::text::read;

fn fit(text: &str, name: &str) -> NameFit {
    let rarity = Rarity::even();
    let read = read(text);
    let variant = read.variants.first().map_or("", String::as_str);
    let query = PreparedQuery::of(Name::new(variant), &rarity).expect("no index is read");
    compare_names(&query, read.truncated, &Name::new(name), &[], &rarity).expect("no index is read")
}

#[test]
fn the_same_name_agrees_in_every_writing() {
    for (text, name) in [
        ("NAMUNA ESTATES PVT LTD", "Namuna Estates Private Limited"),
        ("NAMUNAESTATESPRIVATELIMITED", "Namuna Estates Private Limited"),
        ("M/S K.V.Q. PUMPS (P) LTD", "KVQ Pumps Private Limited"),
        ("NAMUNA INTL LTD", "Namuna International Limited"),
        ("NAMUNA & CHAYA TEXTILES", "Namuna and Chaya Textiles Limited"),
    ] {
        let fit = fit(text, name);
        assert!(fit.is_nearly_equal() && fit.forms != Forms::Differ, "{text}: {fit:?}");
    }
}

#[test]
fn what_is_missing_on_either_side_is_named() {
    let more = fit("Namuna Steel Chaya", "Namuna Steel Limited");
    assert_eq!(more.query_missing.map(|(_, word)| word).as_deref(), Some("chaya"));
    let less = fit("Namuna", "Namuna Steel Limited");
    assert_eq!(less.name_missing.map(|(_, word)| word).as_deref(), Some("steel"));
    assert!(less.of_query > 0.99 && less.of_name < 0.6);
    let misspelled = fit("Kalpanik Indistries", "Kalpanik Industries Limited");
    assert!(
        misspelled.query_missing.is_none() && misspelled.misspelled.is_some(),
        "{misspelled:?}"
    );
}

#[test]
fn a_truncated_text_is_continued_by_the_name() {
    let truncated = fit("SRI NAMUNASWAMY MINERAL EXPO", "Sri Namunaswamy Mineral Exports Limited");
    assert!(!truncated.continued, "28 characters are no usual limit: {truncated:?}");
    let truncated =
        fit("SRI NAMUNASWAMY MINERAL EXPORT", "Sri Namunaswamy Mineral Exporters Limited");
    assert!(truncated.continued && truncated.name_missing.is_none(), "{truncated:?}");
    let word =
        fit("SRI NAMUNASWAMY MINERALS AND C", "Sri Namunaswamy Minerals and Chaya Works Ltd");
    assert!(word.continued && word.name_missing.is_none(), "{word:?}");
}

#[test]
fn letters_are_divided_into_words_as_the_name_has_them() {
    let fit = fit("KALPANIKINDISTRIESLTD", "Kalpanik Industries Limited");
    assert!(fit.query_missing.is_none() && fit.name_missing.is_none(), "{fit:?}");
    assert!(fit.of_query > 0.8, "{fit:?}");
}

#[test]
fn numbers_separate_names() {
    let cases = [
        ("Namuna Unit 2", "Namuna Unit 3 Ltd", Numbers::Differ),
        ("Namuna Fund (III) Ltd", "Namuna Fund Ltd", Numbers::OnOneSide),
        ("Namuna Fund II", "Namuna Fund 2 Ltd", Numbers::Same),
        ("Namuna Fund I", "Namuna Fund II", Numbers::Differ),
        ("Namuna 2012 Ltd", "Namuna 2013 Ltd", Numbers::Differ),
        ("Namuna Twenty One", "Namuna 21 Ltd", Numbers::Same),
        ("Namuna (I) Ltd", "Namuna India Ltd", Numbers::Same),
        ("V I Namuna", "Vi Namuna", Numbers::Same),
    ];
    for (text, name, expected) in cases {
        assert_eq!(fit(text, name).numbers, expected, "{text}: {name}");
    }
}

#[test]
fn legal_forms_are_compared() {
    let cases = [
        ("Namuna Pvt Ltd", "Namuna Private Limited", Forms::Agree),
        ("Namuna Ltd", "Namuna Private Limited", Forms::PrivateDiffers),
        ("Namuna LLP", "Namuna Private Limited", Forms::Differ),
        ("Namuna", "Namuna Private Limited", Forms::Unknown),
    ];
    for (text, name, expected) in cases {
        assert_eq!(fit(text, name).forms, expected, "{text}");
    }
}
