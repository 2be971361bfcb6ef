//! The directors, current and former.

use panji_pdf::{Column, Document, PAGE_LEFT, PAGE_RIGHT};

use super::sheet::{Cell, NOT_KNOWN, heading, note, origin, subheading, table, word};
use crate::api::company_records::{CompanyRecords, Person};
use crate::api::wire::{BoardMember, enums};

/// The most former directors in the table.
const MAX_PAST: usize = 30;

pub fn write(document: &mut Document, records: &CompanyRecords) {
    let directors = &records.directors;
    heading(document, "People");
    origin(document, &directors.coverage, directors.as_of.as_deref(), directors.source.as_deref());
    if directors.coverage == enums::NONE {
        return;
    }
    current(document, records);
    past(document, &directors.past);
}

fn person<'a>(records: &'a CompanyRecords, din: &str) -> Option<&'a Person> {
    records.people.iter().find(|person| person.din == din)
}

/// The other companies of a person at present.
fn others(records: &CompanyRecords, person: &Person) -> usize {
    let current =
        person.directorships.iter().filter(|entry| entry.directorship.ceased_on.is_none());
    current.filter(|entry| entry.directorship.cin != records.company.cin).count()
}

fn current(document: &mut Document, records: &CompanyRecords) {
    let columns = [
        ("In office", Column::left(PAGE_LEFT, 191.0)),
        ("DIN", Column::left(196.0, 236.0)),
        ("Designation", Column::left(241.0, 346.0)),
        ("Since", Column::left(349.0, 400.0)),
        ("DIN status", Column::left(404.0, 455.0)),
        ("Other appointments", Column::right(456.0, PAGE_RIGHT)),
    ];
    let rows: Vec<Vec<Cell>> = records
        .directors
        .current
        .iter()
        .map(|member| {
            let person = person(records, &member.din);
            let status = person.and_then(|person| person.status.as_ref());
            let status = status.filter(|(status, _)| status != "unknown");
            vec![
                Cell::strong(&member.name),
                Cell::plain(&member.din),
                Cell::plain(word(&member.designation)),
                Cell::day(member.appointed_on.as_deref()),
                status.map_or_else(
                    || Cell::muted(NOT_KNOWN),
                    |(status, _)| Cell::plain(word(status)),
                ),
                person.map_or_else(
                    || Cell::muted("–"),
                    |person| Cell::plain(others(records, person).to_string()),
                ),
            ]
        })
        .collect();
    match rows.is_empty() {
        true => note(document, "No director in office is listed."),
        false => table(document, &columns, &rows),
    }
}

fn past(document: &mut Document, past: &[BoardMember]) {
    if past.is_empty() {
        return;
    }
    subheading(document, "Former directors");
    let columns = [
        ("Name", Column::left(PAGE_LEFT, 220.0)),
        ("DIN", Column::left(225.0, 280.0)),
        ("Designation", Column::left(285.0, 400.0)),
        ("From", Column::left(405.0, 470.0)),
        ("Until", Column::left(475.0, PAGE_RIGHT)),
    ];
    let rows: Vec<Vec<Cell>> = past
        .iter()
        .take(MAX_PAST)
        .map(|member| {
            vec![
                Cell::plain(&member.name),
                Cell::plain(&member.din),
                Cell::plain(word(&member.designation)),
                Cell::day(member.appointed_on.as_deref()),
                Cell::day(member.ceased_on.as_deref()),
            ]
        })
        .collect();
    table(document, &columns, &rows);
    if past.len() > MAX_PAST {
        note(
            document,
            &format!("{} further former directors are not shown.", past.len() - MAX_PAST),
        );
    }
}
