//! The first page: who the company is, what stands out, and what is known.

use std::borrow::Cow;

use panji_pdf::{Area, Color, Column, Document, PAGE_LEFT, PAGE_RIGHT, Style};

use super::sheet::{
    self, ACCENT, AMBER, BODY, Cell, GREEN, INK, LABEL, MUTED, NOT_KNOWN, RED, STRONG, TINT, WIDE,
    WIDTH, coverage_words, facts, heading, money, note, table, word,
};
use crate::api::company_records::CompanyRecords;
use crate::api::wire::{CompanyFindings, Finding, enums};
use crate::locale::amounts::grouped;
use crate::locale::dates;

const NAME: Style = Style::bold(22.0).colored(INK);
const NUMBER: Style = Style::regular(10.0).colored(MUTED);
/// The findings on the first page.
const MAX_FINDINGS: usize = 6;

pub fn write(
    document: &mut Document,
    records: &CompanyRecords,
    findings: &CompanyFindings,
    sample: bool,
) {
    title(document, records, sample);
    tiles(document, records);
    write_key_findings(document, findings);
    coverage(document, records);
    identity(document, records);
}

fn title(document: &mut Document, records: &CompanyRecords, sample: bool) {
    let company = &records.company;
    document.fill_area(Area { left: PAGE_LEFT, top: -22.0, width: 40.0, height: 4.0 }, ACCENT);
    let day = format!("Report of {}", dates::day(&records.day.to_string()));
    let left = Column::left(PAGE_LEFT, 330.0);
    let right = Column::right(330.0, PAGE_RIGHT);
    document.row(&[(left, LABEL, "Company report"), (right, LABEL, &day)]);
    document.skip(6.0);
    document.paragraph(WIDE, NAME, &company.name);
    document.skip(2.0);
    document.paragraph(WIDE, NUMBER, &company.cin);
    document.skip(6.0);
    let mut left = PAGE_LEFT;
    left += sheet::mark(document, left, 0.0, &word(&company.status), status_color(&company.status))
        + 6.0;
    if company.listed == Some(true) {
        left += sheet::mark(document, left, 0.0, "Listed", ACCENT) + 6.0;
    }
    if let Some(class) = &company.class {
        sheet::mark(document, left, 0.0, &word(class), MUTED);
    }
    document.skip(24.0);
    if sample {
        let text = "This report is made of the sandbox's fictitious data. No company in it exists.";
        document.paragraph(WIDE, STRONG.colored(AMBER), text);
        document.skip(6.0);
    }
}

pub fn status_color(status: &str) -> Color {
    match status {
        "active" | "approved" => GREEN,
        "unknown" | "other" => MUTED,
        "dormant" | "inactive" | "amalgamated" => AMBER,
        _ => RED,
    }
}

/// Four figures in a row.
fn tiles(document: &mut Document, records: &CompanyRecords) {
    let years = &records.financials.years;
    let newest = years.iter().find(|year| year.revenue.is_some());
    let revenue = newest.and_then(|year| year.revenue).map(money);
    let revenue_of = newest.map_or("Revenue".to_owned(), |year| {
        format!("Revenue {} ({})", year.financial_year, year.basis)
    });
    let open = &records.charges.open;
    let charges = match (open.count, open.amount) {
        (Some(0), _) => Some("none".to_owned()),
        (Some(count), Some(amount)) => Some(format!("{} ({count})", money(amount))),
        _ => None,
    };
    let incorporated = records.company.incorporated_on.as_deref().map(dates::day);
    let tiles = [
        ("Incorporated".to_owned(), incorporated),
        ("Paid-up capital".to_owned(), records.capital.paid_up.map(money)),
        (revenue_of, revenue),
        ("Open charges".to_owned(), charges),
    ];
    let width = (WIDTH - 24.0) / 4.0;
    let value = Style::bold(11.0).colored(INK);
    for (at, (label, text)) in tiles.iter().enumerate() {
        let left = PAGE_LEFT + (width + 8.0) * at as f32;
        document.fill_round(Area { left, top: 0.0, width, height: 46.0 }, 5.0, TINT);
        let column = Column::left(left + 9.0, left + width - 4.0);
        document.label(column, 7.0, LABEL, label);
        match text {
            Some(text) => document.label(column, 21.0, value, text),
            None => document.label(column, 22.0, BODY.colored(MUTED), NOT_KNOWN),
        }
    }
    document.skip(50.0);
}

pub fn severity_color(finding: &Finding) -> Color {
    match (finding.kind.as_ref(), finding.severity.as_ref()) {
        (enums::CONTEXT, _) => ACCENT,
        (_, enums::HIGH) => RED,
        _ => AMBER,
    }
}

fn write_key_findings(document: &mut Document, findings: &CompanyFindings) {
    heading(document, "What stands out");
    let risks = findings.findings.iter().filter(|finding| finding.kind == enums::RISK).count();
    let context = findings.findings.len() - risks;
    let (checked, unchecked) = (findings.checked.len(), findings.not_checked.len());
    let text = format!(
        "{} and {} from {checked} rules; {unchecked} rules could not be checked, because their data is not known. Facts \
         with their sources, and no judgment.",
        counted(risks, "risk", "risks"),
        counted(context, "point of context", "points of context").to_lowercase(),
    );
    note(document, &text);
    for finding in findings.findings.iter().take(MAX_FINDINGS) {
        let column = Column::left(PAGE_LEFT + 14.0, PAGE_RIGHT);
        document.keep_together(document.height_of(column, BODY, &finding.sentence));
        document.fill_disc((PAGE_LEFT + 4.0, 7.0), 3.2, severity_color(finding));
        document.paragraph(column, BODY, &finding.sentence);
        document.skip(3.0);
    }
    if findings.findings.len() > MAX_FINDINGS {
        note(document, &format!("All {} are in the section Findings.", findings.findings.len()));
    }
}

fn counted(number: usize, one: &str, many: &str) -> String {
    match number {
        0 => format!("No {one}"),
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

fn coverage(document: &mut Document, records: &CompanyRecords) {
    heading(document, "What is known");
    let columns = [
        ("Section", Column::left(PAGE_LEFT, 200.0)),
        ("Known", Column::left(205.0, 280.0)),
        ("Data of", Column::left(285.0, 370.0)),
        ("Source", Column::left(375.0, PAGE_RIGHT)),
    ];
    let (company, capital) = (&records.company, &records.capital);
    let (directors, charges) = (&records.directors, &records.charges);
    let identity = company.origin();
    let (financials, compliance) = (&records.financials, &records.compliance);
    let sections = [
        ("Identity", &identity.coverage, &identity.as_of, &identity.source),
        ("Capital", &capital.coverage, &capital.as_of, &capital.source),
        ("Directors", &directors.coverage, &directors.as_of, &directors.source),
        ("Charges", &charges.coverage, &charges.as_of, &charges.source),
        ("Financial years", &financials.coverage, &financials.as_of, &financials.source),
        ("Compliance", &compliance.coverage, &compliance.as_of, &compliance.source),
    ];
    let mut rows: Vec<Vec<Cell>> = sections
        .into_iter()
        .map(|(name, coverage, as_of, source)| {
            let (text, color) = coverage_words(coverage);
            let source = source.as_deref().map_or_else(|| Cell::muted("–"), Cell::plain);
            vec![Cell::plain(name), Cell::colored(text, color), Cell::day(as_of.as_deref()), source]
        })
        .collect();
    let newest = records.gst.iter().map(|stored| &stored.registration).max_by_key(|one| &one.as_of);
    let (text, color) = coverage_words(if newest.is_some() { enums::PARTIAL } else { enums::NONE });
    rows.push(vec![
        Cell::plain("GST registrations"),
        Cell::colored(text, color),
        Cell::day(newest.and_then(|registration| registration.as_of.as_deref())),
        newest.map_or_else(|| Cell::muted("–"), |registration| Cell::plain(&registration.source)),
    ]);
    table(document, &columns, &rows);
    note(
        document,
        "Complete: a source that lists everything of this kind was imported. In part: there may be more. Not known: no \
         source was imported, so that silence means nothing.",
    );
}

fn identity(document: &mut Document, records: &CompanyRecords) {
    let company = &records.company;
    heading(document, "Identity");
    let office = &company.registered_office;
    let parts = [&office.address, &office.city, &office.district, &office.state, &office.pincode];
    let parts: Vec<&str> = parts.into_iter().flatten().map(|part| &**part).collect();
    let industry = match (&company.industry.nic_code, &company.industry.description) {
        (Some(code), Some(text)) => Some(format!("{text} (NIC {code})")),
        (Some(code), None) => Some(format!("NIC {code}")),
        (None, text) => text.as_deref().map(str::to_owned),
    };
    let in_words = |word: &Option<Cow<'_, str>>| word.as_deref().map(sheet::word);
    let owned = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
    let known = |text: String| Some(text).filter(|text| !text.is_empty());
    let listed = company.listed.map(|listed| if listed { "yes" } else { "no" }.to_owned());
    let formers: Vec<String> = company
        .former_names
        .iter()
        .map(|former| match &former.until {
            Some(until) => format!("{} (until {})", former.name, dates::day(until)),
            None => former.name.clone(),
        })
        .collect();
    let none_listed = || (company.coverage == enums::FULL).then(|| "none".to_owned());
    facts(
        document,
        &[
            ("Registered office", known(parts.join(", "))),
            ("Industry", industry),
            ("Status, in the words of the source", owned(&company.status_text)),
            ("Registrar", owned(&company.roc.name)),
            ("Class", in_words(&company.class)),
            ("Category", in_words(&company.category)),
            ("Listed", listed),
            ("Members", records.capital.members.map(grouped)),
            ("Authorised capital", records.capital.authorised.map(money)),
            ("Paid-up capital", records.capital.paid_up.map(money)),
            ("PAN", records.pan.as_ref().map(|pan| pan.pan.clone())),
            ("LEI", company.lei.as_ref().map(|lei| lei.lei.clone())),
            ("Former names", known(formers.join("; ")).or_else(none_listed)),
            ("Former numbers", known(company.former_cins.join(", ")).or_else(none_listed)),
        ],
    );
    note(document, &sheet::source_text(company.as_of.as_deref(), Some(&company.source)));
}
