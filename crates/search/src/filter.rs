//! Filters of a search.

use std::io;
use std::ops::RangeInclusive;

use tantivy::DocId;

use crate::doc_sets::Group;
use crate::places;
use crate::request::SearchRequest;
use crate::schema::{
    city_term, class_term, date_number, kind_term, listed_term, nic_term, pincode_term, state_term,
    status_term,
};
use crate::snapshot::OpenSegment;

/// Only companies that meet all conditions are found.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The terms of each condition; a company needs one of them.
    conditions: Vec<Vec<String>>,
    /// The dates of incorporation, as numbers; a company without a date is not found.
    incorporated: Option<RangeInclusive<u64>>,
}

impl Filter {
    pub fn new(request: &SearchRequest<'_>) -> Filter {
        let single = [
            request.state.map(state_term),
            request.status.map(status_term),
            request.listed.map(listed_term),
            request.class.map(class_term),
            request.kind.map(kind_term),
            request.nic.map(nic_term),
            request.pincode.map(pincode_term),
        ];
        let mut conditions: Vec<Vec<String>> =
            single.into_iter().flatten().map(|term| vec![term]).collect();
        if let Some(city) = request.city {
            let keys = places::wanted_city_keys(request.state, city);
            conditions.push(keys.iter().map(|key| city_term(key)).collect());
        }
        let (from, to) = (request.incorporated_from, request.incorporated_to);
        let incorporated = (from.is_some() || to.is_some()).then(|| {
            let first = from.and_then(date_number).unwrap_or(1);
            first..=to.and_then(date_number).unwrap_or(u64::MAX)
        });
        Filter { conditions, incorporated }
    }

    /// Whether every company matches.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.incorporated.is_none()
    }

    /// The companies that meet a condition, one group for each; dates are not included.
    pub fn groups(&self, segment: &OpenSegment) -> io::Result<Vec<Group>> {
        let mut groups = Vec::with_capacity(self.conditions.len());
        for terms in &self.conditions {
            let mut group = Group::default();
            for term in terms {
                group.add(&segment.filter, term)?;
            }
            groups.push(group);
        }
        Ok(groups)
    }

    /// Removes the companies with other dates.
    pub fn apply_dates(&self, segment: &OpenSegment, docs: &mut Vec<DocId>) {
        if let Some(dates) = &self.incorporated {
            docs.retain(|doc| dates.contains(&segment.incorporated(*doc)));
        }
    }

    /// Removes the companies that do not match.
    pub fn apply(&self, segment: &OpenSegment, docs: &mut Vec<DocId>) -> io::Result<()> {
        for group in self.groups(segment)? {
            group.retain(docs);
        }
        self.apply_dates(segment, docs);
        Ok(())
    }
}
