//! A network as SVG, drawn on the server. Each node is a box with its name, in a column for its distance;
//! lines run in the space between the columns, so that they cross no name. The table below the drawing
//! has all nodes, for keyboard and screen reader.

use std::collections::HashMap;
use std::fmt::Write;

use panji_api::api::network::layout::Layout;
use panji_api::api::wire::{NetworkEdge, NetworkNode};
use panji_api::locale::html::escape_html;

use super::drawn_network::{DisplayNetworkNode, DrawnNetwork, described};
use crate::console::language::{t, t_with};

const BOX_WIDTH: f32 = 248.0;
const BOX_HEIGHT: f32 = 26.0;
/// The space between two columns, in which the lines run.
const GUTTER: f32 = 96.0;
const ROW: f32 = 34.0;
const MARGIN: f32 = 4.0;
/// The height of the titles of the columns.
const HEAD: f32 = 30.0;
/// The places within a box: the middle of the mark, where the name begins and ends, the button.
const MARK: f32 = 14.0;
const NAME: f32 = 26.0;
const NAME_END: f32 = 30.0;
const BUTTON: f32 = 15.0;
/// How much wider bold letters are.
const BOLD: f32 = 1.13;
/// How far lines of different kinds between the same boxes are apart.
const LINE_DISTANCE: f32 = 5.0;

/// What a drawing says about its nodes in addition to the network itself.
pub trait Links {
    /// The address that shows a node's own connections too, or no longer, and what the link says.
    fn button(&self, node: &NetworkNode) -> Option<Button>;
}

pub struct Button {
    pub address: String,
    pub title: String,
    pub is_expanded: bool,
}

impl DrawnNetwork {
    pub fn svg(&self, links: &dyn Links) -> String {
        let shown = self.shown();
        let place: HashMap<usize, usize> =
            shown.iter().enumerate().map(|(place, node)| (*node, place)).collect();
        let lines: Vec<(usize, usize, &NetworkEdge)> = self
            .links()
            .into_iter()
            .filter_map(|(one, other, edge)| Some((*place.get(&one)?, *place.get(&other)?, edge)))
            .collect();
        let pairs: Vec<(usize, usize)> =
            lines.iter().map(|(one, other, _)| (*one, *other)).collect();
        let layout = Layout::of(shown.len(), &pairs);
        let mut corners: Vec<Option<(f32, f32)>> = vec![None; shown.len()];
        for (at, column) in layout.columns.iter().enumerate() {
            for node in column {
                let x = MARGIN + at as f32 * (BOX_WIDTH + GUTTER);
                corners[*node] = Some((x, HEAD + layout.rows[*node] * ROW));
            }
        }
        let width = layout.columns.len() as f32 * (BOX_WIDTH + GUTTER) - GUTTER + MARGIN * 2.0;
        let height = HEAD + layout.height * ROW;
        let title = self.nodes.first().map(NetworkNode::label).unwrap_or_default();
        let title = t_with("Network of {0}. The table below lists the same.", &[&title]);
        let mut svg = format!(
            "<svg class=\"network\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"group\" aria-label=\"{}\">",
            escape_html(&title),
        );
        self.draw_heads(&mut svg, layout.columns.len());
        for (one, other, edge) in lines {
            if let (Some(from), Some(to)) = (corners[one], corners[other]) {
                let nearer = if from.0 <= to.0 { shown[one] } else { shown[other] };
                draw_line(&mut svg, edge, from, to, &described(edge, &self.nodes[nearer]));
            }
        }
        for (place, corner) in corners.iter().enumerate() {
            if let Some(corner) = corner {
                let node = &self.nodes[shown[place]];
                draw_node(&mut svg, node, *corner, place == 0, links.button(node));
            }
        }
        svg.push_str("</svg>");
        svg
    }

    fn draw_heads(&self, svg: &mut String, columns: usize) {
        let first = match self.nodes.first().is_some_and(NetworkNode::is_company) {
            true => t("This company"),
            false => t("This person"),
        };
        for at in 0..columns {
            let text = match at {
                0 => first.to_owned(),
                1 => t("Directly connected").to_owned(),
                steps => t_with("{0} steps away", &[&steps]),
            };
            let x = MARGIN + at as f32 * (BOX_WIDTH + GUTTER);
            let _ = write!(svg, "<text class=\"head\" x=\"{x:.0}\" y=\"14\">{text}</text>");
        }
    }
}

fn draw_line(svg: &mut String, edge: &NetworkEdge, from: (f32, f32), to: (f32, f32), title: &str) {
    let (class, order) = match (edge.relation.as_ref(), edge.current) {
        ("director_of", Some(false)) => ("seat past", 0.0),
        ("director_of", _) => ("seat", 0.0),
        ("same_registered_office", _) => ("office", -LINE_DISTANCE),
        ("same_email_domain", _) => ("domain", LINE_DISTANCE),
        _ => ("former", LINE_DISTANCE * 1.6),
    };
    let (left, right) = if from.0 <= to.0 { (from, to) } else { (to, from) };
    let middle = BOX_HEIGHT / 2.0 + order;
    let (y1, y2) = (left.1 + middle, right.1 + middle);
    let path = if right.0 - left.0 < 1.0 {
        // Within a column the line goes around on the left, the further the longer it is.
        let x = left.0;
        let bend = x - (18.0 + (y1 - y2).abs() / ROW * 5.0).min(GUTTER * 0.9);
        format!("M{x:.1} {y1:.1}C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {x:.1} {y2:.1}")
    } else {
        let (x1, x2) = (left.0 + BOX_WIDTH, right.0);
        let bend = (x1 + x2) / 2.0;
        format!("M{x1:.1} {y1:.1}C{bend:.1} {y1:.1} {bend:.1} {y2:.1} {x2:.1} {y2:.1}")
    };
    let title = escape_html(title);
    let (from, to) = (escape_html(&edge.from), escape_html(&edge.to));
    let _ = write!(
        svg,
        "<path class=\"{class}\" data-ends=\"{from} {to}\" d=\"{path}\"><title>{title}</title></path>"
    );
}

fn draw_node(
    svg: &mut String,
    node: &NetworkNode,
    (x, y): (f32, f32),
    is_first: bool,
    button: Option<Button>,
) {
    let status =
        node.status.as_deref().map_or_else(String::new, |_| format!(", {}", node.status_label()));
    let title = escape_html(&format!("{} {}{status}", node.label(), node.id));
    let end = if button.is_some() { NAME_END } else { MARK };
    let letters = if is_first { BOLD } else { 1.0 };
    let name = escape_html(&shortened(node.label(), (BOX_WIDTH - NAME - end) / letters));
    let (style, first) = (node.status_style(), if is_first { " root" } else { "" });
    let middle = y + BOX_HEIGHT / 2.0;
    let (round, mark) = match node.is_company() {
        true => (
            4.0,
            format!(
                "<rect class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\" rx=\"1.5\"/>",
                x + MARK - 4.5,
                middle - 4.5
            ),
        ),
        false => (
            BOX_HEIGHT / 2.0,
            format!("<circle class=\"mark\" cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"5\"/>", x + MARK),
        ),
    };
    // Not a tab stop: the table has the same links.
    let _ = write!(
        svg,
        "<a class=\"node is-{style}{first}\" data-at=\"{}\" href=\"{}\" tabindex=\"-1\"><title>{title}</title>\
         <rect class=\"box\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"{round}\"/>\
         {mark}<text x=\"{:.1}\" y=\"{:.1}\">{name}</text></a>",
        escape_html(&node.id),
        escape_html(&node.page()),
        x + NAME,
        middle + 4.0,
    );
    if let Some(button) = button {
        draw_button(svg, &button, (x + BOX_WIDTH - BUTTON, middle));
    }
}

fn draw_button(svg: &mut String, button: &Button, (x, y): (f32, f32)) {
    let upright = if button.is_expanded { "" } else { "M0 -4V4" };
    let _ = write!(
        svg,
        "<a class=\"expand\" href=\"{}\" tabindex=\"-1\"><title>{}</title><circle cx=\"{x:.1}\" cy=\"{y:.1}\" \
         r=\"8\"/><path transform=\"translate({x:.1} {y:.1})\" d=\"M-4 0H4{upright}\"/></a>",
        escape_html(&button.address),
        escape_html(&button.title),
    );
}

/// A name that fits into a width, by the usual widths of letters.
fn shortened(name: &str, width: f32) -> String {
    let of = |letter: char| match letter {
        ' ' | '.' | ',' | 'i' | 'l' | 'j' | '\'' | '(' | ')' => 3.6,
        'm' | 'w' | 'M' | 'W' | '&' => 10.0,
        letter if letter.is_ascii_uppercase() => 8.2,
        letter if letter.is_ascii_lowercase() || letter.is_ascii_digit() => 6.7,
        _ => 9.0,
    };
    if name.chars().map(of).sum::<f32>() <= width {
        return name.to_owned();
    }
    let mut left = width - of('…');
    let mut short: String = name
        .chars()
        .take_while(|letter| {
            left -= of(*letter);
            left >= 0.0
        })
        .collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use panji_api::api::wire::CompanyNetwork;

    struct NoLinks;

    impl Links for NoLinks {
        fn button(&self, node: &NetworkNode) -> Option<Button> {
            let title = "Show the connections".to_owned();
            let address = format!("?expand={}", node.id);
            (node.id != "A").then_some(Button { address, title, is_expanded: false })
        }
    }

    fn network(nodes: &[(&str, &str)], edges: &[(&str, &str, &str, Option<bool>)]) -> DrawnNetwork {
        let node = |(id, kind): &(&str, &str)| {
            serde_json::json!({ "id": id, "kind": kind, "name": format!("Namuna <{id}>"),
                "status": "active", "distance": 0, "as_of": null, "source": null })
        };
        let edge = |(relation, from, to, current): &(&str, &str, &str, Option<bool>)| {
            serde_json::json!({ "relation": relation, "from": from, "to": to, "current": current,
                "designation": "director", "designation_text": null, "appointed_on": "2020-04-01",
                "ceased_on": null, "as_of": null, "source": null })
        };
        let nodes: Vec<_> = nodes.iter().map(node).collect();
        let edges: Vec<_> = edges.iter().map(edge).collect();
        let network: CompanyNetwork = serde_json::from_value(serde_json::json!({
            "cin": "A", "name": "Namuna <A>", "depth": 2, "nodes": nodes, "edges": edges,
            "truncated": false, "limits": [], "bods": null, "ftm": null,
            "coverage": "partial", "as_of": null, "source": null,
        }))
        .expect("a network");
        DrawnNetwork::of_company(&network)
    }

    fn drawn() -> DrawnNetwork {
        network(
            &[("A", "company"), ("1", "director"), ("B", "company"), ("C", "company")],
            &[
                ("director_of", "1", "A", Some(true)),
                ("same_registered_office", "A", "B", None),
                ("director_of", "1", "C", Some(false)),
                ("same_email_domain", "B", "C", None),
            ],
        )
    }

    #[test]
    fn every_node_is_a_link_and_every_edge_a_line() {
        let svg = drawn().svg(&NoLinks);
        assert_eq!(svg.matches("<a class=\"node").count(), 4);
        assert_eq!(svg.matches("<a class=\"expand").count(), 3);
        assert_eq!(svg.matches("<path class").count(), 4);
        assert!(svg.contains("Namuna &lt;A&gt;") && !svg.contains("<A>"), "names are escaped");
        assert_eq!(svg, drawn().svg(&NoLinks), "the same network is drawn the same way");
    }

    #[test]
    fn no_line_runs_through_a_column_of_names() {
        let svg = drawn().svg(&NoLinks);
        let boxes: Vec<f32> = attributes(&svg, "class=\"box\" x=\"");
        for path in svg.split("<path class").skip(1) {
            let d = path.split("d=\"M").nth(1).and_then(|rest| rest.split('"').next());
            let points: Vec<f32> = d
                .expect("a path")
                .split([' ', 'C'])
                .step_by(2)
                .map(|x| x.parse().expect("a number"))
                .collect();
            for x in points {
                let inside = |left: &f32| x > left + 0.5 && x < left + BOX_WIDTH - 0.5;
                assert!(!boxes.iter().any(inside), "{x} is in a box: {path}");
            }
        }
    }

    fn attributes(svg: &str, before: &str) -> Vec<f32> {
        let parts = svg.split(before).skip(1);
        parts
            .map(|rest| rest.split('"').next().expect("a value").parse().expect("a number"))
            .collect()
    }

    #[test]
    fn the_table_says_how_each_node_is_connected() {
        let drawn = drawn();
        let rows = drawn.rows();
        let text = |at: usize| rows[at].connections.join("; ");
        assert_eq!(text(0), "Director of Namuna <A>, since 1 Apr 2020");
        assert_eq!(text(1), "Same registered office as Namuna <A>");
        assert_eq!(rows[2].steps, 2);
        let both = "Namuna <1>: Director, since 1 Apr 2020; Same email domain as Namuna <B>";
        assert_eq!(text(2), both);
    }

    #[test]
    fn an_expanded_node_brings_its_neighbors() {
        let mut drawn = drawn();
        let more =
            network(&[("C", "company"), ("2", "director")], &[("director_of", "2", "C", None)]);
        let mut as_network = serde_json::json!({ "cin": "C", "name": "C", "depth": 1,
            "nodes": more.nodes, "edges": more.edges, "truncated": false, "limits": [],
            "bods": null, "ftm": null, "coverage": "partial", "as_of": null, "source": null });
        let network: CompanyNetwork = serde_json::from_value(as_network.take()).expect("a network");
        drawn.expand_company(&network);
        drawn.expand_company(&network);
        assert_eq!(drawn.nodes.len(), 5, "each node once");
        assert_eq!(drawn.rows().last().expect("a row").steps, 3);
        assert_eq!(drawn.svg(&NoLinks).matches("<path class").count(), 5, "each line once");
    }

    #[test]
    fn a_long_name_is_shortened_to_its_box() {
        assert_eq!(shortened("Namuna", 100.0), "Namuna");
        let short = shortened("NAMUNA VASTRA UDYOG PRIVATE LIMITED", 150.0);
        assert!(short.ends_with('…') && short.chars().count() < 22, "{short}");
    }
}
