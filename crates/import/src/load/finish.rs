//! The end of an import: rows that waited for others, and companies under several numbers.

use panji_store::StoreError;
use panji_store::register::ListedSymbol;

use super::Importer;
use crate::duplicates::find_duplicates;
use crate::listed::Waiting;
use crate::report::{Observer, Report};

/// The resource name of figures in the report.
const FINANCIAL_YEAR: &str = "financial_year";

/// The resource name of companies in the report.
const COMPANY: &str = "company";

impl<O: Observer> Importer<'_, O> {
    /// Ends the import and returns its counts.
    pub async fn finish(mut self) -> Result<Report, StoreError> {
        self.resolve_waiting().await?;
        self.store_joined_rows().await?;
        if !self.options.dry_run {
            let mut symbols = self.companies.new_symbols();
            symbols.extend(self.listed_isins());
            if !symbols.is_empty() {
                self.register.store_symbols(&symbols).await?;
            }
            self.join_numbers().await?;
            self.count_missing_companies().await?;
            self.register.start_events(self.now_ms).await?;
        }
        if let Some(run) = &mut self.run {
            run.save(&self.register, &self.total_report, true).await?;
        }
        Ok(self.total_report)
    }

    /// Stores the waiting figures whose company a later filing identified, and rejects the others.
    async fn resolve_waiting(&mut self) -> Result<(), StoreError> {
        for (waiting, cin) in self.companies.take_found(&self.options.symbols) {
            self.file = waiting.file;
            self.add_exchange_filing(*waiting.filing, cin, 0);
            if self.batches.is_full() {
                self.flush().await?;
            }
        }
        for Waiting { file, line, filing } in self.companies.take_waiting() {
            self.file = file;
            self.reject_exchange_filing(line, &filing);
        }
        self.flush().await?;
        let stored = self.batches.wait().await?;
        self.count(&stored).await?;
        self.end_file().await
    }

    /// The ISINs in the user's list of symbols.
    fn listed_isins(&self) -> impl Iterator<Item = ListedSymbol> {
        let as_of = self.options.as_of.map(|day| day.to_string());
        self.options.symbols.isins().map(move |(isin, cin)| ListedSymbol {
            symbol: isin.clone(),
            cin: cin.clone(),
            as_of: as_of.clone(),
        })
    }

    /// Figures of a company that is not in the register are stored, and served once it is imported.
    async fn count_missing_companies(&mut self) -> Result<(), StoreError> {
        if self.total_report.by_resource.contains_key(FINANCIAL_YEAR) {
            let (periods, companies) = self.register.count_periods_without_company().await?;
            self.total_report.periods_without_company = periods as u64;
            self.total_report.companies_missing = companies as u64;
        }
        Ok(())
    }

    /// Stores the rows of former numbers that were joined to others. By now the rows of the current
    /// numbers are stored: a former number is in use again only if its row is newer than these.
    async fn store_joined_rows(&mut self) -> Result<(), StoreError> {
        for record in std::mem::take(&mut self.joined_rows) {
            self.batches.add(record, 0);
        }
        self.flush().await?;
        let stored = self.batches.wait().await?;
        self.count(&stored).await?;
        self.end_file().await
    }

    /// Joins the numbers of companies that are in the register under several, if companies were
    /// added or changed.
    async fn join_numbers(&mut self) -> Result<(), StoreError> {
        let has_companies = self.total_report.by_resource.contains_key(COMPANY);
        if !has_companies || self.total_report.new + self.total_report.changed == 0 {
            return Ok(());
        }
        self.observer.comparing_companies();
        let found = find_duplicates(&self.register).await?;
        for join in &found.joins {
            let (cin, former_cin) = (&join.cin, &join.former_cin);
            if self.register.join_companies(cin, former_cin, join.basis, self.now_ms).await? {
                self.total_report.joined += 1;
            }
        }
        self.total_report.possible_duplicates = found.possible_duplicates.into_iter().collect();
        Ok(())
    }
}
