//! The built-in fonts, one for each script, and the choice among them.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use harfrust::Font;

/// Font weight. Only Latin has a bold font; other scripts are drawn with an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// For running text.
    Regular,
    /// For headings and sums.
    Bold,
}

pub(crate) struct Face {
    /// The PostScript name.
    pub name: &'static str,
    /// The content of the font file.
    pub data: &'static [u8],
    /// The parsed font file.
    pub font: Font,
    /// The Unicode blocks of the font; empty for Latin, which draws all other characters.
    blocks: &'static [RangeInclusive<char>],
}

/// Index in the list of fonts.
pub(crate) type FaceId = usize;

const LATIN: FaceId = 0;
const LATIN_BOLD: FaceId = 1;
const FIRST_INDIAN: FaceId = 2;

macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../fonts/", $name, ".ttf")).as_slice())
    };
}

type Listed = ((&'static str, &'static [u8]), &'static [RangeInclusive<char>]);

const FILES: [Listed; 13] = [
    (file!("NotoSans-Regular"), &[]),
    (file!("NotoSans-Bold"), &[]),
    (
        file!("NotoSansDevanagari-Regular"),
        &['\u{900}'..='\u{963}', '\u{966}'..='\u{97f}', '\u{a8e0}'..='\u{a8ff}'],
    ),
    (file!("NotoSansBengali-Regular"), &['\u{980}'..='\u{9ff}']),
    (file!("NotoSansGurmukhi-Regular"), &['\u{a00}'..='\u{a7f}']),
    (file!("NotoSansGujarati-Regular"), &['\u{a80}'..='\u{aff}']),
    (file!("NotoSansOriya-Regular"), &['\u{b00}'..='\u{b7f}']),
    (file!("NotoSansTamil-Regular"), &['\u{b80}'..='\u{bff}']),
    (file!("NotoSansTelugu-Regular"), &['\u{c00}'..='\u{c7f}']),
    (file!("NotoSansKannada-Regular"), &['\u{c80}'..='\u{cff}']),
    (file!("NotoSansMalayalam-Regular"), &['\u{d00}'..='\u{d7f}']),
    (file!("NotoSansOlChiki-Regular"), &['\u{1c50}'..='\u{1c7f}']),
    (file!("NotoSansMeeteiMayek-Regular"), &['\u{abc0}'..='\u{abff}', '\u{aae0}'..='\u{aaff}']),
];

/// All fonts, parsed once.
pub(crate) static FACES: LazyLock<Vec<Face>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|((name, data), blocks)| Face {
            name,
            data,
            font: Font::new(*data, 0).expect("a built-in font is one"),
            blocks,
        })
        .collect()
});

impl Face {
    fn has(&self, character: char) -> bool {
        self.font.charmap().map_unicode(character).is_some()
    }
}

/// A part of a text that one font draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span<'a> {
    pub face: FaceId,
    pub text: &'a str,
}

/// Splits a text by font. Characters of no script (spaces, digits, punctuation, joiners) stay with
/// the letters before them if their font has them.
pub(crate) fn spans(text: &str, weight: Weight) -> Vec<Span<'_>> {
    let latin = match weight {
        Weight::Regular => LATIN,
        Weight::Bold => LATIN_BOLD,
    };
    let (mut spans, mut start, mut current) = (Vec::new(), 0, None);
    for (at, character) in text.char_indices() {
        let face = face_of(character, current, latin);
        if let Some(before) = current.filter(|before| *before != face) {
            spans.push(Span { face: before, text: &text[start..at] });
            start = at;
        }
        current = Some(face);
    }
    if let Some(face) = current {
        spans.push(Span { face, text: &text[start..] });
    }
    spans
}

fn face_of(character: char, current: Option<FaceId>, latin: FaceId) -> FaceId {
    let own = |face: &Face| face.blocks.iter().any(|block| block.contains(&character));
    if let Some(index) = FACES.iter().position(own) {
        return index;
    }
    if character.is_alphabetic() {
        return latin;
    }
    let mut candidates = current.into_iter().chain([latin]).chain(FIRST_INDIAN..FACES.len());
    candidates.find(|face| FACES[*face].has(character)).unwrap_or(latin)
}

/// Whether bold text of a font needs an outline.
pub(crate) fn needs_outline(face: FaceId, weight: Weight) -> bool {
    weight == Weight::Bold && face >= FIRST_INDIAN
}

/// Whether the fonts can draw every character of a text.
pub fn can_show(text: &str) -> bool {
    text.chars().all(|character| {
        character.is_ascii_whitespace()
            || matches!(character, '\u{200c}' | '\u{200d}')
            || FACES[face_of(character, None, LATIN)].has(character)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_indian_script_can_be_drawn_and_a_script_without_a_font_cannot() {
        let drawable = [
            "नमूना ट्रेडर्स, १२ उदाहरण मार्ग।",
            "নমুনা ট্রেডার্স",
            "ਨਮੂਨਾ ਟਰੇਡਰਜ਼",
            "નમૂના ટ્રેડર્સ",
            "ନମୁନା ଟ୍ରେଡର୍ସ",
            "மாதிரி வணிகர்கள்",
            "నమూనా ట్రేడర్స్",
            "ಮಾದರಿ ವ್ಯಾಪಾರಿಗಳು",
            "മാതൃക വ്യാപാരികൾ",
            "ᱱᱟᱢᱩᱱᱟ",
            "ꯅꯃꯨꯅꯥ",
            "Café – ‘Śrī Lakṣmī’ & Sons, ₹1,180.00 №7",
            "two\r\nlines",
        ];
        for text in drawable {
            assert!(can_show(text), "{text}");
        }
        for text in ["样本", "نمونہ", "😀", "bell\u{7}", "ꯅ样"] {
            assert!(!can_show(text), "{text}");
        }
    }

    #[test]
    fn a_text_is_split_by_script_and_punctuation_stays_with_the_letters_before_it() {
        let split = |text| spans(text, Weight::Regular).into_iter().map(|span| span.text).collect();
        let texts: Vec<&str> = split("नमूना (12), Road தமிழ்-3");
        assert_eq!(texts, ["नमूना (12), ", "Road ", "தமிழ்-3"]);
        let alone: Vec<&str> = split("₹५");
        assert_eq!(alone, ["₹", "५"]);
        let danda = spans("।", Weight::Bold);
        assert_eq!(FACES[danda[0].face].name, "NotoSansDevanagari-Regular");
    }
}
