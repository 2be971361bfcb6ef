//! Checks that the documents quote messages that the program writes.

use std::path::{Path, PathBuf};

/// The start of the header of a table whose first column quotes messages.
const TABLES_OF_MESSAGES: &[&str] = &["| message", "| log "];

/// Messages of SQLite and of the operating system, which the program passes on.
const FROM_OTHERS: &[&str] = &[
    "Address already in use",
    "Permission denied",
    "attempt to write a readonly database",
    "database disk image is malformed",
    "database or disk is full",
    "file is not a database",
];

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The sources of a folder, without comments and unit tests, with each string on one line.
fn sources(folder: &Path) -> Vec<String> {
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            sources.extend(self::sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let code = std::fs::read_to_string(&path).expect("text");
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            sources.push(without_comments(code));
        }
    }
    sources
}

fn without_comments(code: &str) -> String {
    let lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let mut joined = String::new();
    for line in lines {
        // A string that ends a line with a backslash continues on the next one.
        match line.strip_suffix('\\') {
            Some(continued) => joined.push_str(continued),
            None => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    joined
}

/// The text in backquotes in the first column of the tables of messages.
fn quoted_messages(document: &str) -> Vec<&str> {
    let (mut messages, mut is_table) = (Vec::new(), false);
    for line in document.lines() {
        if TABLES_OF_MESSAGES.iter().any(|header| line.starts_with(header)) {
            is_table = true;
        } else if !line.starts_with('|') {
            is_table = false;
        } else if is_table {
            let column = line.split('|').nth(1).unwrap_or_default();
            messages.extend(column.split('`').skip(1).step_by(2));
        }
    }
    messages
}

/// The columns and clauses of the blocks of text, which show output. Two or more spaces separate
/// columns, commas clauses, of which some are values. Blocks that are something else, such as a file of
/// settings, name their language.
fn output(document: &str) -> Vec<String> {
    let blocks = document.split("```").skip(1).step_by(2);
    let lines = blocks.filter_map(|block| block.strip_prefix("text\n")).flat_map(str::lines);
    let clauses = lines.flat_map(|line| line.split("  ")).flat_map(|column| column.split(", "));
    clauses.map(|clause| clause.trim().to_owned()).filter(|clause| !clause.is_empty()).collect()
}

/// The literal words of a message, without what stands for a value, such as `…`, a number, a file
/// or an identifier. A colon ends a fragment, because what follows it is often another message.
fn fragments(message: &str) -> Vec<String> {
    let (mut fragments, mut current) = (Vec::new(), Vec::new());
    for word in message.split_whitespace() {
        let bare = word.trim_start_matches('(').trim_end_matches([',', '.', ':', ')']);
        let is_literal = !bare.is_empty()
            && bare.chars().all(|character| character.is_ascii_alphabetic() || character == '\'');
        if is_literal {
            current.push(if word.ends_with(':') { bare } else { word });
        }
        if !is_literal || word.ends_with(':') {
            fragments.push(std::mem::take(&mut current));
        }
    }
    fragments.push(current);
    fragments.retain(|words| words.len() >= 2);
    fragments.iter().map(|words| words.join(" ").trim_end_matches([',', '.']).to_owned()).collect()
}

/// The sources of all crates.
fn all_sources() -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates are there") {
        let folder = entry.expect("a folder").path().join("src");
        if folder.is_dir() {
            all.extend(sources(&folder));
        }
    }
    all
}

/// The messages with words that no source contains.
fn outdated<'a>(messages: &'a [String], sources: &[String]) -> Vec<&'a str> {
    let is_written = |fragment: &String| {
        FROM_OTHERS.contains(&fragment.as_str())
            || sources.iter().any(|code| code.contains(fragment.as_str()))
    };
    let is_outdated = |message: &&String| !fragments(message).iter().all(is_written);
    messages.iter().filter(is_outdated).map(String::as_str).collect()
}

#[test]
fn every_message_that_the_documents_quote_is_in_the_source() {
    let document = std::fs::read_to_string(root().join("docs/troubleshoot.md")).expect("text");
    let messages: Vec<String> = quoted_messages(&document).into_iter().map(str::to_owned).collect();
    assert!(messages.len() > 40, "the tables were not found: {messages:?}");
    let outdated = outdated(&messages, &all_sources());
    assert!(outdated.is_empty(), "the program does not write:\n{}", outdated.join("\n"));
}

#[test]
fn every_output_that_the_documents_show_is_in_the_source() {
    let sources = all_sources();
    let (mut clauses, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(root().join("docs")).expect("the documents are there") {
        let path = entry.expect("a document").path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let shown = output(&std::fs::read_to_string(&path).expect("text"));
            clauses += shown.len();
            let outdated = outdated(&shown, &sources);
            wrong.extend(outdated.iter().map(|clause| format!("{}: {clause}", path.display())));
        }
    }
    assert!(clauses > 60, "{clauses} clauses of output were found");
    assert!(wrong.is_empty(), "the program does not print:\n{}", wrong.join("\n"));
}
