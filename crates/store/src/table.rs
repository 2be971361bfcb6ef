//! A table of the register, described once: the struct, the queries and the writes follow from its
//! columns.

use std::collections::HashMap;

use crate::engine::{BulkStatements, Row, Transaction, Value};
use crate::error::Result;

/// The most rows of one section in a response. No company has as many; the bound protects against a
/// damaged source.
pub(crate) const MAX_SECTION_ROWS: i64 = 10_000;

/// The statements of a table, built once from its columns.
pub struct Statements {
    /// Find and insert one or many rows.
    pub bulk: BulkStatements,
    /// Overwrites the row with this key.
    update: String,
    /// Reads all rows of one owner, which is the first column.
    pub list_owned: String,
    /// Reads the first `MAX_SECTION_ROWS` of them, ordered by key.
    pub list_section: String,
    pub remove_owned: String,
}

/// A record that is a row of a table.
pub trait Table: Sized + Clone + Default + PartialEq + Send + Sync {
    const NAME: &'static str;
    /// All columns, the key columns first.
    const COLUMNS: &'static [&'static str];
    /// How many of the first columns are the primary key.
    const KEY_COLUMNS: usize;

    /// The values of all columns, in order.
    fn values(&self) -> Vec<Value<'_>>;
    /// Reads a record from a row that selected all columns, in order.
    fn from_row(row: &Row<'_>) -> Result<Self>;
    /// The first column.
    fn owner(&self) -> &str;
    fn set_owner(&mut self, owner: &str);
    /// Sets a column to a value that `column_json` wrote. A column that the table no longer has is
    /// ignored.
    fn set(&mut self, column: &str, value: &serde_json::Value);
    /// The date of the source data.
    fn as_of(&self) -> Option<&str>;
    /// The name of the source format.
    fn source(&self) -> &str;
    fn statements() -> &'static Statements;

    /// The key as one text, as in the change feed.
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

/// The result of storing a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    New,
    /// These columns of an existing record changed.
    Changed(Vec<&'static str>),
    Unchanged,
    /// A newer record exists, and this one adds nothing to it.
    Older,
}

pub fn build_statements<T: Table>() -> Statements {
    let (name, owner, columns) = (T::NAME, T::COLUMNS[0], T::COLUMNS.join(", "));
    let (key, others) = T::COLUMNS.split_at(T::KEY_COLUMNS);
    let equal = |columns: &[&str], first: usize, joint: &str| {
        let parts = columns.iter().zip(first..).map(|(column, n)| format!("{column} = ${n}"));
        parts.collect::<Vec<_>>().join(joint)
    };
    Statements {
        bulk: BulkStatements::new(name, T::COLUMNS, T::KEY_COLUMNS),
        update: format!(
            "update {name} set {} where {}",
            equal(others, 1, ", "),
            equal(key, others.len() + 1, " and ")
        ),
        list_owned: format!("select {columns} from {name} where {owner} = $1"),
        list_section: format!(
            "select {columns} from {name} where {owner} = $1 order by {} limit {MAX_SECTION_ROWS}",
            key.join(", ")
        ),
        remove_owned: format!("delete from {name} where {owner} = $1"),
    }
}

/// A record to store.
pub struct Incoming<'a, T> {
    pub record: &'a T,
    /// For a source with partial data: fills the fields missing in the newer of the stored and the
    /// incoming record from the older one.
    pub complete: Option<fn(&mut T, &T)>,
}

/// The result of storing a record.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    pub stored: Stored,
    /// The record as it was and as it is now, if it changed.
    pub replaced: Option<Box<Replaced<T>>>,
}

#[derive(Clone, Debug)]
pub struct Replaced<T> {
    pub old: T,
    pub new: T,
}

impl<T> From<Stored> for Outcome<T> {
    fn from(stored: Stored) -> Outcome<T> {
        Outcome { stored, replaced: None }
    }
}

/// The value of a column as JSON.
pub fn column_json(value: Value<'_>) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Text(text) => text.into(),
        Value::Int(number) => number.into(),
        Value::Bool(flag) => flag.into(),
    }
}

/// Stores records in order, unless a newer record exists. Returns the outcome of each.
pub async fn store_all<T: Table>(
    transaction: &mut Transaction,
    incoming: &[Incoming<'_, T>],
) -> Result<Vec<Outcome<T>>> {
    let values: Vec<Vec<Value<'_>>> = incoming.iter().map(|each| each.record.values()).collect();
    let mut outcomes: Vec<Outcome<T>> =
        incoming.iter().map(|_| Outcome::from(Stored::Unchanged)).collect();
    for indexes in rounds::<T>(&values) {
        store_round(transaction, incoming, &values, &indexes, &mut outcomes).await?;
    }
    Ok(outcomes)
}

/// Groups the records into rounds in which each key occurs once, so that a repeated key is compared
/// with the result of the previous round.
fn rounds<T: Table>(values: &[Vec<Value<'_>>]) -> Vec<Vec<usize>> {
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let mut seen: HashMap<&[Value<'_>], usize> = HashMap::with_capacity(values.len());
    for (index, values) in values.iter().enumerate() {
        let round = seen.entry(&values[..T::KEY_COLUMNS]).or_default();
        if *round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*round].push(index);
        *round += 1;
    }
    rounds
}

/// The stored record with the key of an incoming one.
enum Existing<T> {
    Missing,
    Same,
    Different(T),
}

async fn store_round<T: Table>(
    transaction: &mut Transaction,
    incoming: &[Incoming<'_, T>],
    values: &[Vec<Value<'_>>],
    indexes: &[usize],
    outcomes: &mut [Outcome<T>],
) -> Result<()> {
    let statements = T::statements();
    let keys: Vec<&[Value<'_>]> =
        indexes.iter().map(|index| &values[*index][..T::KEY_COLUMNS]).collect();
    let mut existing: Vec<Existing<T>> = indexes.iter().map(|_| Existing::Missing).collect();
    transaction
        .find_many(&statements.bulk, &keys, &mut |index, row| {
            let same = row.has(&values[indexes[index]])?;
            existing[index] =
                if same { Existing::Same } else { Existing::Different(T::from_row(row)?) };
            Ok(())
        })
        .await?;
    let mut inserts = Vec::new();
    for (existing, index) in existing.into_iter().zip(indexes) {
        outcomes[*index] = match existing {
            Existing::Missing => {
                inserts.push(values[*index].as_slice());
                Stored::New.into()
            }
            Existing::Same => Stored::Unchanged.into(),
            Existing::Different(existing) => compare(existing, &incoming[*index]),
        };
    }
    transaction.insert_many(&statements.bulk, &inserts).await?;
    let updates: Vec<Vec<Value<'_>>> = indexes
        .iter()
        .filter_map(|index| outcomes[*index].replaced.as_ref())
        .map(|replaced| {
            let values = replaced.new.values();
            let (key, others) = values.split_at(T::KEY_COLUMNS);
            [others, key].concat()
        })
        .collect();
    transaction.execute_each(&statements.update, &updates).await
}

/// Compares the stored record with the incoming one.
fn compare<T: Table>(existing: T, incoming: &Incoming<'_, T>) -> Outcome<T> {
    let mut record = incoming.record.clone();
    if let Some(complete) = incoming.complete {
        complete(&mut record, &existing);
    }
    if existing == record {
        return Stored::Unchanged.into();
    }
    if existing.as_of() > record.as_of() {
        let completed = incoming.complete.map(|complete| {
            let mut completed = existing.clone();
            complete(&mut completed, incoming.record);
            completed
        });
        return match completed.filter(|completed| *completed != existing) {
            Some(completed) => replace(existing, completed),
            None => Stored::Older.into(),
        };
    }
    replace(existing, record)
}

fn replace<T: Table>(old: T, new: T) -> Outcome<T> {
    let columns = T::COLUMNS.iter().zip(new.values().into_iter().zip(old.values()));
    let changed = columns.filter(|(_, (new, old))| new != old).map(|(column, _)| *column).collect();
    Outcome { stored: Stored::Changed(changed), replaced: Some(Box::new(Replaced { old, new })) }
}

/// Declares a record and its table. The last two columns are always `as_of` and `source`. A record with
/// many texts can be declared for any type of text; then it can also be read without copying each.
macro_rules! table {
    (
        $(#[$doc:meta])*
        $name:ident as $generic:ident<$text:ident> in $table:literal, key $key:literal {
            $(#[$owner_doc:meta])* $owner:ident : $owner_kind:ty,
            $( $(#[$column_doc:meta])* $column:ident : $kind:ty, )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $generic<$text> {
            $(#[$owner_doc])* pub $owner: $owner_kind,
            $( $(#[$column_doc])* pub $column: $kind, )*
            /// The date of the source data.
            pub as_of: Option<$text>,
            /// The name of the source format.
            pub source: $text,
        }

        /// With texts of its own.
        pub type $name = $generic<String>;

        impl<'a> $generic<&'a str> {
            /// The record of a row with all columns; none if a column has another type.
            pub fn from_packed(row: &'a $crate::packed::PackedRow) -> Option<Self> {
                use $crate::packed::Packed;
                let mut values = row.values();
                Some($generic {
                    $owner: Packed::of(values.next()?)?,
                    $( $column: Packed::of(values.next()?)?, )*
                    as_of: Packed::of(values.next()?)?,
                    source: Packed::of(values.next()?)?,
                })
            }
        }

        table! { @table $name in $table, key $key { $owner, $( $column, )* } }
    };
    (
        $(#[$doc:meta])*
        $name:ident in $table:literal, key $key:literal {
            $(#[$owner_doc:meta])* $owner:ident : String,
            $( $(#[$column_doc:meta])* $column:ident : $kind:ty, )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $(#[$owner_doc])* pub $owner: String,
            $( $(#[$column_doc])* pub $column: $kind, )*
            /// The date of the source data.
            pub as_of: Option<String>,
            /// The name of the source format.
            pub source: String,
        }

        table! { @table $name in $table, key $key { $owner, $( $column, )* } }
    };
    (@table $name:ident in $table:literal, key $key:literal { $owner:ident, $( $column:ident, )* }) => {
        impl $crate::table::Table for $name {
            const NAME: &'static str = $table;
            const COLUMNS: &'static [&'static str] =
                &[stringify!($owner), $(stringify!($column),)* "as_of", "source"];
            const KEY_COLUMNS: usize = $key;

            fn values(&self) -> Vec<$crate::engine::Value<'_>> {
                use $crate::engine::Column as _;
                vec![self.$owner.value(), $(self.$column.value(),)* self.as_of.value(), self.source.value()]
            }

            fn from_row(row: &$crate::engine::Row<'_>) -> $crate::error::Result<Self> {
                let mut index = 0..;
                let mut next = move || index.next().expect("columns are few");
                Ok($name {
                    $owner: row.get(next())?,
                    $( $column: row.get(next())?, )*
                    as_of: row.get(next())?,
                    source: row.get(next())?,
                })
            }

            fn owner(&self) -> &str {
                &self.$owner
            }

            fn set_owner(&mut self, owner: &str) {
                owner.clone_into(&mut self.$owner);
            }

            fn set(&mut self, column: &str, value: &serde_json::Value) {
                use $crate::engine::Column as _;
                match column {
                    stringify!($owner) => self.$owner.set_json(value),
                    $( stringify!($column) => self.$column.set_json(value), )*
                    "as_of" => self.as_of.set_json(value),
                    "source" => self.source.set_json(value),
                    _ => {}
                }
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
