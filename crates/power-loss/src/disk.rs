//! The states that a disk may be in after a loss of power.

use std::path::Path;
use std::{fs, io};

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;

use crate::{Call, Files, Record, SECTOR};

/// What happened to the writes of one file that no sync covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnsyncedWrites {
    /// All are lost.
    Lost,
    /// All are there, as after the end of the process alone.
    Kept,
    /// The first ones are there, the next write in part.
    Torn,
    /// Of each write, each sector is there or not, with this probability in a hundred.
    Reordered(u64),
    /// Only the last call is there.
    LastOnly,
}

const UNSYNCED_WRITES: [UnsyncedWrites; 7] = [
    UnsyncedWrites::Lost,
    UnsyncedWrites::Kept,
    UnsyncedWrites::Torn,
    UnsyncedWrites::LastOnly,
    UnsyncedWrites::Reordered(10),
    UnsyncedWrites::Reordered(50),
    UnsyncedWrites::Reordered(90),
];

/// A loss of power.
#[derive(Debug)]
pub struct Loss {
    /// The number of recorded calls that were made before.
    pub at: usize,
    /// The files afterwards.
    pub files: Files,
    /// What happened, for messages.
    pub description: String,
}

impl Loss {
    /// Writes the files to an empty directory.
    pub fn write_to(&self, directory: &Path) -> io::Result<()> {
        self.files.iter().try_for_each(|(name, bytes)| fs::write(directory.join(name), bytes))
    }
}

/// Losses of power at random moments of a record, in the order of time. The same seed gives the
/// same losses.
pub struct PowerLosses<'r> {
    record: &'r Record,
    moments: std::vec::IntoIter<usize>,
    random: Pcg64Mcg,
    durable: Files,
    /// The calls that the durable files do not have, in order.
    pending: Vec<usize>,
    next_call: usize,
    ignores_syncs: bool,
}

impl<'r> PowerLosses<'r> {
    /// `count` losses. Every second one is close to a sync, where most promises are made.
    pub fn new(record: &'r Record, count: usize, seed: u64) -> PowerLosses<'r> {
        let mut random = Pcg64Mcg::new(u128::from(seed) << 1 | 1);
        let calls = record.calls.len();
        let is_sync = |index: &usize| matches!(record.calls[*index].1, Call::Sync { .. });
        let syncs: Vec<usize> = (0..calls).filter(is_sync).collect();
        let mut moments: Vec<usize> = (0..count)
            .map(|index| {
                if index % 2 == 0 || syncs.is_empty() {
                    return below(&mut random, calls + 1);
                }
                let near = syncs[below(&mut random, syncs.len())] + below(&mut random, 8);
                near.saturating_sub(3).min(calls)
            })
            .collect();
        moments.sort_unstable();
        PowerLosses {
            record,
            moments: moments.into_iter(),
            random,
            durable: record.start.clone(),
            pending: Vec::new(),
            next_call: 0,
            ignores_syncs: false,
        }
    }

    /// The same for a program that never syncs: a check of the test itself.
    pub fn ignoring_syncs(self) -> PowerLosses<'r> {
        PowerLosses { ignores_syncs: true, ..self }
    }

    /// Makes everything durable that a sync before this moment covers.
    fn advance_to(&mut self, moment: usize) {
        while self.next_call < moment {
            let (name, call) = &self.record.calls[self.next_call];
            match call {
                Call::Sync { .. } if self.ignores_syncs => {}
                Call::Sync { covers } => self.make_durable(name, *covers),
                _ => self.pending.push(self.next_call),
            }
            self.next_call += 1;
        }
    }

    fn make_durable(&mut self, name: &str, covers: usize) {
        let calls = &self.record.calls;
        let durable = &mut self.durable;
        self.pending.retain(|index| {
            let (of, call) = &calls[*index];
            let is_covered = of == name && *index < covers;
            if is_covered {
                apply(durable.entry(of.clone()).or_default(), call, |_| true);
            }
            !is_covered
        });
    }

    /// The files after a loss of power now.
    fn lose(&mut self) -> (Files, String) {
        let mut files = self.durable.clone();
        let mut description = String::new();
        let mut names: Vec<&str> =
            self.pending.iter().map(|index| self.record.calls[*index].0.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let calls: Vec<&Call> = self
                .pending
                .iter()
                .map(|index| &self.record.calls[*index])
                .filter(|(of, _)| of == name)
                .map(|(_, call)| call)
                .collect();
            let unsynced = UNSYNCED_WRITES[below(&mut self.random, UNSYNCED_WRITES.len())];
            description += &format!("{name}: {unsynced:?} of {} calls; ", calls.len());
            let file = files.entry(name.to_owned()).or_default();
            apply_loss(file, &calls, unsynced, &mut self.random);
        }
        (files, description)
    }
}

impl Iterator for PowerLosses<'_> {
    type Item = Loss;

    fn next(&mut self) -> Option<Loss> {
        let at = self.moments.next()?;
        self.advance_to(at);
        let (files, description) = self.lose();
        Some(Loss { at, files, description })
    }
}

fn apply_loss(
    file: &mut Vec<u8>,
    calls: &[&Call],
    unsynced: UnsyncedWrites,
    random: &mut Pcg64Mcg,
) {
    let torn_at = below(random, calls.len());
    for (index, call) in calls.iter().enumerate() {
        match unsynced {
            UnsyncedWrites::Lost => {}
            UnsyncedWrites::Kept => apply(file, call, |_| true),
            UnsyncedWrites::LastOnly if index + 1 < calls.len() => {}
            UnsyncedWrites::LastOnly => apply(file, call, |_| true),
            UnsyncedWrites::Torn if index < torn_at => apply(file, call, |_| true),
            UnsyncedWrites::Torn if index > torn_at => {}
            UnsyncedWrites::Torn => {
                let sectors = below(random, 10);
                apply(file, call, |sector| sector < sectors);
            }
            UnsyncedWrites::Reordered(percent) => {
                apply(file, call, |_| below(random, 100) < percent as usize)
            }
        }
    }
}

/// Does a call again, without the sectors that are not kept. A gap is filled with zeros.
fn apply(file: &mut Vec<u8>, call: &Call, mut keeps: impl FnMut(usize) -> bool) {
    match call {
        Call::Write { at, bytes } => {
            let (mut from, mut sector) = (*at, 0);
            let end = at + bytes.len();
            while from < end {
                let to = end.min((from / SECTOR + 1) * SECTOR);
                if keeps(sector) {
                    file.resize(file.len().max(to), 0);
                    file[from..to].copy_from_slice(&bytes[from - at..to - at]);
                }
                (from, sector) = (to, sector + 1);
            }
        }
        Call::Truncate(size) => {
            if keeps(0) {
                file.resize(*size, 0);
            }
        }
        Call::Sync { .. } => {}
    }
}

fn below(random: &mut Pcg64Mcg, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(at: usize, byte: u8, length: usize) -> (String, Call) {
        ("a".to_owned(), Call::Write { at, bytes: vec![byte; length] })
    }

    #[test]
    fn what_a_sync_covers_is_never_lost_and_the_rest_may_be_lost_by_sectors() {
        let calls = vec![
            write(0, 1, 2 * SECTOR),
            write(2 * SECTOR, 2, SECTOR),
            // It began before the second write.
            ("a".to_owned(), Call::Sync { covers: 1 }),
            write(100, 3, 2 * SECTOR),
        ];
        let record = Record { start: Files::new(), calls };
        let mut seen = std::collections::BTreeSet::new();
        for loss in PowerLosses::new(&record, 2_000, 7).filter(|loss| loss.at == 4) {
            let file = &loss.files["a"];
            assert!(file[..100].iter().all(|byte| *byte == 1), "{}", loss.description);
            let last = file.get(3 * SECTOR - 1).copied();
            seen.insert((file[100], file[SECTOR], file.get(2 * SECTOR).copied(), last));
        }
        assert!(seen.len() > 4, "{seen:?}");
    }

    #[test]
    fn a_seed_gives_the_same_losses() {
        let record = Record { start: Files::new(), calls: vec![write(0, 1, 5 * SECTOR)] };
        let files = || PowerLosses::new(&record, 50, 3).map(|loss| loss.files).collect::<Vec<_>>();
        assert_eq!(files(), files());
    }
}
