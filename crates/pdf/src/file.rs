//! Writes the pages of a document and their fonts as a PDF file.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use crate::document::{HEIGHT, WIDTH};
use crate::face::{FACES, FaceId};
use crate::glyphs::{Used, UsedFonts};

/// Objects of one font: the font, its glyphs, its description, its file, and its characters.
const OBJECTS_OF_FONT: i32 = 5;
const SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The name of a font in the pages.
pub(crate) fn resource(face: FaceId) -> String {
    format!("F{face}")
}

/// Assigns object numbers.
struct Numbers(i32);

impl Numbers {
    fn take(&mut self, count: i32) -> Ref {
        let first = Ref::new(self.0);
        self.0 += count;
        first
    }
}

pub(crate) fn write(title: &str, pages: Vec<Content>, used: &UsedFonts) -> Vec<u8> {
    let mut numbers = Numbers(1);
    let [catalog, tree, information] = [1, 1, 1].map(|count| numbers.take(count));
    let fonts: Vec<(FaceId, Ref)> =
        used.keys().map(|face| (*face, numbers.take(OBJECTS_OF_FONT))).collect();
    let page_ids: Vec<(Ref, Ref)> =
        pages.iter().map(|_| (numbers.take(1), numbers.take(1))).collect();
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(tree).lang(TextStr("en-IN"));
    pdf.document_info(information).title(TextStr(title));
    let count = i32::try_from(pages.len()).unwrap_or(i32::MAX);
    pdf.pages(tree).kids(page_ids.iter().map(|(page, _)| *page)).count(count);
    for ((page_id, content_id), content) in page_ids.into_iter().zip(pages) {
        let mut page = pdf.page(page_id);
        page.media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).parent(tree).contents(content_id);
        let mut resources = page.resources();
        let mut named = resources.fonts();
        for (face, id) in &fonts {
            named.pair(Name(resource(*face).as_bytes()), *id);
        }
        named.finish();
        resources.finish();
        page.finish();
        let packed = packed(&content.finish());
        pdf.stream(content_id, &packed).filter(Filter::FlateDecode);
    }
    for ((face, id), used) in fonts.into_iter().zip(used.values()) {
        write_font(&mut pdf, face, id, used);
    }
    pdf.finish()
}

fn write_font(pdf: &mut Pdf, face: FaceId, id: Ref, used: &Used) {
    let face = &FACES[face];
    let [glyphs, description, file, characters] =
        [1, 2, 3, 4].map(|next| Ref::new(id.get() + next));
    // Six letters and a plus sign mark a font subset.
    let name = format!("PANJIA+{}", face.name);
    let name = Name(name.as_bytes());
    let mut font = pdf.type0_font(id);
    font.base_font(name).encoding_predefined(Name(b"Identity-H"));
    font.descendant_font(glyphs).to_unicode(characters);
    font.finish();
    let mut cid_font = pdf.cid_font(glyphs);
    cid_font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM);
    cid_font.font_descriptor(description).default_width(0.0);
    cid_font.cid_to_gid_map_predefined(Name(b"Identity"));
    let mut widths = cid_font.widths();
    for (glyph, (width, _)) in &used.glyphs {
        widths.consecutive(*glyph, [*width]);
    }
    widths.finish();
    cid_font.finish();
    let mut descriptor = pdf.font_descriptor(description);
    descriptor.name(name).flags(FontFlags::SYMBOLIC).italic_angle(0.0).stem_v(80.0);
    // The tallest and the widest of the built-in fonts.
    descriptor.bbox(Rect::new(-1000.0, -600.0, 2500.0, 1100.0));
    descriptor.ascent(1069.0).descent(-540.0).cap_height(714.0).font_file2(file);
    descriptor.finish();
    let subset = subsetter::subset(face.data, 0, &used.remapper);
    let subset = packed(&subset.expect("a built-in font can be subset"));
    pdf.stream(file, &subset).filter(Filter::FlateDecode);
    let mut map = UnicodeCmap::new(Name(b"Panji"), SYSTEM);
    for (glyph, (_, text)) in &used.glyphs {
        if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
            map.pair_with_multiple(*glyph, text.chars());
        }
    }
    let map = packed(&map.finish());
    pdf.stream(characters, &map).filter(Filter::FlateDecode);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes every byte")
}
