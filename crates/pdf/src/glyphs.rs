//! The glyphs of each font that a document uses, and their characters.

use std::collections::BTreeMap;

use subsetter::GlyphRemapper;

use crate::face::FaceId;
use crate::shape::{Glyph, Run};

/// The glyphs that a document uses of one font. The file contains only these, with new numbers.
#[derive(Default)]
pub(crate) struct Used {
    /// Maps old numbers to new ones.
    pub remapper: GlyphRemapper,
    /// By new number: the width, and the characters if the glyph alone represents them.
    pub glyphs: BTreeMap<u16, (f32, Option<String>)>,
}

impl Used {
    /// Adds a glyph; returns its number in the file.
    pub fn add(&mut self, glyph: &Glyph) -> u16 {
        let id = self.remapper.remap(glyph.id);
        self.glyphs.entry(id).or_insert((glyph.width, None));
        id
    }

    /// Records the characters of the glyphs of a run. False if the glyphs alone do not represent
    /// them: several glyphs form one syllable, or one glyph represents different characters in
    /// different texts.
    pub fn add_characters(&mut self, run: &Run) -> bool {
        let mut complete = true;
        for (glyphs, text) in run.clusters() {
            let [glyph] = glyphs else {
                complete = false;
                continue;
            };
            let id = self.add(glyph);
            let characters = self
                .glyphs
                .get_mut(&id)
                .map(|(_, characters)| characters.get_or_insert(text.to_owned()));
            complete &= characters.is_some_and(|characters| characters == text);
        }
        complete
    }
}

/// By font.
pub(crate) type UsedFonts = BTreeMap<FaceId, Used>;
