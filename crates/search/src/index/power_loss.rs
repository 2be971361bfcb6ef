//! A loss of power may take the last commits from an index, or make it unusable, so that it is built
//! again. But an index that opens has exactly the companies of one commit.
//!
//! The directory records what tantivy asks for. What is durable then is that of its `MmapDirectory`:
//! a file's content when its writer is terminated, a replaced file's content at once, and the names of
//! files with the next sync of the directory.

mod disk;
mod recorder;

use std::collections::BTreeMap;
use std::path::Path;

use panji_store::register::IndexedCompany;
use rand_pcg::Pcg64Mcg;
use tantivy::directory::{Directory, RamDirectory};

use super::*;
use crate::snapshot::OpenSegment;
use disk::{Disk, UnsyncedCalls, below};
use recorder::{Call, RecordingDirectory};

const SEED: u128 = 20_261_118;
const COMMITS: usize = 40;
const COMPANIES: usize = 60;
/// Companies that a commit changes.
const CHANGED: usize = 9;
const LOSSES: usize = 1_000;

/// The names of the companies by their numbers.
type Names = BTreeMap<String, String>;

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
        let segment = OpenSegment::open(reader, &index.fields)?;
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
    let (mut disk, mut done) = (Disk::ignoring_syncs(), 0);
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
