//! The properties of a company: those that a query can compare, and those that data extension fetches.

use serde_json::{Value, json};

use crate::api::jobs::columns::{self, COLUMNS, Column};

/// The only type: the register calls LLPs and foreign companies companies, too.
pub const TYPE: &str = "company";

/// A property that a query compares with the candidates. Its id is the field of matchCompanies.
pub struct ComparedProperty {
    pub id: &'static str,
    pub name: &'static str,
    description: &'static str,
    /// The column that data extension fetches under this id.
    column: Option<&'static str>,
}

pub const COMPARED: [ComparedProperty; 10] = [
    compared(
        "cin",
        "CIN or LLPIN",
        "The number, current or former; it identifies the company",
        None,
    ),
    compared("pan", "PAN", "The company's PAN; it identifies the company", Some("pan")),
    compared("gstin", "GSTIN", "A GSTIN; the PAN in it identifies the company", None),
    compared("state", "State", "The state, by its name or its two letters", Some("company.state")),
    compared("city", "City", "The city of the registered office, by an old or new name", None),
    compared("pincode", "PIN code", "Of the registered office", Some("company.pincode")),
    compared("address", "Address", "Of the registered office", Some("company.address")),
    compared(
        "incorporated_on",
        "Date of incorporation",
        "A date such as 1994-03-18; its year is compared",
        Some("company.incorporated_on"),
    ),
    compared("incorporated_year", "Year of incorporation", "A year such as 1994", None),
    compared("director", "Director", "The name of a director", Some("directors.names")),
];

const fn compared(
    id: &'static str,
    name: &'static str,
    description: &'static str,
    column: Option<&'static str>,
) -> ComparedProperty {
    ComparedProperty { id, name, description, column }
}

impl ComparedProperty {
    pub fn find(id: &str) -> Option<&'static ComparedProperty> {
        COMPARED.iter().find(|property| property.id == id)
    }

    pub fn wire(&self) -> Value {
        json!({ "id": self.id, "name": self.name, "description": self.description })
    }
}

/// The column that data extension fetches for a property.
pub fn column_of(id: &str) -> Option<&'static Column> {
    columns::find(id).or_else(|| columns::find(ComparedProperty::find(id)?.column?))
}

/// The properties that data extension proposes, with the price of the section of each.
pub fn proposed(price_of: impl Fn(&str) -> i64) -> Vec<Value> {
    let proposed = |column: &Column| {
        let price = price_of(column.section());
        let credits = if price == 1 { "credit" } else { "credits" };
        let description = format!(
            "Section {}: {price} {credits} a company for all its properties together, 0 if nothing is known",
            column.section()
        );
        json!({ "id": column.id, "name": column.title, "description": description })
    };
    COLUMNS.iter().map(proposed).collect()
}

pub fn types() -> Value {
    json!([{ "id": TYPE, "name": "Company" }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_of_a_query_that_can_be_fetched_names_a_column() {
        for property in &COMPARED {
            let named = property.column.is_some();
            assert_eq!(column_of(property.id).is_some(), named, "{}", property.id);
        }
    }
}
