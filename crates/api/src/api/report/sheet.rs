//! The parts that the pages of a report are made of: headings, tables, marks and notes.

use panji_pdf::{Area, Color, Column, Document, PAGE_LEFT, PAGE_RIGHT, Style};

use crate::api::wire::{Rupees, enums};
use crate::locale::amounts::short_rupees;
use crate::locale::dates;

pub const INK: Color = Color::hex(0x1b2333);
pub const MUTED: Color = Color::hex(0x5f6b80);
pub const FAINT: Color = Color::hex(0xd8deea);
pub const TINT: Color = Color::hex(0xf3f6fc);
pub const ACCENT: Color = Color::hex(0x23408e);
pub const RED: Color = Color::hex(0xb3261e);
pub const AMBER: Color = Color::hex(0xa86200);
pub const GREEN: Color = Color::hex(0x2c7a4b);

/// The colors of charts and lines, which color-blind people can tell apart.
pub const FIRST_SERIES: Color = Color::hex(0x3b5f7d);
pub const SECOND_SERIES: Color = Color::hex(0xc58a2d);
pub const THIRD_SERIES: Color = Color::hex(0x5a8f6b);
pub const FOURTH_SERIES: Color = Color::hex(0x8c6bb1);

pub const WIDE: Column = Column::left(PAGE_LEFT, PAGE_RIGHT);
pub const WIDTH: f32 = PAGE_RIGHT - PAGE_LEFT;
pub const BODY: Style = Style::regular(9.5).colored(INK);
pub const STRONG: Style = Style::bold(9.5).colored(INK);
pub const SMALL: Style = Style::regular(8.5).colored(INK);
pub const SMALL_STRONG: Style = Style::bold(8.5).colored(INK);
pub const LABEL: Style = Style::regular(8.0).colored(MUTED);
const HEADING: Style = Style::bold(14.0).colored(INK);
const SUBHEADING: Style = Style::bold(10.5).colored(INK);
/// The space that a heading needs with the beginning of what follows it.
const HEADING_ROOM: f32 = 110.0;
const SUBHEADING_ROOM: f32 = 64.0;
const CELL_PADDING: f32 = 4.0;

/// What is written where a value is not known.
pub const NOT_KNOWN: &str = "not known";

pub fn heading(document: &mut Document, text: &str) {
    document.skip(20.0);
    document.keep_together(HEADING_ROOM);
    document.fill_area(Area { left: PAGE_LEFT, top: 3.0, width: 3.0, height: 14.0 }, ACCENT);
    document.label(Column::left(PAGE_LEFT + 11.0, PAGE_RIGHT), 0.0, HEADING, text);
    document.skip(26.0);
}

pub fn subheading(document: &mut Document, text: &str) {
    document.skip(10.0);
    document.keep_together(SUBHEADING_ROOM);
    document.paragraph(WIDE, SUBHEADING, text);
    document.skip(3.0);
}

pub fn note(document: &mut Document, text: &str) {
    document.paragraph(WIDE, LABEL, text);
    document.skip(4.0);
}

/// The source of a section and what it means, below its heading.
pub fn origin(document: &mut Document, coverage: &str, as_of: Option<&str>, source: Option<&str>) {
    let text = match coverage {
        enums::NONE => {
            "Nothing is known: no source of this kind was imported for the company. This does \
                        not mean that there is nothing."
                .to_owned()
        }
        enums::PARTIAL => format!("Known in part. {}", source_text(as_of, source)),
        _ => format!("Complete, as of the date of the source. {}", source_text(as_of, source)),
    };
    note(document, &text);
}

/// A source and its date in a sentence.
pub fn source_text(as_of: Option<&str>, source: Option<&str>) -> String {
    let source = source.unwrap_or(NOT_KNOWN);
    match as_of {
        Some(day) => format!("Source: {source}, data of {}.", dates::day(day)),
        None => format!("Source: {source}, without a date."),
    }
}

pub fn coverage_words(coverage: &str) -> (&'static str, Color) {
    match coverage {
        enums::FULL => ("complete", GREEN),
        enums::PARTIAL => ("in part", AMBER),
        _ => ("not known", MUTED),
    }
}

/// A cell of a table.
pub struct Cell {
    pub text: String,
    pub style: Style,
}

impl Cell {
    pub fn plain(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), style: SMALL }
    }

    pub fn strong(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), style: SMALL_STRONG }
    }

    pub fn muted(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), style: SMALL.colored(MUTED) }
    }

    pub fn colored(text: impl Into<String>, color: Color) -> Cell {
        Cell { text: text.into(), style: SMALL_STRONG.colored(color) }
    }

    pub fn day(day: Option<&str>) -> Cell {
        day.map_or_else(|| Cell::muted("–"), |day| Cell::plain(dates::day(day)))
    }

    pub fn amount(amount: Option<Rupees>) -> Cell {
        amount.map_or_else(|| Cell::muted(NOT_KNOWN), |amount| Cell::plain(money(amount)))
    }
}

/// An amount, abbreviated.
pub fn money(amount: Rupees) -> String {
    short_rupees(amount.0 as f64 / 100.0)
}

/// A table; its titles are repeated on each page.
pub fn table(document: &mut Document, columns: &[(&str, Column)], rows: &[Vec<Cell>]) {
    let height = |document: &Document, row: &[Cell]| {
        let cells = columns.iter().zip(row);
        let heights =
            cells.map(|((_, column), cell)| document.height_of(*column, cell.style, &cell.text));
        heights.fold(0.0, f32::max) + CELL_PADDING * 2.0
    };
    let mut page = usize::MAX;
    for row in rows {
        let row_height = height(document, row);
        let with_titles = if page == usize::MAX { row_height + 22.0 } else { row_height };
        document.keep_together(with_titles);
        if document.page() != page {
            page = document.page();
            titles(document, columns);
        }
        document.skip(CELL_PADDING);
        let cells: Vec<_> = columns
            .iter()
            .zip(row)
            .map(|((_, column), cell)| (*column, cell.style, cell.text.as_str()))
            .collect();
        document.row(&cells);
        document.skip(CELL_PADDING);
        document.stroke(&[(PAGE_LEFT, 0.0), (PAGE_RIGHT, 0.0)], 0.4, FAINT);
    }
    document.skip(4.0);
}

fn titles(document: &mut Document, columns: &[(&str, Column)]) {
    let area = Area { left: PAGE_LEFT - 4.0, top: 0.0, width: WIDTH + 8.0, height: 18.0 };
    document.fill_round(area, 3.0, TINT);
    for (title, column) in columns {
        document.label(*column, 3.5, Style::bold(8.0).colored(MUTED), title);
    }
    document.skip(18.0);
}

/// Labels with values, two in a row. A value that is not known is said to be so.
pub fn facts(document: &mut Document, facts: &[(&str, Option<String>)]) {
    const GAP: f32 = 18.0;
    let middle = PAGE_LEFT + WIDTH / 2.0;
    let left = Column::left(PAGE_LEFT, middle - GAP / 2.0);
    let right = Column::left(middle + GAP / 2.0, PAGE_RIGHT);
    let cell = |fact: &(&str, Option<String>)| match &fact.1 {
        Some(value) => (value.clone(), BODY),
        None => (NOT_KNOWN.to_owned(), BODY.colored(MUTED)),
    };
    for pair in facts.chunks(2) {
        let columns = [left, right];
        let heights = pair.iter().zip(columns).map(|(fact, column)| {
            let (text, style) = cell(fact);
            document.height_of(column, style, &text)
        });
        let height = heights.fold(0.0, f32::max) + LABEL.line_height() + 6.0;
        document.keep_together(height);
        let labels: Vec<_> =
            pair.iter().zip(columns).map(|(fact, column)| (column, LABEL, fact.0)).collect();
        document.row(&labels);
        let values: Vec<_> = pair.iter().map(cell).collect();
        let values: Vec<_> = values
            .iter()
            .zip(columns)
            .map(|((text, style), column)| (column, *style, text.as_str()))
            .collect();
        document.row(&values);
        document.skip(5.0);
    }
}

/// A word in a colored box; returns its width.
pub fn mark(document: &mut Document, left: f32, top: f32, text: &str, color: Color) -> f32 {
    let style = Style::bold(7.5).colored(Color::WHITE);
    let width = document.width_of(style, text) + 12.0;
    document.fill_round(Area { left, top, width, height: 13.0 }, 6.5, color);
    document.label(Column::left(left + 6.0, left + width + 2.0), top + 1.2, style, text);
    width
}

/// Abbreviations in the words of enumerations.
const ABBREVIATIONS: [&str; 8] = ["cirp", "ceo", "cfo", "gst", "llp", "sez", "din", "pan"];

/// A word of an enumeration as text: `under_cirp` is "Under CIRP".
pub fn word(word: &str) -> String {
    let words: Vec<String> = word
        .split('_')
        .enumerate()
        .map(|(at, part)| match part {
            part if ABBREVIATIONS.contains(&part) => part.to_uppercase(),
            part if at == 0 => {
                let mut letters = part.chars();
                let first = letters.next().into_iter().flat_map(char::to_uppercase);
                first.chain(letters).collect()
            }
            part => part.to_owned(),
        })
        .collect();
    words.join(" ")
}
