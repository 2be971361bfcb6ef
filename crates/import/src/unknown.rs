//! Describes a file of an unknown format: its kind, or the list with the most similar columns.

use crate::input::csv::{Cells, Separator, split_cells};
use crate::sources::mca_master::{Nearest, nearest};
use crate::values::text::decode;

/// Lines that are searched for a header.
const LINES_INSPECTED: usize = 10;
/// Known headings that a header must have; any text may have one by chance.
const MIN_KNOWN_HEADINGS: usize = 2;
/// The most unknown headings that are reported.
const MAX_NAMED: usize = 12;
/// Longer headings are truncated.
const MAX_HEADING_CHARACTERS: usize = 40;

const SAVE_AS: &str = "open it in a spreadsheet program and save it as XLSX or CSV";
const COPY_TABLE: &str = "ask for the data as a spreadsheet or CSV, or copy its table into one";
const UNPACK: &str = "unpack it first";

/// Files that are recognized by their first bytes: the kind, and what to do.
const SIGNATURES: [(&[u8], &str, &str); 10] = [
    (
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "an old Excel file (.xls), or one with a password",
        SAVE_AS,
    ),
    (b"\x09\x08\x10\x00", "an old Excel file (.xls)", SAVE_AS),
    (b"%PDF", "a PDF", COPY_TABLE),
    (b"{\\rtf", "a text document (RTF)", COPY_TABLE),
    (b"Rar!", "a RAR archive", UNPACK),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", UNPACK),
    (b"BZh", "a file compressed with bzip2", UNPACK),
    (b"\xFD7zXZ\x00", "a file compressed with xz", UNPACK),
    (b"\x28\xB5\x2F\xFD", "a file compressed with zstd", UNPACK),
    (b"SQLite format 3\x00", "an SQLite database", "export its tables as CSV"),
];

/// The kind of a file and what to do with it, detected from its beginning. `formats` are the names
/// of the known formats.
pub fn explain(head: &[u8], formats: &str) -> String {
    let start = head.trim_ascii_start();
    if let Some((_, what, advice)) =
        SIGNATURES.iter().find(|(magic, _, _)| start.starts_with(magic))
    {
        return format!("this is {what}: {advice}");
    }
    let lower: String = decode(&start[..start.len().min(200)]).0.to_lowercase();
    if ["<!doctype html", "<html", "<table", "<meta"].iter().any(|tag| lower.starts_with(tag)) {
        return format!("this is a web page, perhaps under the name of a spreadsheet: {SAVE_AS}");
    }
    match nearest_in(head) {
        Some(nearest) => sentence(&nearest),
        None => format!(
            "the content has no known format ({formats}); `panji sources` shows their columns"
        ),
    }
}

/// Compares the first rows with the lists and returns the row with the most known headings.
fn nearest_in(head: &[u8]) -> Option<Nearest> {
    let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let compared = lines.take(LINES_INSPECTED).flat_map(|line| {
        let (text, _) = decode(line.trim_ascii_end());
        Separator::ALL.map(|separator| {
            let mut cells = Cells::default();
            split_cells(&text, separator, &mut cells);
            nearest(&cells)
        })
    });
    compared.flatten().filter(|near| near.known >= MIN_KNOWN_HEADINGS).max_by_key(|near| near.known)
}

fn sentence(nearest: &Nearest) -> String {
    let mut sentence = format!(
        "these are not the columns of a known list; nearest is {}",
        nearest.release.source()
    );
    if !nearest.missing.is_empty() {
        sentence.push_str(&format!(", of which these are missing: {}", nearest.missing.join(", ")));
    }
    if !nearest.unknown.is_empty() {
        let mut names: Vec<String> =
            nearest.unknown.iter().take(MAX_NAMED).map(|heading| truncated(heading)).collect();
        if nearest.unknown.len() > MAX_NAMED {
            names.push(format!("and {} more", nearest.unknown.len() - MAX_NAMED));
        }
        sentence.push_str(&format!("; these are not known: {}", names.join(", ")));
    }
    sentence + "; `panji sources` shows the columns of all"
}

fn truncated(heading: &str) -> String {
    match heading.char_indices().nth(MAX_HEADING_CHARACTERS) {
        Some((end, _)) => format!("{}…", &heading[..end]),
        None => heading.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(head: &[u8], words: &[&str]) {
        let explanation = explain(head, "panji");
        for word in words {
            assert!(explanation.contains(word), "{word}: {explanation}");
        }
    }

    #[test]
    fn files_of_other_programs_are_named_with_what_to_do() {
        check(
            b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0",
            &["old Excel file", "save it as XLSX or CSV"],
        );
        check(b"%PDF-1.7\n", &["a PDF", "as a spreadsheet or CSV"]);
        check(b"\n <HTML><body><table>", &["a web page", "save it as XLSX or CSV"]);
        check(b"Rar!\x1A\x07", &["unpack it first"]);
    }

    #[test]
    fn a_table_is_compared_with_the_nearest_list() {
        let table = b"Companies of Goa\n\nCIN;Company Name;Turnover;Auditor\nU1;A;5;B\n";
        check(
            table,
            &[
                "nearest is mca_new_companies",
                "missing: Date of Registration;",
                "Turnover, Auditor",
            ],
        );
        check(b"name,value\n1,2\n", &["has no known format (panji)"]);
    }
}
