//! Escapes cells of CSV files for spreadsheets.

/// Prefixes a cell that a spreadsheet would read as a formula. Numbers are not changed.
pub fn escape_csv_formula(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number {
        return format!("'{text}");
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_escaped() {
        assert_eq!(
            escape_csv_formula("=HYPERLINK(\"http://evil.example\")"),
            "'=HYPERLINK(\"http://evil.example\")"
        );
        assert_eq!(escape_csv_formula("@SUM(A1)"), "'@SUM(A1)");
        assert_eq!(escape_csv_formula("-2+3+cmd|' /C calc'!A0"), "'-2+3+cmd|' /C calc'!A0");
        assert_eq!(escape_csv_formula("-12.50"), "-12.50");
        assert_eq!(escape_csv_formula("billing server"), "billing server");
    }
}
