//! Rows of a source: accepted as records, skipped, or rejected with a reason.

use panji_ids::mask_pans;
use panji_store::StoreError;
use panji_store::register::{Record, company_number};

use super::Importer;
use crate::import_cache;
use crate::listed::{Waiting, unknown_company};
use crate::report::{Observer, Reject};
use crate::sources::source::{ExchangeFiling, ParsedRow, RowOutcome};
use crate::sources::xbrl;
use crate::values::reason::Reason;

/// The part of a rejected row that is reported.
const MAX_RAW_CHARACTERS: usize = 2_000;
/// The longest reason: parsers quote the text that they failed on.
const MAX_REASON_CHARACTERS: usize = 1_000;
/// The most rows of joined numbers that are buffered until the end of the import. Further ones are
/// stored in the order of the files.
const MAX_JOINED_ROWS: usize = 100_000;

impl<O: Observer> Importer<'_, O> {
    pub(super) fn add_exchange_filing(
        &mut self,
        filing: ExchangeFiling,
        cin: String,
        bytes: usize,
    ) {
        let mut year = filing.year;
        year.cin = cin;
        self.add_record(Record::FinancialYear(year), bytes);
    }

    pub(super) fn reject_exchange_filing(&mut self, line: u64, filing: &ExchangeFiling) {
        let reason = Reason::from(unknown_company(filing));
        self.reject(line, Some(xbrl::SOURCE), &reason, &filing.raw);
    }

    pub(super) async fn add_row(&mut self, row: ParsedRow) -> Result<(), StoreError> {
        self.file_report.read += 1;
        match row.outcome {
            RowOutcome::UnusedColumns(columns) => {
                self.file_report.read -= 1;
                for column in columns {
                    self.file_report.count_unused_column(&column, 1);
                }
            }
            RowOutcome::Record { record, unreadable_columns, ambiguities } => {
                for ambiguity in ambiguities {
                    self.file_report.count_ambiguity(ambiguity);
                }
                for column in unreadable_columns {
                    self.file_report.count_unreadable_cell(column);
                }
                self.add_record(record, row.bytes);
            }
            RowOutcome::LeiRecord(record) => self.add_lei_record(record, row.bytes).await?,
            RowOutcome::ExchangeFiling(filing) => self.find_company(row.line, filing, row.bytes),
            RowOutcome::Skipped(reason) => self.file_report.count_skipped(reason),
            RowOutcome::Reject { source, reason, raw } => {
                self.reject(row.line, source, &reason, &raw);
            }
        }
        if self.batches.is_full() { self.flush().await } else { Ok(()) }
    }

    async fn add_lei_record(&mut self, record: Record, bytes: usize) -> Result<(), StoreError> {
        match self.leis.reason_to_skip(&self.register, &record).await? {
            None => self.add_record(record, bytes),
            Some(reason) => {
                self.depends_on_other_files = true;
                self.file_report.count_skipped(reason);
            }
        }
        Ok(())
    }

    fn find_company(&mut self, line: u64, filing: Box<ExchangeFiling>, bytes: usize) {
        if let Some(cin) = self.companies.find(&filing, &self.options.symbols) {
            return self.add_exchange_filing(*filing, cin, bytes);
        }
        self.depends_on_other_files = true;
        let waiting = Waiting { file: self.file.clone(), line, filing };
        if let Some(refused) = self.companies.wait(waiting) {
            self.reject_exchange_filing(line, &refused.filing);
        }
    }

    fn reject(&mut self, line: u64, source: Option<&'static str>, reason: &Reason, raw: &str) {
        let (kind, reason) = (redact(&reason.kind), redact(&reason.text));
        self.file_report.count_reject(source, &kind);
        let raw = raw.trim_end().chars().take(MAX_RAW_CHARACTERS).collect();
        self.add_reject(Reject { file: self.file.clone(), line, kind, reason, raw });
    }

    fn add_record(&mut self, mut record: Record, bytes: usize) {
        if let Some(as_of) = self.options.as_of {
            record.date_if_undated(&as_of.to_string());
        }
        self.leis.note(&record);
        let is_joined = company_number(&record).is_some_and(|cin| self.joined.contains(cin));
        if is_joined && self.joined_rows.len() < MAX_JOINED_ROWS {
            self.joined_rows.push(record);
        } else {
            self.batches.add(record, bytes);
        }
    }

    pub(super) fn add_reject(&mut self, reject: Reject) {
        if let Some(run) = &mut self.run {
            run.add_reject(&reject);
        }
        if import_cache::has_room(&self.rejects) {
            self.rejects.push(reject.clone());
        }
        self.file_report.add_example(&reject);
        self.observer.reject(reject);
    }
}

/// Bounds the length of a reason and masks PANs in it: it may quote the source.
fn redact(reason: &str) -> String {
    let bounded: String = reason.chars().take(MAX_REASON_CHARACTERS).collect();
    mask_pans(&bounded).into_owned()
}
