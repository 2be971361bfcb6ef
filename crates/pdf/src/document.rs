//! Laying a document out: text flows down its columns and goes on on the next page.

use pdf_writer::types::{LineCapStyle, TextRenderingMode};
use pdf_writer::{Content, Finish, Name, Str, TextStr};

use crate::face::Weight;
use crate::file;
use crate::glyphs::{Used, UsedFonts};
use crate::shape::Run;
use crate::wrap::{Line, lines};

/// A4 in points.
pub(crate) const WIDTH: f32 = 595.0;
pub(crate) const HEIGHT: f32 = 842.0;
/// Where text begins and ends on a page, from its left edge, in points.
pub const PAGE_LEFT: f32 = 56.0;
/// The end, likewise.
pub const PAGE_RIGHT: f32 = WIDTH - PAGE_LEFT;
/// Where it begins and ends, from the top.
const PAGE_TOP: f32 = 56.0;
const PAGE_BOTTOM: f32 = HEIGHT - 70.0;
/// Where the foot of a page is.
const FOOT: f32 = HEIGHT - 44.0;
/// From line to line, and from the top of a line to its baseline, by the size of the text: wide enough for
/// the tallest syllables of the built-in fonts.
const LEADING: f32 = 1.4;
const BASELINE: f32 = 1.07;
/// The outline that makes letters bold, by the size of the text.
const OUTLINE: f32 = 0.02;

/// How a text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// In points.
    pub size: f32,
    /// How heavy it is.
    pub weight: Weight,
    /// From 0, black, to 1, white.
    pub gray: f32,
}

impl Style {
    /// Black running text.
    pub const fn regular(size: f32) -> Style {
        Style { size, weight: Weight::Regular, gray: 0.0 }
    }

    /// Black and bold.
    pub const fn bold(size: f32) -> Style {
        Style { size, weight: Weight::Bold, gray: 0.0 }
    }

    /// The same in grey.
    pub const fn muted(self) -> Style {
        Style { gray: 0.4, ..self }
    }

    /// From line to line.
    pub fn line_height(self) -> f32 {
        self.size * LEADING
    }
}

/// To which side of its column a text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// As text.
    Left,
    /// As amounts.
    Right,
}

/// A part of the page's width, in points from its left edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Where it begins.
    pub left: f32,
    /// Where it ends.
    pub right: f32,
    /// How text is set in it.
    pub align: Align,
}

impl Column {
    /// A column of text.
    pub const fn left(left: f32, right: f32) -> Column {
        Column { left, right, align: Align::Left }
    }

    /// A column of amounts.
    pub const fn right(left: f32, right: f32) -> Column {
        Column { left, right, align: Align::Right }
    }
}

/// A place in the document: the page, then how far down.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Place {
    page: usize,
    y: f32,
}

impl Place {
    const START: Place = Place { page: 0, y: PAGE_TOP };

    /// The one that is further on.
    pub fn max(self, other: Place) -> Place {
        if self < other { other } else { self }
    }
}

/// A document that is being laid out, from top to bottom.
pub struct Document {
    title: String,
    pages: Vec<Content>,
    place: Place,
    used: UsedFonts,
}

impl Document {
    /// An empty document with a title, which readers show.
    pub fn new(title: &str) -> Document {
        Document {
            title: title.to_owned(),
            pages: vec![Content::new()],
            place: Place::START,
            used: UsedFonts::new(),
        }
    }

    /// Where the next thing will be.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Goes on at another place, as for a second column beside a first.
    pub fn go_to(&mut self, place: Place) {
        self.place = place;
    }

    /// Leaves some room.
    pub fn skip(&mut self, points: f32) {
        self.place.y += points;
    }

    /// Begins a new page unless this much room is left on this one.
    pub fn keep_together(&mut self, height: f32) {
        if self.place.y + height > PAGE_BOTTOM && self.place.y > PAGE_TOP {
            self.place = Place { page: self.place.page + 1, y: PAGE_TOP };
        }
        while self.pages.len() <= self.place.page {
            self.pages.push(Content::new());
        }
    }

    /// A line across a column.
    pub fn rule(&mut self, column: Column) {
        self.keep_together(1.0);
        let y = HEIGHT - self.place.y;
        let page = &mut self.pages[self.place.page];
        page.set_line_width(0.6).set_line_cap(LineCapStyle::ButtCap).set_stroke_gray(0.6);
        page.move_to(column.left, y).line_to(column.right, y).stroke();
    }

    /// A text in a column, in as many lines and on as many pages as it needs.
    pub fn paragraph(&mut self, column: Column, style: Style, text: &str) {
        let room = (column.right - column.left) * 1000.0 / style.size;
        for line in lines(text, style.weight, room) {
            self.keep_together(style.line_height());
            let baseline = self.place.y + style.size * BASELINE;
            self.draw(self.place.page, column, baseline, style, &line);
            self.skip(style.line_height());
        }
    }

    /// Texts that begin beside each other. What follows is below the longest of them.
    pub fn row(&mut self, cells: &[(Column, Style, &str)]) {
        let height = cells.iter().map(|(_, style, _)| style.line_height()).fold(0.0, f32::max);
        self.keep_together(height);
        let (start, mut end) = (self.place, self.place);
        for (column, style, text) in cells {
            self.go_to(start);
            self.paragraph(*column, *style, text);
            end = end.max(self.place);
        }
        self.go_to(end);
    }

    /// Writes a line at the foot of each page; `text` is given the page's number and how many there are.
    pub fn foot(&mut self, column: Column, style: Style, text: impl Fn(usize, usize) -> String) {
        let count = self.pages.len();
        let room = (column.right - column.left) * 1000.0 / style.size;
        for page in 0..count {
            if let Some(line) = lines(&text(page + 1, count), style.weight, room).first() {
                self.draw(page, column, FOOT, style, line);
            }
        }
    }

    /// The document as a file.
    pub fn finish(self) -> Vec<u8> {
        file::write(&self.title, self.pages, &self.used)
    }

    fn draw(&mut self, page: usize, column: Column, baseline: f32, style: Style, line: &Line) {
        let width = line.width * style.size / 1000.0;
        let mut x = match column.align {
            Align::Left => column.left,
            Align::Right => column.right - width,
        };
        for run in &line.runs {
            let used = self.used.entry(run.face).or_default();
            draw_run(&mut self.pages[page], used, (x, HEIGHT - baseline), style, run);
            x += run.width() * style.size / 1000.0;
        }
    }
}

fn draw_run(page: &mut Content, used: &mut Used, (x, y): (f32, f32), style: Style, run: &Run) {
    let says_all = used.note_meaning(run);
    if !says_all {
        let mut mark = page.begin_marked_content_with_properties(Name(b"Span"));
        mark.properties().actual_text(TextStr(&run.text));
    }
    page.begin_text().set_fill_gray(style.gray);
    if run.outlined {
        page.set_stroke_gray(style.gray).set_line_width(style.size * OUTLINE);
        page.set_text_rendering_mode(TextRenderingMode::FillStroke);
    }
    page.set_font(Name(file::resource(run.face).as_bytes()), style.size);
    page.set_text_matrix([1.0, 0.0, 0.0, 1.0, x, y]);
    show_glyphs(page, used, style, run);
    if run.outlined {
        page.set_text_rendering_mode(TextRenderingMode::Fill);
    }
    page.end_text();
    if !says_all {
        page.end_marked_content();
    }
}

/// Shows the glyphs of a run. Where the font's widths would lead elsewhere than shaping has placed a glyph,
/// it is moved there; glyphs of one height are shown together.
fn show_glyphs(page: &mut Content, used: &mut Used, style: Style, run: &Run) {
    // Where shaping has come to, and where the reader of the file has.
    let (mut placed, mut reader) = (0.0, 0.0);
    for group in run.glyphs.chunk_by(|one, next| one.offset.1 == next.offset.1) {
        page.set_rise(group[0].offset.1 * style.size / 1000.0);
        let mut shown = page.show_positioned();
        let mut items = shown.items();
        for glyph in group {
            let moved = reader - (placed + glyph.offset.0);
            if moved != 0.0 {
                items.adjust(moved);
                reader -= moved;
            }
            items.show(Str(&used.note(glyph).to_be_bytes()));
            reader += glyph.width;
            placed += glyph.advance;
        }
        items.finish();
        shown.finish();
    }
    page.set_rise(0.0);
}
