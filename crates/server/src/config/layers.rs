//! Settings laid over settings: a file's over the defaults, single ones over both.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::Overrides;

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
        let unknown = || format!("{}: there is no setting {name}", path.display());
        match (settings.get_mut(&key).ok_or_else(unknown)?, value) {
            (Value::Table(inner), Value::Table(table)) => overlay(inner, table, &name, path)?,
            (known, value) if known.same_type(&value) => *known = value,
            (known, _) => {
                let kind = match known {
                    Value::Integer(_) => "a whole number",
                    Value::Boolean(_) => "true or false",
                    Value::Table(_) => "a group of settings",
                    _ => "text",
                };
                return Err(format!("{}: the setting {name} must be {kind}", path.display()));
            }
        }
    }
    Ok(())
}

/// Sets one setting from text, read as the kind of value its default is. Names are compared
/// without regard to case, because the environment has upper case only.
pub(super) fn set(settings: &mut Table, dotted: &str, text: &str) -> Result<(), String> {
    let unknown = || format!("there is no setting {dotted}");
    let (place, key) = dotted.rsplit_once('.').unwrap_or(("", dotted));
    let mut table = settings;
    for part in place.split('.').filter(|part| !part.is_empty()) {
        table = table.get_mut(part).and_then(Value::as_table_mut).ok_or_else(unknown)?;
    }
    let (_, known) =
        table.iter_mut().find(|(name, _)| name.eq_ignore_ascii_case(key)).ok_or_else(unknown)?;
    *known = match known {
        Value::String(_) => Value::String(text.to_owned()),
        Value::Integer(_) => {
            let number = text.parse().map_err(|_| format!("{dotted} must be a whole number"))?;
            Value::Integer(number)
        }
        Value::Boolean(_) => {
            let flag = text.parse().map_err(|_| format!("{dotted} must be true or false"))?;
            Value::Boolean(flag)
        }
        _ => return Err(format!("{dotted} is a group of settings, not one")),
    };
    Ok(())
}
