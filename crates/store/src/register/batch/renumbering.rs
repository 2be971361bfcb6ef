//! Moving the records of a company to its new number.

use super::{BatchWriter, COMPANY};
use crate::error::Result;
use crate::register::Company;
use crate::register::feed_entries::FeedEntry;
use crate::table::{Incoming, Table};

impl BatchWriter<'_> {
    /// Removes all records of an owner.
    pub(in crate::register) async fn remove_owned<T: Table>(
        &mut self,
        resource: &'static str,
        owner: &str,
    ) -> Result<Vec<T>> {
        let statements = T::statements();
        let owner = &[owner.into()];
        let records = self.transaction.query(&statements.list_owned, owner, T::from_row).await?;
        if !records.is_empty() {
            self.transaction.execute(&statements.remove_owned, owner).await?;
        }
        for record in &records {
            self.counts.add(resource, record.source(), -1, None);
            self.entries.push(FeedEntry::of_removal(resource, record));
        }
        Ok(records)
    }

    /// Records that the company with a number has another one now.
    pub(in crate::register) fn record_new_number(&mut self, former: &Company, cin: &str) {
        if self.sources.has(COMPANY, &former.source) {
            FeedEntry::add_new_number(&mut self.entries, former, cin);
        }
    }

    /// Moves the records of one kind to another owner.
    pub(super) async fn move_owned<T: Table>(
        &mut self,
        resource: &'static str,
        from: &str,
        to: &str,
    ) -> Result<()> {
        let mut records: Vec<T> = self.remove_owned(resource, from).await?;
        for record in &mut records {
            record.set_owner(to);
        }
        let incoming: Vec<Incoming<'_, T>> =
            records.iter().map(|record| Incoming { record, complete: None }).collect();
        self.is_moving = true;
        let moved = self.store(resource, &incoming).await;
        self.is_moving = false;
        moved.map(drop)
    }
}
