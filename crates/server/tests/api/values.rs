//! Checks the formats of values in responses: dates, months, years, money, ratios and enumerations.

use serde_json::Value;

/// Fields with a value of an enumeration.
const WORDS: [&str; 16] = [
    "outlook",
    "action",
    "kind",
    "status",
    "class",
    "category",
    "sub_category",
    "designation",
    "basis",
    "taxpayer_type",
    "constitution",
    "taxpayer_kind",
    "holder_type",
    "company_status",
    "director_status",
    "match",
];
/// Sections with four decimals instead of two.
const RATIOS: [&str; 2] = ["ratios", "growth"];

/// Checks every value of a response's data against the format of its field.
pub fn check(what: &str, data: &Value) {
    visit(what, "", "", data);
}

fn visit(what: &str, section: &str, name: &str, value: &Value) {
    match value {
        Value::Object(object) => {
            for (inner_name, inner) in object {
                let inner_section = if name.is_empty() { section } else { name };
                visit(what, inner_section, inner_name, inner);
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| visit(what, name, name, inner)),
        Value::Number(number) => check_number(what, section, name, &number.to_string()),
        Value::String(text) => check_text(what, name, text),
        Value::Bool(_) | Value::Null => {}
    }
}

fn check_number(what: &str, section: &str, name: &str, text: &str) {
    assert!(!text.contains(['e', 'E']), "{what}: {name} is {text}");
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let max = if RATIOS.contains(&section) || name == "score" { 4 } else { 2 };
    assert!(decimals <= max, "{what}: {name} is {text}");
}

fn check_text(what: &str, name: &str, text: &str) {
    let is_date =
        name.ends_with("_on") || name.ends_with("_date") || name == "as_of" || name == "until";
    let fits = if is_date {
        looks_like("9999-99-99", text)
    } else if name == "period" || name == "last_wage_month" {
        looks_like("9999-99", text)
    } else if name == "financial_year" || name == "last_annual_return_year" {
        looks_like("9999-99", text) && follows(text)
    } else if WORDS.contains(&name) {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    } else {
        !text.is_empty() && text.trim() == text && !text.contains(char::is_control)
    };
    assert!(fits, "{what}: {name} is {text:?}");
}

/// Whether a text has digits where the pattern has nines, and is equal elsewhere.
fn looks_like(pattern: &str, text: &str) -> bool {
    let same = |(wanted, given): (u8, u8)| match wanted {
        b'9' => given.is_ascii_digit(),
        other => given == other,
    };
    pattern.len() == text.len() && pattern.bytes().zip(text.bytes()).all(same)
}

/// Whether the second year of a financial year comes after the first.
fn follows(text: &str) -> bool {
    let (first, second) = text.split_once('-').unwrap();
    (first.parse::<u32>().unwrap() + 1) % 100 == second.parse::<u32>().unwrap()
}
