//! A row whose texts are in one buffer. A record with many columns is read with two allocations instead
//! of one per text.

use crate::engine::{Row, Value};
use crate::error::Result;

/// About the bytes of the texts of a row.
const TEXT_BYTES: usize = 1024;

/// The values of a row.
#[derive(Clone, Debug)]
pub struct PackedRow {
    texts: String,
    columns: Vec<Column>,
}

#[derive(Clone, Copy, Debug)]
enum Column {
    Null,
    /// Ends here in the buffer; begins where the text before it ends.
    Text(usize),
    Int(i64),
    Bool(bool),
}

impl PackedRow {
    /// The first columns of a row.
    pub(crate) fn read(row: &Row<'_>, columns: usize) -> Result<PackedRow> {
        let mut packed = PackedRow::with_columns(columns);
        for index in 0..columns {
            packed.push(row.value(index)?);
        }
        Ok(packed)
    }

    /// The values of a record.
    pub fn of(values: &[Value<'_>]) -> PackedRow {
        let mut packed = PackedRow::with_columns(values.len());
        values.iter().for_each(|value| packed.push(*value));
        packed
    }

    fn with_columns(columns: usize) -> PackedRow {
        let texts = String::with_capacity(TEXT_BYTES);
        PackedRow { texts, columns: Vec::with_capacity(columns) }
    }

    fn push(&mut self, value: Value<'_>) {
        self.columns.push(match value {
            Value::Null => Column::Null,
            Value::Text(text) => {
                self.texts.push_str(text);
                Column::Text(self.texts.len())
            }
            Value::Int(number) => Column::Int(number),
            Value::Bool(flag) => Column::Bool(flag),
        });
    }

    /// The values of all columns, in order.
    pub fn values(&self) -> impl Iterator<Item = Value<'_>> {
        let mut start = 0;
        self.columns.iter().map(move |column| match *column {
            Column::Null => Value::Null,
            Column::Text(end) => Value::Text(&self.texts[std::mem::replace(&mut start, end)..end]),
            Column::Int(number) => Value::Int(number),
            Column::Bool(flag) => Value::Bool(flag),
        })
    }
}

/// A type that a value of a packed row can be read as.
pub trait Packed<'a>: Sized {
    fn of(value: Value<'a>) -> Option<Self>;
}

impl<'a> Packed<'a> for &'a str {
    fn of(value: Value<'a>) -> Option<&'a str> {
        if let Value::Text(text) = value { Some(text) } else { None }
    }
}

impl Packed<'_> for i64 {
    fn of(value: Value<'_>) -> Option<i64> {
        if let Value::Int(number) = value { Some(number) } else { None }
    }
}

impl Packed<'_> for bool {
    /// SQLite has numbers for booleans.
    fn of(value: Value<'_>) -> Option<bool> {
        match value {
            Value::Bool(flag) => Some(flag),
            Value::Int(number) => Some(number != 0),
            Value::Null | Value::Text(_) => None,
        }
    }
}

impl<'a, T: Packed<'a>> Packed<'a> for Option<T> {
    fn of(value: Value<'a>) -> Option<Option<T>> {
        if value == Value::Null { Some(None) } else { T::of(value).map(Some) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::{Company, CompanyOf};
    use crate::table::Table;

    #[test]
    fn a_packed_record_has_the_values_of_the_record() {
        let company = Company {
            cin: "U1".into(),
            name: "नमूना LIMITED".into(),
            status_text: Some(String::new()),
            listed: Some(true),
            paid_up_capital: Some(-1),
            source: "panji".into(),
            ..Company::default()
        };
        let packed = PackedRow::of(&company.values());
        assert!(packed.values().eq(company.values()));
        let read = CompanyOf::from_packed(&packed).expect("all columns have their types");
        assert_eq!((read.cin, read.name, read.status_text), ("U1", "नमूना LIMITED", Some("")));
        assert_eq!((read.class, read.listed, read.members), (None, Some(true), None));
        assert_eq!((read.paid_up_capital, read.as_of, read.source), (Some(-1), None, "panji"));
    }

    #[test]
    fn a_record_is_not_read_from_other_columns() {
        assert!(CompanyOf::from_packed(&PackedRow::of(&[Value::Int(1); 40])).is_none());
        assert!(CompanyOf::from_packed(&PackedRow::of(&[])).is_none());
    }
}
