//! Shared by all readers of this source.

use panji_ids::CompanyId;
use serde_json::Value;

use crate::values::json_fields;

/// The `source` of records of this format.
pub const SOURCE: &str = "mca_company_json";

/// The data shared by all records of one document.
pub struct Document {
    /// The current number of the company.
    pub id: CompanyId,
    pub former_cins: Vec<String>,
}

impl Document {
    /// The current number of the company of an appointment: replaces a former number of this
    /// company.
    pub fn current_cin(&self, cin: &str) -> String {
        let former = self.former_cins.iter().any(|former| former == cin);
        if former { self.id.as_str().to_owned() } else { cin.to_owned() }
    }
}

/// Joins the parts of an address into one line.
pub fn join_address(parts: &[Option<&Value>]) -> Option<String> {
    let mut line = String::new();
    for part in parts.iter().filter_map(|part| part.and_then(json_fields::text)) {
        let part = part.trim_matches([',', ' ']);
        if part.is_empty() {
            continue;
        }
        if !line.is_empty() && !is_split_within_a_word(&line, part) {
            line.push_str(", ");
        }
        line.push_str(part);
    }
    (!line.is_empty()).then_some(line)
}

/// The portal truncates the first line after about 95 characters, so the second line can continue
/// in the middle of a word.
fn is_split_within_a_word(line: &str, next: &str) -> bool {
    const FULL_LINE: usize = 85;
    line.chars().count() >= FULL_LINE
        && line.ends_with(char::is_alphabetic)
        && next.starts_with(char::is_lowercase)
}
