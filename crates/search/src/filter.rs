//! Filters of a search.

use std::io;

use tantivy::DocId;

use crate::docs::Group;
use crate::schema::{listed_term, state_term, status_term};
use crate::view::SegmentView;

/// Only companies that meet all conditions are found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// The name of a state.
    pub state: Option<&'a str>,
    pub status: Option<&'a str>,
    pub listed: Option<bool>,
}

impl Filter<'_> {
    /// The matching companies, one group for each condition.
    pub fn groups(&self, segment: &SegmentView) -> io::Result<Vec<Group>> {
        let terms = [
            self.state.map(state_term),
            self.status.map(status_term),
            self.listed.map(listed_term),
        ];
        let mut groups = Vec::new();
        for term in terms.into_iter().flatten() {
            let mut group = Group::default();
            group.add(&segment.filter, &term)?;
            groups.push(group);
        }
        Ok(groups)
    }

    /// Removes the companies that do not match.
    pub fn apply(&self, segment: &SegmentView, docs: &mut Vec<DocId>) -> io::Result<()> {
        for group in self.groups(segment)? {
            group.retain(docs);
        }
        Ok(())
    }
}
