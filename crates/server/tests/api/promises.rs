//! Checks the tables of guarantees in docs/operate.md: each row names an existing test and its
//! result. Figures come from `record_figure` in the tests; `UPDATE_FIGURES=1` writes the newest
//! ones:
//!
//! ```sh
//! ./test && UPDATE_FIGURES=1 ./test cargo test --workspace --test api promises
//! ```

use std::path::{Path, PathBuf};

use panji_testkit::figures_directory;

/// The headings above the tables.
const HEADINGS: [&str; 2] = ["### How it is proven", "## Promises and their tests"];
/// The directory of tests that are named without one.
const PROGRAM_TESTS: &str = "crates/server/tests/program";
const TEST: &str = "test";
const FIGURE: &str = "seen in its last run";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A row of a table: its line, the cell with the tests, and the cell with the figures.
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
        let index = cells(&page[head]).iter().position(|cell| cell.starts_with(name));
        index.unwrap_or_else(|| panic!("the table of {heading} has no column {name}"))
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

/// The file of a test in a directory or in one of its subdirectories.
fn find_test(directory: &Path, name: &str) -> PathBuf {
    let entries =
        std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{directory:?}: {error}"));
    let below = entries.map(|entry| entry.unwrap().path().join(format!("{name}.rs")));
    let here = [directory.join(format!("{name}.rs")), directory.join(name)];
    below.chain(here).find(|path| path.exists()).unwrap_or_else(|| directory.join(name))
}

/// The files in a cell: `name`, `name` in `directory`, several of them, or a whole directory.
fn files(cell: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for group in cell.split(';') {
        let mut names = quoted(group);
        let directory = match group.contains("` in `") {
            true => match names.pop().expect("a directory is in backticks") {
                "tests/api" => "crates/server/tests/api",
                directory => directory,
            },
            false => PROGRAM_TESTS,
        };
        files.extend(names.iter().map(|name| match name.starts_with("crates/") {
            true => root().join(name),
            false => find_test(&root().join(directory), name),
        }));
    }
    files
}

/// The names of a cell's figures, in a comment after them.
fn names(cell: &str) -> Vec<&str> {
    let comment = cell.split_once("<!--").and_then(|(_, rest)| rest.split_once("-->"));
    comment.map_or(Vec::new(), |(names, _)| names.split_whitespace().collect())
}

/// The newest figures with these names; none unless all of them were recorded.
fn newest_figures(names: &[&str]) -> Option<String> {
    let read = |name: &&str| std::fs::read_to_string(figures_directory().join(name)).ok();
    names.iter().map(read).collect::<Option<Vec<String>>>().map(|figures| figures.join("; "))
}

#[test]
fn every_guarantee_names_an_existing_test_and_its_result() {
    let path = root().join("docs/operate.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut page: Vec<String> = text.lines().map(str::to_owned).collect();
    let update = std::env::var_os("UPDATE_FIGURES").is_some();
    let rows: Vec<Row> = HEADINGS.iter().flat_map(|heading| rows(&page, heading)).collect();
    for row in rows {
        let text = &page[row.line];
        let files = files(&row.tests);
        assert!(!files.is_empty(), "no test is named: {text}");
        for file in files {
            assert!(file.exists(), "there is no test {}: {text}", file.display());
        }
        let names = names(&row.figures);
        assert!(!names.is_empty(), "the figures of this row have no names: {text}");
        if let Some(figures) = newest_figures(&names).filter(|_| update) {
            let cell = format!("{figures} <!-- {} -->", names.join(" "));
            page[row.line] = page[row.line].replace(&row.figures, &cell);
        } else {
            let figure = row.figures.split("<!--").next().unwrap_or_default().trim();
            assert!(!figure.is_empty(), "this row has no figure: {text}");
        }
    }
    if update {
        std::fs::write(&path, page.join("\n") + "\n").unwrap();
    }
}
