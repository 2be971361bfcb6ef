//! The columns of a list of names: which field of an item each is read as.

use super::matching::MatchWork;

/// The name of a row that has none: no company has this name, and the row costs nothing.
pub const NO_NAME: &str = "-";

/// Fields of an item, and the headings that lists have for them, in lower case with single spaces.
pub const FIELDS: [(&str, &[&str]); 11] = [
    (
        "name",
        &[
            "name",
            "company",
            "company name",
            "legal name",
            "entity name",
            "party",
            "party name",
            "supplier",
            "supplier name",
            "vendor",
            "vendor name",
            "customer",
            "customer name",
            "beneficiary",
            "beneficiary name",
            "account name",
        ],
    ),
    ("cin", &["cin", "llpin", "cin/llpin", "cin no", "company number"]),
    ("pan", &["pan", "pan no", "pan number"]),
    ("gstin", &["gstin", "gst", "gst no", "gst number", "gstin/uin"]),
    ("state", &["state", "state name"]),
    ("city", &["city", "town", "place"]),
    ("pincode", &["pincode", "pin code", "pin", "zip", "zip code", "postal code"]),
    ("address", &["address", "registered office", "registered address", "office address"]),
    ("incorporated_on", &["incorporated on", "date of incorporation", "incorporation date"]),
    ("incorporated_year", &["incorporated year", "year of incorporation"]),
    ("director", &["director", "director name"]),
];

/// The field that a heading names.
pub fn field_of(heading: &str) -> Option<&'static str> {
    let words: Vec<&str> =
        heading.split(|c: char| c.is_whitespace() || c == '_' || c == '.').collect();
    let words: Vec<String> =
        words.into_iter().filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let heading = words.join(" ");
    FIELDS.iter().find(|(_, known)| known.contains(&heading.as_str())).map(|(field, _)| *field)
}

/// Why a choice of columns is not accepted, as a sentence for the user.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnsError {
    #[error("Columns {first} and {second} are both read as {field}: choose one.")]
    Twice { field: &'static str, first: usize, second: usize },
    #[error("Choose the column with the names, or one with CINs, PANs or GSTINs.")]
    NothingToMatch,
}

impl MatchWork {
    /// Finds the columns of the other fields by their headings; the first of each counts.
    pub fn set_fields(&mut self, header: &[String], column: usize) {
        self.fields.clear();
        for (at, heading) in header.iter().enumerate().filter(|(at, _)| *at != column) {
            let Some(field) = field_of(heading).filter(|field| *field != "name") else { continue };
            if self.fields.iter().all(|(known, _)| known != field) {
                self.fields.push((field.to_owned(), at));
            }
        }
    }

    /// Sets the column of a field, in place of one that was found by its heading.
    pub fn set_field(&mut self, field: &str, column: usize) {
        self.fields.retain(|(known, at)| known != field && *at != column);
        self.fields.push((field.to_owned(), column));
    }

    /// The fields of an item, the name first.
    pub fn field_names() -> impl Iterator<Item = &'static str> {
        FIELDS.iter().map(|(field, _)| *field)
    }

    /// The field that a column is read as; none if it is ignored.
    pub fn field_at(&self, column: usize, name_column: usize) -> Option<&str> {
        if column == name_column && !self.without_names {
            return Some("name");
        }
        let mut fields = self.fields.iter();
        fields.find(|(_, at)| *at == column).map(|(field, _)| field.as_str())
    }

    /// The work for the fields that a user has chosen, one for each column, and the column with the
    /// names. Unknown words are ignored columns.
    pub fn of_columns(chosen: &[String]) -> Result<(usize, MatchWork), ColumnsError> {
        let mut places: Vec<(&'static str, usize)> = Vec::new();
        for (column, word) in chosen.iter().enumerate() {
            let Some((field, _)) = FIELDS.iter().find(|(field, _)| field == word) else { continue };
            if let Some((_, first)) = places.iter().find(|(known, _)| known == field) {
                let (first, second) = (first + 1, column + 1);
                return Err(ColumnsError::Twice { field: title_of(field), first, second });
            }
            places.push((field, column));
        }
        let name = places.iter().find(|(field, _)| *field == "name").map(|(_, column)| *column);
        let is_identifier = |field: &str| ["cin", "pan", "gstin"].contains(&field);
        if name.is_none() && !places.iter().any(|(field, _)| is_identifier(field)) {
            return Err(ColumnsError::NothingToMatch);
        }
        let others = places.iter().filter(|(field, _)| *field != "name");
        let fields = others.map(|(field, column)| ((*field).to_owned(), *column)).collect();
        Ok((name.unwrap_or(0), MatchWork { fields, without_names: name.is_none() }))
    }
}

/// The label of a field.
pub fn title_of(field: &str) -> &'static str {
    match field {
        "name" => "name",
        "cin" => "CIN or LLPIN",
        "pan" => "PAN",
        "gstin" => "GSTIN",
        "state" => "state",
        "city" => "city",
        "pincode" => "PIN code",
        "address" => "address",
        "incorporated_on" => "date of incorporation",
        "incorporated_year" => "year of incorporation",
        "director" => "director",
        _ => "ignored",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn columns_are_found_by_their_headings() {
        let header = row(&["Sr. No.", "Vendor Name", "STATE", "Pin Code", "Vendor", "PIN"]);
        let mut work = MatchWork::default();
        work.set_fields(&header, 1);
        assert_eq!(work.fields, [("state".to_owned(), 2), ("pincode".to_owned(), 3)]);
    }

    #[test]
    fn chosen_columns_are_checked() {
        let (column, work) = MatchWork::of_columns(&row(&["", "state", "name"])).expect("a name");
        assert_eq!((column, work.without_names), (2, false));
        assert_eq!(work.field_at(1, column), Some("state"));
        assert_eq!((work.field_at(2, column), work.field_at(0, column)), (Some("name"), None));
        let (column, work) = MatchWork::of_columns(&row(&["ignored", "pan"])).expect("a PAN");
        assert!(work.without_names);
        assert_eq!((work.field_at(0, column), work.field_at(1, column)), (None, Some("pan")));
        let twice = MatchWork::of_columns(&row(&["name", "", "name"])).expect_err("two names");
        assert_eq!(twice.to_string(), "Columns 1 and 3 are both read as name: choose one.");
        let nothing = MatchWork::of_columns(&row(&["state", "city"])).expect_err("no name");
        assert_eq!(nothing, ColumnsError::NothingToMatch);
    }
}
