//! Places for the nodes of a network: a column for each distance from the first node, and in each column an
//! order in which few lines cross. A line connects neighboring columns or two nodes of one column. So a
//! drawing whose lines stay between the columns crosses no label.

use std::collections::VecDeque;

/// How often the order of the columns is improved.
const ORDERING_PASSES: usize = 8;
/// With more edges than this the crossings are not counted: it takes their square.
const MAX_COUNTED: usize = 600;
/// The weight of a neighbor in the same column; one in the adjacent column has the weight 1.
const SAME_COLUMN_WEIGHT: f32 = 0.6;

/// The places of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The nodes of each column from top to bottom; the first node alone in the first. Nodes that nothing
    /// connects with it are in none.
    pub columns: Vec<Vec<usize>>,
    /// The row of each node from 0. Two nodes of a column are at least one apart.
    pub rows: Vec<f32>,
    /// The number of rows.
    pub height: f32,
}

/// The steps from the first node to each; none if nothing connects them.
pub fn distances(count: usize, edges: &[(usize, usize)]) -> Vec<Option<usize>> {
    let neighbors = neighbors(count, edges);
    let mut found = vec![None; count];
    let mut waiting = VecDeque::new();
    if let Some(first) = found.first_mut() {
        *first = Some(0);
        waiting.push_back((0, 0));
    }
    while let Some((node, distance)) = waiting.pop_front() {
        for near in &neighbors[node] {
            if found[*near].is_none() {
                found[*near] = Some(distance + 1);
                waiting.push_back((*near, distance + 1));
            }
        }
    }
    found
}

fn neighbors(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut neighbors = vec![Vec::new(); count];
    for (one, other) in edges.iter().filter(|(one, other)| one != other) {
        neighbors[*one].push(*other);
        neighbors[*other].push(*one);
    }
    for list in &mut neighbors {
        list.sort_unstable();
        list.dedup();
    }
    neighbors
}

impl Layout {
    /// Places nodes that are connected by edges. The same network is always placed in the same way.
    pub fn of(count: usize, edges: &[(usize, usize)]) -> Layout {
        let distances = distances(count, edges);
        let last = distances.iter().flatten().max().copied();
        let mut columns = vec![Vec::new(); last.map_or(0, |last| last + 1)];
        for (node, distance) in distances.iter().enumerate() {
            if let Some(distance) = distance {
                columns[*distance].push(node);
            }
        }
        let neighbors = neighbors(count, edges);
        let columns = Ordering { neighbors: &neighbors, distances: &distances }.improve(columns);
        let mut layout = Layout { columns, rows: vec![0.0; count], height: 0.0 };
        layout.set_rows(&neighbors, &distances);
        layout
    }

    /// Gives the longest column consecutive rows, and nodes of the others rows near their neighbors.
    fn set_rows(&mut self, neighbors: &[Vec<usize>], distances: &[Option<usize>]) {
        let longest = (0..self.columns.len()).rev().max_by_key(|at| self.columns[*at].len());
        let Some(longest) = longest else { return };
        for (row, node) in self.columns[longest].iter().enumerate() {
            self.rows[*node] = row as f32;
        }
        let right = (longest + 1..self.columns.len()).map(|at| (at, at - 1));
        let left = (0..longest).rev().map(|at| (at, at + 1));
        for (at, adjacent) in right.chain(left) {
            let mut wanted = Vec::new();
            for node in &self.columns[at] {
                let near =
                    neighbors[*node].iter().filter(|near| distances[**near] == Some(adjacent));
                let rows: Vec<f32> = near.map(|near| self.rows[*near]).collect();
                let after = wanted.last().map_or(0.0, |last: &f32| last + 1.0);
                wanted.push(mean(&rows).unwrap_or(after));
            }
            for (node, row) in self.columns[at].iter().zip(spread(&wanted)) {
                self.rows[*node] = row;
            }
        }
        let placed = || self.columns.iter().flatten().map(|node| self.rows[*node]);
        let top = placed().fold(f32::INFINITY, f32::min);
        let bottom = placed().fold(f32::NEG_INFINITY, f32::max);
        self.height = bottom - top + 1.0;
        for row in &mut self.rows {
            *row -= top;
        }
    }
}

fn mean(values: &[f32]) -> Option<f32> {
    (!values.is_empty()).then(|| values.iter().sum::<f32>() / values.len() as f32)
}

/// The rows nearest to the wanted ones, in the same order and at least one apart: neighbors that are too
/// close form a group around the mean of what they want.
fn spread(wanted: &[f32]) -> Vec<f32> {
    // The sum and the number of each group, after the distance from its first row is taken off.
    let mut groups: Vec<(f32, usize)> = Vec::new();
    for (at, row) in wanted.iter().enumerate() {
        let mut group = (row - at as f32, 1);
        while let Some((sum, number)) = groups.last().copied()
            && sum / number as f32 > group.0 / group.1 as f32
        {
            groups.pop();
            group = (group.0 + sum, group.1 + number);
        }
        groups.push(group);
    }
    let starts = groups.iter().flat_map(|(sum, number)| vec![sum / *number as f32; *number]);
    starts.enumerate().map(|(at, start)| start + at as f32).collect()
}

struct Ordering<'a> {
    neighbors: &'a [Vec<usize>],
    distances: &'a [Option<usize>],
}

impl Ordering<'_> {
    /// Orders each column by its neighbors in turn, and keeps the order with the fewest crossings.
    fn improve(&self, mut columns: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let mut best = (self.crossings(&columns), columns.clone());
        for sweep in 0..ORDERING_PASSES {
            let count = columns.len();
            match sweep % 2 {
                0 => (1..count).for_each(|at| self.order(&mut columns, at, at - 1)),
                _ => (1..count.saturating_sub(1))
                    .rev()
                    .for_each(|at| self.order(&mut columns, at, at + 1)),
            }
            let crossings = self.crossings(&columns);
            if crossings < best.0 {
                best = (crossings, columns.clone());
            }
        }
        best.1
    }

    /// Orders a column by the places of the neighbors in another, and of those within it.
    fn order(&self, columns: &mut [Vec<usize>], at: usize, adjacent: usize) {
        let place = self.places(columns);
        let key = |node: usize| {
            let (mut sum, mut weight) = (0.0, 0.0);
            for near in &self.neighbors[node] {
                let share = match self.distances[*near] {
                    Some(column) if column == adjacent => 1.0,
                    Some(column) if column == at => SAME_COLUMN_WEIGHT,
                    _ => continue,
                };
                sum += place[*near] * share;
                weight += share;
            }
            if weight > 0.0 { sum / weight } else { place[node] }
        };
        let mut keyed: Vec<(f32, usize)> =
            columns[at].iter().map(|node| (key(*node), *node)).collect();
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        columns[at] = keyed.into_iter().map(|(_, node)| node).collect();
    }

    /// The place of each node in its column, from 0 to 1.
    fn places(&self, columns: &[Vec<usize>]) -> Vec<f32> {
        let mut places = vec![0.0; self.neighbors.len()];
        for column in columns {
            for (at, node) in column.iter().enumerate() {
                places[*node] = (at as f32 + 0.5) / column.len() as f32;
            }
        }
        places
    }

    /// The lines that cross, and the length of those within a column.
    fn crossings(&self, columns: &[Vec<usize>]) -> usize {
        let mut place = vec![0; self.neighbors.len()];
        for column in columns {
            column.iter().enumerate().for_each(|(at, node)| place[*node] = at);
        }
        let mut within = 0;
        let mut lines: Vec<(usize, usize, usize)> = Vec::new();
        for (node, near) in self.neighbors.iter().enumerate() {
            let Some(column) = self.distances[node] else { continue };
            for other in near {
                match self.distances[*other] {
                    Some(next) if next == column + 1 => {
                        lines.push((column, place[node], place[*other]));
                    }
                    Some(same) if same == column && node < *other => {
                        within += place[node].abs_diff(place[*other]);
                    }
                    _ => {}
                }
            }
        }
        if lines.len() > MAX_COUNTED {
            return within;
        }
        let crosses = |one: &(usize, usize, usize), other: &(usize, usize, usize)| {
            one.0 == other.0
                && ((one.1 < other.1 && one.2 > other.2) || (one.1 > other.1 && one.2 < other.2))
        };
        let pairs = lines.iter().enumerate();
        let crossed: usize = pairs
            .map(|(at, one)| lines[at + 1..].iter().filter(|other| crosses(one, other)).count())
            .sum();
        crossed + within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_connects_neighboring_columns_or_one() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 4), (1, 2), (3, 4), (5, 6)];
        let layout = Layout::of(7, &edges);
        assert_eq!(layout.columns.len(), 3);
        let column = |node: usize| layout.columns.iter().position(|list| list.contains(&node));
        for (one, other) in &edges[..6] {
            let (one, other) = (column(*one).expect("a column"), column(*other).expect("a column"));
            assert!(one.abs_diff(other) <= 1);
        }
        assert_eq!(column(5), None, "nothing connects it with the first");
    }

    #[test]
    fn nodes_of_a_column_keep_their_distance() {
        // Three directors, each with four companies, one of which they share.
        let mut edges = Vec::new();
        for director in 1..=3 {
            edges.push((0, director));
            edges.extend((0..4).map(|company| (director, 4 + director * 4 + company)));
            edges.push((director, 4));
        }
        let layout = Layout::of(20, &edges);
        for column in &layout.columns {
            for pair in column.windows(2) {
                let apart = layout.rows[pair[1]] - layout.rows[pair[0]];
                assert!(apart >= 0.999, "{apart} in {layout:?}");
            }
        }
        let rows = layout.rows.iter().copied();
        assert!(rows.clone().fold(f32::INFINITY, f32::min).abs() < 0.001);
        assert!(rows.fold(0.0, f32::max) <= layout.height - 0.999);
    }

    #[test]
    fn lines_that_need_not_cross_do_not() {
        // The companies are given in the opposite order of their directors.
        let edges = [(0, 1), (0, 2), (0, 3), (1, 6), (2, 5), (3, 4)];
        let layout = Layout::of(7, &edges);
        let neighbors = neighbors(7, &edges);
        let distances = distances(7, &edges);
        let ordering = Ordering { neighbors: &neighbors, distances: &distances };
        assert_eq!(ordering.crossings(&layout.columns), 0, "{layout:?}");
    }

    #[test]
    fn an_empty_network_and_a_single_node_have_places() {
        assert_eq!(Layout::of(0, &[]).columns.len(), 0);
        let single = Layout::of(1, &[]);
        assert_eq!((single.columns, single.height), (vec![vec![0]], 1.0));
    }
}
