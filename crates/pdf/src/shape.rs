//! Text shaping: converts characters into positioned glyphs of their script.

use harfrust::{Buffer, Direction, GlyphId, ShapeOptions, ShaperFont, shape};

use crate::face::{FACES, FaceId, Span, Weight, needs_outline, spans};

/// A positioned glyph. Lengths are in thousandths of the font size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Glyph {
    pub id: u16,
    /// Distance to the next glyph.
    pub advance: f32,
    /// Offset of the drawing from the position.
    pub offset: (f32, f32),
    /// The width in the font.
    pub width: f32,
    /// The byte in the run's text where the characters of the glyph start.
    pub cluster: usize,
}

/// Glyphs of one font, in drawing order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub face: FaceId,
    pub text: String,
    pub glyphs: Vec<Glyph>,
    /// Whether an outline makes it bold.
    pub outlined: bool,
}

impl Run {
    /// In thousandths of the font size.
    pub fn width(&self) -> f32 {
        self.glyphs.iter().map(|glyph| glyph.advance).sum()
    }

    /// The clusters: their glyphs with their text. Glyphs of a syllable may have another order than
    /// its characters, but glyphs of two clusters are not mixed.
    pub fn clusters(&self) -> Vec<(&[Glyph], &str)> {
        let mut clusters = Vec::new();
        let groups: Vec<&[Glyph]> =
            self.glyphs.chunk_by(|one, next| one.cluster == next.cluster).collect();
        for (index, glyphs) in groups.iter().enumerate() {
            let start = glyphs[0].cluster;
            let end = groups.get(index + 1).map_or(self.text.len(), |next| next[0].cluster);
            clusters.push((*glyphs, self.text.get(start..end).unwrap_or_default()));
        }
        clusters
    }
}

/// Shapes a text for one line.
pub(crate) fn shaped(text: &str, weight: Weight) -> Vec<Run> {
    spans(text, weight).into_iter().map(|span| run(span, weight)).collect()
}

fn run(span: Span<'_>, weight: Weight) -> Run {
    let font = &FACES[span.face].font;
    let shaper = ShaperFont::new(font);
    let scale = 1000.0 / f32::from(font.units_per_em());
    let mut buffer = Buffer::new();
    buffer.push_str(span.text);
    buffer.guess_segment_properties();
    buffer.set_direction(Direction::LeftToRight);
    shape(&shaper, &mut buffer, ShapeOptions::new()).expect("a text with a direction is shaped");
    let placed = buffer.glyph_infos().iter().zip(buffer.glyph_positions());
    let glyphs = placed.map(|(info, position)| Glyph {
        id: u16::try_from(info.glyph_id).unwrap_or(0),
        advance: position.x_advance as f32 * scale,
        offset: (position.x_offset as f32 * scale, position.y_offset as f32 * scale),
        width: shaper.glyph_h_advance(GlyphId::new(info.glyph_id)) as f32 * scale,
        cluster: info.cluster as usize,
    });
    Run {
        face: span.face,
        glyphs: glyphs.collect(),
        text: span.text.to_owned(),
        outlined: needs_outline(span.face, weight),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(text: &str) -> Vec<u16> {
        let runs = shaped(text, Weight::Regular);
        runs.iter().flat_map(|run| run.glyphs.iter().map(|glyph| glyph.id)).collect()
    }

    #[test]
    fn conjuncts_are_joined_and_vowel_signs_are_moved() {
        assert_eq!(glyphs("क्ष").len(), 1, "two consonants and a virama are one glyph");
        assert_eq!(
            glyphs("हि").last(),
            glyphs("ह").last(),
            "the sign is drawn before its consonant"
        );
        assert_eq!(glyphs("கெ").last(), glyphs("க").last());
        assert_ne!(glyphs("र्क").last(), glyphs("क").last(), "the reph is drawn last");
    }

    #[test]
    fn no_glyph_is_missing_in_any_script() {
        for text in [
            "ट्रेडर्स श्री ज्ञान",
            "ট্রেডার্স ক্ষ",
            "ਟਰੇਡਰਜ਼",
            "ટ્રેડર્સ ક્ષ",
            "ଟ୍ରେଡର୍ସ",
            "வணிகர்கள் ஸ்ரீ",
            "ట్రేడర్స్ క్ష",
            "ವ್ಯಾಪಾರಿಗಳು ಕ್ಷ",
            "വ്യാപാരികൾ ക്ഷ",
            "₹ Śrī",
        ] {
            assert!(glyphs(text).iter().all(|id| *id != 0), "{text}");
        }
    }

    #[test]
    fn digits_have_one_width() {
        let width = |text| shaped(text, Weight::Bold).iter().map(Run::width).sum::<f32>();
        assert_eq!(width("₹1,11,111.00"), width("₹9,87,654.32"));
    }
}
