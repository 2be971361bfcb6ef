//! Merges the layers of settings: the file over the defaults, single settings over both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Overrides;
use super::error::{ConfigError, ValueError};

/// The prefix of settings in the environment.
const PREFIX: &str = "PANJI_";
/// Variables with this prefix that tests and the SDKs use and that are not settings.
const NOT_SETTINGS: [&str; 10] = [
    "PANJI_API_KEY",
    "PANJI_BASE_URL",
    "PANJI_REAL_DATA",
    "PANJI_TEST_AXE",
    "PANJI_TEST_CITUS",
    "PANJI_TEST_ENGINES",
    "PANJI_TEST_EVENT_KILLS",
    "PANJI_TEST_POSTGRES",
    "PANJI_TEST_POSTGRES_BIN",
    "PANJI_TEST_POWER_LOSSES",
];
/// The similarity, from 0 to 1, above which an unknown name gets a suggestion.
const MIN_SIMILARITY: f64 = 0.8;
/// Settings of earlier versions, and what they are called now.
const RENAMED: [(&str, &str); 2] = [
    ("limits.answer_seconds", "limits.write_seconds"),
    ("limits.head_seconds", "limits.header_seconds"),
];
/// Read from the working directory if it exists.
const DEFAULT_FILE: &str = "panji.toml";

/// The settings file: the one given by the user, or the default file if it exists.
pub(super) fn read_file(overrides: &Overrides) -> Result<Option<(PathBuf, String)>, ConfigError> {
    let path = overrides.file.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if overrides.file.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            Ok(None)
        }
        Err(cause) => Err(ConfigError::UnreadableFile { path, cause }),
    }
}

/// Merges a file's settings into the defaults. Each must exist in the defaults.
pub(super) fn overlay(
    settings: &mut Table,
    file: Table,
    prefix: &str,
    path: &Path,
) -> Result<(), ConfigError> {
    for (key, value) in file {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        if !settings.contains_key(&key) {
            let similar = new_name(&name).or_else(|| {
                most_similar(settings, &key).map(|similar| match prefix {
                    "" => similar,
                    prefix => format!("{prefix}.{similar}"),
                })
            });
            return Err(ConfigError::UnknownInFile { path: path.to_owned(), name, similar });
        }
        match (&mut settings[&key], value) {
            (Value::Table(inner), Value::Table(table)) => overlay(inner, table, &name, path)?,
            (known, value) if known.same_type(&value) => *known = value,
            (known, value) => {
                let expected = match known {
                    Value::Integer(_) => "a whole number",
                    Value::Boolean(_) => "true or false",
                    Value::Table(_) => "a group of settings",
                    _ => "a string in quotation marks",
                };
                // A value that should be text may be a secret whose quotation marks were forgotten.
                let given = if known.is_str() { None } else { Some(value) };
                let path = path.to_owned();
                return Err(ConfigError::TypeInFile { path, name, expected, given });
            }
        }
    }
    Ok(())
}

/// One setting by its dotted name. Names are case-insensitive, because the environment uses upper
/// case.
pub(super) fn find<'a>(settings: &'a mut Table, dotted: &str) -> Option<&'a mut Value> {
    let (prefix, key) = dotted.rsplit_once('.').unwrap_or(("", dotted));
    let mut table = settings;
    for part in prefix.split('.').filter(|part| !part.is_empty()) {
        table = table.get_mut(part)?.as_table_mut()?;
    }
    let found = table.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(key));
    found.map(|(_, value)| value).filter(|value| !value.is_table())
}

/// Sets a setting from text, parsed as the type of its default. Numbers and booleans are never
/// secret, so the error displays them.
pub(super) fn assign(setting: &mut Value, dotted: &str, text: &str) -> Result<(), ValueError> {
    let (name, given) = (|| dotted.to_owned(), || text.to_owned());
    *setting = match setting {
        Value::Integer(_) => Value::Integer(
            text.parse().map_err(|_| ValueError::Number { name: name(), given: given() })?,
        ),
        Value::Boolean(_) => Value::Boolean(
            text.parse().map_err(|_| ValueError::Boolean { name: name(), given: given() })?,
        ),
        _ => Value::String(text.to_owned()),
    };
    Ok(())
}

/// The name of a setting in the environment.
pub(super) fn variable_of(dotted: &str) -> String {
    format!("{PREFIX}{}", dotted.to_uppercase().replace('.', "__"))
}

/// The name of a renamed setting.
fn new_name(dotted: &str) -> Option<String> {
    let renamed = RENAMED.iter().find(|(old, _)| *old == dotted);
    renamed.map(|(_, new)| (*new).to_owned())
}

/// The setting with the most similar name, if any is similar enough.
fn most_similar(settings: &Table, dotted: &str) -> Option<String> {
    let similarity = |name: &String| {
        strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &dotted.to_lowercase())
    };
    let similar = names(settings, "").into_iter().map(|name| (similarity(&name), name));
    let similar = similar.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    similar.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

/// The dotted names of all settings.
pub(super) fn names(settings: &Table, prefix: &str) -> Vec<String> {
    let of = |(key, value): (&String, &Value)| {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        value.as_table().map_or_else(|| vec![name.clone()], |group| names(group, &name))
    };
    settings.iter().flat_map(of).collect()
}

/// Merges the environment's settings into the others. Returns the variables that are not settings,
/// each with the one that may be meant.
pub(super) fn take_environment(
    settings: &mut Table,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<BTreeMap<String, Option<String>>, ConfigError> {
    let mut unknown = BTreeMap::new();
    for (name, text) in environment {
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        if NOT_SETTINGS.contains(&name.as_str()) {
            continue;
        }
        let dotted = rest.to_lowercase().replace("__", ".");
        match find(settings, &dotted) {
            Some(setting) => assign(setting, &dotted, &text)
                .map_err(|cause| ConfigError::Environment { variable: name, cause })?,
            None => {
                let similar = new_name(&dotted).or_else(|| most_similar(settings, &dotted));
                let suggestion = similar.map(|similar| variable_of(&similar));
                unknown.insert(name, suggestion);
            }
        }
    }
    Ok(unknown)
}

/// A warning about variables that are not settings. It is not an error, because an orchestrator may
/// have set them.
pub(super) fn warning_about(unknown: &BTreeMap<String, Option<String>>) -> Option<String> {
    let listed = unknown.iter().map(|(name, suggestion)| match suggestion {
        Some(suggestion) => format!("{name} (did you mean {suggestion}?)"),
        None => name.clone(),
    });
    let listed = listed.collect::<Vec<_>>().join(", ");
    (!unknown.is_empty()).then(|| format!("unknown environment variables are ignored: {listed}"))
}
