//! Reads a company's name as lists have it: with prefixes such as M/s, account codes and branches, with a legal
//! form that is joined, split or truncated.

use crate::legal::Suffix;

/// The most characters of a text that are read.
const MAX_CHARACTERS: usize = 300;
/// The most words of a legal form, also with spaces inside its words.
const MAX_FORM_WORDS: usize = 6;
/// The fewest letters of a name before a legal form without a space.
const MIN_BEFORE_JOINED_FORM: usize = 3;
/// "PL" at the end of a word is a legal form only after this many letters: "Apl" is a name.
const MIN_BEFORE_PL: usize = 10;
/// A truncated text has at least this many characters: nobody reserves less for a name.
const MIN_TRUNCATED: usize = 18;
/// Lengths at which systems truncate names.
const TRUNCATION_LENGTHS: [usize; 5] = [25, 30, 35, 40, 50];
/// The most texts that are searched for one name.
const MAX_VARIANTS: usize = 5;
/// The fewest digits of an account code.
const MIN_CODE: usize = 3;

/// A name as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadName {
    /// The texts to search for, the likeliest first.
    pub variants: Vec<String>,
    pub form: Option<Suffix>,
    /// Whether the text seems to have been truncated at its end.
    pub truncated: bool,
    /// The words after the legal form, as a city or a branch.
    pub tail: String,
}

/// Legal forms without spaces.
const FORMS: [(&str, Suffix); 19] = [
    ("limitedliabilitypartnership", Suffix::Llp),
    ("opcprivatelimited", Suffix::PrivateLimited),
    ("opcpvtltd", Suffix::PrivateLimited),
    ("privatelimited", Suffix::PrivateLimited),
    ("privatelimted", Suffix::PrivateLimited),
    ("pvtlimited", Suffix::PrivateLimited),
    ("privateltd", Suffix::PrivateLimited),
    ("plimited", Suffix::PrivateLimited),
    ("private", Suffix::PrivateLimited),
    ("limited", Suffix::Limited),
    ("pvtltd", Suffix::PrivateLimited),
    ("pvtlt", Suffix::PrivateLimited),
    ("pteltd", Suffix::PrivateLimited),
    ("pltd", Suffix::PrivateLimited),
    ("llp", Suffix::Llp),
    ("ltd", Suffix::Limited),
    ("pvt", Suffix::PrivateLimited),
    ("lt", Suffix::Limited),
    ("opc", Suffix::PrivateLimited),
];

/// A word of the text with its place in it.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    from: usize,
    to: usize,
}

impl Word {
    /// Whether each letter has the same length in the text and in lower case.
    fn is_plain(&self) -> bool {
        self.text.is_ascii() && self.text.len() == self.to - self.from
    }
}

pub fn read(text: &str) -> ReadName {
    let text: String = text.chars().take(MAX_CHARACTERS).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let characters = text.chars().count();
    let text_without_prefix = without_prefix(&text);
    let named = without_code(before_remark(text_without_prefix));
    let words = words(named);
    let mut read = ReadName::default();
    let joined = joined_form(&words, named.len() < text_without_prefix.len());
    let found = match (form_at_end(&words), joined) {
        // "ESTATESPVT LTD": the form begins inside a word.
        (Some(at_end), Some(joined)) if joined.from < at_end.from => Some(joined),
        (Some(at_end), _) => Some(at_end),
        (None, joined) => {
            form_within(&words).or(joined).or_else(|| truncated_form(&words, characters))
        }
    };
    match found {
        Some(found) => {
            read.form = found.form;
            read.truncated = found.truncated;
            read.tail = named[found.to..].trim().to_owned();
            let name = named[..found.from].trim_end_matches(|c: char| !is_part_of_name(c));
            read.add(&match found.form {
                Some(form) => format!("{name} {}", canonical(form)),
                None => name.to_owned(),
            });
            if found.truncated {
                read.add(named);
            }
            // "MILLSPLTD" is "Mills P Ltd", and "GROUPLTD" is "Group Ltd".
            let one_word = found.inside_word || !name.contains(' ') && name.len() >= MIN_BEFORE_PL;
            let private = name.strip_suffix(['p', 'P']).filter(|_| one_word);
            if let (Some(name), Some(Suffix::Limited)) = (private, found.form) {
                read.add(&format!("{name} {}", canonical(Suffix::PrivateLimited)));
            }
        }
        None => {
            read.truncated = is_truncation_length(characters);
            read.add(named);
            // "MILLSPL" may be "Mills Private Limited".
            let before_pl = named.strip_suffix("PL").or_else(|| named.strip_suffix("pl"));
            if let Some(name) = before_pl.filter(|name| name.len() > MIN_BEFORE_JOINED_FORM) {
                read.add(&format!("{name} {}", canonical(Suffix::PrivateLimited)));
            }
        }
    }
    read.add_divided();
    if named.len() < text_without_prefix.len() {
        read.add(text_without_prefix);
    }
    read.variants.truncate(MAX_VARIANTS);
    read
}

impl ReadName {
    /// Adds what a name without spaces may be: names are compared without "the" and "and".
    fn add_divided(&mut self) {
        let Some(first) = self.variants.first().cloned() else { return };
        let (word, rest) = first.split_once(' ').unwrap_or((&first, ""));
        if word.len() < MIN_BEFORE_PL || !word.is_ascii() || is_named(rest) {
            return;
        }
        let lower = word.to_ascii_lowercase();
        let bare = lower.strip_prefix("the").unwrap_or(&lower);
        self.add(&format!("{bare} {rest}"));
        // Not at its ends: "Andhra", "Anand".
        let inner = bare.get(1..bare.len() - 1).filter(|inner| inner.contains("and"));
        if let Some(inner) = inner {
            let (start, end) = (&bare[..1], &bare[bare.len() - 1..]);
            self.add(&format!("{start}{}{end} {rest}", inner.replacen("and", "", 1)));
            self.add(&format!("{start}{}{end} {rest}", inner.replace("and", "")));
        }
    }

    fn add(&mut self, text: &str) {
        let text = text.trim();
        if text.chars().any(char::is_alphanumeric) && !self.variants.iter().any(|v| v == text) {
            self.variants.push(text.to_owned());
        }
    }
}

/// Whether a system may have truncated a text to this length, or a space after it.
fn is_truncation_length(characters: usize) -> bool {
    TRUNCATION_LENGTHS.contains(&characters) || TRUNCATION_LENGTHS.contains(&(characters + 1))
}

fn is_part_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == ')'
}

/// Whether a text has more words than a legal form.
fn is_named(text: &str) -> bool {
    let legal = ["Private", "Limited", "Unlimited", "LLP", ""];
    text.split(' ').any(|word| !legal.contains(&word))
}

/// The usual text of a legal form.
fn canonical(form: Suffix) -> &'static str {
    match form {
        Suffix::PrivateLimited => "Private Limited",
        Suffix::Limited => "Limited",
        Suffix::Unlimited => "Unlimited",
        Suffix::Llp => "LLP",
    }
}

/// Removes "M/s", "Messrs", "C/o" and "To" at the beginning.
fn without_prefix(text: &str) -> &str {
    const PREFIXES: [&str; 9] =
        ["m/s", "m / s", "m\\s", "messrs", "m/ s", "c/o", "c / o", "a/c of", "the m/s"];
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '(');
        let prefix = PREFIXES.iter().find(|prefix| {
            rest.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        });
        // "MS." is a prefix only with its dot: "MS" may be initials.
        let dotted = rest.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("ms."));
        match prefix {
            Some(prefix) if rest.len() > prefix.len() => rest = &rest[prefix.len()..],
            _ if dotted && rest.get(3..4) == Some(" ") => rest = &rest[3..],
            _ => return rest,
        }
    }
}

/// The text before "C/o", "A/c" or "Unit of": what follows is not the name.
fn before_remark(text: &str) -> &str {
    const REMARKS: [&str; 6] = ["c/o", " a/c", " unit of ", " (formerly", " formerly ", " attn"];
    let lower = text.to_ascii_lowercase();
    let from =
        REMARKS.iter().filter_map(|remark| lower.find(remark)).filter(|from| *from > 2).min();
    from.map_or(text, |from| text[..from].trim_end())
}

/// The text without an account code at its end, also one without a space before it.
fn without_code(text: &str) -> &str {
    let mut rest = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
    loop {
        let inside = rest.trim_end_matches(')');
        let name = inside.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &inside[name.len()..];
        let year = digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
        let joined = name.ends_with(|c: char| c.is_ascii_alphabetic());
        let code = digits.len() >= MIN_CODE
            && (digits.starts_with('0')
                || digits.len() > MIN_CODE + 1
                || joined && digits.len() > 3)
            && (!year || joined);
        let before = name.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
        if !code || before.chars().filter(|c| c.is_alphabetic()).count() < 3 {
            return rest;
        }
        rest = before;
    }
}

/// The words in lower case, with their places.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut inside = false;
    for (at, character) in text.char_indices() {
        if !character.is_alphanumeric() {
            inside = false;
            continue;
        }
        if !inside {
            words.push(Word { text: String::new(), from: at, to: at });
        }
        inside = true;
        if let Some(word) = words.last_mut() {
            word.text.extend(character.to_lowercase());
            word.to = at + character.len_utf8();
        }
    }
    words
}

/// A legal form in the text.
struct FoundForm {
    form: Option<Suffix>,
    from: usize,
    to: usize,
    truncated: bool,
    /// It begins inside a word.
    inside_word: bool,
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect()
}

fn end(words: &[Word]) -> usize {
    words.last().map_or(0, |word| word.to)
}

fn known_form(text: &str) -> Option<Suffix> {
    FORMS.iter().find(|(known, _)| *known == text).map(|(_, form)| *form)
}

/// A whole legal form at the end, also with spaces inside its words: "PRIVATE LIM ITED".
fn form_at_end(words: &[Word]) -> Option<FoundForm> {
    let most = MAX_FORM_WORDS.min(words.len().saturating_sub(1));
    (1..=most).rev().find_map(|count| {
        let from = words.len() - count;
        let form = known_form(&joined(&words[from..]))?;
        Some(FoundForm {
            form: Some(form),
            from: words[from].from,
            to: end(words),
            truncated: false,
            inside_word: false,
        })
    })
}

/// A whole legal form with other words after it: a city, a branch.
fn form_within(words: &[Word]) -> Option<FoundForm> {
    let ends_a_form =
        |text: &str| ["ted", "ltd", "llp", "ship"].iter().any(|end| text.ends_with(end));
    for last in 1..words.len().saturating_sub(1) {
        if !ends_a_form(&words[last].text) && words[last].text != "ed" {
            continue;
        }
        let before = form_at_end(&words[..=last]).or_else(|| joined_form(&words[..=last], false));
        if let Some(found) = before {
            return Some(FoundForm { to: end(&words[..=last]), ..found });
        }
    }
    // "MILLSPL, CHENNAI"
    let pl = (0..words.len().saturating_sub(1))
        .find(|at| words[*at].text.len() >= MIN_BEFORE_PL && words[*at].text.ends_with("pl"))?;
    joined_form(&words[..=pl], false).map(|found| FoundForm { to: end(&words[..=pl]), ..found })
}

/// A legal form without a space before it: "BIRLAESTATESPRIVATELIMITED".
fn joined_form(words: &[Word], had_code: bool) -> Option<FoundForm> {
    let most = MAX_FORM_WORDS.min(words.len());
    for count in 1..=most {
        let start = words.len() - count;
        let text = joined(&words[start..]);
        let first = words[start].text.len();
        for (form, suffix) in FORMS.iter().filter(|(form, _)| form.len() > 2) {
            let Some(name) = text.strip_suffix(form) else { continue };
            let within_first = name.len() < first && name.len() >= MIN_BEFORE_JOINED_FORM;
            let ambiguous = ["pltd", "plimited"].contains(form)
                || ["private", "pvt", "opc"].contains(form) && count == 1;
            if within_first && !ambiguous && words[start].is_plain() {
                let from = words[start].from + name.len();
                return Some(FoundForm {
                    form: Some(*suffix),
                    from,
                    to: end(words),
                    truncated: false,
                    inside_word: true,
                });
            }
        }
    }
    let last = words.last()?;
    let name = last.text.strip_suffix("pl").filter(|_| last.is_plain())?;
    let is_form = name.len() >= MIN_BEFORE_PL || had_code && name.len() > MIN_BEFORE_JOINED_FORM;
    is_form.then(|| FoundForm {
        form: Some(Suffix::PrivateLimited),
        from: last.from + name.len(),
        to: end(words),
        truncated: false,
        inside_word: true,
    })
}

/// The beginning of a legal form at the end of a truncated text: "EXPORTS PR", "PVT L".
fn truncated_form(words: &[Word], characters: usize) -> Option<FoundForm> {
    const TRUNCATED_FORMS: [(&str, Option<Suffix>, usize); 8] = [
        ("privatelimited", Some(Suffix::PrivateLimited), 2),
        ("pvtltd", Some(Suffix::PrivateLimited), 2),
        ("pltd", Some(Suffix::PrivateLimited), 2),
        ("limitedliabilitypartnership", Some(Suffix::Llp), 8),
        ("llp", Some(Suffix::Llp), 2),
        ("ltd", Some(Suffix::Limited), 2),
        // "LIM" may be the beginning of a company's or a partnership's form.
        ("limited", None, 2),
        ("privatelimited", Some(Suffix::PrivateLimited), 1),
    ];
    if characters < MIN_TRUNCATED {
        return None;
    }
    let most = MAX_FORM_WORDS.min(words.len().saturating_sub(1));
    (1..=most).rev().find_map(|count| {
        let from = words.len() - count;
        let text = joined(&words[from..]);
        let truncation_length = is_truncation_length(characters);
        let (_, form, _) = TRUNCATED_FORMS.iter().find(|(whole, _, least)| {
            whole.len() > text.len()
                && whole.starts_with(&text)
                && (text.len() >= *least && (*least > 1 || truncation_length))
        })?;
        Some(FoundForm {
            form: *form,
            from: words[from].from,
            to: end(words),
            truncated: true,
            inside_word: false,
        })
    })
}

#[cfg(test)]
mod tests;
