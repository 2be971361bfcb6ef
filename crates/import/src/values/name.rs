//! Repairs company names in which the source lost a space: where its line ended between two words.

/// Legal words at the end of a name; if one is joined to the word before it, a space was lost.
const LEGAL_WORDS: [&str; 4] = ["LIMITED", "PRIVATE", "LTD", "PVT"];
/// Other words at the end of a name that state its legal form.
const LEGAL_FORMS: [&str; 5] = ["P", "OPC", "CO", "COMPANY", "LLP"];
/// Complete words that end with a legal word.
const WHOLE_WORDS: [&str; 1] = ["UNLIMITED"];
/// Words that are joined to "company" only if a space was lost.
const BEFORE_COMPANY: [&str; 12] = [
    "PRODUCER",
    "PRODUCERS",
    "TRADING",
    "FINANCE",
    "INSURANCE",
    "DEVELOPMENT",
    "CONSTRUCTION",
    "MANUFACTURING",
    "INVESTMENT",
    "FARMER",
    "FARMERS",
    "MARKETING",
];
const COMPANY: &str = "COMPANY";

/// The name with the spaces between its legal words: `SERVICESPRIVATELIMITED` is
/// `SERVICES PRIVATE LIMITED`. Only the words at the end of a name are checked.
pub fn repaired(name: &str) -> String {
    let mut ending: Vec<&str> = Vec::new();
    let mut front = name.trim_end();
    while let Some((before, word)) = last_legal_word(front, ending.is_empty()) {
        ending.push(word);
        front = before;
    }
    if ending.is_empty() {
        return name.to_owned();
    }
    front = front.trim_end();
    if let Some(before) = before_company(front) {
        ending.push(&front[before.len()..]);
        front = before;
    }
    let words = std::iter::once(front.trim_end()).chain(ending.into_iter().rev());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The letters and digits of a name without its legal form, in capitals, for comparing names.
pub fn without_legal_form(name: &str) -> String {
    let name = repaired(name).to_uppercase();
    let words = name.split(|character: char| !character.is_alphanumeric());
    let mut words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    while words.last().is_some_and(|last| LEGAL_WORDS.contains(last) || LEGAL_FORMS.contains(last))
    {
        words.pop();
    }
    if words.first() == Some(&"THE") {
        words.remove(0);
    }
    words.concat()
}

/// Splits off a legal word, with the full stop after it.
fn last_legal_word(text: &str, is_last: bool) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let letters = text.strip_suffix('.').filter(|_| is_last).unwrap_or(text);
    let last = letters.rsplit([' ', ')', '.']).next().unwrap_or_default();
    if WHOLE_WORDS.iter().any(|word| word.eq_ignore_ascii_case(last)) {
        return None;
    }
    let word = LEGAL_WORDS.iter().find(|word| ends_with(letters, word))?;
    let (before, word) = text.split_at(letters.len() - word.len());
    // A sign before the word, as in `(PRIVATE`, belongs to it.
    let is_apart = |last: char| last.is_alphanumeric() || matches!(last, ' ' | ')');
    before.chars().next_back().is_none_or(is_apart).then_some((before, word))
}

/// The text before a joined word "company".
fn before_company(text: &str) -> Option<&str> {
    if !ends_with(text, COMPANY) {
        return None;
    }
    let before = &text[..text.len() - COMPANY.len()];
    let last = before.rsplit(' ').next().unwrap_or_default();
    BEFORE_COMPANY.iter().any(|word| word.eq_ignore_ascii_case(last)).then_some(before)
}

fn ends_with(text: &str, word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::{repaired, without_legal_form};

    #[test]
    fn names_are_compared_without_their_legal_form() {
        for name in
            ["Namuna Steel Limited", "THE NAMUNA STEEL(P) LTD.", "Namuna SteelPrivate Limited"]
        {
            assert_eq!(without_legal_form(name), "NAMUNASTEEL", "{name}");
        }
        assert_eq!(without_legal_form("Limited"), "");
    }

    #[test]
    fn a_lost_space_before_a_legal_word_is_restored() {
        let checks = [
            ("NAMUNA SERVICES PRIVATELIMITED", "NAMUNA SERVICES PRIVATE LIMITED"),
            ("NAMUNA SERVICESPRIVATE LIMITED", "NAMUNA SERVICES PRIVATE LIMITED"),
            ("Namuna Foods (OPC)Private Limited", "Namuna Foods (OPC) Private Limited"),
            ("NAMUNA PRODUCER COMPANYLIMITED", "NAMUNA PRODUCER COMPANY LIMITED"),
            ("NAMUNA PRODUCERCOMPANY LIMITED", "NAMUNA PRODUCER COMPANY LIMITED"),
            ("NAMUNA TRADING COMPANYPRIVATE LIMITED", "NAMUNA TRADING COMPANY PRIVATE LIMITED"),
            ("NAMUNA INDUSTRIES PVTLTD.", "NAMUNA INDUSTRIES PVT LTD."),
            ("NAMUNA INDUSTRIESLTD", "NAMUNA INDUSTRIES LTD"),
        ];
        for (source, expected) in checks {
            assert_eq!(repaired(source), expected);
        }
    }

    #[test]
    fn a_correct_name_is_unchanged() {
        let names = [
            "NAMUNA PRIVATE LIMITED",
            "NAMUNA UNLIMITED",
            "NAMUNA PVT. LTD.",
            "NAMUNA (P) LTD",
            "NAMUNA (PRIVATE) LIMITED",
            "NAMUNA-LIMITED",
            "UNLIMITED PRIVATE LIMITED",
            "MYCOMPANY LIMITED",
            "PRIVATE LIMITED",
            "LIMITED",
            "NAMUNA FOUNDATION",
            "LIMITEDGOODS LLP",
            "",
            "नमूना PRIVATE LIMITED",
        ];
        for name in names {
            assert_eq!(repaired(name), name);
        }
    }
}
