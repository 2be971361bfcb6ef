//! A loss of power may take the last commits from an index, or make it unusable, so that it is built
//! again. But an index that opens has exactly the companies of one commit.
//!
//! The directory records what tantivy asks for. What is durable then is that of its `MmapDirectory`:
//! a file's content when its writer is terminated, a replaced file's content at once, and the names of
//! files with the next sync of the directory.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use panji_power_loss::SECTOR;
use panji_store::register::IndexedCompany;
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, RamDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};

use super::*;
use crate::view::SegmentView;

const SEED: u128 = 20_261_118;
const COMMITS: usize = 40;
const COMPANIES: usize = 60;
/// Companies that a commit changes.
const CHANGED: usize = 9;
const LOSSES: usize = 1_000;

/// The names of the companies by their numbers.
type Names = BTreeMap<String, String>;

#[derive(Clone, Debug)]
enum Call {
    Create(PathBuf),
    Write(PathBuf, Vec<u8>),
    Sync(PathBuf),
    /// A complete new file takes the name.
    Replace(PathBuf, Vec<u8>),
    Delete(PathBuf),
    SyncDirectory,
}

#[derive(Clone, Debug, Default)]
struct RecordingDirectory {
    files: RamDirectory,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl RecordingDirectory {
    fn record(&self, call: Call) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }

    fn position(&self) -> usize {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

struct RecordingWriter {
    file: WritePtr,
    path: PathBuf,
    directory: RecordingDirectory,
}

impl Write for RecordingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.directory.record(Call::Write(self.path.clone(), bytes[..written].to_vec()));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl TerminatingWrite for RecordingWriter {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.file.terminate_ref(token)?;
        self.directory.record(Call::Sync(self.path.clone()));
        Ok(())
    }
}

impl Directory for RecordingDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)?;
        self.record(Call::Delete(path.to_owned()));
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let file = self.files.open_write(path)?;
        self.record(Call::Create(path.to_owned()));
        let (path, directory) = (path.to_owned(), self.clone());
        Ok(BufWriter::new(Box::new(RecordingWriter { file, path, directory })))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, data)?;
        self.record(Call::Replace(path.to_owned(), data.to_vec()));
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.record(Call::SyncDirectory);
        Ok(())
    }

    /// A lock ends with the process, so it is not recorded.
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

fn below(random: &mut Pcg64Mcg, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

/// What happened to the calls that no sync covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnsyncedCalls {
    Lost,
    /// All are there, as after the end of the process alone.
    Kept,
    /// Each one, or each sector of a write, is there or not, with this probability in a hundred.
    Partly(usize),
}

const UNSYNCED_CALLS: [UnsyncedCalls; 5] = [
    UnsyncedCalls::Lost,
    UnsyncedCalls::Kept,
    UnsyncedCalls::Partly(10),
    UnsyncedCalls::Partly(50),
    UnsyncedCalls::Partly(90),
];

impl UnsyncedCalls {
    fn any(random: &mut Pcg64Mcg) -> UnsyncedCalls {
        UNSYNCED_CALLS[below(random, UNSYNCED_CALLS.len())]
    }

    fn keeps(self, random: &mut Pcg64Mcg) -> bool {
        match self {
            UnsyncedCalls::Lost => false,
            UnsyncedCalls::Kept => true,
            UnsyncedCalls::Partly(percent) => below(random, 100) < percent,
        }
    }
}

#[derive(Clone, Default)]
struct File {
    durable: Vec<u8>,
    /// Written after it, not synced.
    pending: Vec<u8>,
}

impl File {
    /// The content after a loss of power. A lost sector before a kept one has zeros.
    fn lose(&self, random: &mut Pcg64Mcg, unsynced: UnsyncedCalls) -> Vec<u8> {
        let mut content = self.durable.clone();
        for (index, sector) in self.pending.chunks(SECTOR).enumerate() {
            if unsynced.keeps(random) {
                content.resize(self.durable.len() + index * SECTOR, 0);
                content.extend(sector);
            }
        }
        content
    }
}

/// A change of the names in the directory: the file that has the name now, if any.
type Entry = (PathBuf, Option<usize>);

/// The files of a directory while a record is replayed.
#[derive(Default)]
struct Disk {
    files: Vec<File>,
    durable: BTreeMap<PathBuf, usize>,
    pending: Vec<Entry>,
    ignores_syncs: bool,
}

impl Disk {
    fn apply(&mut self, call: &Call) {
        match call {
            Call::Create(path) => self.add(path, File::default()),
            Call::Write(path, bytes) => self.newest(path).pending.extend(bytes),
            Call::Replace(path, bytes) => {
                let (synced, pending) = match self.ignores_syncs {
                    true => (Vec::new(), bytes.clone()),
                    false => (bytes.clone(), Vec::new()),
                };
                self.add(path, File { durable: synced, pending });
            }
            Call::Delete(path) => self.pending.push((path.clone(), None)),
            Call::Sync(_) | Call::SyncDirectory if self.ignores_syncs => {}
            Call::Sync(path) => {
                let file = self.newest(path);
                let pending = std::mem::take(&mut file.pending);
                file.durable.extend(pending);
            }
            Call::SyncDirectory => {
                for (path, file) in std::mem::take(&mut self.pending) {
                    insert(&mut self.durable, path, file);
                }
            }
        }
    }

    fn add(&mut self, path: &Path, file: File) {
        self.pending.push((path.to_owned(), Some(self.files.len())));
        self.files.push(file);
    }

    /// The newest file with this name.
    fn newest(&mut self, path: &Path) -> &mut File {
        let pending = self.pending.iter().rev().find(|(of, _)| of == path);
        let file = pending.map_or_else(|| self.durable.get(path).copied(), |(_, file)| *file);
        &mut self.files[file.expect("the file was created")]
    }

    /// The directory after a loss of power now.
    fn lose(
        &self,
        random: &mut Pcg64Mcg,
        names: UnsyncedCalls,
        any: impl Fn(&mut Pcg64Mcg) -> UnsyncedCalls,
    ) -> RamDirectory {
        let mut entries = self.durable.clone();
        for (path, file) in self.pending.iter().cloned() {
            if names.keeps(random) {
                insert(&mut entries, path, file);
            }
        }
        let directory = RamDirectory::create();
        for (path, file) in entries {
            let unsynced = any(random);
            let content = self.files[file].lose(random, unsynced);
            directory.atomic_write(&path, &content).expect("in memory");
        }
        directory
    }
}

fn insert(entries: &mut BTreeMap<PathBuf, usize>, path: PathBuf, file: Option<usize>) {
    match file {
        Some(file) => entries.insert(path, file),
        None => entries.remove(&path),
    };
}

fn company(number: usize, name: String) -> IndexedCompany {
    IndexedCompany {
        cin: format!("U17110MH2001PTC{:06}", 900_000 + number),
        name,
        former_names: "[]".into(),
        former_cins: "[]".into(),
        kind: "company".into(),
        status: "active".into(),
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

/// What was recorded, and the promises about it.
struct Recording {
    calls: Vec<Call>,
    /// The companies after each commit, by its number.
    commits: BTreeMap<i64, Names>,
    /// The calls before a commit returned, with its number.
    returned: Vec<(usize, i64)>,
}

/// Commits changes as the follower of the feed does; tantivy merges segments meanwhile.
fn record() -> Recording {
    let directory = RecordingDirectory::default();
    let builder = Index::builder().schema(schema().0).settings(settings());
    let created = builder.open_or_create(directory.clone());
    let index = NameIndex::from_index(created.expect("it is new")).expect("it is empty");
    let mut writer = index.follower().expect("it can be written").expect("no other writer");
    let (mut names, mut commits) = (Names::new(), BTreeMap::new());
    let mut returned = Vec::new();
    for number in 0..COMMITS {
        for step in 0..CHANGED {
            let changed = (number * CHANGED + step * step) % COMPANIES;
            let company = company(changed, format!("Namuna Traders {changed} of {number}"));
            writer.remove(&company.cin);
            if (number + step) % 5 == 0 {
                names.remove(&company.cin);
                continue;
            }
            writer.add(&company).expect("added");
            names.insert(company.cin.clone(), company.name);
        }
        let seq = 100 + number as i64;
        commits.insert(seq, names.clone());
        writer.commit(Some(seq)).expect("committed");
        returned.push((directory.position(), seq));
    }
    writer.close().expect("closed");
    let calls = directory.calls.lock().expect("the writer has ended").clone();
    Recording { calls, commits, returned }
}

/// The number of the commit that an index has, with its companies.
fn read(index: &NameIndex) -> Result<(i64, Names), SearchError> {
    let seq = index.stamp()?.and_then(|stamp| stamp.seq).ok_or(SearchError::Unreadable)?;
    let mut names = Names::new();
    for reader in index.reader.searcher().segment_readers() {
        let segment = SegmentView::open(reader, &index.fields)?;
        for doc in reader.doc_ids_alive() {
            let stored = segment.stored(doc)?;
            names.insert(stored.cin, stored.name);
        }
    }
    Ok((seq, names))
}

/// The commit that an index after a loss of power has; none if it cannot be used. Panics if there was no
/// such commit.
fn recovered(recording: &Recording, directory: RamDirectory) -> Option<i64> {
    let index = NameIndex::open_in(directory).ok()?;
    let (seq, names) = read(&index).expect("an index that opens can be read");
    assert_eq!(Some(&names), recording.commits.get(&seq), "the companies of commit {seq}");
    Some(seq)
}

/// Moments of a record in the order of time.
fn moments(random: &mut Pcg64Mcg, calls: usize) -> Vec<usize> {
    let mut moments: Vec<usize> = (0..LOSSES).map(|_| below(random, calls + 1)).collect();
    moments.sort_unstable();
    moments
}

#[test]
fn an_index_after_a_loss_of_power_has_the_companies_of_one_commit_or_is_not_used() {
    let recording = record();
    let mut random = Pcg64Mcg::new(SEED);
    let (mut disk, mut done, mut usable) = (Disk::default(), 0, 0);
    for moment in moments(&mut random, recording.calls.len()) {
        recording.calls[done..moment].iter().for_each(|call| disk.apply(call));
        done = moment;
        let names = UnsyncedCalls::any(&mut random);
        let directory = disk.lose(&mut random, names, UnsyncedCalls::any);
        usable += usize::from(recovered(&recording, directory).is_some());
        // After the end of the process alone, every commit that returned is there.
        let kept = disk.lose(&mut random, UnsyncedCalls::Kept, |_| UnsyncedCalls::Kept);
        let promised = recording.returned.iter().rfind(|(before, _)| *before <= moment);
        if let Some((_, seq)) = promised {
            assert!(recovered(&recording, kept).is_some_and(|found| found >= *seq), "at {moment}");
        }
    }
    assert!(usable > LOSSES / 2, "only {usable} of {LOSSES} indexes could be used");
}

#[test]
fn a_disk_that_ignores_syncs_makes_an_index_unusable_and_never_wrong() {
    let recording = record();
    let mut random = Pcg64Mcg::new(SEED);
    let (mut disk, mut done) = (Disk { ignores_syncs: true, ..Disk::default() }, 0);
    let (mut unusable, mut damaged) = (0, 0);
    for moment in moments(&mut random, recording.calls.len()) {
        recording.calls[done..moment].iter().for_each(|call| disk.apply(call));
        done = moment;
        let directory = disk.lose(&mut random, UnsyncedCalls::Partly(97), |random| {
            if below(random, 10) == 0 { UnsyncedCalls::Partly(90) } else { UnsyncedCalls::Kept }
        });
        if recovered(&recording, directory.clone()).is_some() {
            continue;
        }
        unusable += 1;
        // Without the check of the checksums, some of them would be in use with damaged files.
        let unchecked = catch_unwind(|| NameIndex::from_index(Index::open(directory)?));
        damaged += usize::from(matches!(unchecked, Ok(Ok(_))));
    }
    assert!(unusable > 0 && damaged > 0, "{unusable} unusable, {damaged} open with damage");
}

#[test]
fn a_damaged_file_is_found_even_if_the_list_of_files_is_lost() {
    let directory = RamDirectory::create();
    let created = Index::builder().schema(schema().0).settings(settings());
    let index = created.open_or_create(directory.clone()).expect("it is new");
    let index = NameIndex::from_index(index).expect("it is empty");
    let mut writer = index.follower().expect("it can be written").expect("no other writer");
    writer.add(&company(0, "Namuna Traders".into())).expect("added");
    writer.commit(Some(1)).expect("committed");
    writer.close().expect("closed");
    let segments = index.index.searchable_segment_metas().expect("one commit");
    let file = segments[0].relative_path(SegmentComponent::Store);
    let mut content = directory.atomic_read(&file).expect("it is there");
    content[0] ^= 1;
    directory.atomic_write(&file, &content).expect("in memory");
    directory.atomic_write(Path::new(".managed.json"), b"[]").expect("in memory");
    let opened = NameIndex::open_in(directory).err();
    assert!(
        matches!(&opened, Some(SearchError::Damaged { file: of }) if *of == file),
        "{opened:?}"
    );
}
