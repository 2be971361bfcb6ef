//! Statutory filings on a timeline, credit ratings, provident fund, and GST registrations.

use jiff::civil::Date;
use panji_pdf::{Color, Column, Document, PAGE_LEFT, PAGE_RIGHT, Style};

use super::sheet::{
    AMBER, Cell, FAINT, GREEN, LABEL, MUTED, RED, heading, note, origin, subheading, table, word,
};
use crate::api::company_records::CompanyRecords;
use crate::api::wire::{RocFiling, enums};
use crate::locale::dates;

/// The most forms and years of the timeline.
const MAX_FORMS: usize = 8;
const MAX_YEARS: i16 = 10;
const ROW: f32 = 17.0;
/// The left edge of the timeline.
const AXIS: f32 = 150.0;
/// The most rows of the tables.
const MAX_LATE: usize = 20;
const MAX_RATINGS: usize = 12;
const MAX_ESTABLISHMENTS: usize = 12;
const MAX_GST: usize = 40;

pub fn write(document: &mut Document, records: &CompanyRecords) {
    let compliance = &records.compliance;
    heading(document, "Compliance");
    origin(
        document,
        &compliance.coverage,
        compliance.as_of.as_deref(),
        compliance.source.as_deref(),
    );
    if compliance.coverage != enums::NONE {
        timeline(document, &compliance.roc_filings);
        late(document, &compliance.roc_filings);
        ratings(document, records);
        establishments(document, records);
    }
    gst(document, records);
}

fn color_of(status: &str) -> Color {
    match status {
        "overdue" => RED,
        "filed_late" => AMBER,
        _ => GREEN,
    }
}

/// The day at which a filing is on the timeline: when it was filed, or else when it was due.
fn day_of(filing: &RocFiling) -> Option<Date> {
    filing.filed_on.as_deref().or(filing.due_on.as_deref())?.parse().ok()
}

fn timeline(document: &mut Document, filings: &[RocFiling]) {
    let days: Vec<(Date, &RocFiling)> =
        filings.iter().filter_map(|filing| Some((day_of(filing)?, filing))).collect();
    let Some(last) = days.iter().map(|(day, _)| day.year()).max() else {
        note(document, "No statutory filing is listed.");
        return;
    };
    let first =
        days.iter().map(|(day, _)| day.year()).min().unwrap_or(last).max(last - MAX_YEARS + 1);
    let shown: Vec<&(Date, &RocFiling)> =
        days.iter().filter(|(day, _)| day.year() >= first).collect();
    let mut forms: Vec<(&str, usize)> = Vec::new();
    for (_, filing) in &shown {
        match forms.iter_mut().find(|(form, _)| *form == filing.form_type) {
            Some((_, count)) => *count += 1,
            None => forms.push((&filing.form_type, 1)),
        }
    }
    forms.sort_by_key(|(form, count)| (std::cmp::Reverse(*count), *form));
    forms.truncate(MAX_FORMS);
    let height = forms.len() as f32 * ROW;
    subheading(document, &format!("Filings {first} to {last}"));
    document.keep_together(height + 40.0);
    let years = f32::from(last - first + 1);
    let width = PAGE_RIGHT - AXIS;
    let tick = Style::regular(7.5).colored(MUTED);
    for year in first..=last + 1 {
        let x = AXIS + width * f32::from(year - first) / years;
        document.stroke(&[(x, 0.0), (x, height + 3.0)], 0.5, FAINT);
        if year <= last {
            document.label(Column::left(x + 3.0, x + 40.0), height + 3.0, tick, &year.to_string());
        }
    }
    for (row, (form, _)) in forms.iter().enumerate() {
        let middle = row as f32 * ROW + ROW / 2.0;
        document.label(Column::left(PAGE_LEFT, AXIS - 8.0), middle - 6.0, LABEL, form);
        document.stroke(&[(AXIS, middle), (PAGE_RIGHT, middle)], 0.5, FAINT);
        for (day, filing) in shown.iter().filter(|(_, filing)| filing.form_type == *form) {
            let in_year = f32::from(day.day_of_year() - 1) / 366.0;
            let x = AXIS + width * (f32::from(day.year() - first) + in_year) / years;
            document.fill_disc((x, middle), 3.2, color_of(&filing.status));
        }
    }
    document.skip(height + 20.0);
    let mut left = AXIS;
    for (text, color) in [("filed", GREEN), ("filed late", AMBER), ("overdue, at its due day", RED)]
    {
        document.fill_disc((left + 3.0, 6.0), 3.0, color);
        document.label(Column::left(left + 10.0, PAGE_RIGHT), 0.0, LABEL, text);
        left += 24.0 + document.width_of(LABEL, text);
    }
    document.skip(16.0);
}

fn late(document: &mut Document, filings: &[RocFiling]) {
    let late: Vec<&RocFiling> = filings.iter().filter(|filing| filing.status != "filed").collect();
    if late.is_empty() {
        return;
    }
    subheading(document, "Overdue and late filings");
    let columns = [
        ("Form", Column::left(PAGE_LEFT, 115.0)),
        ("What it is", Column::left(120.0, 300.0)),
        ("For", Column::left(305.0, 350.0)),
        ("Due", Column::left(355.0, 415.0)),
        ("Filed", Column::left(420.0, 480.0)),
        ("Status", Column::left(482.0, PAGE_RIGHT)),
    ];
    let rows: Vec<Vec<Cell>> = late
        .iter()
        .take(MAX_LATE)
        .map(|filing| {
            vec![
                Cell::strong(&filing.form_type),
                Cell::plain(&filing.description),
                Cell::plain(filing.financial_year.as_deref().unwrap_or("–")),
                Cell::day(filing.due_on.as_deref()),
                Cell::day(filing.filed_on.as_deref()),
                Cell::colored(word(&filing.status), color_of(&filing.status)),
            ]
        })
        .collect();
    table(document, &columns, &rows);
    if late.len() > MAX_LATE {
        note(document, &format!("{} older ones are not shown.", late.len() - MAX_LATE));
    }
}

fn ratings(document: &mut Document, records: &CompanyRecords) {
    let ratings = &records.compliance.credit_ratings;
    if ratings.is_empty() {
        return;
    }
    subheading(document, "Credit ratings");
    let columns = [
        ("Agency", Column::left(PAGE_LEFT, 190.0)),
        ("Instrument", Column::left(195.0, 310.0)),
        ("Rating", Column::left(315.0, 375.0)),
        ("Outlook", Column::left(380.0, 425.0)),
        ("Action", Column::left(428.0, 482.0)),
        ("Rated", Column::left(485.0, PAGE_RIGHT)),
    ];
    let text =
        |text: Option<&str>| text.map_or_else(|| Cell::muted("–"), |text| Cell::plain(word(text)));
    let rows: Vec<Vec<Cell>> = ratings
        .iter()
        .take(MAX_RATINGS)
        .map(|rating| {
            vec![
                Cell::plain(&rating.agency),
                Cell::plain(&rating.instrument),
                Cell::strong(&rating.rating),
                text(rating.outlook.as_deref()),
                text(rating.action.as_deref()),
                Cell::day(Some(&rating.rated_on)),
            ]
        })
        .collect();
    table(document, &columns, &rows);
    if ratings.len() > MAX_RATINGS {
        note(document, &format!("{} older ratings are not shown.", ratings.len() - MAX_RATINGS));
    }
}

fn establishments(document: &mut Document, records: &CompanyRecords) {
    let establishments = &records.compliance.epfo;
    if establishments.is_empty() {
        return;
    }
    subheading(document, "Provident fund");
    let columns = [
        ("Establishment", Column::left(PAGE_LEFT, 250.0)),
        ("Number", Column::left(255.0, 365.0)),
        ("Status", Column::left(370.0, 415.0)),
        ("Employees", Column::right(418.0, 468.0)),
        ("Last wage month", Column::left(478.0, PAGE_RIGHT)),
    ];
    let rows: Vec<Vec<Cell>> = establishments
        .iter()
        .take(MAX_ESTABLISHMENTS)
        .map(|one| {
            let text = |text: Option<String>| text.map_or_else(|| Cell::muted("–"), Cell::plain);
            vec![
                Cell::plain(&one.name),
                Cell::plain(&one.establishment_id),
                text(one.status.as_deref().map(word)),
                text(one.employees.map(|employees| employees.to_string())),
                text(one.last_wage_month.clone()),
            ]
        })
        .collect();
    table(document, &columns, &rows);
}

fn gst(document: &mut Document, records: &CompanyRecords) {
    heading(document, "GST registrations");
    if records.gst.is_empty() {
        let text = match records.pan {
            None => "The company's PAN is not known, so that its GST registrations are not known.",
            Some(_) => {
                "No GST registration of the company's PAN is in the register. There may be some."
            }
        };
        note(document, text);
        return;
    }
    note(
        document,
        "The registrations of the company's PAN that are in the register. There may be more.",
    );
    let columns = [
        ("GSTIN", Column::left(PAGE_LEFT, 150.0)),
        ("State", Column::left(155.0, 250.0)),
        ("Status", Column::left(255.0, 325.0)),
        ("Registered", Column::left(328.0, 385.0)),
        ("Cancelled", Column::left(388.0, 445.0)),
        ("Last return filed", Column::left(448.0, PAGE_RIGHT)),
    ];
    let rows: Vec<Vec<Cell>> = records
        .gst
        .iter()
        .take(MAX_GST)
        .map(|stored| {
            let registration = &stored.registration;
            let state = registration.gstin.get(..2).and_then(panji_ids::gst_state);
            let last = stored.returns.iter().find(|filing| filing.filed_on.is_some());
            let last = last.map_or_else(
                || Cell::muted("–"),
                |filing| {
                    let day = filing.filed_on.as_deref().map_or(String::new(), dates::day);
                    Cell::plain(format!("{}, {day}", filing.return_type))
                },
            );
            let color = if registration.status == "active" { GREEN } else { AMBER };
            vec![
                Cell::strong(&registration.gstin),
                Cell::plain(state.unwrap_or("–")),
                Cell::colored(word(&registration.status), color),
                Cell::day(registration.registered_on.as_deref()),
                Cell::day(registration.cancelled_on.as_deref()),
                last,
            ]
        })
        .collect();
    table(document, &columns, &rows);
    if records.gst.len() > MAX_GST {
        note(
            document,
            &format!("{} further registrations are not shown.", records.gst.len() - MAX_GST),
        );
    }
}
