//! Charges and financial years.

use panji_pdf::{Color, Column, Document, PAGE_LEFT, PAGE_RIGHT};

use super::charts::{Frame, Series, bars, lines};
use super::sheet::{
    AMBER, Cell, FIRST_SERIES, GREEN, LABEL, NOT_KNOWN, RED, SECOND_SERIES, THIRD_SERIES, WIDE,
    WIDTH, heading, money, note, origin, subheading, table, word,
};
use crate::api::company_records::CompanyRecords;
use crate::api::wire::{FinancialYear, Rupees, enums};

/// The most years in the charts and in the table.
const MAX_CHARTED: usize = 10;
const MAX_TABLED: usize = 5;
/// The most charges in the table.
const MAX_CHARGES: usize = 60;
const CHART_HEIGHT: f32 = 170.0;
const CHART_GAP: f32 = 18.0;
/// The height of the table of key figures with its heading, which stay on one page.
const FIGURES_HEIGHT: f32 = 320.0;

pub fn write_charges(document: &mut Document, records: &CompanyRecords) {
    let charges = &records.charges;
    heading(document, "Charges");
    origin(document, &charges.coverage, charges.as_of.as_deref(), charges.source.as_deref());
    if charges.coverage == enums::NONE {
        return;
    }
    if charges.charges.is_empty() {
        note(document, "No charge is registered.");
        return;
    }
    let columns = [
        ("Lender", Column::left(PAGE_LEFT, 222.0)),
        ("Charge", Column::left(226.0, 280.0)),
        ("Amount", Column::right(282.0, 354.0)),
        ("Status", Column::left(366.0, 414.0)),
        ("Created", Column::left(418.0, 476.0)),
        ("Satisfied", Column::left(482.0, PAGE_RIGHT)),
    ];
    let rows: Vec<Vec<Cell>> = charges
        .charges
        .iter()
        .take(MAX_CHARGES)
        .map(|charge| {
            let color = if charge.status == "satisfied" { GREEN } else { AMBER };
            vec![
                Cell::strong(&charge.lender),
                Cell::plain(&charge.charge_id),
                Cell::amount(charge.amount),
                Cell::colored(word(&charge.status), color),
                Cell::day(charge.created_on.as_deref()),
                Cell::day(charge.satisfied_on.as_deref()),
            ]
        })
        .collect();
    table(document, &columns, &rows);
    if charges.charges.len() > MAX_CHARGES {
        note(
            document,
            &format!("{} older charges are not shown.", charges.charges.len() - MAX_CHARGES),
        );
    }
    if let (Some(count), Some(amount)) = (charges.open.count, charges.open.amount) {
        note(
            document,
            &format!(
                "{count} not satisfied, together {}. A charge states what it secured when it was made or modified, not what \
                 is owed today.",
                money(amount)
            ),
        );
    }
}

pub fn write_financials(document: &mut Document, records: &CompanyRecords) {
    let financials = &records.financials;
    heading(document, "Financial years");
    origin(
        document,
        &financials.coverage,
        financials.as_of.as_deref(),
        financials.source.as_deref(),
    );
    let of = |basis: &str| -> Vec<&FinancialYear> {
        financials.years.iter().filter(|year| year.basis == basis).collect()
    };
    let (standalone, consolidated) = (of("standalone"), of("consolidated"));
    let (main, other) = match standalone.len() >= consolidated.len() {
        true => (standalone, consolidated),
        false => (consolidated, standalone),
    };
    let Some(newest) = main.first() else { return };
    charts(document, &main, &newest.basis);
    figures(document, &main);
    if !other.is_empty() {
        figures(document, &other);
    }
    let flags = financials.years.iter().flat_map(|year| {
        year.flags
            .iter()
            .map(move |flag| format!("{} ({}): {}", year.financial_year, year.basis, flag.sentence))
    });
    let flags: Vec<String> = flags.collect();
    if !flags.is_empty() {
        subheading(document, "Inconsistencies in the source");
        for flag in flags.iter().take(MAX_CHARTED) {
            note(document, flag);
        }
    }
}

fn charts(document: &mut Document, years: &[&FinancialYear], basis: &str) {
    let years: Vec<&FinancialYear> = years.iter().take(MAX_CHARTED).rev().copied().collect();
    let labels: Vec<String> = years.iter().map(|year| short_year(&year.financial_year)).collect();
    let series = |name, color: Color, value: fn(&FinancialYear) -> Option<Rupees>| Series {
        name,
        color,
        values: years.iter().map(|year| value(year).map(|paise| paise.0 as f64 / 100.0)).collect(),
    };
    document.skip(6.0);
    document.keep_together(CHART_HEIGHT + 28.0);
    document.paragraph(WIDE, LABEL, &format!("The last {} years, {basis}", years.len()));
    document.skip(4.0);
    // Profit has a scale of its own: on the scale of revenue it would be a flat line.
    let width = (WIDTH - 2.0 * CHART_GAP) / 3.0;
    let frame =
        |at: f32| Frame { left: PAGE_LEFT + (width + CHART_GAP) * at, width, height: CHART_HEIGHT };
    let revenue = [series("Revenue", FIRST_SERIES, |year| year.revenue)];
    bars(document, frame(0.0), "Revenue", &labels, &revenue);
    let profit = [series("Profit after tax", THIRD_SERIES, |year| year.profit)];
    bars(document, frame(1.0), "Profit after tax", &labels, &profit);
    let owned = [
        series("Net worth", FIRST_SERIES, |year| year.net_worth),
        series("Borrowings", SECOND_SERIES, |year| year.total_debt),
    ];
    lines(document, frame(2.0), "Net worth, borrowings", &labels, &owned);
    document.skip(CHART_HEIGHT + 12.0);
}

/// `2023-24` as `23-24`.
fn short_year(year: &str) -> String {
    year.get(2..).unwrap_or(year).to_owned()
}

fn figures(document: &mut Document, years: &[&FinancialYear]) {
    let years: Vec<&FinancialYear> = years.iter().take(MAX_TABLED).copied().collect();
    let Some(newest) = years.first() else { return };
    document.keep_together(FIGURES_HEIGHT);
    subheading(document, &format!("Key figures, {}", newest.basis));
    let titles: Vec<String> = years.iter().map(|year| year.financial_year.clone()).collect();
    let first = 150.0;
    let width = (PAGE_RIGHT - first) / MAX_TABLED as f32;
    let mut columns = vec![("In rupees", Column::left(PAGE_LEFT, first))];
    for (at, title) in titles.iter().enumerate() {
        let left = first + width * at as f32;
        columns.push((title.as_str(), Column::right(left + 2.0, left + width)));
    }
    let money_row = |name: &str, value: fn(&FinancialYear) -> Option<Rupees>| -> Vec<Cell> {
        let cells = years.iter().map(|year| match value(year) {
            Some(amount) if amount.0 < 0 => Cell::colored(money(amount), RED),
            amount => Cell::amount(amount),
        });
        std::iter::once(Cell::plain(name)).chain(cells).collect()
    };
    let ratio_row =
        |name: &str, value: fn(&FinancialYear) -> Option<f64>, percent: bool| -> Vec<Cell> {
            let cells = years.iter().map(|year| match (value(year), percent) {
                (None, _) => Cell::muted(NOT_KNOWN),
                (Some(ratio), true) => Cell::plain(format!("{:.1}%", ratio * 100.0)),
                (Some(ratio), false) => Cell::plain(format!("{ratio:.2}")),
            });
            std::iter::once(Cell::muted(name)).chain(cells).collect()
        };
    let rows = vec![
        money_row("Revenue", |year| year.revenue),
        money_row("EBITDA", |year| year.ebitda),
        money_row("Profit before tax", |year| year.profit_before_tax),
        money_row("Profit after tax", |year| year.profit),
        money_row("Net worth", |year| year.net_worth),
        money_row("Borrowings", |year| year.total_debt),
        money_row("Total assets", |year| year.total_assets),
        money_row("Cash", |year| year.cash),
        ratio_row("Net margin", |year| year.ratios.net_margin, true),
        ratio_row("Return on equity", |year| year.ratios.return_on_equity, true),
        ratio_row("Debt to equity", |year| year.ratios.debt_to_equity, false),
        ratio_row("Current ratio", |year| year.ratios.current_ratio, false),
        ratio_row("Growth of revenue", |year| year.growth.revenue, true),
    ];
    table(document, &columns, &rows);
}
