//! Tests collections of real identifiers, in the directory of the variable `PANJI_REAL_DATA`.

use std::path::PathBuf;

use panji_ids::{Cin, CompanyId, CompanyKind, Din, Fcrn, Gstin, Llpin, Pan};

/// Rows for which this crate differs from the publisher on purpose, each with the reason.
const EXCEPTIONS: [(&str, &str, &str); 3] = [
    (
        "din",
        "7347",
        "leading zeros that a spreadsheet dropped are put back, so this is a right DIN",
    ),
    (
        "gstin",
        "27AAPFU0939F1AA",
        "its publisher takes no fourteenth character but Z; A is known too, and the check character fits",
    ),
    ("gstin", "27ABCFE1234F1QE", "no known family has Q as its fourteenth character"),
];

#[expect(clippy::print_stderr, reason = "a test that did nothing should say so")]
#[allow(clippy::disallowed_methods, reason = "names the real files, where there are any")]
fn read(path: &str) -> Option<String> {
    let Some(directory) = std::env::var_os("PANJI_REAL_DATA") else {
        eprintln!("PANJI_REAL_DATA is not set: {path} is not judged");
        return None;
    };
    let path = PathBuf::from(directory).join(path);
    Some(
        std::fs::read_to_string(&path).expect("the directory in PANJI_REAL_DATA contains the file"),
    )
}

/// The first columns of each row after the heading. They contain no quotes or commas.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect())
}

fn accepted(kind: &str, value: &str) -> Result<(), String> {
    let error = match kind {
        "cin" => Cin::parse_in_year(value, 2026).err(),
        "llpin" => Llpin::parse(value).err(),
        "fcrn" => Fcrn::parse(value).err(),
        "din" => Din::parse(value).err(),
        "pan" => Pan::parse(value).err(),
        "gstin" => Gstin::parse(value).err(),
        _ => panic!("a kind that this test does not know: {kind}"),
    };
    error.map_or(Ok(()), |error| Err(error.to_string()))
}

#[test]
fn published_vectors_get_the_result_of_their_publishers() {
    let Some(text) = read("vectors/identifier_vectors.csv") else {
        return;
    };
    let mut judged = 0;
    let mut wrong = Vec::new();
    let mut excepted = Vec::new();
    for row in rows(&text) {
        let (kind, value, expected) = (row[0], row[1], row[2]);
        assert!(matches!(expected, "valid" | "invalid"), "an unknown verdict: {expected}");
        judged += 1;
        let verdict = accepted(kind, value);
        if verdict.is_ok() == (expected == "valid") {
            continue;
        }
        match EXCEPTIONS
            .iter()
            .find(|(of_kind, of_value, _)| (*of_kind, *of_value) == (kind, value))
        {
            Some(exception) => excepted.push(*exception),
            None => wrong.push(format!("{kind} {value} should be {expected}: {verdict:?}")),
        }
    }
    assert!(judged > 100, "only {judged} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    excepted.sort_unstable();
    assert_eq!(excepted, EXCEPTIONS, "an exception that is none should be taken off the list");
}

#[test]
fn real_llps_and_foreign_companies_are_accepted_as_their_kind() {
    let Some(text) = read("identifiers/llpin_fcrn_real.csv") else {
        return;
    };
    let mut judged = 0;
    for row in rows(&text) {
        let (kind, value) = (row[0], row[1]);
        let id = CompanyId::parse(value).expect(value);
        let expected = match kind {
            "LLPIN" => CompanyKind::Llp,
            "FCRN" => CompanyKind::ForeignCompany,
            _ => panic!("a kind that this test does not know: {kind}"),
        };
        assert_eq!((id.kind(), id.as_str()), (expected, value));
        judged += 1;
    }
    assert!(judged > 50, "only {judged} rows");
}
