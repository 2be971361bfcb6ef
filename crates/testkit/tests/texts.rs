//! Checks that every text of the console can be translated, and is: templates and code give their texts to the
//! functions that look them up in the catalog, and the catalog has an entry for each and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names and abbreviations that are the same in both languages.
const SAME: &[&str] = &[
    "API", "CIN", "CSV", "Ctrl", "DIN", "GET", "GST", "GSTIN", "HSN", "IST", "JSON", "K", "LLPIN",
    "MB", "MCP", "PAN", "PDF", "POST", "Panji", "Razorpay", "SAC", "URL", "UTC", "XLSX", "curl",
    "kB",
];

/// The attributes that people see or hear.
const VISIBLE: &[&str] = &["title", "aria-label", "placeholder", "alt", "data-label"];

/// Elements with content that is not prose.
const VERBATIM: &[&str] = &["code", "kbd", "pre", "script", "style"];

/// The functions that take a text to translate. `counted` takes two, after a number.
const TRANSLATES: &[&str] = &["t(", "t_with(", "key("];

/// Calls with text that no page displays.
const NOT_DISPLAYED: &[&str] =
    &["expect(", "internal(", "info!(", "warn!(", "error!(", "assert!(", "Bug("];

fn console() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/src/console")
}

/// Name without the ending, and content, of the files with an ending.
fn files(folder: &Path, ending: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            files.extend(self::files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            files.push((name, std::fs::read_to_string(&path).expect("text")));
        }
    }
    files.sort();
    files
}

/// A literal in a text of code: the code before it, its value, and the code after it.
struct Literal<'a> {
    before: &'a str,
    value: String,
    after: &'a str,
}

/// The string literals of Rust code or of the expression of a template, without those in comments.
fn literals(code: &str) -> Vec<Literal<'_>> {
    let (mut literals, mut at) = (Vec::new(), 0);
    while let Some(next) = code[at..].find(['"', '/', '\'']).map(|next| at + next) {
        let rest = &code[next..];
        if rest.starts_with("//") {
            at = rest.find('\n').map_or(code.len(), |end| next + end);
        } else if rest.starts_with("'\"'") {
            at = next + 3;
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let end = next + 1 + length_of_literal(quoted);
            let value = unescaped(&code[next + 1..end]);
            literals.push(Literal { before: &code[..next], value, after: &code[end + 1..] });
            at = end + 1;
        } else {
            at = next + 1;
        }
    }
    literals
}

fn length_of_literal(rest: &str) -> usize {
    let mut escaped = false;
    for (index, character) in rest.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return index,
            _ => (),
        }
    }
    panic!("a string without an end: {rest:.60}")
}

fn unescaped(literal: &str) -> String {
    let mut text = String::new();
    let mut characters = literal.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                // The rest of the literal is on the next line.
                Some('\n') => {
                    while characters.next_if(|character| character.is_whitespace()).is_some() {}
                }
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => (),
            },
            other => text.push(other),
        }
    }
    text
}

/// Whether the code ends with a call of the function, and not of one with a longer name.
fn is_call(before: &str, function: &str) -> bool {
    before.trim_end().strip_suffix(function).is_some_and(|rest| {
        !rest.ends_with(|character: char| character.is_alphanumeric() || character == '_')
    })
}

/// The texts of code that are looked up in the catalog.
fn keys(code: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut nouns = 0_usize;
    for literal in literals(code) {
        let is_noun = match literal.before.rsplit_once("counted(") {
            Some((_, arguments)) if !arguments.contains([';', '}']) => {
                let level =
                    arguments.matches('(').count() as i64 - arguments.matches(')').count() as i64;
                level == 0 && arguments.trim_end().ends_with(',')
            }
            _ => false,
        };
        nouns += usize::from(is_noun);
        let is_key = TRANSLATES.iter().any(|function| is_call(literal.before, function))
            || literal.after.trim_start().starts_with("|t")
                && !literal.after.trim_start()[2..]
                    .starts_with(|next: char| next.is_alphanumeric());
        if is_key || is_noun {
            keys.push(literal.value);
        }
    }
    assert!(nouns.is_multiple_of(2), "a noun without its plural");
    keys
}

/// The English and the Hindi texts.
fn catalog() -> BTreeMap<String, (String, String)> {
    let listed = std::fs::read_to_string(console().join("language/catalog.rs")).expect("text");
    let mut entries = BTreeMap::new();
    for (name, content) in files(&console().join("hindi"), "txt") {
        assert!(
            listed.contains(&format!("../hindi/{name}.txt")),
            "{name}.txt is not in catalog.rs"
        );
        for block in content.split("\n\n") {
            let lines: Vec<&str> =
                block.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
            match lines[..] {
                [] => (),
                [english, hindi] => {
                    let value = (hindi.to_owned(), name.clone());
                    let former = entries.insert(english.to_owned(), value);
                    assert!(former.is_none(), "twice in the catalog: {english}");
                }
                _ => panic!("an entry of {name}.txt has not two lines:\n{block}"),
            }
        }
    }
    entries
}

/// The placeholders such as `{0}` and the tags of a text, sorted.
fn marks(text: &str) -> Vec<&str> {
    let mut marks = Vec::new();
    for (open, close) in [('{', '}'), ('<', '>')] {
        let pieces = text.split(open).skip(1).filter_map(|piece| piece.split_once(close));
        marks.extend(pieces.map(|(mark, _)| mark));
    }
    marks.sort_unstable();
    marks
}

/// A template without the code: its HTML, and the code of each `{{ }}` and `{% %}`.
fn split_template(template: &str) -> (String, Vec<String>) {
    let (mut html, mut code, mut rest) = (String::new(), Vec::new(), template);
    while let Some(start) =
        rest.find("{%").into_iter().chain(rest.find("{{")).chain(rest.find("{#")).min()
    {
        html.push_str(&rest[..start]);
        let close = match &rest[start..start + 2] {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let mut end = start + 2;
        while !rest[end..].starts_with(close) {
            end += match rest[end..].chars().next().expect("a template ends its code") {
                '"' if close != "#}" => length_of_literal(&rest[end + 1..]) + 2,
                other => other.len_utf8(),
            };
        }
        code.push(rest[start + 2..end].to_owned());
        rest = &rest[end + 2..];
    }
    html.push_str(rest);
    (html, code)
}

/// Words of a text that should be translated.
fn words(text: &str) -> Vec<String> {
    let without_entities: String = text
        .split('&')
        .enumerate()
        .map(|(index, piece)| match piece.split_once(';') {
            Some((_, rest)) if index > 0 => rest,
            _ => piece,
        })
        .collect();
    without_entities
        .split(|character: char| !character.is_ascii_alphabetic())
        .filter(|word| !word.is_empty() && !SAME.contains(word))
        .map(str::to_owned)
        .collect()
}

/// The visible words of HTML that are not from the catalog.
fn untranslated(html: &str) -> Vec<String> {
    let (mut found, mut verbatim) = (Vec::new(), None::<&str>);
    for (index, piece) in html.split('<').enumerate() {
        let (tag, text) = match index {
            0 => ("", piece),
            _ => piece.split_once('>').unwrap_or((piece, "")),
        };
        let name =
            tag.split(|character: char| character.is_whitespace()).next().unwrap_or_default();
        if let Some(open) = VERBATIM.iter().find(|verbatim| **verbatim == name) {
            verbatim = verbatim.or(Some(*open));
        } else if verbatim.is_some_and(|open| name.strip_prefix('/') == Some(open)) {
            verbatim = None;
        }
        for attribute in VISIBLE {
            for value in tag.split(&format!(" {attribute}=\"")).skip(1) {
                found.extend(words(value.split('"').next().unwrap_or_default()));
            }
        }
        // A macro of the fields writes attributes.
        if verbatim.is_none() && !text.contains("=\"") {
            found.extend(words(text));
        }
    }
    found
}

fn code_of_console() -> Vec<(String, String)> {
    let mut code = files(&console(), "rs");
    for (_, text) in &mut code {
        if let Some(tests) = text.find("#[cfg(test)]") {
            text.truncate(tests);
        }
    }
    code
}

#[test]
fn every_text_of_the_console_has_its_translation() {
    let catalog = catalog();
    let (mut used, mut listed) = (BTreeSet::new(), BTreeSet::new());
    let mut missing = BTreeMap::<String, Vec<String>>::new();
    let mut sources: Vec<(String, Vec<String>)> = Vec::new();
    for (name, template) in files(&console().join("templates"), "html") {
        sources.push((
            format!("{name}.html"),
            split_template(&template).1.iter().flat_map(|code| keys(code)).collect(),
        ));
    }
    for (name, script) in files(&console().join("assets"), "js") {
        let said = script.split("say(\"").skip(1).filter_map(|rest| rest.split('"').next());
        sources.push((format!("{name}.js"), said.map(str::to_owned).collect()));
    }
    for (name, code) in code_of_console() {
        sources.push((format!("{name}.rs"), keys(&code)));
    }
    for (name, keys) in sources {
        for key in keys {
            let is_translatable = !words(&key).is_empty();
            used.insert(key.clone());
            let is_missing = is_translatable && !catalog.contains_key(&key);
            if is_missing && listed.insert(key.clone()) {
                missing.entry(name.clone()).or_default().push(key);
            }
        }
    }
    let missing: Vec<String> =
        missing.iter().map(|(name, keys)| format!("# {name}\n{}\n", keys.join("\n\n"))).collect();
    assert!(missing.is_empty(), "texts without Hindi, by file:\n{}", missing.join("\n"));
    let unused: Vec<_> = catalog
        .iter()
        .filter(|(english, (_, file))| {
            file != "words" && file != "sentences" && !used.contains(*english)
        })
        .map(|(english, (_, file))| format!("{file}.txt: {english}"))
        .collect();
    assert!(unused.is_empty(), "entries that nothing uses:\n{}", unused.join("\n"));
}

#[test]
fn translations_have_the_places_and_tags_of_the_text() {
    for (english, (hindi, file)) in catalog() {
        assert_eq!(marks(&english), marks(&hindi), "{file}.txt: {english}");
        let outside: String =
            hindi.split('<').map(|piece| piece.rsplit('>').next().unwrap_or_default()).collect();
        assert!(!outside.contains('"'), "{file}.txt, not for attributes: {hindi}");
    }
}

#[test]
fn templates_have_no_visible_text_outside_of_the_filter() {
    let mut found = Vec::new();
    for (name, template) in files(&console().join("templates"), "html") {
        let words = untranslated(&split_template(&template).0);
        if !words.is_empty() {
            found.push(format!("{name}.html: {}", words.join(" ")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn sentences_in_code_are_translated() {
    let mut found = Vec::new();
    for (name, code) in code_of_console() {
        for literal in literals(&code) {
            let value = &literal.value;
            let is_sentence = value.contains(' ')
                && value.starts_with(|first: char| first.is_ascii_uppercase())
                && value.ends_with(['.', '?', '!']);
            let is_handled = TRANSLATES
                .iter()
                .chain(NOT_DISPLAYED)
                .any(|function| is_call(literal.before, function));
            if is_sentence && !is_handled {
                found.push(format!("{name}.rs: {value}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
