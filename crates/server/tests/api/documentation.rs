//! The documents name every error code and every setting, their links lead somewhere, and the schema of
//! the import format is that of the code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use panji_api::accounts::audit_log;
use panji_api::config::operation::{Operation, Tariff};
use panji_api::config::{Config, DEFAULTS, Overrides};
use panji_api::http::error::ErrorCode;
use panji_store::ledger::EXPORT_SECTIONS;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn page(name: &str) -> String {
    read(&root().join("docs").join(name))
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
    let page = page("errors.md");
    let missing: Vec<&str> = ErrorCode::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !page.contains(&format!("`{code}`")))
        .collect();
    assert!(missing.is_empty(), "docs/errors.md does not describe {missing:?}");
}

#[test]
fn the_table_of_prices_has_every_operation_with_its_price() {
    let config = Config::load(&Overrides::default(), std::iter::empty()).unwrap();
    let page = page("credits.md");
    let rows: Vec<(&str, &str)> =
        page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | ")).collect();
    for operation in Operation::ALL {
        let names = |text: &str| {
            text.split(|letter: char| !letter.is_ascii_alphanumeric())
                .any(|word| word == operation.id())
        };
        let priced = match operation.tariff() {
            Tariff::Items => "sum of its items".to_owned(),
            _ => config.prices.of(*operation).to_string(),
        };
        let row = rows.iter().find(|(_, operations)| names(operations));
        let (credits, _) = row.unwrap_or_else(|| panic!("no row has {}", operation.id()));
        let credits = credits.strip_prefix("always ").unwrap_or(credits);
        let fits = credits
            .strip_prefix(&priced)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(',') || rest.starts_with(' '));
        assert!(fits, "{}: the table says {credits}, the price is {priced}", operation.id());
    }
}

#[test]
fn every_setting_is_documented() {
    let page = page("configure.md");
    let defaults: toml::Table = DEFAULTS.parse().unwrap();
    let missing: Vec<String> = settings(&defaults, "")
        .into_iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "docs/configure.md does not describe {missing:?}");
}

/// The words in backquotes.
fn quoted(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The text of a document under a heading, up to the next heading.
fn section<'a>(document: &'a str, heading: &str) -> &'a str {
    let (_, rest) = document.split_once(&format!("\n{heading}\n")).expect("the heading is there");
    rest.split("\n#").next().unwrap()
}

#[test]
fn the_table_of_the_audit_log_has_exactly_the_actions_that_are_logged() {
    let page = page("secure.md");
    let table = section(&page, "## Audit log").split_once("| action | subject |").unwrap().1;
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let described: BTreeSet<&str> = rows.flat_map(quoted).collect();
    assert_eq!(described, audit_log::ACTIONS.iter().copied().collect());
}

#[test]
fn every_action_of_the_audit_log_is_logged_by_the_program() {
    let folders = ["crates/api/src", "crates/server/src", "crates/web/src"];
    let files = folders.iter().flat_map(|folder| files_in(&root().join(folder)));
    let is_source = |file: &PathBuf| {
        file.extension().is_some_and(|ending| ending == "rs") && !file.ends_with("audit_log.rs")
    };
    let sources: Vec<String> = files.filter(is_source).map(|file| read(&file)).collect();
    let logged = |action: &&&str| {
        let literal = format!("\"{action}\"");
        sources.iter().any(|source| source.contains(&literal))
    };
    let unused: Vec<&&str> = audit_log::ACTIONS.iter().filter(|action| !logged(action)).collect();
    assert!(unused.is_empty(), "nothing logs {unused:?}");
}

#[test]
fn the_page_on_personal_data_names_exactly_the_sections_of_an_export() {
    let page = page("privacy.md");
    let list = section(&page, "## Export").split("```").nth(2).unwrap();
    let list = list.split("has these sections:").nth(1).unwrap().split("\n\n").nth(1).unwrap();
    let named: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    let exported: Vec<&str> = EXPORT_SECTIONS.iter().map(|section| section.name).collect();
    assert_eq!(named, exported);
}

#[test]
fn the_page_on_personal_data_names_every_setting_of_retention_and_no_other() {
    let defaults: toml::Table = DEFAULTS.parse().unwrap();
    let settings = settings(&defaults, "");
    let is_retention = |name: &str| name.ends_with(".keep_days") || name.ends_with(".session_days");
    let retention: BTreeSet<&str> =
        settings.iter().map(String::as_str).filter(|name| is_retention(name)).collect();
    let page = page("privacy.md");
    let table = section(&page, "## Retention");
    let named: BTreeSet<&str> =
        quoted(table).into_iter().filter(|word| is_retention(word)).collect();
    assert_eq!(named, retention);
}

#[test]
fn the_deployment_files_use_existing_settings() {
    let defaults: toml::Table = DEFAULTS.parse().unwrap();
    let known: Vec<String> = settings(&defaults, "")
        .into_iter()
        .map(|name| format!("PANJI_{}", name.replace('.', "__").to_uppercase()))
        .collect();
    let directory = root().join("deploy");
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

/// The documents: at the root, in docs/, and beside what they describe.
fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut documents: Vec<PathBuf> = ["", "docs", "crates/ids", "crates/api/sandbox"]
        .iter()
        .flat_map(|place| std::fs::read_dir(root.join(place)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    documents.sort();
    assert!(documents.len() > 10, "{documents:?}");
    documents
}

/// A document without its blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Where the links of a document lead, as they are written.
fn links(prose: &str) -> Vec<&str> {
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).collect()
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept =
                words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut dead = Vec::new();
    for document in documents() {
        let text = read(&document);
        for link in links(&prose(&text)) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            let there =
                target.exists() && (anchor.is_empty() || anchors(&read(&target)).contains(anchor));
            if !there {
                dead.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(dead.is_empty(), "these links lead nowhere: {dead:#?}");
}

#[test]
fn files_and_messages_name_documents_that_exist() {
    let root = root();
    let paths = ["deploy", "crates", "bench/src", "fuzz/fuzz_targets", "config.default.toml"];
    let mut named = 0;
    for searched in paths.map(|path| root.join(path)) {
        let files = if searched.is_dir() { files_in(&searched) } else { vec![searched] };
        for path in files {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for rest in text.split("docs/").skip(1) {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c));
                let name = rest[..end.unwrap_or(rest.len())].trim_end_matches('.');
                if name.ends_with(".md") {
                    named += 1;
                    let there = root.join("docs").join(name).exists();
                    assert!(there, "{} names docs/{name}", path.display());
                }
            }
        }
    }
    assert!(named > 5, "{named} documents are named");
}

/// The kinds of the schema with the fields of each.
fn kinds_of(schema: &Value) -> Vec<(String, BTreeSet<String>)> {
    let named = schema["oneOf"].as_array().unwrap().iter();
    named
        .map(|kind| {
            let name = kind["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap();
            let properties = schema["$defs"][name]["properties"].as_object().unwrap();
            let kind = properties["record"]["const"].as_str().unwrap().to_owned();
            let fields = properties.keys().filter(|field| *field != "record").cloned();
            (kind, fields.collect())
        })
        .collect()
}

#[test]
fn the_schema_of_the_import_format_has_the_kinds_and_fields_of_the_code() {
    let schema: Value = serde_json::from_str(&page("import.schema.json")).unwrap();
    let mut described = kinds_of(&schema);
    let owned = |fields: &[&str]| fields.iter().map(|field| (*field).to_owned()).collect();
    let mut read: Vec<(String, BTreeSet<String>)> = panji_import::panji::kinds()
        .iter()
        .map(|(kind, fields)| ((*kind).to_owned(), owned(fields)))
        .collect();
    described.sort();
    read.sort();
    assert_eq!(described, read);
}

#[test]
fn every_line_of_the_sandbox_fits_the_schema_and_a_misspelled_one_does_not() {
    let schema: Value = serde_json::from_str(&page("import.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/sandbox");
    let mut lines = 0;
    for path in files_in(&directory) {
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        for line in read(&path).lines() {
            let mut record: Value = serde_json::from_str(line).unwrap();
            assert!(validator.is_valid(&record), "{}: {line}", path.display());
            record["misspelled"] = Value::Null;
            assert!(!validator.is_valid(&record), "{}: {record}", path.display());
            lines += 1;
        }
    }
    assert!(lines > 1_000, "{lines} lines");
}
