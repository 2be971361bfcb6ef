//! The graph follows its register, and is rebuilt if it is damaged, missing or of another register.

use std::fs;

use panji_graph::Builder;
use panji_store::register::Record;
use panji_testkit::NOW_MS;
use panji_testkit::on_both_engines;
use panji_testkit::records::{appointment, company};

use crate::bench::Bench;
use crate::plain::{cin, din};

fn office(number: usize, office: usize) -> Record {
    let mut record = company(&cin(number), "Namuna Limited");
    record.address = Some(format!("{office} Namuna Road, Kalpana Nagar"));
    record.pincode = Some("400013".to_owned());
    Record::Company(record)
}

fn appointed(number: usize, person: u32) -> Record {
    Record::Appointment(appointment(&cin(number), &din(person), "2020-01-01", None))
}

fn records() -> Vec<Record> {
    vec![office(0, 1), office(1, 1), office(2, 2), appointed(0, 1), appointed(2, 1)]
}

#[test]
fn a_graph_is_built_from_the_register_and_opened_again() {
    let mut bench = Bench::with(&records());
    let expected = [cin(1), cin(2), din(1)];
    assert_eq!(bench.near(&cin(0)), expected);
    let before = bench.network(&cin(0));
    bench.restart();
    assert_eq!(bench.network(&cin(0)), before, "read from the file");
}

#[test]
fn changes_are_visible_without_a_new_generation() {
    let bench = Bench::with(&records());
    let generation = bench.generation();
    bench.store(&[appointed(1, 2), appointed(3, 2), office(4, 2)]);
    bench.catch_up();
    assert_eq!(bench.generation(), generation);
    // Company 3 is known by its appointment alone.
    assert_eq!(bench.near(&cin(1)), [cin(0), cin(3), din(1), din(2)]);
    assert_eq!(bench.near(&cin(4)), [cin(2), din(1)]);
    let mut moved = office(1, 2);
    if let Record::Company(company) = &mut moved {
        company.as_of = Some("2030-01-01".to_owned());
    }
    bench.store(&[moved]);
    bench.catch_up();
    assert_eq!(bench.near(&cin(0)), [cin(2), din(1)], "it has left the office");
    assert_eq!(bench.near(&cin(4)), [cin(1), cin(2), din(1), din(2)]);
}

#[test]
fn a_company_with_a_new_number_keeps_its_links_under_it() {
    let bench = Bench::with(&records());
    let mut renumbered = company(&cin(9), "Namuna Limited");
    renumbered.former_cins = format!("[{:?}]", cin(0));
    renumbered.as_of = Some("2030-01-01".to_owned());
    bench.store(&[Record::Company(renumbered)]);
    bench.catch_up();
    let near = bench.near(&cin(9));
    assert!(near.contains(&din(1)) && near.contains(&cin(2)), "{near:?}");
    assert!(!near.contains(&cin(0)), "{near:?}");
    assert_eq!(bench.near(&cin(2)), [cin(9), din(1)]);
}

fn check_rebuild_after(damage: impl Fn(&Bench)) {
    let mut bench = Bench::with(&records());
    damage(&bench);
    bench.restart();
    assert!(bench.graph.snapshot().is_none(), "a damaged graph is not used");
    bench.follow_until(|graph| graph.snapshot().is_some());
    assert_eq!(bench.near(&cin(0)), [cin(1), cin(2), din(1)]);
}

#[test]
fn a_flipped_bit_anywhere_is_detected_and_the_graph_rebuilt() {
    let size = fs::read(Bench::with(&records()).generation().join("graph.bin")).unwrap().len();
    for at in [0, 9, 15, 30, size / 3, size / 2, size - 40, size - 1] {
        check_rebuild_after(|bench| {
            let file = bench.generation().join("graph.bin");
            let mut bytes = fs::read(&file).unwrap();
            bytes[at] ^= 4;
            fs::write(&file, bytes).unwrap();
        });
    }
}

#[test]
fn a_truncated_or_missing_file_is_detected_and_the_graph_rebuilt() {
    check_rebuild_after(|bench| {
        let file = bench.generation().join("graph.bin");
        let bytes = fs::read(&file).unwrap();
        fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    });
    check_rebuild_after(|bench| fs::remove_file(bench.generation().join("graph.bin")).unwrap());
    check_rebuild_after(|bench| fs::remove_dir_all(bench.generation()).unwrap());
}

#[test]
fn a_graph_that_is_removed_while_serving_is_rebuilt() {
    let bench = Bench::with(&records());
    fs::remove_dir_all(bench.directory()).unwrap();
    assert_eq!(bench.near(&cin(0)).len(), 3, "it is still usable");
    bench.follow_until(|_| bench.directory().join("current").exists());
    assert_eq!(bench.near(&cin(0)), [cin(1), cin(2), din(1)]);
}

#[test]
fn a_new_register_gets_a_new_graph() {
    let old = Bench::with(&records());
    let mut bench = Bench::new();
    bench.store(&[office(5, 1)]);
    fs::create_dir_all(bench.directory().join("generation-1")).unwrap();
    fs::copy(old.generation().join("graph.bin"), bench.directory().join("generation-1/graph.bin"))
        .unwrap();
    fs::write(bench.directory().join("current"), "generation-1").unwrap();
    bench.restart();
    bench.catch_up();
    assert_eq!(bench.network(&cin(0)), None);
    assert!(bench.network(&cin(5)).is_some());
}

#[test]
fn a_graph_that_needs_deleted_entries_of_the_feed_is_rebuilt() {
    let bench = Bench::with(&records());
    let generation = bench.generation();
    bench.store(&[appointed(1, 2), appointed(3, 2)]);
    bench.delete_feed();
    bench.catch_up();
    assert_ne!(bench.generation(), generation);
    assert_eq!(bench.near(&cin(1)), [cin(0), cin(3), din(1), din(2)]);
}

#[test]
fn both_engines_give_the_same_links() {
    on_both_engines(async |databases| {
        let register = databases.register().await;
        register.store_batch(&records(), NOW_MS).await.unwrap();
        let builder = Builder::read_all(&register).await.unwrap();
        assert_eq!(builder.companies(), 3);
        let snapshot = panji_graph::Graph::in_memory(builder).snapshot().unwrap();
        let network = snapshot.network(&cin(0), 1).unwrap();
        let nodes: Vec<&str> = network.nodes.iter().map(|node| node.id.as_str()).collect();
        assert_eq!(nodes, [cin(0), din(1), cin(1)], "the person has more companies");
        assert_eq!(register.list_appointed_dins(&cin(2)).await.unwrap(), [din(1)]);
        let of = register.list_appointments_of(&cin(2), &din(1)).await.unwrap();
        assert_eq!(of.len(), 1);
        assert_eq!(register.find_linked(&cin(7)).await.unwrap(), None);
    });
}
