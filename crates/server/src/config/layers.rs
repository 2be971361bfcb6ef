//! Settings laid over settings: a file's over the defaults, single ones over both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Overrides;

/// What the environment's settings begin with.
const PREFIX: &str = "PANJI_";
/// Variables with our prefix that are not settings: they belong to the tests.
const NOT_SETTINGS: [&str; 5] = [
    "PANJI_REAL_DATA",
    "PANJI_TEST_AXE",
    "PANJI_TEST_CITUS",
    "PANJI_TEST_POSTGRES",
    "PANJI_TEST_POSTGRES_BIN",
];
/// How alike two names are that are probably meant for each other, from 0 to 1.
const NEARLY: f64 = 0.8;
/// The file that is read from the working directory when it is there.
const DEFAULT_FILE: &str = "panji.toml";

/// The settings file: the one that was named, or the usual one where it is there.
pub(super) fn read_file(overrides: &Overrides) -> Result<Option<(PathBuf, String)>, String> {
    let path = overrides.file.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if overrides.file.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            Ok(None)
        }
        Err(error) => Err(format!("the settings file {}: {error}", path.display())),
    }
}

/// Lays a file's settings over the defaults; each must be one that the defaults have.
pub(super) fn overlay(
    settings: &mut Table,
    file: Table,
    place: &str,
    path: &Path,
) -> Result<(), String> {
    for (key, value) in file {
        let name = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        if !settings.contains_key(&key) {
            let meant = match nearest(settings, &key) {
                Some(near) if place.is_empty() => format!("; did you mean {near}?"),
                Some(near) => format!("; did you mean {place}.{near}?"),
                None => String::new(),
            };
            return Err(format!("{}: there is no setting {name}{meant}", path.display()));
        }
        match (&mut settings[&key], value) {
            (Value::Table(inner), Value::Table(table)) => overlay(inner, table, &name, path)?,
            (known, value) if known.same_type(&value) => *known = value,
            (known, value) => {
                let kind = match known {
                    Value::Integer(_) => "a whole number",
                    Value::Boolean(_) => "true or false",
                    Value::Table(_) => "a group of settings",
                    _ => "text in quotation marks",
                };
                // What stands in the place of a text may be a secret without its quotation marks.
                let shown = if known.is_str() { String::new() } else { format!(", not {value}") };
                let path = path.display();
                return Err(format!("{path}: the setting {name} must be {kind}{shown}"));
            }
        }
    }
    Ok(())
}

/// One setting by its dotted name. Names are compared without regard to case, because the environment
/// has upper case only.
pub(super) fn find<'a>(settings: &'a mut Table, dotted: &str) -> Option<&'a mut Value> {
    let (place, key) = dotted.rsplit_once('.').unwrap_or(("", dotted));
    let mut table = settings;
    for part in place.split('.').filter(|part| !part.is_empty()) {
        table = table.get_mut(part)?.as_table_mut()?;
    }
    let found = table.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(key));
    found.map(|(_, value)| value).filter(|value| !value.is_table())
}

/// Gives a setting the value that a text stands for, read as the kind of value its default is. Numbers
/// and flags are never secret, so what is wrong with one is shown.
pub(super) fn assign(setting: &mut Value, dotted: &str, text: &str) -> Result<(), String> {
    *setting = match setting {
        Value::Integer(_) => Value::Integer(
            text.parse().map_err(|_| format!("{dotted} must be a whole number, not {text:?}"))?,
        ),
        Value::Boolean(_) => Value::Boolean(
            text.parse().map_err(|_| format!("{dotted} must be true or false, not {text:?}"))?,
        ),
        _ => Value::String(text.to_owned()),
    };
    Ok(())
}

/// How a setting is written in the environment.
pub(super) fn variable_of(dotted: &str) -> String {
    format!("{PREFIX}{}", dotted.to_uppercase().replace('.', "__"))
}

/// The setting whose name is nearly this one, if there is one.
fn nearest(settings: &Table, dotted: &str) -> Option<String> {
    let likeness = |name: &String| {
        strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &dotted.to_lowercase())
    };
    let near = names(settings, "").into_iter().map(|name| (likeness(&name), name));
    let near = near.filter(|(likeness, _)| *likeness >= NEARLY);
    near.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

/// The dotted names of all settings.
pub(super) fn names(settings: &Table, place: &str) -> Vec<String> {
    let of = |(key, value): (&String, &Value)| {
        let name = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        value.as_table().map_or_else(|| vec![name.clone()], |group| names(group, &name))
    };
    settings.iter().flat_map(of).collect()
}

/// Lays the environment's settings over the others, and gives the variables that are none, each with
/// the one that was probably meant.
pub(super) fn take_environment(
    settings: &mut Table,
    environment: impl Iterator<Item = (String, String)>,
) -> Result<BTreeMap<String, Option<String>>, String> {
    let mut unknown = BTreeMap::new();
    for (name, text) in environment {
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        if NOT_SETTINGS.contains(&name.as_str()) {
            continue;
        }
        let dotted = rest.to_lowercase().replace("__", ".");
        match find(settings, &dotted) {
            Some(setting) => assign(setting, &dotted, &text)
                .map_err(|reason| format!("the environment variable {name}: {reason}"))?,
            None => {
                let meant = nearest(settings, &dotted).map(|near| variable_of(&near));
                unknown.insert(name, meant);
            }
        }
    }
    Ok(unknown)
}

/// One sentence on variables that are no settings. An orchestrator may have put them there, so they
/// are no reason to refuse.
pub(super) fn sentence_on(unknown: &BTreeMap<String, Option<String>>) -> Option<String> {
    let named = unknown.iter().map(|(name, meant)| match meant {
        Some(meant) => format!("{name} (did you mean {meant}?)"),
        None => name.clone(),
    });
    let named = named.collect::<Vec<_>>().join(", ");
    (!unknown.is_empty())
        .then(|| format!("environment variables that are no settings are ignored: {named}"))
}
