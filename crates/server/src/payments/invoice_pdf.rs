//! An invoice as a PDF of one page. Its fonts are those that every reader has, so that the file is
//! small; they lack the rupee sign, so amounts say Rs.

use panji_ids::gst_state;
use panji_store::ledger::Invoice;
use pdf_writer::types::LineCapStyle;
use pdf_writer::{Content as Strokes, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::amount_in_words::in_words;
use super::invoice::Content;
use crate::console::{amounts, dates};

const PLAIN: Name<'static> = Name(b"F1");
const BOLD: Name<'static> = Name(b"F2");
/// A4 in points, and its margins.
const WIDTH: f32 = 595.0;
const HEIGHT: f32 = 842.0;
const LEFT: f32 = 56.0;
const RIGHT: f32 = WIDTH - 56.0;
const MIDDLE: f32 = 306.0;
/// Lines of an address that are printed.
const MAX_LINES: usize = 7;
/// Widths of Helvetica's characters from the space on, in thousandths of the size.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The page that is being written, from top to bottom.
struct Sheet {
    strokes: Strokes,
    y: f32,
}

impl Sheet {
    fn text(&mut self, x: f32, size: f32, font: Name<'static>, text: &str) {
        self.strokes.begin_text().set_font(font, size).next_line(x, self.y);
        self.strokes.show(Str(&encoded(text))).end_text();
    }

    fn right(&mut self, x: f32, size: f32, font: Name<'static>, text: &str) {
        self.text(x - width(text, size), size, font, text);
    }

    fn rule(&mut self) {
        self.strokes.set_line_width(0.6).set_line_cap(LineCapStyle::ButtCap);
        self.strokes.move_to(LEFT, self.y).line_to(RIGHT, self.y).stroke();
    }

    fn down(&mut self, by: f32) {
        self.y -= by;
    }
}

/// Writes the file.
pub fn write(invoice: &Invoice, content: &Content) -> Vec<u8> {
    let mut sheet = Sheet { strokes: Strokes::new(), y: HEIGHT - 72.0 };
    write_head(&mut sheet, invoice, content);
    write_parties(&mut sheet, content);
    write_lines(&mut sheet, content);
    write_foot(&mut sheet, content);
    file(sheet.strokes, &invoice.number)
}

fn write_head(sheet: &mut Sheet, invoice: &Invoice, content: &Content) {
    let title = if content.test { "Specimen invoice" } else { "Tax invoice" };
    sheet.text(LEFT, 20.0, BOLD, title);
    sheet.right(RIGHT, 10.0, PLAIN, &format!("No. {}", invoice.number));
    sheet.down(15.0);
    sheet.right(RIGHT, 10.0, PLAIN, &format!("Date {}", dates::day_of(invoice.issued_at)));
    if content.test {
        let note = "A test payment: no money was moved, and this is no tax invoice.";
        sheet.text(LEFT, 10.0, PLAIN, note);
    }
    sheet.down(14.0);
    sheet.rule();
    sheet.down(22.0);
}

fn write_parties(sheet: &mut Sheet, content: &Content) {
    let top = sheet.y;
    let seller = &content.seller;
    let name = if seller.name.is_empty() { "(no seller is set)" } else { &seller.name };
    write_party(sheet, LEFT, "Seller", name, &seller.address, &seller.gstin);
    if !seller.email.is_empty() {
        sheet.text(LEFT, 10.0, PLAIN, &seller.email);
        sheet.down(14.0);
    }
    let seller_end = sheet.y;
    sheet.y = top;
    let buyer = &content.buyer;
    write_party(sheet, MIDDLE, "Buyer", &buyer.name, &buyer.address, &buyer.gstin);
    let state = gst_state(&buyer.state_code).unwrap_or_default();
    sheet.text(MIDDLE, 10.0, PLAIN, &format!("Place of supply: {state} ({})", buyer.state_code));
    sheet.y = sheet.y.min(seller_end) - 26.0;
}

fn write_party(sheet: &mut Sheet, x: f32, what: &str, name: &str, address: &str, gstin: &str) {
    let room = MIDDLE - LEFT - 16.0;
    sheet.text(x, 9.0, PLAIN, what);
    sheet.down(14.0);
    for line in wrapped(name, 11.0, room).into_iter().take(MAX_LINES) {
        sheet.text(x, 11.0, BOLD, &line);
        sheet.down(14.0);
    }
    let lines = address.lines().flat_map(|line| wrapped(line, 10.0, room));
    for line in lines.take(MAX_LINES) {
        sheet.text(x, 10.0, PLAIN, &line);
        sheet.down(13.0);
    }
    if !gstin.is_empty() {
        sheet.text(x, 10.0, PLAIN, &format!("GSTIN {gstin}"));
        sheet.down(13.0);
    }
}

fn write_lines(sheet: &mut Sheet, content: &Content) {
    sheet.rule();
    sheet.down(14.0);
    for (x, head) in [(LEFT, "Description"), (330.0, "SAC")] {
        sheet.text(x, 9.0, PLAIN, head);
    }
    sheet.right(450.0, 9.0, PLAIN, "Credits");
    sheet.right(RIGHT, 9.0, PLAIN, "Amount");
    sheet.down(8.0);
    sheet.rule();
    sheet.down(16.0);
    sheet.text(LEFT, 10.0, PLAIN, "API credits, one rupee each");
    sheet.text(330.0, 10.0, PLAIN, &content.sac);
    sheet.right(450.0, 10.0, PLAIN, &amounts::grouped(content.credits));
    sheet.right(RIGHT, 10.0, PLAIN, &rs(content.taxable));
    sheet.down(10.0);
    sheet.rule();
    sheet.down(18.0);
    sum(sheet, "Taxable value", content.taxable, PLAIN);
    for tax in &content.taxes {
        sum(sheet, &format!("{} {}%", tax.name, tax.rate), tax.amount, PLAIN);
    }
    sum(sheet, "Total", content.total, BOLD);
    sheet.down(8.0);
    sheet.text(LEFT, 10.0, PLAIN, &in_words(content.total));
    sheet.down(26.0);
}

fn sum(sheet: &mut Sheet, what: &str, paise: i64, font: Name<'static>) {
    sheet.right(450.0, 10.0, font, what);
    sheet.right(RIGHT, 10.0, font, &rs(paise));
    sheet.down(16.0);
}

fn write_foot(sheet: &mut Sheet, content: &Content) {
    sheet.rule();
    sheet.down(16.0);
    sheet.text(LEFT, 9.0, PLAIN, &format!("Paid: {}", content.payment_id));
    sheet.down(13.0);
    sheet.text(LEFT, 9.0, PLAIN, "Tax is not payable on reverse charge.");
    sheet.down(13.0);
    sheet.text(LEFT, 9.0, PLAIN, "Made by a computer; valid without a signature.");
}

/// The strokes as a file.
fn file(strokes: Strokes, number: &str) -> Vec<u8> {
    let ids: [Ref; 7] = std::array::from_fn(|index| Ref::new(index as i32 + 1));
    let [catalog, pages, page_id, plain, bold, content, information] = ids;
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page_id]).count(1);
    let mut page = pdf.page(page_id);
    page.media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).parent(pages).contents(content);
    page.resources().fonts().pair(PLAIN, plain).pair(BOLD, bold);
    page.finish();
    for (id, font) in [(plain, &b"Helvetica"[..]), (bold, &b"Helvetica-Bold"[..])] {
        let mut written = pdf.type1_font(id);
        written.base_font(Name(font)).encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    pdf.stream(content, &strokes.finish());
    pdf.document_info(information).title(TextStr(&format!("Invoice {number}")));
    pdf.finish()
}

fn rs(paise: i64) -> String {
    amounts::rupees_and_paise(paise).replace('₹', "Rs. ")
}

/// Whether the invoice can show every character of a text.
pub fn can_show(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_whitespace() || byte(character).is_some())
}

/// A text in the fonts' own encoding.
fn encoded(text: &str) -> Vec<u8> {
    text.chars().map(|character| byte(character).unwrap_or(b'?')).collect()
}

/// A character in the fonts' own encoding, which has the letters of western Europe.
fn byte(character: char) -> Option<u8> {
    Some(match character {
        ' '..='~' => character as u8,
        '\u{a0}'..='\u{ff}' => character as u32 as u8,
        '–' => 0x96,
        '—' => 0x97,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        _ => return None,
    })
}

/// How wide a text is. Bold letters are a little wider, figures are not.
fn width(text: &str, size: f32) -> f32 {
    let of = |byte: u8| {
        let place = usize::from(byte).checked_sub(32);
        place.and_then(|place| WIDTHS.get(place)).copied().unwrap_or(556)
    };
    encoded(text).into_iter().map(|byte| f32::from(of(byte))).sum::<f32>() * size / 1000.0
}

/// A text in lines that fit.
fn wrapped(text: &str, size: f32, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_address_is_wrapped_and_every_figure_has_the_same_width() {
        let lines = wrapped("Plot 14, Second Cross, Industrial Estate Phase Two", 10.0, 120.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| width(line, 10.0) <= 120.0));
        assert_eq!(width("1,11,111", 10.0), width("9,87,654", 10.0));
        assert_eq!(encoded("Café ₹ – नमूना").len(), 14);
    }
}
