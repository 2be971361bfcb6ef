//! The network of the company: the drawing of the console, on paper.

use std::collections::HashMap;

use panji_pdf::{Area, Color, Column, Document, PAGE_LEFT, PAGE_RIGHT, Style};

use super::sheet::{
    FAINT, FIRST_SERIES, FOURTH_SERIES, INK, LABEL, MUTED, SECOND_SERIES, THIRD_SERIES, TINT,
    WIDTH, heading, note, source_text,
};
use super::summary::status_color;
use crate::api::network::layout::Layout;
use crate::api::wire::{CompanyNetwork, NetworkEdge, NetworkNode};

/// The steps of the network in a report.
pub const DEPTH: u8 = 2;
/// The most nodes of one distance in the drawing.
const MAX_IN_COLUMN: usize = 26;
/// The greatest height of the drawing, so that it fits on a page.
const MAX_HEIGHT: f32 = 560.0;
const ROW: f32 = 19.0;
const BOX_HEIGHT: f32 = 14.0;
/// The space between two columns, in which the lines run.
const GUTTER: f32 = 46.0;
const NAME: Style = Style::regular(7.5).colored(INK);
const OWN_NAME: Style = Style::bold(7.5).colored(INK);

/// The kinds of lines: the word, the color, the width, and how far from the middle of a box it ends.
const APPOINTMENT: Line = Line { word: "Director", color: FIRST_SERIES, width: 0.9, aside: 0.0 };
const PAST: Line =
    Line { word: "Former director", color: Color::hex(0xb9c6d6), width: 0.9, aside: 0.0 };
const OFFICE: Line =
    Line { word: "Same registered office", color: SECOND_SERIES, width: 1.3, aside: -3.0 };
const DOMAIN: Line =
    Line { word: "Same email domain", color: THIRD_SERIES, width: 1.3, aside: 3.0 };
const FORMER: Line = Line { word: "Former number", color: FOURTH_SERIES, width: 1.3, aside: 4.5 };

struct Line {
    word: &'static str,
    color: Color,
    width: f32,
    aside: f32,
}

fn line(edge: &NetworkEdge) -> &'static Line {
    match (edge.relation.as_ref(), edge.current) {
        ("director_of", Some(false)) => &PAST,
        ("director_of", _) => &APPOINTMENT,
        ("same_registered_office", _) => &OFFICE,
        ("same_email_domain", _) => &DOMAIN,
        _ => &FORMER,
    }
}

/// Writes the section; without a network, because the graph is being built, it says so.
pub fn write(document: &mut Document, network: Option<&CompanyNetwork>) {
    let Some(network) = network else {
        heading(document, "Network");
        return note(
            document,
            "The network of companies is being built. A later report will \
                               contain it.",
        );
    };
    if network.nodes.len() < 2 {
        heading(document, "Network");
        return note(
            document,
            "No other company or person is known to be connected with this company. The imported sources may not have \
             all connections.",
        );
    }
    let nodes = chosen(network);
    let place: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
    let lines: Vec<(usize, usize, &NetworkEdge)> = network
        .edges
        .iter()
        .filter_map(|edge| {
            Some((*place.get(edge.from.as_str())?, *place.get(edge.to.as_str())?, edge))
        })
        .collect();
    let pairs: Vec<(usize, usize)> = lines.iter().map(|(one, other, _)| (*one, *other)).collect();
    let layout = Layout::of(nodes.len(), &pairs);
    let row = ROW.min(MAX_HEIGHT / layout.height);
    let height = layout.height * row;
    document.keep_together(height + 120.0);
    heading(document, "Network");
    note(
        document,
        "The people in office and the companies that they, the registered office or the email domain connect with this \
         company, up to two steps away. A shared office or director alone says nothing about conduct.",
    );
    legend(document, lines.iter().map(|(_, _, edge)| line(edge)));
    let drawing = Drawing { columns: columns(layout.columns.len()), layout, row };
    drawing.draw(document, &nodes, &lines);
    document.skip(height + 8.0);
    let left_out = network.nodes.len() - nodes.len();
    if left_out > 0 {
        let more = if network.truncated { "At least " } else { "" };
        note(document, &format!("{more}{left_out} further companies and people are not drawn."));
    }
    for limit in &network.limits {
        note(document, &limit.sentence);
    }
    note(document, &source_text(network.as_of.as_deref(), network.source.as_deref()));
}

/// The nodes that are drawn: the first of each distance, which are the best connected.
fn chosen(network: &CompanyNetwork) -> Vec<&NetworkNode> {
    let mut counts: HashMap<u8, usize> = HashMap::new();
    let nodes = network.nodes.iter();
    nodes
        .filter(|node| {
            let count = counts.entry(node.distance).or_default();
            *count += 1;
            *count <= MAX_IN_COLUMN
        })
        .collect()
}

/// The left edge and the width of the boxes of each column. The first has one name, which needs less.
fn columns(count: usize) -> Vec<(f32, f32)> {
    const FIRST: f32 = 124.0;
    let others = count.saturating_sub(1).max(1) as f32;
    let width = ((WIDTH - FIRST) / others - GUTTER).min(200.0);
    let column = |at: usize| match at {
        0 => (PAGE_LEFT, FIRST),
        at => (PAGE_LEFT + FIRST + GUTTER + (at - 1) as f32 * (width + GUTTER), width),
    };
    (0..count).map(column).collect()
}

fn legend(document: &mut Document, lines: impl Iterator<Item = &'static Line>) {
    let mut shown: Vec<&Line> = Vec::new();
    for line in lines {
        if !shown.iter().any(|known| known.word == line.word) {
            shown.push(line);
        }
    }
    shown.sort_by(|one, other| one.word.cmp(other.word));
    let mut left = PAGE_LEFT;
    let mut entry = |document: &mut Document, word: &str| {
        let width = document.width_of(LABEL, word);
        document.label(Column::left(left + 18.0, left + 22.0 + width), 1.0, LABEL, word);
        let at = left;
        left += width + 27.0;
        at
    };
    let at = entry(document, "Company");
    document.fill_area(Area { left: at + 8.0, top: 4.0, width: 5.5, height: 5.5 }, MUTED);
    let at = entry(document, "Person");
    document.fill_disc((at + 11.0, 6.8), 3.0, MUTED);
    for line in shown {
        let at = entry(document, line.word);
        document.stroke(&[(at, 6.8), (at + 14.0, 6.8)], line.width, line.color);
    }
    document.skip(20.0);
}

struct Drawing {
    layout: Layout,
    columns: Vec<(f32, f32)>,
    row: f32,
}

impl Drawing {
    fn draw(
        &self,
        document: &mut Document,
        nodes: &[&NetworkNode],
        lines: &[(usize, usize, &NetworkEdge)],
    ) {
        let mut column_of = vec![None; nodes.len()];
        for (at, column) in self.layout.columns.iter().enumerate() {
            column.iter().for_each(|node| column_of[*node] = Some(at));
        }
        for (one, other, edge) in lines {
            if let (Some(first), Some(second)) = (column_of[*one], column_of[*other]) {
                let near = if first <= second { (*one, first) } else { (*other, second) };
                let far = if first <= second { (*other, second) } else { (*one, first) };
                self.draw_line(document, near, far, line(edge));
            }
        }
        for (at, node) in nodes.iter().enumerate() {
            if let Some(column) = column_of[at] {
                self.draw_node(document, at, column, node);
            }
        }
    }

    fn middle(&self, node: usize) -> f32 {
        self.layout.rows[node] * self.row + BOX_HEIGHT / 2.0
    }

    fn draw_line(
        &self,
        document: &mut Document,
        (near, first): (usize, usize),
        (far, second): (usize, usize),
        line: &Line,
    ) {
        let (from, to) = (self.middle(near) + line.aside, self.middle(far) + line.aside);
        let end = self.columns[second].0;
        if first == second {
            // Within a column the line goes around on the left.
            let bow = end - (10.0 + (from - to).abs() / self.row * 3.0).min(GUTTER * 0.85);
            document.stroke_bow((end, from), (end, to), bow, line.width, line.color);
        } else {
            let start = self.columns[first].0 + self.columns[first].1;
            document.stroke_curve((start, from), (end, to), line.width, line.color);
        }
    }

    fn draw_node(&self, document: &mut Document, at: usize, column: usize, node: &NetworkNode) {
        let (left, width) = self.columns[column];
        let top = self.layout.rows[at] * self.row;
        let area = Area { left, top, width, height: BOX_HEIGHT };
        let round = if node.is_company() { 2.5 } else { BOX_HEIGHT / 2.0 };
        let inner =
            Area { left: left + 0.5, top: top + 0.5, width: width - 1.0, height: BOX_HEIGHT - 1.0 };
        document.fill_round(area, round, if at == 0 { INK } else { FAINT });
        document.fill_round(inner, round, TINT);
        let color = node.status.as_deref().map_or(MUTED, status_color);
        match node.is_company() {
            true => document.fill_area(
                Area {
                    left: left + 5.0,
                    top: top + BOX_HEIGHT / 2.0 - 2.5,
                    width: 5.0,
                    height: 5.0,
                },
                color,
            ),
            false => document.fill_disc((left + 7.5, top + BOX_HEIGHT / 2.0), 2.8, color),
        }
        let style = if at == 0 { OWN_NAME } else { NAME };
        let column = Column::left(left + 14.0, (left + width - 3.0).min(PAGE_RIGHT));
        document.label(column, top + 2.3, style, &fitting(document, style, column, node.label()));
    }
}

/// A name that fits into a column, shortened at a letter.
fn fitting(document: &Document, style: Style, column: Column, name: &str) -> String {
    let width = column.right - column.left;
    if document.width_of(style, name) <= width {
        return name.to_owned();
    }
    let mut short = name.to_owned();
    while !short.is_empty() && document.width_of(style, &format!("{short}…")) > width {
        short.pop();
    }
    format!("{}…", short.trim_end())
}
