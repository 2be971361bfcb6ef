//! A table of the register described once: its columns give the struct, the reads and the writes.

use crate::engine::{Row, Transaction, Value};
use crate::error::Result;

/// The statements that every table has, built once from its columns.
pub struct Statements {
    /// Inserts a row.
    pub insert: String,
    /// Overwrites the row with this key.
    pub update: String,
    /// Reads the row with this key.
    pub find: String,
}

/// A record that is a row of a table.
pub trait Table: Sized + PartialEq {
    /// The table's name.
    const NAME: &'static str;
    /// All columns, the key's first.
    const COLUMNS: &'static [&'static str];
    /// How many of the first columns are the primary key.
    const KEY_COLUMNS: usize;

    /// The values of all columns, in order.
    fn values(&self) -> Vec<Value<'_>>;
    /// Reads a record from a row that selected all columns, in order.
    fn from_row(row: &Row<'_>) -> Result<Self>;
    /// The date of the source data.
    fn as_of(&self) -> Option<&str>;
    /// The name of the source's format.
    fn source(&self) -> &str;
    /// The table's statements.
    fn statements() -> &'static Statements;

    /// The record's key in one text, as the change feed names it.
    fn key_text(&self) -> String {
        let parts: Vec<String> = self.values()[..Self::KEY_COLUMNS]
            .iter()
            .map(|value| match value {
                Value::Text(text) => (*text).to_owned(),
                Value::Int(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                Value::Null => String::new(),
            })
            .collect();
        parts.join("|")
    }
}

/// What storing a record did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The key was not there before.
    New,
    /// The record was there and these columns are different now.
    Changed(Vec<&'static str>),
    /// The same record was there already.
    Unchanged,
    /// A newer record is there; this one is older and was left out.
    Older,
}

/// Builds a table's statements.
pub fn build_statements<T: Table>() -> Statements {
    let columns = T::COLUMNS.join(", ");
    let places: Vec<String> = (1..=T::COLUMNS.len()).map(|n| format!("${n}")).collect();
    let key_match = |first: usize| {
        let conditions: Vec<String> = T::COLUMNS[..T::KEY_COLUMNS]
            .iter()
            .enumerate()
            .map(|(index, column)| format!("{column} = ${}", index + first))
            .collect();
        conditions.join(" and ")
    };
    let others = &T::COLUMNS[T::KEY_COLUMNS..];
    let assignments: Vec<String> = others
        .iter()
        .enumerate()
        .map(|(index, column)| format!("{column} = ${}", index + 1))
        .collect();
    Statements {
        insert: format!("insert into {} ({columns}) values ({})", T::NAME, places.join(", ")),
        update: format!(
            "update {} set {} where {}",
            T::NAME,
            assignments.join(", "),
            key_match(others.len() + 1)
        ),
        find: format!("select {columns} from {} where {}", T::NAME, key_match(1)),
    }
}

/// Stores a record unless a newer one is there; tells what that changed.
pub async fn store<T: Table>(transaction: &mut Transaction, record: &T) -> Result<Stored> {
    match find_held(transaction, record).await? {
        Some(held) => replace(transaction, &held, record).await,
        None => insert(transaction, record).await,
    }
}

/// Stores a record of a source that knows only part of it: `complete` takes over from the record
/// that is held what this one does not say.
pub async fn store_part<T: Table + Clone>(
    transaction: &mut Transaction,
    record: &T,
    complete: fn(&mut T, &T),
) -> Result<Stored> {
    match find_held(transaction, record).await? {
        Some(held) => {
            let mut whole = record.clone();
            complete(&mut whole, &held);
            replace(transaction, &held, &whole).await
        }
        None => insert(transaction, record).await,
    }
}

async fn find_held<T: Table>(transaction: &mut Transaction, record: &T) -> Result<Option<T>> {
    let key = &record.values()[..T::KEY_COLUMNS];
    transaction.query_opt(&T::statements().find, key, T::from_row).await
}

async fn insert<T: Table>(transaction: &mut Transaction, record: &T) -> Result<Stored> {
    transaction.execute(&T::statements().insert, &record.values()).await?;
    Ok(Stored::New)
}

async fn replace<T: Table>(transaction: &mut Transaction, held: &T, record: &T) -> Result<Stored> {
    if held == record {
        return Ok(Stored::Unchanged);
    }
    if held.as_of() > record.as_of() {
        return Ok(Stored::Older);
    }
    let values = record.values();
    let changed: Vec<&'static str> = T::COLUMNS
        .iter()
        .zip(values.iter().zip(held.values()))
        .filter(|(_, (new, old))| *new != old)
        .map(|(column, _)| *column)
        .collect();
    let (key, others) = values.split_at(T::KEY_COLUMNS);
    transaction.execute(&T::statements().update, &[others, key].concat()).await?;
    Ok(Stored::Changed(changed))
}

/// Declares a record and its table in one go. The last two columns are always `as_of` and `source`.
macro_rules! table {
    (
        $(#[$doc:meta])*
        $name:ident in $table:literal, key $key:literal {
            $( $(#[$column_doc:meta])* $column:ident : $kind:ty, )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $( $(#[$column_doc])* pub $column: $kind, )*
            /// The date of the source data.
            pub as_of: Option<String>,
            /// The name of the source's format.
            pub source: String,
        }

        impl $crate::table::Table for $name {
            const NAME: &'static str = $table;
            const COLUMNS: &'static [&'static str] =
                &[$(stringify!($column),)* "as_of", "source"];
            const KEY_COLUMNS: usize = $key;

            fn values(&self) -> Vec<$crate::engine::Value<'_>> {
                use $crate::engine::Column as _;
                vec![$(self.$column.value(),)* self.as_of.value(), self.source.value()]
            }

            fn from_row(row: &$crate::engine::Row<'_>) -> $crate::error::Result<Self> {
                let mut index = 0..;
                let mut next = move || index.next().expect("columns are few");
                Ok($name {
                    $( $column: row.get(next())?, )*
                    as_of: row.get(next())?,
                    source: row.get(next())?,
                })
            }

            fn as_of(&self) -> Option<&str> {
                self.as_of.as_deref()
            }

            fn source(&self) -> &str {
                &self.source
            }

            fn statements() -> &'static $crate::table::Statements {
                static STATEMENTS: std::sync::OnceLock<$crate::table::Statements> =
                    std::sync::OnceLock::new();
                STATEMENTS.get_or_init($crate::table::build_statements::<$name>)
            }
        }
    };
}
pub(crate) use table;
