//! Checks that the documentation has every error code and every setting.

use std::path::{Path, PathBuf};

use panji_server::config::DEFAULTS;
use panji_server::http::error::ErrorCode;

fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("docs/{name}: {error}"))
}

/// The settings by their dotted names.
fn settings(table: &toml::Table, prefix: &str) -> Vec<String> {
    let dotted =
        |key: &str| if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
    table
        .iter()
        .flat_map(|(key, value)| match value {
            toml::Value::Table(inner) => settings(inner, &dotted(key)),
            _ => vec![dotted(key)],
        })
        .collect()
}

#[test]
fn every_error_code_is_documented() {
    let page = page("api.md");
    let missing: Vec<&str> = ErrorCode::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !page.contains(&format!("`{code}`")))
        .collect();
    assert!(missing.is_empty(), "docs/api.md does not document {missing:?}");
}

#[test]
fn every_setting_is_documented() {
    let page = page("operate.md");
    let defaults: toml::Table = DEFAULTS.parse().unwrap();
    let missing: Vec<String> = settings(&defaults, "")
        .into_iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "docs/operate.md does not document {missing:?}");
}

#[test]
fn the_deployment_files_use_existing_settings() {
    let defaults: toml::Table = DEFAULTS.parse().unwrap();
    let known: Vec<String> = settings(&defaults, "")
        .into_iter()
        .map(|name| format!("PANJI_{}", name.replace('.', "__").to_uppercase()))
        .collect();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    for path in files_in(&directory) {
        let text = std::fs::read_to_string(&path).unwrap();
        let words = text.split(|c: char| !c.is_ascii_uppercase() && c != '_');
        for word in words.filter(|word| word.starts_with("PANJI_")) {
            assert!(known.iter().any(|name| name == word), "{}: {word}", path.display());
        }
    }
}

/// All files in a directory and its subdirectories.
fn files_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let within = |path: PathBuf| if path.is_dir() { files_in(&path) } else { vec![path] };
    entries.flat_map(within).collect()
}
