//! A table of the register described once: its columns give the struct, the reads and the writes.

use std::collections::HashMap;

use crate::engine::{BulkStatements, Row, Transaction, Value};
use crate::error::Result;

/// The statements that every table has, built once from its columns.
pub struct Statements {
    /// Finds and inserts rows, one or many.
    pub bulk: BulkStatements,
    /// Overwrites the row with this key.
    update: String,
    /// Reads all rows that belong to one owner, which is the first column.
    pub list_owned: String,
    /// Reads some of them, in the order of their key, which is how they are found.
    pub list_some_owned: String,
    /// Removes them.
    pub remove_owned: String,
}

/// A record that is a row of a table.
pub trait Table: Sized + Clone + PartialEq {
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
    /// What the record belongs to: its first column.
    fn owner(&self) -> &str;
    /// Lets it belong to another.
    fn set_owner(&mut self, owner: &str);
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
        list_some_owned: format!(
            "select {columns} from {name} where {owner} = $1 order by {} limit $2",
            key.join(", ")
        ),
        remove_owned: format!("delete from {name} where {owner} = $1"),
    }
}

/// A record on its way in.
pub struct Incoming<'a, T> {
    /// The record.
    pub record: &'a T,
    /// For a source that knows only part: takes over from the record that is held what this one
    /// does not say.
    pub complete: Option<fn(&mut T, &T)>,
}

/// What became of a record.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What storing it did.
    pub stored: Stored,
    /// The source of the record that it replaced, where that was another one.
    pub former_source: Option<String>,
}

impl From<Stored> for Outcome {
    fn from(stored: Stored) -> Outcome {
        Outcome { stored, former_source: None }
    }
}

/// Stores records in their order, each unless a newer one is there; tells what that changed.
pub async fn store_all<T: Table>(
    transaction: &mut Transaction,
    incoming: &[Incoming<'_, T>],
) -> Result<Vec<Outcome>> {
    let values: Vec<Vec<Value<'_>>> = incoming.iter().map(|each| each.record.values()).collect();
    let mut outcomes = vec![Outcome::from(Stored::Unchanged); incoming.len()];
    for places in rounds::<T>(&values) {
        store_round(transaction, incoming, &values, &places, &mut outcomes).await?;
    }
    Ok(outcomes)
}

/// Puts the records into rounds in which no key comes twice, so that a repeated one finds what the
/// one before it left.
fn rounds<T: Table>(values: &[Vec<Value<'_>>]) -> Vec<Vec<usize>> {
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let mut seen: HashMap<&[Value<'_>], usize> = HashMap::with_capacity(values.len());
    for (place, values) in values.iter().enumerate() {
        let round = seen.entry(&values[..T::KEY_COLUMNS]).or_default();
        if *round == rounds.len() {
            rounds.push(Vec::new());
        }
        rounds[*round].push(place);
        *round += 1;
    }
    rounds
}

/// Where a record stands against what is held.
enum Held<T> {
    Nothing,
    TheSame,
    Another(T),
}

async fn store_round<T: Table>(
    transaction: &mut Transaction,
    incoming: &[Incoming<'_, T>],
    values: &[Vec<Value<'_>>],
    places: &[usize],
    outcomes: &mut [Outcome],
) -> Result<()> {
    let statements = T::statements();
    let keys: Vec<&[Value<'_>]> =
        places.iter().map(|place| &values[*place][..T::KEY_COLUMNS]).collect();
    let mut held: Vec<Held<T>> = places.iter().map(|_| Held::Nothing).collect();
    transaction
        .find_many(&statements.bulk, &keys, |index, row| {
            let same = row.has(&values[places[index]])?;
            held[index] = if same { Held::TheSame } else { Held::Another(T::from_row(row)?) };
            Ok(())
        })
        .await?;
    let (mut inserts, mut replacements) = (Vec::new(), Vec::new());
    for (held, place) in held.into_iter().zip(places) {
        outcomes[*place] = match held {
            Held::Nothing => {
                inserts.push(values[*place].as_slice());
                Stored::New.into()
            }
            Held::TheSame => Stored::Unchanged.into(),
            Held::Another(held) => {
                let (outcome, replacement) = weigh(&held, &incoming[*place]);
                replacements.extend(replacement);
                outcome
            }
        };
    }
    transaction.insert_many(&statements.bulk, &inserts).await?;
    let updates: Vec<Vec<Value<'_>>> = replacements
        .iter()
        .map(|record| {
            let values = record.values();
            let (key, others) = values.split_at(T::KEY_COLUMNS);
            [others, key].concat()
        })
        .collect();
    transaction.execute_each(&statements.update, &updates).await
}

/// Decides between the record that is held and another one; gives the one to write, if any.
fn weigh<T: Table>(held: &T, incoming: &Incoming<'_, T>) -> (Outcome, Option<T>) {
    let mut record = incoming.record.clone();
    if let Some(complete) = incoming.complete {
        complete(&mut record, held);
    }
    if *held == record {
        return (Stored::Unchanged.into(), None);
    }
    if held.as_of() > record.as_of() {
        return (Stored::Older.into(), None);
    }
    let columns = T::COLUMNS.iter().zip(record.values().into_iter().zip(held.values()));
    let changed = columns.filter(|(_, (new, old))| new != old).map(|(column, _)| *column).collect();
    let former_source = (held.source() != record.source()).then(|| held.source().to_owned());
    (Outcome { stored: Stored::Changed(changed), former_source }, Some(record))
}

/// Declares a record and its table in one go. The last two columns are always `as_of` and `source`.
macro_rules! table {
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
            /// The name of the source's format.
            pub source: String,
        }

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
