//! Writes an invoice as a PDF.

use panji_ids::gst_state;
use panji_pdf::{Column, Document, PAGE_LEFT, PAGE_RIGHT, Style};
use panji_store::ledger::Invoice;

use super::amount_in_words::in_words;
use super::invoice::Content;
use crate::locale::{amounts, dates};

const MIDDLE: f32 = 306.0;
const WIDE: Column = Column::left(PAGE_LEFT, PAGE_RIGHT);
const SELLER: Column = Column::left(PAGE_LEFT, MIDDLE - 18.0);
const BUYER: Column = Column::left(MIDDLE, PAGE_RIGHT);
const NUMBER: Column = Column::right(MIDDLE, PAGE_RIGHT);
const DESCRIPTION: Column = Column::left(PAGE_LEFT, 320.0);
const SAC: Column = Column::left(330.0, 385.0);
const CREDITS: Column = Column::right(390.0, 450.0);
const SUM: Column = Column::right(PAGE_LEFT, 450.0);
const AMOUNT: Column = Column::right(455.0, PAGE_RIGHT);

const TITLE: Style = Style::bold(20.0);
const NAME: Style = Style::bold(11.0);
const TEXT: Style = Style::regular(10.0);
const STRONG: Style = Style::bold(10.0);
const SMALL: Style = Style::regular(9.0);
const LABEL: Style = SMALL.muted();
/// The height of the amounts and the lines below them, which stay on one page.
const SUMS_HEIGHT: f32 = 250.0;

pub fn write(invoice: &Invoice, content: &Content) -> Vec<u8> {
    let mut document = Document::new(&format!("Invoice {}", invoice.number));
    write_head(&mut document, invoice, content);
    write_parties(&mut document, content);
    document.keep_together(SUMS_HEIGHT);
    write_lines(&mut document, content);
    write_foot(&mut document, content);
    document.foot(WIDE, LABEL, |page, pages| match pages {
        1 => String::new(),
        _ => format!("Invoice {}, page {page} of {pages}", invoice.number),
    });
    document.finish()
}

fn write_head(document: &mut Document, invoice: &Invoice, content: &Content) {
    let title = if content.test { "Sample invoice" } else { "Tax invoice" };
    let number = format!("No. {}\nDate {}", invoice.number, dates::day_of(invoice.issued_at));
    document.row(&[(SELLER, TITLE, title), (NUMBER, TEXT, &number)]);
    if content.test {
        let note = "This was a test payment. No money was charged, and this is not a tax invoice.";
        document.paragraph(WIDE, TEXT, note);
    }
    document.skip(8.0);
    document.rule(WIDE);
    document.skip(12.0);
}

fn write_parties(document: &mut Document, content: &Content) {
    let start = document.position();
    let seller = &content.seller;
    let name = if seller.name.is_empty() { "(no seller is configured)" } else { &seller.name };
    write_party(document, SELLER, "Seller", (name, &seller.address, &seller.gstin));
    document.paragraph(SELLER, TEXT, &seller.email);
    let seller_end = document.position();
    document.go_to(start);
    let buyer = &content.buyer;
    write_party(document, BUYER, "Buyer", (&buyer.name, &buyer.address, &buyer.gstin));
    let place_of_supply = match gst_state(&buyer.state_code) {
        Some(state) => format!("Place of supply: {state} ({})", buyer.state_code),
        None => "Place of supply: not specified".to_owned(),
    };
    document.paragraph(BUYER, TEXT, &place_of_supply);
    document.go_to(document.position().max(seller_end));
    document.skip(18.0);
}

fn write_party(
    document: &mut Document,
    column: Column,
    label: &str,
    (name, address, gstin): (&str, &str, &str),
) {
    document.paragraph(column, LABEL, label);
    document.paragraph(column, NAME, name);
    document.paragraph(column, TEXT, address);
    if !gstin.is_empty() {
        document.paragraph(column, TEXT, &format!("GSTIN {gstin}"));
    }
}

fn write_lines(document: &mut Document, content: &Content) {
    document.rule(WIDE);
    document.skip(4.0);
    document.row(&[
        (DESCRIPTION, LABEL, "Description"),
        (SAC, LABEL, "SAC"),
        (CREDITS, LABEL, "Credits"),
        (AMOUNT, LABEL, "Amount"),
    ]);
    document.skip(4.0);
    document.rule(WIDE);
    document.skip(6.0);
    document.row(&[
        (DESCRIPTION, TEXT, "API credits (1 credit = ₹1)"),
        (SAC, TEXT, &content.sac),
        (CREDITS, TEXT, &amounts::grouped(content.credits)),
        (AMOUNT, TEXT, &amounts::rupees_and_paise(content.taxable)),
    ]);
    document.skip(6.0);
    document.rule(WIDE);
    document.skip(6.0);
    write_sum(document, "Taxable value", content.taxable, TEXT);
    for tax in &content.taxes {
        write_sum(document, &format!("{} {}%", tax.name, tax.rate), tax.amount, TEXT);
    }
    write_sum(document, "Total", content.total, STRONG);
    document.skip(8.0);
    document.paragraph(WIDE, TEXT, &in_words(content.total));
    document.skip(14.0);
}

fn write_sum(document: &mut Document, label: &str, paise: i64, style: Style) {
    let amount = amounts::rupees_and_paise(paise);
    document.row(&[(SUM, style, label), (AMOUNT, style, &amount)]);
    document.skip(2.0);
}

fn write_foot(document: &mut Document, content: &Content) {
    document.rule(WIDE);
    document.skip(6.0);
    document.paragraph(WIDE, SMALL, &format!("Paid: {}", content.payment_id));
    document.paragraph(WIDE, SMALL, "Tax is not payable on reverse charge.");
    document.paragraph(WIDE, SMALL, "Computer-generated; valid without a signature.");
}

#[cfg(test)]
mod tests {
    use panji_store::ledger::BillingDetails;
    use panji_testkit::pdf_pages;

    use super::*;
    use crate::payments::invoice::{Seller, Tax};

    /// An invoice for 500 credits.
    fn sample_invoice(name: &str, address: &str) -> Vec<u8> {
        let invoice = Invoice {
            number: "NMN/2627/0000001".to_owned(),
            order_id: "order_1".to_owned(),
            issued_at: 1_768_458_600_000,
            content: String::new(),
        };
        let content = Content {
            seller: Seller {
                name: "Panji Namuna Private Limited".to_owned(),
                address: "4 Udaharan Road\nBengaluru 560001".to_owned(),
                gstin: "29ZZACK4368A1ZL".to_owned(),
                email: "accounts@panji.example".to_owned(),
            },
            buyer: BillingDetails {
                name: name.to_owned(),
                address: address.to_owned(),
                state_code: "33".to_owned(),
                gstin: String::new(),
            },
            sac: "998439".to_owned(),
            credits: 500,
            taxable: 50_000,
            taxes: vec![Tax { name: "IGST".to_owned(), rate: 18, amount: 9_000 }],
            total: 59_000,
            payment_id: "pay_1".to_owned(),
            test: false,
        };
        write(&invoice, &content)
    }

    #[test]
    fn an_invoice_can_contain_indian_scripts_and_the_rupee_sign() {
        let buyers = [
            ("नमूना ट्रेडर्स प्राइवेट लिमिटेड", "१२ उदाहरण मार्ग, मुंबई ४००००१"),
            ("மாதிரி வணிகர்கள்", "12 எடுத்துக்காட்டு தெரு, சென்னை"),
        ];
        for (name, address) in buyers {
            let file = sample_invoice(name, address);
            let pages = pdf_pages(&file);
            assert_eq!(pages.len(), 1);
            let text = pages[0].replace('\n', " ");
            for part in [name, address, "Tax invoice", "₹590.00", "Tamil Nadu (33)", "pay_1"] {
                assert!(text.contains(part), "{part} is not in {text}");
            }
            assert!(file.len() < 100_000, "{} bytes", file.len());
        }
    }

    #[test]
    fn a_long_name_and_address_are_not_truncated() {
        let name = "Namuna-Udaharan".repeat(13);
        let lines: Vec<String> = (1..=90).map(|line| format!("Floor {line}, தளம் {line}")).collect();
        let pages = pdf_pages(&sample_invoice(&name, &lines.join("\n")));
        assert!(pages.len() > 1, "a second page");
        let text = pages.join("\n");
        for line in &lines {
            assert!(text.contains(line.as_str()), "{line} is missing");
        }
        assert!(text.replace('\n', "").contains(&name));
        let last = pages.last().expect("a page");
        let foot = format!("page {0} of {0}", pages.len());
        assert!(last.contains("₹590.00") && last.ends_with(&foot), "{last}");
    }
}
