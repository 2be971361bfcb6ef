//! Document layout: text flows down its columns and continues on the next page.

use pdf_writer::types::{LineCapStyle, TextRenderingMode};
use pdf_writer::{Content, Finish, Name, Str, TextStr};

use crate::drawing::Color;
use crate::face::Weight;
use crate::file;
use crate::glyphs::{Used, UsedFonts};
use crate::shape::Run;
use crate::wrap::{Line, lines};

/// A4 in points.
pub(crate) const WIDTH: f32 = 595.0;
pub(crate) const HEIGHT: f32 = 842.0;
/// Left margin, in points from the left edge of the page.
pub const PAGE_LEFT: f32 = 56.0;
/// Right margin, in points from the left edge of the page.
pub const PAGE_RIGHT: f32 = WIDTH - PAGE_LEFT;
/// Top and bottom margins, in points from the top of the page.
const PAGE_TOP: f32 = 56.0;
const PAGE_BOTTOM: f32 = HEIGHT - 70.0;
/// The baselines of the footer and of the header.
const FOOT: f32 = HEIGHT - 44.0;
const HEAD: f32 = 36.0;
/// Line height, and distance from the top of a line to its baseline, relative to the font size:
/// enough for the tallest syllables of the built-in fonts.
const LEADING: f32 = 1.4;
const BASELINE: f32 = 1.07;
/// Width of the outline that makes letters bold, relative to the font size.
const OUTLINE: f32 = 0.02;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// In points.
    pub size: f32,
    pub weight: Weight,
    pub color: Color,
}

impl Style {
    /// Black text of normal weight.
    pub const fn regular(size: f32) -> Style {
        Style { size, weight: Weight::Regular, color: Color::BLACK }
    }

    pub const fn bold(size: f32) -> Style {
        Style { size, weight: Weight::Bold, color: Color::BLACK }
    }

    /// The same in gray.
    pub const fn muted(self) -> Style {
        Style { color: Color::gray(0.4), ..self }
    }

    /// The same in another color.
    pub const fn colored(self, color: Color) -> Style {
        Style { color, ..self }
    }

    pub fn line_height(self) -> f32 {
        self.size * LEADING
    }
}

/// Alignment of a text in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For text.
    Left,
    /// For amounts.
    Right,
}

/// A part of the page's width, in points from its left edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    pub left: f32,
    pub right: f32,
    pub align: Align,
}

impl Column {
    /// A left-aligned column.
    pub const fn left(left: f32, right: f32) -> Column {
        Column { left, right, align: Align::Left }
    }

    /// A right-aligned column.
    pub const fn right(left: f32, right: f32) -> Column {
        Column { left, right, align: Align::Right }
    }
}

/// A position in the document: the page, then the distance from its top.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Position {
    page: usize,
    y: f32,
}

impl Position {
    const START: Position = Position { page: 0, y: PAGE_TOP };

    /// The later of two positions.
    pub fn max(self, other: Position) -> Position {
        if self < other { other } else { self }
    }
}

/// A document during layout, from top to bottom.
pub struct Document {
    title: String,
    pages: Vec<Content>,
    position: Position,
    used: UsedFonts,
}

impl Document {
    /// An empty document. PDF readers display the title.
    pub fn new(title: &str) -> Document {
        Document {
            title: title.to_owned(),
            pages: vec![Content::new()],
            position: Position::START,
            used: UsedFonts::new(),
        }
    }

    /// The position of the next element.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Continues at another position, for example with a second column beside a first.
    pub fn go_to(&mut self, position: Position) {
        self.position = position;
    }

    /// Adds vertical space.
    pub fn skip(&mut self, points: f32) {
        self.position.y += points;
    }

    /// Starts a new page unless this much space is left on the current one.
    pub fn keep_together(&mut self, height: f32) {
        if self.position.y + height > PAGE_BOTTOM && self.position.y > PAGE_TOP {
            self.position = Position { page: self.position.page + 1, y: PAGE_TOP };
        }
        while self.pages.len() <= self.position.page {
            self.pages.push(Content::new());
        }
    }

    /// Starts a new page, unless the current one is empty.
    pub fn new_page(&mut self) {
        if self.position.y > PAGE_TOP {
            self.position = Position { page: self.position.page + 1, y: PAGE_TOP };
        }
        self.keep_together(0.0);
    }

    /// The number of the current page, from 0.
    pub fn page(&self) -> usize {
        self.position.page
    }

    /// The height that a text takes in a column.
    pub fn height_of(&self, column: Column, style: Style, text: &str) -> f32 {
        let room = (column.right - column.left) * 1000.0 / style.size;
        lines(text, style.weight, room).len() as f32 * style.line_height()
    }

    /// The width of a text in one line.
    pub fn width_of(&self, style: Style, text: &str) -> f32 {
        let widest = lines(text, style.weight, f32::MAX).into_iter().map(|line| line.width);
        widest.fold(0.0, f32::max) * style.size / 1000.0
    }

    /// A line of text that does not move the position: `down` is the distance from it to the top of the line. What
    /// does not fit into the column is cut off at a word.
    pub fn label(&mut self, column: Column, down: f32, style: Style, text: &str) {
        let room = (column.right - column.left) * 1000.0 / style.size;
        if let Some(line) = lines(text, style.weight, room).first() {
            let baseline = self.position.y + down + style.size * BASELINE;
            self.draw(self.position.page, column, baseline, style, line);
        }
    }

    /// The content of the current page, and the height of the position on it, for drawing.
    pub(crate) fn canvas(&mut self) -> (&mut Content, f32) {
        self.keep_together(0.0);
        (&mut self.pages[self.position.page], HEIGHT - self.position.y)
    }

    /// A horizontal line across a column.
    pub fn rule(&mut self, column: Column) {
        self.keep_together(1.0);
        let y = HEIGHT - self.position.y;
        let page = &mut self.pages[self.position.page];
        page.set_line_width(0.6).set_line_cap(LineCapStyle::ButtCap).set_stroke_gray(0.6);
        page.move_to(column.left, y).line_to(column.right, y).stroke();
    }

    /// A text in a column, in as many lines and on as many pages as it needs.
    pub fn paragraph(&mut self, column: Column, style: Style, text: &str) {
        let room = (column.right - column.left) * 1000.0 / style.size;
        for line in lines(text, style.weight, room) {
            self.keep_together(style.line_height());
            let baseline = self.position.y + style.size * BASELINE;
            self.draw(self.position.page, column, baseline, style, &line);
            self.skip(style.line_height());
        }
    }

    /// Texts side by side. The next element is below the longest of them.
    pub fn row(&mut self, cells: &[(Column, Style, &str)]) {
        let height = cells.iter().map(|(_, style, _)| style.line_height()).fold(0.0, f32::max);
        self.keep_together(height);
        let (start, mut end) = (self.position, self.position);
        for (column, style, text) in cells {
            self.go_to(start);
            self.paragraph(*column, *style, text);
            end = end.max(self.position);
        }
        self.go_to(end);
    }

    /// Adds a footer to each page; `text` gets the page number and the number of pages.
    pub fn foot(&mut self, column: Column, style: Style, text: impl Fn(usize, usize) -> String) {
        let count = self.pages.len();
        let room = (column.right - column.left) * 1000.0 / style.size;
        for page in 0..count {
            if let Some(line) = lines(&text(page + 1, count), style.weight, room).first() {
                self.draw(page, column, FOOT, style, line);
            }
        }
    }

    /// Adds a header to each page after the first.
    pub fn head(&mut self, column: Column, style: Style, text: &str) {
        let room = (column.right - column.left) * 1000.0 / style.size;
        let Some(line) = lines(text, style.weight, room).into_iter().next() else { return };
        for page in 1..self.pages.len() {
            self.draw(page, column, HEAD, style, &line);
        }
    }

    /// The document as a PDF file.
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
    let complete = used.add_characters(run);
    if !complete {
        let mut mark = page.begin_marked_content_with_properties(Name(b"Span"));
        mark.properties().actual_text(TextStr(&run.text));
    }
    let Color { red, green, blue } = style.color;
    page.begin_text().set_fill_rgb(red, green, blue);
    if run.outlined {
        page.set_stroke_rgb(red, green, blue).set_line_width(style.size * OUTLINE);
        page.set_text_rendering_mode(TextRenderingMode::FillStroke);
    }
    page.set_font(Name(file::resource(run.face).as_bytes()), style.size);
    page.set_text_matrix([1.0, 0.0, 0.0, 1.0, x, y]);
    show_glyphs(page, used, style, run);
    if run.outlined {
        page.set_text_rendering_mode(TextRenderingMode::Fill);
    }
    page.end_text();
    if !complete {
        page.end_marked_content();
    }
}

/// Draws the glyphs of a run. Where shaping has placed a glyph elsewhere than the font's widths, it
/// is moved there; glyphs at the same height are drawn together.
fn show_glyphs(page: &mut Content, used: &mut Used, style: Style, run: &Run) {
    // The position after shaping, and the position of a PDF reader.
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
            items.show(Str(&used.add(glyph).to_be_bytes()));
            reader += glyph.width;
            placed += glyph.advance;
        }
        items.finish();
        shown.finish();
    }
    page.set_rise(0.0);
}
