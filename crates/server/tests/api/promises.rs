//! The tables of promises in docs/operate.md: each names a test that is there and what it saw. Figures come
//! from `record_figure` in the tests; `UPDATE_FIGURES=1` puts the newest ones in:
//!
//! ```sh
//! ./test && UPDATE_FIGURES=1 ./test cargo test --workspace --test api promises
//! ```

use std::path::{Path, PathBuf};

use panji_testkit::figures_directory;

/// Under which headings the tables are.
const HEADINGS: [&str; 2] = ["### How it is proven", "## Promises and their tests"];
/// Where a test is that is named without its place.
const PROGRAM_TESTS: &str = "crates/server/tests/program";
/// What the columns are called.
const TEST: &str = "test";
const FIGURE: &str = "seen in its last run";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A row of a table: its line of the page, the cell that names tests, and the cell of its figures.
struct Row {
    line: usize,
    tests: String,
    figures: String,
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// The rows of the table under a heading.
fn rows(page: &[String], heading: &str) -> Vec<Row> {
    let start = page.iter().position(|line| line == heading).expect(heading);
    let head = start + page[start..].iter().position(|line| line.starts_with('|')).unwrap();
    let column = |name: &str| {
        let place = cells(&page[head]).iter().position(|cell| cell.starts_with(name));
        place.unwrap_or_else(|| panic!("the table of {heading} has no column {name}"))
    };
    let (tests, figures) = (column(TEST), column(FIGURE));
    let rows = page.iter().enumerate().skip(head + 2);
    rows.take_while(|(_, text)| text.starts_with('|'))
        .map(|(line, text)| {
            let cells = cells(text);
            assert!(figures < cells.len(), "line {}: a cell is missing: {text}", line + 1);
            Row { line, tests: cells[tests].to_owned(), figures: cells[figures].to_owned() }
        })
        .collect()
}

/// The words in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A test in a place or in a directory of it.
fn within(place: &Path, name: &str) -> PathBuf {
    let entries = std::fs::read_dir(place).unwrap_or_else(|error| panic!("{place:?}: {error}"));
    let below = entries.map(|entry| entry.unwrap().path().join(format!("{name}.rs")));
    let here = [place.join(format!("{name}.rs")), place.join(name)];
    below.chain(here).find(|path| path.exists()).unwrap_or_else(|| place.join(name))
}

/// The files that a cell names: `name`, `name` in `place`, several of them, or a whole place.
fn files(cell: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for group in cell.split(';') {
        let mut names = quoted(group);
        let place = match group.contains("` in `") {
            true => match names.pop().expect("a place is in backticks") {
                "tests/api" => "crates/server/tests/api",
                place => place,
            },
            false => PROGRAM_TESTS,
        };
        files.extend(names.iter().map(|name| match name.starts_with("crates/") {
            true => root().join(name),
            false => within(&root().join(place), name),
        }));
    }
    files
}

/// The names of a cell's figures, which stand in a comment behind them.
fn names(cell: &str) -> Vec<&str> {
    let comment = cell.split_once("<!--").and_then(|(_, rest)| rest.split_once("-->"));
    comment.map_or(Vec::new(), |(names, _)| names.split_whitespace().collect())
}

/// The newest figures of these names; none unless all of them were recorded.
fn recorded(names: &[&str]) -> Option<String> {
    let read = |name: &&str| std::fs::read_to_string(figures_directory().join(name)).ok();
    names.iter().map(read).collect::<Option<Vec<String>>>().map(|figures| figures.join("; "))
}

#[test]
fn every_promise_names_a_test_that_is_there_and_what_it_saw() {
    let path = root().join("docs/operate.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut page: Vec<String> = text.lines().map(str::to_owned).collect();
    let update = std::env::var_os("UPDATE_FIGURES").is_some();
    let rows: Vec<Row> = HEADINGS.iter().flat_map(|heading| rows(&page, heading)).collect();
    for row in rows {
        let shown = &page[row.line];
        let files = files(&row.tests);
        assert!(!files.is_empty(), "no test is named: {shown}");
        for file in files {
            assert!(file.exists(), "there is no test {}: {shown}", file.display());
        }
        let names = names(&row.figures);
        assert!(!names.is_empty(), "the figures of this row have no names: {shown}");
        if let Some(figures) = recorded(&names).filter(|_| update) {
            let cell = format!("{figures} <!-- {} -->", names.join(" "));
            page[row.line] = page[row.line].replace(&row.figures, &cell);
        } else {
            let figure = row.figures.split("<!--").next().unwrap_or_default().trim();
            assert!(!figure.is_empty(), "this row has no figure: {shown}");
        }
    }
    if update {
        std::fs::write(&path, page.join("\n") + "\n").unwrap();
    }
}
