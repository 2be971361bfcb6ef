//! Parameters and rows, in a form that both drivers understand.

use std::sync::Arc;

use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::error::{Result, StoreError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value<'a> {
    /// Null of any type.
    Null,
    Text(&'a str),
    Int(i64),
    Bool(bool),
}

pub enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

/// A key and the parameters after it.
pub(super) fn with_key<'a>(key: &'a str, rest: &'a [Value<'a>]) -> impl Iterator<Item = Value<'a>> {
    std::iter::once(Value::Text(key)).chain(rest.iter().copied())
}

/// Maps every row of a PostgreSQL result.
pub(super) fn map_rows<T>(
    rows: &[tokio_postgres::Row],
    mut map: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut mapped = Vec::with_capacity(rows.len());
    for row in rows {
        mapped.push(map(&Row::Postgres(row))?);
    }
    Ok(mapped)
}

impl Row<'_> {
    /// Column numbers start at 0.
    pub fn get<T: Column>(&self, index: usize) -> Result<T> {
        match self {
            Row::Sqlite(row) => row.get(index).map_err(|error| wrong_column(index, &error)),
            Row::Postgres(row) => row.try_get(index).map_err(|error| wrong_column(index, &error)),
        }
    }

    /// The value of a column, without copying a text. SQLite has numbers for booleans.
    pub fn value(&self, index: usize) -> Result<Value<'_>> {
        use rusqlite::types::ValueRef;
        let wrong = |error: &dyn std::fmt::Display| wrong_column(index, error);
        match self {
            Row::Sqlite(row) => match row.get_ref(index).map_err(|error| wrong(&error))? {
                ValueRef::Null => Ok(Value::Null),
                ValueRef::Integer(number) => Ok(Value::Int(number)),
                ValueRef::Text(text) => {
                    std::str::from_utf8(text).map(Value::Text).map_err(|error| wrong(&error))
                }
                ValueRef::Real(_) | ValueRef::Blob(_) => Err(wrong(&"no column has this type")),
            },
            Row::Postgres(row) => {
                let kind = row.columns().get(index).map(tokio_postgres::Column::type_);
                let value = match kind {
                    Some(&Type::INT8) => row.try_get::<_, Option<i64>>(index).map(Value::from),
                    Some(&Type::BOOL) => row.try_get::<_, Option<bool>>(index).map(Value::from),
                    _ => row.try_get::<_, Option<&str>>(index).map(Value::from),
                };
                value.map_err(|error| wrong(&error))
            }
        }
    }

    /// Whether the first columns of the row have these values. Compares without copying.
    pub fn has(&self, values: &[Value<'_>]) -> Result<bool> {
        for (index, value) in values.iter().enumerate() {
            let same = match self {
                Row::Sqlite(row) => {
                    let stored = row.get_ref(index).map_err(|error| wrong_column(index, &error))?;
                    same_in_sqlite(stored, value)
                }
                Row::Postgres(row) => {
                    let stored: Raw<'_> =
                        row.try_get(index).map_err(|error| wrong_column(index, &error))?;
                    stored.is(value)
                }
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn same_in_sqlite(stored: rusqlite::types::ValueRef<'_>, value: &Value<'_>) -> bool {
    use rusqlite::types::ValueRef;
    match (stored, value) {
        (ValueRef::Null, Value::Null) => true,
        (ValueRef::Text(stored), Value::Text(text)) => stored == text.as_bytes(),
        (ValueRef::Integer(stored), Value::Int(number)) => stored == *number,
        (ValueRef::Integer(stored), Value::Bool(flag)) => stored == i64::from(*flag),
        _ => false,
    }
}

/// A value as PostgreSQL sends it; `None` for null.
struct Raw<'a>(Option<&'a [u8]>);

impl Raw<'_> {
    fn is(&self, value: &Value<'_>) -> bool {
        match (self.0, value) {
            (None, Value::Null) => true,
            (Some(stored), Value::Text(text)) => stored == text.as_bytes(),
            (Some(stored), Value::Int(number)) => stored == number.to_be_bytes(),
            (Some(stored), Value::Bool(flag)) => stored == [u8::from(*flag)],
            _ => false,
        }
    }
}

impl<'a> tokio_postgres::types::FromSql<'a> for Raw<'a> {
    fn from_sql(
        _: &Type,
        raw: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(Some(raw)))
    }

    fn from_sql_null(
        _: &Type,
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Raw(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn wrong_column(index: usize, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Bug(format!("column {index}: {error}"))
}

/// A Rust type that a column can be written from and read into.
pub trait Column:
    rusqlite::types::FromSql + for<'a> tokio_postgres::types::FromSql<'a> + Sized
{
    fn value(&self) -> Value<'_>;

    /// The value of a JSON value; `None` for a value of another type.
    fn from_json(value: &serde_json::Value) -> Option<Self>;

    /// Sets it to a JSON value. A value of another type changes nothing.
    fn set_json(&mut self, value: &serde_json::Value) {
        if let Some(value) = Self::from_json(value) {
            *self = value;
        }
    }
}

impl Column for String {
    fn value(&self) -> Value<'_> {
        Value::Text(self)
    }

    fn from_json(value: &serde_json::Value) -> Option<String> {
        value.as_str().map(str::to_owned)
    }
}

impl Column for i64 {
    fn value(&self) -> Value<'_> {
        Value::Int(*self)
    }

    fn from_json(value: &serde_json::Value) -> Option<i64> {
        value.as_i64()
    }
}

impl Column for bool {
    fn value(&self) -> Value<'_> {
        Value::Bool(*self)
    }

    fn from_json(value: &serde_json::Value) -> Option<bool> {
        value.as_bool()
    }
}

impl<T: Column> Column for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, Column::value)
    }

    fn from_json(value: &serde_json::Value) -> Option<Option<T>> {
        if value.is_null() { Some(None) } else { T::from_json(value).map(Some) }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a Arc<str>> for Value<'a> {
    fn from(text: &'a Arc<str>) -> Self {
        Value::Text(text)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl<'a, T> From<Option<T>> for Value<'a>
where
    Value<'a>: From<T>,
{
    fn from(option: Option<T>) -> Self {
        option.map_or(Value::Null, Value::from)
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
        Ok(match self {
            Value::Null => ToSqlOutput::Owned(Owned::Null),
            Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Int(number) => ToSqlOutput::Owned(Owned::Integer(*number)),
            Value::Bool(flag) => ToSqlOutput::Owned(Owned::Integer(i64::from(*flag))),
        })
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut tokio_postgres::types::private::BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Text(text) => text.to_sql_checked(kind, out),
            Value::Int(number) => number.to_sql_checked(kind, out),
            Value::Bool(flag) => flag.to_sql_checked(kind, out),
        }
    }

    // Each variant checks the type itself in `to_sql`.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
