//! What an index contains: the companies or the directors of the register. Both are documents of the same
//! form, so that one analysis, one search, one build and one follower serve both.

use panji_store::Register;
use panji_store::register::{Change, IndexedCompany, IndexedDirector};

use crate::error::SearchError;
use crate::person_name::initial_forms;

/// The kind of a director's document.
const DIRECTOR: &str = "director";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    Companies,
    Directors,
}

impl IndexKind {
    /// The word in log lines.
    pub fn as_str(self) -> &'static str {
        match self {
            IndexKind::Companies => "companies",
            IndexKind::Directors => "directors",
        }
    }

    /// The documents after a key, in the order of keys.
    pub(crate) async fn list(
        self,
        register: &Register,
        after: &str,
        limit: i64,
    ) -> Result<Vec<IndexedCompany>, SearchError> {
        Ok(match self {
            IndexKind::Companies => register.list_indexed(after, limit).await?,
            IndexKind::Directors => {
                let directors = register.list_indexed_directors(after, limit).await?;
                directors.into_iter().map(director_document).collect()
            }
        })
    }

    pub(crate) async fn find(
        self,
        register: &Register,
        key: &str,
    ) -> Result<Option<IndexedCompany>, SearchError> {
        Ok(match self {
            IndexKind::Companies => register.find_indexed(key).await?,
            IndexKind::Directors => {
                register.find_indexed_director(key).await?.map(director_document)
            }
        })
    }

    /// The key of the document that a change of the register affects; none if it affects no document.
    pub(crate) fn affected(self, change: &Change) -> Option<&str> {
        match (self, change.resource.as_str()) {
            (IndexKind::Companies, "company") | (IndexKind::Directors, "director") => {
                Some(&change.key)
            }
            // Its key is the company, the person and the day.
            (IndexKind::Directors, "appointment") => change.key.split('|').nth(1),
            _ => None,
        }
    }
}

/// The document of a director: the DIN is the number, and other spellings of the name, and the forms with initials,
/// are its further names.
pub(crate) fn director_document(director: IndexedDirector) -> IndexedCompany {
    let mut further = director.other_names;
    further.extend(initial_forms(&director.name));
    let further: Vec<_> = further.iter().map(|name| serde_json::json!({ "name": name })).collect();
    IndexedCompany {
        cin: director.din,
        name: director.name,
        former_names: serde_json::Value::Array(further).to_string(),
        former_cins: "[]".to_owned(),
        kind: DIRECTOR.to_owned(),
        status: director.status,
        state_code: None,
        state: None,
        incorporated_on: None,
        listed: None,
        city: None,
        pincode: None,
        class: None,
        nic_code: None,
    }
}
