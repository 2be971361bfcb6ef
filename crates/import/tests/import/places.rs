//! Compares the table of places with the directory from which it was made, and checks the cities of
//! the real company masters. Nothing is checked if `PANJI_REAL_DATA` is not set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::Bench;
use crate::real::companies;

/// The minimum share of rows with a city, in percent. Rows without an address count too.
const MIN_PERCENT_WITH_CITY: usize = 90;

#[allow(clippy::disallowed_methods, reason = "./test names the real files")]
fn real_data(path: &str) -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("PANJI_REAL_DATA")?).join(path))
}

/// Wrong districts in the directory.
#[rustfmt::skip]
const MISTAKES: [(u32, &str); 24] = [
    (110_025, "BUDAUN"), (305_402, "MULUGU"), (311_601, "MULUGU"), (332_028, "MULUGU"),
    (333_022, "MULUGU"), (334_002, "RAIPUR"), (335_513, "MULUGU"), (335_526, "MULUGU"),
    (343_027, "MULUGU"), (384_316, "NAGAUR"), (504_214, "BAPATLA"), (504_215, "PRAKASAM"),
    (504_346, "PRAKASAM"), (505_187, "PARVATHIPURAM MANYAM"), (505_325, "BAPATLA"),
    (505_525, "PARVATHIPURAM MANYAM"), (506_003, "BAPATLA"), (509_132, "KRISHNA"),
    (509_324, "VIZIANAGARAM"), (531_149, "MEDAK"), (612_906, "KOZHIKODE"), (756_048, "MULUGU"),
    (791_701, "AIZAWL"), (799_001, "NIRMAL"),
];
/// The right districts of two of these PIN codes: those of their head post offices.
const CORRECTIONS: [(u32, &str); 2] = [(334_002, "BIKANER"), (799_001, "WEST TRIPURA")];

/// The PIN codes with the names of their districts, from pincodes.txt.
fn pairs_of_table() -> BTreeSet<(u32, String)> {
    let table = include_str!("../../../places/src/pincodes.txt");
    let mut pairs = BTreeSet::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('|').collect();
        let words: Vec<&str> = fields[2].split(' ').collect();
        for halves in words.chunks(2) {
            for range in halves[1].split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                for second in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
                    let pincode = halves[0].parse::<u32>().unwrap() * 1_000 + second;
                    pairs.insert((pincode, fields[1].to_owned()));
                }
            }
        }
    }
    pairs
}

#[test]
fn the_table_has_every_pin_code_of_the_directory() {
    let Some(path) = real_data("places/pincodes.csv") else { return };
    let directory = std::fs::read_to_string(path).unwrap();
    let rows = directory.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>());
    let pairs: BTreeSet<(u32, String)> = rows
        .filter(|row| !row[1].is_empty() && !row[2].is_empty())
        .map(|row| (row[0].parse().unwrap(), row[1]))
        .filter(|pair| !MISTAKES.contains(pair))
        .chain(CORRECTIONS)
        .map(|(pincode, district)| (pincode, district.to_owned()))
        .collect();
    let table = pairs_of_table();
    assert_eq!(pairs.difference(&table).next(), None);
    assert_eq!(table.difference(&pairs).next(), None);
}

#[test]
#[allow(clippy::print_stdout, reason = "the shares are read by people")]
fn nine_in_ten_rows_of_the_real_masters_have_a_city() {
    let Some(path) = real_data("mca_master") else { return };
    let mut bench = Bench::new();
    bench.import(&path);
    let companies = companies(&bench);
    let mut by_state: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for company in &companies {
        let state = company.state.as_deref().unwrap_or("(none)");
        for name in [state, "(all)"] {
            let counts = by_state.entry(name).or_default();
            counts[0] += 1;
            counts[1] += usize::from(company.pincode.is_some());
            counts[2] += usize::from(company.city.is_some());
            counts[3] += usize::from(company.district.is_some());
        }
    }
    for (state, [rows, pincodes, cities, districts]) in &by_state {
        let share = |count: &usize| *count as f64 * 100.0 / *rows as f64;
        println!(
            "{state}: {rows} rows, PIN code {:.1}%, city {:.1}%, district {:.1}%",
            share(pincodes),
            share(cities),
            share(districts)
        );
    }
    let [rows, _, cities, _] = by_state["(all)"];
    assert!(cities * 100 >= rows * MIN_PERCENT_WITH_CITY, "{cities} of {rows}");
    // Words that an earlier version took for cities.
    let cities: BTreeSet<&str> =
        companies.iter().filter_map(|company| company.city.as_deref()).collect();
    for word in ["NEAR", "ROAD", "GURUDWARA", "BARDEZ", "SALCETE", "GOA", "TALUK", "DISTRICT"] {
        let served = |city: &&&str| city.to_uppercase().split(' ').any(|part| part == word);
        let served = cities.iter().find(served).filter(|city| **city != "Old Goa");
        assert!(served.is_none_or(|city| *city == "Goa Velha"), "{served:?}");
    }
}
