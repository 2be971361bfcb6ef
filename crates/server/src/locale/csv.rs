//! Cells of CSV files that people open in a spreadsheet.

/// A text that no spreadsheet takes for a formula. A plain number is none.
pub fn escape_csv_formula(text: &str) -> String {
    let number = text.parse::<f64>().is_ok();
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !number {
        return format!("'{text}");
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
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
