//! Wraps a text into lines of a given width. A word that is wider than a line is split between its
//! syllables, so that nothing is lost.

use crate::face::Weight;
use crate::shape::{Run, shaped};

/// A shaped line of text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Line {
    pub runs: Vec<Run>,
    /// In thousandths of the font size.
    pub width: f32,
}

/// Tolerance for rounding in sums of widths.
const TOLERANCE: f32 = 0.5;

/// The lines of a text. `room` is in thousandths of the font size.
pub(crate) fn lines(text: &str, weight: Weight, room: f32) -> Vec<Line> {
    // The fonts have no minus sign; a dash looks like one.
    let text = &*text.replace('\u{2212}', "\u{2013}");
    let wrapped = text.lines().flat_map(|line| {
        let texts = wrapped(line, weight, room);
        if texts.is_empty() { vec![String::new()] } else { texts }
    });
    wrapped.map(|text| line(&text, weight)).collect()
}

fn line(text: &str, weight: Weight) -> Line {
    let runs = shaped(text, weight);
    Line { width: width(&runs), runs }
}

fn width(runs: &[Run]) -> f32 {
    runs.iter().map(Run::width).sum()
}

/// Whether a line may break at a character: at white space, except non-breaking spaces.
fn is_gap(character: char) -> bool {
    character.is_whitespace() && !matches!(character, '\u{a0}' | '\u{202f}')
}

/// Splits a line of the source into texts that fit.
fn wrapped(source: &str, weight: Weight, room: f32) -> Vec<String> {
    let space = width(&shaped(" ", weight));
    let (mut texts, mut text, mut used) = (Vec::new(), String::new(), 0.0);
    for word in source.split(is_gap).filter(|word| !word.is_empty()) {
        for (index, (part, part_width)) in parts(word, weight, room).into_iter().enumerate() {
            let gap = if text.is_empty() { 0.0 } else { space };
            // A part of a split word starts a new line.
            if !text.is_empty() && (index > 0 || used + gap + part_width > room) {
                texts.push(std::mem::take(&mut text));
                used = 0.0;
            }
            if !text.is_empty() {
                text.push(' ');
                used += space;
            }
            text.push_str(&part);
            used += part_width;
        }
    }
    if !text.is_empty() {
        texts.push(text);
    }
    texts
}

/// A word if it fits, or its parts split between clusters, with widths.
fn parts(word: &str, weight: Weight, room: f32) -> Vec<(String, f32)> {
    let runs = shaped(word, weight);
    let word_width = width(&runs);
    if word_width <= room + TOLERANCE {
        return vec![(word.to_owned(), word_width)];
    }
    let (mut parts, mut part, mut used) = (Vec::new(), String::new(), 0.0);
    for (glyphs, text) in runs.iter().flat_map(Run::clusters) {
        let wide: f32 = glyphs.iter().map(|glyph| glyph.advance).sum();
        if used + wide > room && !part.is_empty() {
            parts.push((std::mem::take(&mut part), used));
            used = 0.0;
        }
        part.push_str(text);
        used += wide;
    }
    parts.push((part, used));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, room: f32) -> Vec<String> {
        let lines = lines(source, Weight::Regular, room);
        assert!(lines.iter().all(|line| line.width <= room + 1.0), "{source}: a line is too wide");
        let text = |line: Line| line.runs.into_iter().map(|run| run.text).collect();
        lines.into_iter().map(text).collect()
    }

    #[test]
    fn a_long_text_is_wrapped_at_spaces_without_loss() {
        let source = "Plot 14, Second Cross, औद्योगिक क्षेत्र चरण दो, தொழிற்பேட்டை, Bengaluru 560001";
        let wrapped = texts(source, 9_000.0);
        assert!(wrapped.len() > 3, "{wrapped:?}");
        assert_eq!(wrapped.join(" "), source);
        assert_eq!(texts("two\n\nlines", 9_000.0), ["two", "", "lines"]);
        assert_eq!(texts("", 9_000.0), [""; 0]);
    }

    #[test]
    fn a_word_wider_than_a_line_is_split_between_its_syllables() {
        let long = "A".repeat(100);
        let wrapped = texts(&format!("see {long} there"), 9_000.0);
        assert_eq!(wrapped.first().map(String::as_str), Some("see"));
        assert_eq!(wrapped.concat(), format!("see{long} there"));
        let syllables = "क्षत्रियों".repeat(20);
        let wrapped = texts(&syllables, 5_000.0);
        assert!(wrapped.len() > 3);
        assert_eq!(wrapped.concat(), syllables);
        let starts_with_a_syllable = |line: &String| !line.starts_with(['\u{94d}', 'ि', 'ो', 'ं']);
        assert!(wrapped.iter().all(starts_with_a_syllable), "{wrapped:?}");
    }
}
