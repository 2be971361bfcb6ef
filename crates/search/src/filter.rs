//! What answers are narrowed by.

use std::io;

use tantivy::DocId;

use crate::docs::Group;
use crate::schema::{listed_term, state_term, status_term};
use crate::view::SegmentView;

/// What answers are narrowed by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// Keeps companies of this state, by its name.
    pub state: Option<&'a str>,
    /// Keeps companies with this status word.
    pub status: Option<&'a str>,
    /// Keeps listed or unlisted companies.
    pub listed: Option<bool>,
}

impl Filter<'_> {
    /// The companies that it keeps, one group for each thing it says.
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

    /// Keeps the companies that it says.
    pub fn keep(&self, segment: &SegmentView, docs: &mut Vec<DocId>) -> io::Result<()> {
        for group in self.groups(segment)? {
            group.retain(docs);
        }
        Ok(())
    }
}
