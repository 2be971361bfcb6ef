//! Which glyphs of which fonts a document uses, and what they say.

use std::collections::BTreeMap;

use subsetter::GlyphRemapper;

use crate::face::FaceId;
use crate::shape::{Glyph, Run};

/// The glyphs that a document uses of one font. A file has only these, numbered anew.
#[derive(Default)]
pub(crate) struct Used {
    /// Old numbers into new ones.
    pub remapper: GlyphRemapper,
    /// By new number: the width, and the characters where the glyph alone says them.
    pub glyphs: BTreeMap<u16, (f32, Option<String>)>,
}

impl Used {
    /// Notes a glyph; gives its number in the file.
    pub fn note(&mut self, glyph: &Glyph) -> u16 {
        let id = self.remapper.remap(glyph.id);
        self.glyphs.entry(id).or_insert((glyph.width, None));
        id
    }

    /// Notes what the glyphs of a run say; false if they do not say it by themselves: where several stand
    /// for one syllable, or one stands for different characters in different places.
    pub fn note_meaning(&mut self, run: &Run) -> bool {
        let mut says_all = true;
        for (glyphs, text) in run.clusters() {
            let [glyph] = glyphs else {
                says_all = false;
                continue;
            };
            let id = self.note(glyph);
            let said =
                self.glyphs.get_mut(&id).map(|(_, said)| said.get_or_insert(text.to_owned()));
            says_all &= said.is_some_and(|said| said == text);
        }
        says_all
    }
}

/// Of each font.
pub(crate) type UsedFonts = BTreeMap<FaceId, Used>;
