//! The directors, and the companies that they connect.

use std::collections::BTreeMap;

use panji_pdf::{Area, Column, Document, PAGE_LEFT, PAGE_RIGHT, Style};

use super::sheet::{
    ACCENT, ACCENT_LIGHT, Cell, INK, MUTED, NOT_KNOWN, TINT, heading, note, origin, subheading,
    table, word,
};
use crate::api::dossier::{Dossier, Person};
use crate::api::wire::{BoardMember, words};

/// The most former directors in the table.
const MAX_PAST: usize = 30;
/// The most persons and companies in the drawing.
const MAX_PERSONS: usize = 12;
const MAX_COMPANIES: usize = 14;
/// The height of one box in the drawing, with the space below it.
const BOX: f32 = 20.0;

pub fn write(document: &mut Document, dossier: &Dossier) {
    let directors = &dossier.directors;
    heading(document, "People");
    origin(document, &directors.coverage, directors.as_of.as_deref(), directors.source.as_deref());
    if directors.coverage == words::NONE {
        return;
    }
    current(document, dossier);
    drawing(document, dossier);
    past(document, &directors.past);
}

fn person<'a>(dossier: &'a Dossier, din: &str) -> Option<&'a Person> {
    dossier.people.iter().find(|person| person.din == din)
}

/// The other companies of a person at present.
fn others(dossier: &Dossier, person: &Person) -> usize {
    let current = person.seats.iter().filter(|seat| seat.seat.ceased_on.is_none());
    current.filter(|seat| seat.seat.cin != dossier.company.cin).count()
}

fn current(document: &mut Document, dossier: &Dossier) {
    let columns = [
        ("In office", Column::left(PAGE_LEFT, 200.0)),
        ("DIN", Column::left(205.0, 255.0)),
        ("Designation", Column::left(260.0, 365.0)),
        ("Since", Column::left(370.0, 425.0)),
        ("DIN status", Column::left(430.0, 487.0)),
        ("Other seats", Column::right(488.0, PAGE_RIGHT)),
    ];
    let rows: Vec<Vec<Cell>> = dossier
        .directors
        .current
        .iter()
        .map(|member| {
            let person = person(dossier, &member.din);
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
                    |person| Cell::plain(others(dossier, person).to_string()),
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

/// The persons in office on the left, and the other companies with most of them on the right.
fn drawing(document: &mut Document, dossier: &Dossier) {
    let persons: Vec<&Person> = dossier.people.iter().take(MAX_PERSONS).collect();
    let mut companies: BTreeMap<&str, (String, Vec<usize>)> = BTreeMap::new();
    for (at, person) in persons.iter().enumerate() {
        for seat in person.seats.iter().filter(|seat| seat.seat.ceased_on.is_none()) {
            let name = seat.seat.company_name.clone().unwrap_or_else(|| seat.seat.cin.clone());
            let entry = companies.entry(&seat.seat.cin).or_insert_with(|| (name, Vec::new()));
            entry.1.push(at);
        }
    }
    companies.remove(dossier.company.cin.as_str());
    let mut companies: Vec<(String, Vec<usize>)> = companies.into_values().collect();
    companies.sort_by_key(|(name, persons)| (std::cmp::Reverse(persons.len()), name.clone()));
    let total = companies.len();
    companies.truncate(MAX_COMPANIES);
    if companies.is_empty() {
        return;
    }
    let height = persons.len().max(companies.len()) as f32 * BOX;
    document.skip(10.0);
    document.keep_together(height + 52.0);
    document.paragraph(
        Column::left(PAGE_LEFT, PAGE_RIGHT),
        Style::bold(10.5).colored(INK),
        "Where else they sit",
    );
    document.skip(6.0);
    let place = |at: usize, count: usize| (height - count as f32 * BOX) / 2.0 + at as f32 * BOX;
    let (left_edge, right_edge) = (225.0, 345.0);
    for (at, (_, members)) in companies.iter().enumerate() {
        let shared = members.len() > 1;
        for member in members {
            let from = (left_edge, place(*member, persons.len()) + 8.0);
            let to = (right_edge, place(at, companies.len()) + 8.0);
            let (width, color) = if shared { (1.3, ACCENT) } else { (0.8, ACCENT_LIGHT) };
            document.stroke_curve(from, to, width, color);
        }
    }
    let text = Style::regular(8.0).colored(INK);
    for (at, person) in persons.iter().enumerate() {
        let top = place(at, persons.len());
        let width = left_edge - PAGE_LEFT;
        document.fill_round(Area { left: PAGE_LEFT, top, width, height: 16.0 }, 4.0, TINT);
        document.label(
            Column::left(PAGE_LEFT + 6.0, left_edge - 4.0),
            top + 2.6,
            text,
            &person.name,
        );
    }
    for (at, (name, members)) in companies.iter().enumerate() {
        let top = place(at, companies.len());
        let width = PAGE_RIGHT - right_edge;
        document.fill_round(Area { left: right_edge, top, width, height: 16.0 }, 4.0, TINT);
        let style = if members.len() > 1 { Style::bold(8.0).colored(INK) } else { text };
        document.label(Column::left(right_edge + 6.0, PAGE_RIGHT - 4.0), top + 2.6, style, name);
    }
    document.skip(height + 4.0);
    let shown = match total > companies.len() {
        true => format!(" {} further companies are not shown.", total - companies.len()),
        false => String::new(),
    };
    let text = format!(
        "Present seats of the persons in office, as far as the register knows them; companies in bold share several of \
         them.{shown}"
    );
    document.paragraph(
        Column::left(PAGE_LEFT, PAGE_RIGHT),
        Style::regular(8.0).colored(MUTED),
        &text,
    );
}
