//! Where a section's data comes from, and whether it is complete.

use std::borrow::Cow;

use panji_store::Table;
use panji_store::register::{CoverageLevel, CoverageStatement, Origin};

use super::enums;

/// The source of a section, and what an empty list in it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionOrigin {
    /// `full`, `partial` or `none`.
    pub coverage: Cow<'static, str>,
    pub as_of: Option<String>,
    pub source: Option<String>,
}

impl SectionOrigin {
    /// The origin of a list: complete if a source states so, partial if only some records are known.
    pub fn of_list<T: Table>(
        statement: Option<&CoverageStatement>,
        records: &[T],
    ) -> SectionOrigin {
        SectionOrigin::new(statement, records.iter().map(origin))
    }

    /// The same for records of any kind. A complete list has the date and source of the statement:
    /// it is known to be complete as of that day.
    pub fn new(
        statement: Option<&CoverageStatement>,
        records: impl Iterator<Item = Origin>,
    ) -> SectionOrigin {
        let stated = statement
            .map(|stated| Origin { as_of: stated.as_of.clone(), source: stated.source.clone() });
        if statement.is_some_and(|statement| statement.coverage == CoverageLevel::Full) {
            return SectionOrigin::known(enums::FULL, stated);
        }
        let newest = records.chain(stated).max_by(|one, other| one.as_of.cmp(&other.as_of));
        match newest {
            Some(newest) => SectionOrigin::known(enums::PARTIAL, Some(newest)),
            None => SectionOrigin::known(enums::NONE, None),
        }
    }

    pub fn known(coverage: &'static str, origin: Option<Origin>) -> SectionOrigin {
        let (as_of, source) =
            origin.map_or((None, None), |origin| (origin.as_of, Some(origin.source)));
        SectionOrigin { coverage: Cow::Borrowed(coverage), as_of, source }
    }

    /// Whether nothing is known. Such a section costs nothing.
    pub fn is_none(&self) -> bool {
        self.coverage == enums::NONE
    }

    /// A count of the section's records; none if nothing is known.
    pub fn known_count<T>(&self, count: T) -> Option<T> {
        (!self.is_none()).then_some(count)
    }
}

/// The date and source of a record.
pub fn origin<T: Table>(record: &T) -> Origin {
    Origin { as_of: record.as_of().map(str::to_owned), source: record.source().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(as_of: &str) -> Origin {
        Origin { as_of: Some(as_of.to_owned()), source: "mca_master".to_owned() }
    }

    fn statement(coverage: CoverageLevel) -> CoverageStatement {
        let (as_of, source) = (Some("2026-01-31".to_owned()), "mca_company_json".to_owned());
        CoverageStatement { coverage, as_of, source }
    }

    #[test]
    fn a_section_is_complete_only_where_a_source_states_it() {
        let full = statement(CoverageLevel::Full);
        let complete = SectionOrigin::new(Some(&full), [record("2026-03-31")].into_iter());
        assert_eq!(complete.coverage, "full");
        assert_eq!(complete.as_of.as_deref(), Some("2026-01-31"));
        assert_eq!(complete.source.as_deref(), Some("mca_company_json"));
        let empty = SectionOrigin::new(Some(&full), std::iter::empty());
        assert_eq!(empty, complete);
    }

    #[test]
    fn records_without_a_statement_are_a_part_with_the_date_of_the_newest() {
        let part =
            SectionOrigin::new(None, [record("2025-03-31"), record("2026-03-31")].into_iter());
        assert_eq!(part.coverage, "partial");
        assert_eq!(part.as_of.as_deref(), Some("2026-03-31"));
        let partial = statement(CoverageLevel::Partial);
        let stated = SectionOrigin::new(Some(&partial), [record("2025-03-31")].into_iter());
        assert_eq!(stated.source.as_deref(), Some("mca_company_json"));
    }

    #[test]
    fn where_nothing_is_known_no_date_source_or_count_is_given() {
        let nothing = SectionOrigin::new(None, std::iter::empty());
        assert_eq!(nothing.coverage, "none");
        assert_eq!((nothing.as_of.clone(), nothing.source.clone()), (None, None));
        assert_eq!(nothing.known_count(0), None);
    }
}
