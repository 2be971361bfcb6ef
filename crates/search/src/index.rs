//! One index on disk or in memory, with one writer and many readers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, RwLock};

use panji_store::register::IndexedCompany;
use tantivy::directory::{Directory, MmapDirectory};
use tantivy::index::{IndexSettings, IndexSortByField, Order, SegmentComponent};
use tantivy::store::Compressor;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyError, Term};

use crate::analyze;
use crate::error::SearchError;
use crate::schema::{Fields, cin_term, document, schema};
use crate::snapshot::IndexSnapshot;

#[cfg(test)]
mod power_loss;

/// Bytes of a stored block. Small, because each candidate of a search is in another block.
const STORED_BLOCK: usize = 2_048;
/// Memory of the writer that follows the feed, and of each thread that builds.
const FOLLOWING_BYTES: usize = 32 << 20;
const BUILDING_BYTES: usize = 32 << 20;
/// Threads that build.
const BUILD_THREADS: usize = 2;

/// What is stored with an index, to decide whether it is current.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Stamp {
    /// The version of the analysis with which it was built.
    pub analysis: u32,
    /// The last change of the register in the index; none while it is being built.
    pub seq: Option<i64>,
}

/// An open index.
pub struct NameIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
    snapshot: RwLock<Arc<IndexSnapshot>>,
}

impl NameIndex {
    /// An empty index in memory.
    pub fn in_memory() -> Result<NameIndex, SearchError> {
        let builder = Index::builder().schema(schema().0).settings(settings());
        NameIndex::from_index(builder.create_in_ram()?)
    }

    /// An empty index in an empty directory.
    pub fn create(directory: &Path) -> Result<NameIndex, SearchError> {
        std::fs::create_dir_all(directory)?;
        let builder = Index::builder().schema(schema().0).settings(settings());
        NameIndex::from_index(builder.create_in_dir(directory)?)
    }

    /// Opens the index in a directory, if it is complete, of this analysis, and all checksums are
    /// right. A damaged index could return wrong results, so it is never used.
    pub fn open(directory: &Path) -> Result<NameIndex, SearchError> {
        NameIndex::open_in(MmapDirectory::open(directory).map_err(TantivyError::from)?)
    }

    fn open_in(directory: impl Directory) -> Result<NameIndex, SearchError> {
        // Reading damaged bytes may panic; that must not end the program.
        let opened = catch_unwind(AssertUnwindSafe(|| NameIndex::open_checked(directory)));
        opened.unwrap_or_else(|_| Err(SearchError::Unreadable))
    }

    fn open_checked(directory: impl Directory) -> Result<NameIndex, SearchError> {
        let index = Index::open(directory)?;
        check_files(&index)?;
        if index.schema() != schema().0 {
            return Err(SearchError::OtherSchema);
        }
        let opened = NameIndex::from_index(index)?;
        match opened.stamp()? {
            Some(Stamp { analysis: analyze::VERSION, seq: Some(_) }) => Ok(opened),
            stamp => Err(SearchError::OtherVersion(stamp)),
        }
    }

    fn from_index(index: Index) -> Result<NameIndex, SearchError> {
        let fields = schema().1;
        let reader: IndexReader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let snapshot = RwLock::new(Arc::new(IndexSnapshot::open(&reader.searcher(), &fields)?));
        Ok(NameIndex { index, reader, fields, snapshot })
    }

    /// The metadata of the last commit.
    pub fn stamp(&self) -> Result<Option<Stamp>, SearchError> {
        let payload = self.index.load_metas()?.payload;
        Ok(payload.and_then(|payload| serde_json::from_str(&payload).ok()))
    }

    /// Checks the checksums of all files.
    pub fn check(&self) -> Result<(), SearchError> {
        check_files(&self.index)
    }

    pub fn snapshot(&self) -> Arc<IndexSnapshot> {
        self.snapshot.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Makes the last commit of any process visible.
    pub fn reload(&self) -> Result<(), SearchError> {
        self.reader.reload()?;
        let snapshot = Arc::new(IndexSnapshot::open(&self.reader.searcher(), &self.fields)?);
        *self.snapshot.write().unwrap_or_else(std::sync::PoisonError::into_inner) = snapshot;
        Ok(())
    }

    /// The writer that follows the feed; none while another process is writing.
    pub fn follower(&self) -> Result<Option<Writer<'_>>, SearchError> {
        match self.index.writer_with_num_threads(1, FOLLOWING_BYTES) {
            Ok(writer) => Ok(Some(Writer { index: self, writer })),
            Err(TantivyError::LockFailure(..)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A writer for many companies.
    pub fn builder(&self) -> Result<Writer<'_>, SearchError> {
        let writer =
            self.index.writer_with_num_threads(BUILD_THREADS, BUILDING_BYTES * BUILD_THREADS)?;
        writer.set_merge_policy(Box::new(tantivy::merge_policy::NoMergePolicy));
        Ok(Writer { index: self, writer })
    }
}

/// Writes companies into an index.
pub struct Writer<'a> {
    index: &'a NameIndex,
    writer: IndexWriter,
}

impl Writer<'_> {
    /// Adds a company that is not in the index.
    pub fn add(&self, company: &IndexedCompany) -> Result<(), SearchError> {
        self.writer.add_document(document(&self.index.fields, company))?;
        Ok(())
    }

    /// Removes a company, if it is in the index.
    pub fn remove(&self, cin: &str) {
        self.writer.delete_term(Term::from_field_text(self.index.fields.cin, &cin_term(cin)));
    }

    /// Makes the written companies visible.
    pub fn commit(&mut self, seq: Option<i64>) -> Result<(), SearchError> {
        let stamp = Stamp { analysis: analyze::VERSION, seq };
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&serde_json::to_string(&stamp)?);
        prepared.commit()?;
        self.index.reload()
    }

    /// Merges all segments into one, so a search reads only one dictionary.
    pub fn merge(&mut self) -> Result<(), SearchError> {
        let segments = self.index.index.searchable_segment_ids()?;
        if segments.len() > 1 {
            self.writer.merge(&segments).wait()?;
            self.writer.garbage_collect_files().wait()?;
        }
        Ok(())
    }

    /// Waits for the merges in the background.
    pub fn close(self) -> Result<(), SearchError> {
        self.writer.wait_merging_threads()?;
        Ok(())
    }
}

/// The files of a segment.
const COMPONENTS: [SegmentComponent; 7] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Terms,
    SegmentComponent::Store,
    SegmentComponent::Delete,
];

/// Checks the checksums of all files of the last commit. `Index::validate_checksum` is not enough: it leaves
/// out the files that are not in tantivy's list of files, which may be older than the commit after a loss of
/// power. A missing file is found when the index is opened.
fn check_files(index: &Index) -> Result<(), SearchError> {
    let directory = index.directory();
    for segment in index.searchable_segment_metas()? {
        for component in COMPONENTS {
            let file = segment.relative_path(component);
            let exists = directory.exists(&file).map_err(TantivyError::from)?;
            if exists && !directory.validate_checksum(&file).map_err(TantivyError::from)? {
                return Err(SearchError::Damaged { file });
            }
        }
    }
    Ok(())
}

/// Companies with a higher static rank are first in every list, so a truncated list has the best.
fn settings() -> IndexSettings {
    IndexSettings {
        sort_by_field: Some(IndexSortByField {
            field: "static_rank".to_owned(),
            order: Order::Desc,
        }),
        docstore_compression: Compressor::None,
        docstore_blocksize: STORED_BLOCK,
        ..IndexSettings::default()
    }
}
