//! The states of a directory after a loss of power, made from a record of the calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use panji_power_loss::SECTOR;
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use tantivy::directory::{Directory, RamDirectory};

use super::recorder::Call;

pub(super) fn below(random: &mut Pcg64Mcg, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

/// What happened to the calls that no sync covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnsyncedCalls {
    Lost,
    /// All are there, as after the end of the process alone.
    Kept,
    /// Each one, or each sector of a write, is there or not, with this probability in percent.
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
    pub(super) fn any(random: &mut Pcg64Mcg) -> UnsyncedCalls {
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
pub(super) struct Disk {
    files: Vec<File>,
    durable: BTreeMap<PathBuf, usize>,
    pending: Vec<Entry>,
    ignores_syncs: bool,
}

impl Disk {
    /// A disk that reports a sync as done and does not do it.
    pub(super) fn ignoring_syncs() -> Disk {
        Disk { ignores_syncs: true, ..Disk::default() }
    }

    pub(super) fn apply(&mut self, call: &Call) {
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
    pub(super) fn lose(
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
