//! Whole documents: their text can be extracted, from as many pages as it needs, and the file is
//! small.

use panji_pdf::{Area, Color, Column, Document, PAGE_LEFT, PAGE_RIGHT, Style};
use panji_testkit::pdf_pages;

const WIDE: Column = Column::left(PAGE_LEFT, PAGE_RIGHT);
const LEFT: Column = Column::left(PAGE_LEFT, 280.0);
const RIGHT: Column = Column::left(300.0, PAGE_RIGHT);

#[test]
fn the_text_of_every_script_can_be_copied_from_the_file() {
    let texts = [
        "Panji & Söhne, ₹1,180.00 — “Śrī Lakṣmī”",
        "नमूना ट्रेडर्स प्राइवेट लिमिटेड, १२ उदाहरण मार्ग।",
        "নমুনা ট্রেডার্স, কলকাতা ৭০০০০১",
        "ਨਮੂਨਾ ਟਰੇਡਰਜ਼, ਅੰਮ੍ਰਿਤਸਰ",
        "નમૂના ટ્રેડર્સ, અમદાવાદ",
        "ନମୁନା ଟ୍ରେଡର୍ସ, ଭୁବନେଶ୍ୱର",
        "மாதிரி வணிகர்கள், சென்னை",
        "నమూనా ట్రేడర్స్, హైదరాబాద్",
        "ಮಾದರಿ ವ್ಯಾಪಾರಿಗಳು, ಬೆಂಗಳೂರು",
        "മാതൃക വ്യാപാരികൾ, തിരുവനന്തപുരം",
        "ᱱᱟᱢᱩᱱᱟ",
        "ꯅꯃꯨꯅꯥ ꯏꯝꯐꯥꯜ",
    ];
    let mut document = Document::new("Scripts");
    for text in texts {
        document.paragraph(WIDE, Style::regular(11.0), text);
        document.paragraph(WIDE, Style::bold(11.0), text);
    }
    let file = document.finish();
    let pages = pdf_pages(&file);
    let lines: Vec<&str> = pages[0].lines().collect();
    let expected: Vec<&str> = texts.iter().flat_map(|text| [*text, *text]).collect();
    assert_eq!(lines, expected);
    assert!(file.len() < 150_000, "{} bytes", file.len());
}

#[test]
fn a_long_text_continues_on_the_next_page_and_the_next_element_is_below_the_longest_column() {
    let long: Vec<String> = (0..120).map(|number| format!("word{number} क्षेत्र{number}")).collect();
    let long = long.join("\n");
    let mut document = Document::new("Long");
    document.row(&[
        (LEFT, Style::regular(10.0), "short"),
        (RIGHT, Style::regular(10.0), long.as_str()),
    ]);
    let end = document.position();
    document.paragraph(WIDE, Style::regular(10.0), "after");
    document.foot(WIDE, Style::regular(8.0), |page, pages| format!("Page {page} of {pages}"));
    assert!(document.position() > end);
    let pages = pdf_pages(&document.finish());
    assert_eq!(pages.len(), 3);
    let text = pages.join("\n");
    for line in long.lines() {
        assert!(text.contains(line), "{line} is missing");
    }
    assert!(pages[0].starts_with("short") && pages[0].ends_with("Page 1 of 3"));
    assert!(pages[2].contains("\nafter\n") && pages[2].ends_with("Page 3 of 3"));
}

#[test]
fn the_same_document_gives_the_same_file() {
    let made = || {
        let mut document = Document::new("Twice");
        document.paragraph(WIDE, Style::bold(12.0), "மாதிரி and नमूना");
        document.rule(WIDE);
        document.finish()
    };
    assert_eq!(made(), made());
}

#[test]
fn drawing_does_not_move_the_position_and_headers_begin_on_the_second_page() {
    let mut document = Document::new("Drawn");
    let start = document.position();
    let area = Area { left: PAGE_LEFT, top: 0.0, width: 100.0, height: 20.0 };
    document.fill_area(area, Color::hex(0x2b4c9b));
    document.fill_round(area, 4.0, Color::WHITE);
    document.fill_disc((PAGE_LEFT, 10.0), 3.0, Color::BLACK);
    document.stroke(&[(60.0, 0.0), (70.0, 5.0), (80.0, 2.0)], 1.0, Color::BLACK);
    document.stroke_curve((60.0, 0.0), (160.0, 20.0), 1.0, Color::gray(0.5));
    document.fill_shape(&[(60.0, 0.0), (70.0, 5.0), (80.0, 2.0)], Color::BLACK);
    document.label(WIDE, 4.0, Style::bold(9.0), "in the box");
    assert_eq!(document.position(), start);
    document.new_page();
    assert_eq!(document.page(), 0, "an empty page is used");
    document.paragraph(WIDE, Style::regular(10.0), "first");
    document.new_page();
    document.paragraph(WIDE, Style::regular(10.0), "second");
    document.head(WIDE, Style::regular(8.0), "the header");
    let narrow = document.height_of(LEFT, Style::regular(10.0), &"word ".repeat(60));
    assert!(narrow > document.height_of(WIDE, Style::regular(10.0), &"word ".repeat(60)));
    let pages = pdf_pages(&document.finish());
    assert_eq!(pages.len(), 2);
    assert!(!pages[0].contains("the header") && pages[0].contains("in the box"));
    assert!(pages[1].contains("the header") && pages[1].contains("second"));
}
