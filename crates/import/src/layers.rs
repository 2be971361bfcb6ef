//! Checks the layers of this crate by the `use` lines of its files.

use std::path::{Path, PathBuf};

/// From the lowest to the highest; a file uses only its own layer and those below.
const LAYERS: [&[&str]; 5] = [
    &["values", "vocabulary"],
    &["input"],
    &["sources"],
    &["format"],
    &["report", "batches", "run", "import_cache", "load"],
];

fn rank(module: &str) -> usize {
    let found = LAYERS.iter().position(|layer| layer.contains(&module));
    found.unwrap_or_else(|| panic!("{module} is in no layer: add it to LAYERS"))
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources of this crate are there") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The first name after `prefix` in each `use` of a file; a group in braces gives all its names.
fn used_after<'a>(text: &'a str, prefix: &str) -> Vec<&'a str> {
    let statements = text.split(';').filter_map(|part| {
        let (_, path) = part.rsplit_once("use ")?;
        path.trim().strip_prefix(prefix)
    });
    let names = statements.flat_map(|path| match path.strip_prefix('{') {
        Some(group) => group.trim_end_matches('}').split(',').collect::<Vec<_>>(),
        None => vec![path],
    });
    let first = |path: &'a str| path.trim().split("::").next().unwrap_or_default();
    names.map(first).filter(|name| !name.is_empty()).collect()
}

#[test]
fn files_use_only_their_own_layer_and_those_below() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for file in files_under(&source) {
        let relative = file.strip_prefix(&source).expect("a file of this crate");
        let parts: Vec<&str> = relative.iter().filter_map(|part| part.to_str()).collect();
        let module = parts[0].trim_end_matches(".rs");
        if ["lib", "layers"].contains(&module) {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file is text");
        for used in used_after(&text, "crate::") {
            assert!(rank(used) <= rank(module), "{} uses {used}", relative.display());
            checked += 1;
        }
        // A source does not know the other sources.
        if let ["sources", folder, _] = parts[..] {
            let shared = ["source", "symbols", folder];
            for used in used_after(&text, "crate::sources::") {
                assert!(shared.contains(&used), "{} uses {used}", relative.display());
            }
            let outside = used_after(&text, "super::");
            for used in outside.iter().filter(|_| parts[2] == "mod.rs") {
                assert!(shared.contains(used), "{} uses {used}", relative.display());
            }
        }
    }
    assert!(checked > 50, "only {checked} uses were found");
}
