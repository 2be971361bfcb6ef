//! A network as SVG, drawn on the server: a column for each distance, so that every label can be read.
//! The table beside it has all nodes, for keyboard and screen reader.

use std::collections::HashMap;
use std::fmt::Write;

use super::words;
use crate::api::wire::{CompanyNetwork, NetworkEdge, NetworkNode, NetworkPaths};
use crate::locale::amounts::counted;
use crate::locale::dates;
use crate::locale::html::escape_html;

/// More nodes are only in the table.
pub const MAX_DRAWN: usize = 60;
const COLUMN: f64 = 290.0;
const ROW: f64 = 26.0;
const MARGIN: f64 = 22.0;
/// Where labels begin, right of the middle of their node.
const LABEL: f64 = 13.0;
const RADIUS: f64 = 6.0;
const MAX_LABEL: usize = 32;

/// A row of the table: a node and how it is connected with the nearer one.
pub struct NetworkRow<'a> {
    pub node: &'a NetworkNode,
    pub connections: Vec<String>,
}

impl NetworkNode {
    /// The page of the node.
    pub fn page(&self) -> String {
        let kind = if self.is_company() { "companies" } else { "directors" };
        format!("/console/{kind}/{}", self.id)
    }

    pub fn status_label(&self) -> String {
        self.status.as_deref().map(words::label).unwrap_or_default()
    }

    pub fn status_style(&self) -> &'static str {
        self.status.as_deref().map_or("muted", words::status_class)
    }
}

impl CompanyNetwork {
    /// Whether some nodes are not drawn.
    pub fn is_cut(&self) -> bool {
        self.nodes.len() > MAX_DRAWN
    }

    /// The number of nodes without the company itself.
    pub fn count_text(&self) -> String {
        let others = i64::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(i64::MAX);
        counted(others, "company or person", "companies and people")
    }

    /// All nodes but the company itself.
    pub fn rows(&self) -> Vec<NetworkRow<'_>> {
        let tree = Tree::of(self, self.nodes.len());
        let nodes = self.nodes.iter().enumerate().skip(1);
        nodes
            .map(|(at, node)| {
                let nearer = &self.nodes[tree.parents[at]];
                let edges = self.edges.iter().filter(|edge| connects(edge, &node.id, &nearer.id));
                let connections = edges.map(|edge| described(edge, nearer)).collect();
                NetworkRow { node, connections }
            })
            .collect()
    }

    pub fn svg(&self) -> String {
        let count = self.nodes.len().min(MAX_DRAWN);
        let tree = Tree::of(self, count);
        let columns = self.nodes[..count].iter().map(|node| node.distance).max().unwrap_or(0);
        let (width, height) =
            (f64::from(columns + 1) * COLUMN + MARGIN, tree.height * ROW + MARGIN * 2.0 - ROW);
        let mut svg = format!(
            "<svg class=\"network\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"group\" aria-label=\"{}\">",
            escape_html(&format!("Network of {}. The table below lists the same.", self.name)),
        );
        let place = |at: usize| {
            let x = MARGIN + f64::from(self.nodes[at].distance) * COLUMN;
            (x, MARGIN + tree.rows[at] * ROW)
        };
        let by_id: HashMap<&str, usize> =
            (0..count).map(|at| (self.nodes[at].id.as_str(), at)).collect();
        for edge in &self.edges {
            if let (Some(one), Some(other)) =
                (by_id.get(edge.from.as_str()), by_id.get(edge.to.as_str()))
            {
                let in_tree = tree.parents[*one] == *other || tree.parents[*other] == *one;
                draw_edge(&mut svg, edge, place(*one), place(*other), in_tree);
            }
        }
        for at in 0..count {
            draw_node(&mut svg, &self.nodes[at], place(at));
        }
        svg.push_str("</svg>");
        svg
    }
}

impl NetworkPaths {
    /// The length of the paths.
    pub fn length_text(&self) -> String {
        let steps = self.paths.first().map_or(0, |path| path.steps.len());
        counted(i64::try_from(steps).unwrap_or(i64::MAX), "step", "steps")
    }
}

/// The tree of the nearest connections: each node hangs on the first node that is nearer.
struct Tree {
    /// The index of the nearer node; of the first node itself.
    parents: Vec<usize>,
    /// The row of each node, between those of its children.
    rows: Vec<f64>,
    height: f64,
}

impl Tree {
    fn of(network: &CompanyNetwork, count: usize) -> Tree {
        let nodes = &network.nodes[..count];
        let by_id: HashMap<&str, usize> =
            nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
        let mut parents = vec![0; count];
        let mut has_parent = vec![false; count];
        let mut link = |node: usize, nearer: usize| {
            if nodes[node].distance == nodes[nearer].distance + 1
                && (!has_parent[node] || nearer < parents[node])
            {
                (parents[node], has_parent[node]) = (nearer, true);
            }
        };
        for edge in &network.edges {
            let ends = (by_id.get(edge.from.as_str()), by_id.get(edge.to.as_str()));
            if let (Some(one), Some(other)) = ends {
                link(*one, *other);
                link(*other, *one);
            }
        }
        let mut children = vec![Vec::new(); count];
        for node in 1..count {
            children[parents[node]].push(node);
        }
        let mut tree = Tree { parents, rows: vec![0.0; count], height: 0.0 };
        tree.set_row(0, &children);
        tree
    }

    /// Sets the rows of a node and all below it. The depth of a network is limited.
    fn set_row(&mut self, node: usize, children: &[Vec<usize>]) {
        match (children[node].first(), children[node].last()) {
            (Some(first), Some(last)) => {
                for child in &children[node] {
                    self.set_row(*child, children);
                }
                self.rows[node] = f64::midpoint(self.rows[*first], self.rows[*last]);
            }
            _ => {
                self.rows[node] = self.height;
                self.height += 1.0;
            }
        }
    }
}

fn connects(edge: &NetworkEdge, one: &str, other: &str) -> bool {
    (edge.from == one && edge.to == other) || (edge.from == other && edge.to == one)
}

/// How a node is connected with a nearer one, as in a cell of the table.
fn described(edge: &NetworkEdge, nearer: &NetworkNode) -> String {
    let other = nearer.label();
    let title = edge.designation_text.clone();
    let title = title.or_else(|| edge.designation.as_deref().map(words::label));
    let title = title.unwrap_or_else(|| "Director".to_owned());
    match edge.relation.as_ref() {
        "director_of" => {
            let seat = match nearer.is_company() {
                true => format!("{title} of {other}"),
                false => format!("{other}: {title}"),
            };
            let from = edge.appointed_on.as_deref().map(dates::day);
            let until = edge.ceased_on.as_deref().map(dates::day);
            match (from, until) {
                (Some(from), Some(until)) => format!("{seat}, {from} to {until}"),
                (Some(from), None) => format!("{seat}, since {from}"),
                (None, Some(until)) => format!("{seat}, until {until}"),
                (None, None) => seat,
            }
        }
        "same_registered_office" => format!("Same registered office as {other}"),
        "same_email_domain" => format!("Same e-mail domain as {other}"),
        "former_company" => format!("Former number of, or formerly, {other}"),
        relation => format!("{}: {other}", words::label(relation)),
    }
}

fn draw_edge(
    svg: &mut String,
    edge: &NetworkEdge,
    (x1, y1): (f64, f64),
    (x2, y2): (f64, f64),
    in_tree: bool,
) {
    let class = match (edge.relation.as_ref(), edge.current) {
        ("director_of", Some(false)) => "seat past",
        ("director_of", _) => "seat",
        ("same_registered_office", _) => "office",
        ("same_email_domain", _) => "domain",
        _ => "former",
    };
    let beside = if in_tree { "" } else { " beside" };
    let ((x1, y1), (x2, y2)) = if x1 <= x2 { ((x1, y1), (x2, y2)) } else { ((x2, y2), (x1, y1)) };
    // Within a column the curve goes round on the left, where no label is.
    let (bend1, bend2) = if (x1 - x2).abs() < 1.0 {
        (x1 - MARGIN, x2 - MARGIN)
    } else {
        (x2 - COLUMN * 0.2, x2 - COLUMN * 0.2)
    };
    let _ = write!(
        svg,
        "<path class=\"{class}{beside}\" d=\"M{x1:.1} {y1:.1}C{bend1:.1} {y1:.1} {bend2:.1} {y2:.1} \
         {x2:.1} {y2:.1}\"/>"
    );
}

fn draw_node(svg: &mut String, node: &NetworkNode, (x, y): (f64, f64)) {
    let label: String = match node.label().chars().count() > MAX_LABEL {
        true => node.label().chars().take(MAX_LABEL - 1).chain(['…']).collect(),
        false => node.label().to_owned(),
    };
    let status =
        node.status.as_deref().map_or_else(String::new, |_| format!(", {}", node.status_label()));
    let title = escape_html(&format!("{} {}{status}", node.label(), node.id));
    let style = node.status_style();
    let shape = match node.is_company() {
        true => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" rx=\"2\"/>",
            x - RADIUS,
            y - RADIUS,
            RADIUS * 2.0,
            RADIUS * 2.0
        ),
        false => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\"/>"),
    };
    let first = if node.distance == 0 { " first" } else { "" };
    // Not a tab stop: the table has the same links.
    let _ = write!(
        svg,
        "<a class=\"node is-{style}{first}\" href=\"{}\" tabindex=\"-1\"><title>{title}</title>{shape}\
         <text x=\"{:.1}\" y=\"{:.1}\">{}</text></a>",
        escape_html(&node.page()),
        x + LABEL,
        y + 4.0,
        escape_html(&label),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> CompanyNetwork {
        let node = |id: &str, kind: &str, distance: u8| {
            serde_json::json!({ "id": id, "kind": kind, "name": format!("Namuna <{id}>"),
                "status": "active", "distance": distance, "as_of": null, "source": null })
        };
        let edge = |relation: &str, from: &str, to: &str, current: Option<bool>| {
            serde_json::json!({ "relation": relation, "from": from, "to": to, "current": current,
                "designation": "director", "designation_text": null, "appointed_on": "2020-04-01",
                "ceased_on": null, "as_of": null, "source": null })
        };
        serde_json::from_value(serde_json::json!({
            "cin": "A", "name": "Namuna <A>", "depth": 2,
            "nodes": [node("A", "company", 0), node("1", "director", 1), node("B", "company", 1),
                      node("C", "company", 2)],
            "edges": [edge("director_of", "1", "A", Some(true)),
                      edge("same_registered_office", "A", "B", None),
                      edge("director_of", "1", "C", Some(false)),
                      edge("same_email_domain", "B", "C", None)],
            "truncated": false, "limits": [], "bods": null, "ftm": null,
            "coverage": "partial", "as_of": null, "source": null,
        }))
        .expect("a network")
    }

    #[test]
    fn every_node_is_a_link_and_every_edge_a_line() {
        let svg = network().svg();
        assert_eq!(svg.matches("<a class").count(), 4);
        assert_eq!(svg.matches("<path").count(), 4);
        assert_eq!(svg.matches("<circle").count(), 1);
        assert!(svg.contains("Namuna &lt;A&gt;") && !svg.contains("<A>"), "names are escaped");
        assert_eq!(svg, network().svg(), "the same network is drawn the same way");
    }

    #[test]
    fn the_table_says_how_each_node_is_connected() {
        let network = network();
        let rows = network.rows();
        let text = |at: usize| rows[at].connections.join("; ");
        assert_eq!(text(0), "Director of Namuna <A>, since 1 Apr 2020");
        assert_eq!(text(1), "Same registered office as Namuna <A>");
        assert!(text(2).starts_with("Namuna <1>: Director"), "{}", text(2));
    }
}
