//! The LEIs whose records are imported. GLEIF's lists are of the whole world: of the relationships only those
//! of companies with an LEI are stored, and of the holders abroad only the parents of these.

use std::collections::HashSet;

use panji_ids::Lei;
use panji_store::register::Record;
use panji_store::{Register, StoreError};

/// Why a relationship, or the lack of one, is skipped.
const NO_COMPANY: &str = "a parent of an entity whose LEI is not that of a company in the register (import Level 1 before Level 2)";
/// Why a holder is skipped.
const NO_PARENT: &str =
    "the LEI of an entity of another registry than the MCA (RA000394) that is no company's parent";

/// What is known of LEIs, from the register and from this import.
#[derive(Default)]
pub struct KnownLeis {
    companies: HashSet<Lei>,
    parents: HashSet<Lei>,
    /// Whether those of the register are among them.
    is_loaded: bool,
}

impl KnownLeis {
    /// Why a record is skipped; none if it is imported.
    pub async fn reason_to_skip(
        &mut self,
        register: &Register,
        record: &Record,
    ) -> Result<Option<&'static str>, StoreError> {
        if !self.is_loaded {
            self.is_loaded = true;
            let parsed = |lei: &String| Lei::parse(lei).ok();
            self.companies.extend(register.list_leis().await?.iter().filter_map(parsed));
            self.parents.extend(register.list_parent_leis().await?.iter().filter_map(parsed));
        }
        let knows =
            |known: &HashSet<Lei>, lei: &str| Lei::parse(lei).is_ok_and(|lei| known.contains(&lei));
        Ok(match record {
            Record::LeiParent(parent) if !knows(&self.companies, &parent.lei) => Some(NO_COMPANY),
            Record::LeiEntity(entity) if !knows(&self.parents, &entity.lei) => Some(NO_PARENT),
            _ => None,
        })
    }

    /// Notes the LEIs of a record that is imported.
    pub fn note(&mut self, record: &Record) {
        match record {
            Record::Lei(lei) => self.companies.extend(Lei::parse(&lei.lei)),
            Record::LeiParent(parent) => self.parents.extend(Lei::parse(&parent.parent_lei)),
            _ => {}
        }
    }
}
