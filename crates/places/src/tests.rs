//! Checks of the two files of the table.

use super::*;

#[test]
fn every_line_of_both_files_is_valid() {
    for text in [PINCODES, CITIES] {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            assert_eq!(line.split('|').count(), 3, "{line}");
            assert_eq!(line.trim(), line);
        }
        assert_eq!(lines_of(text).count(), lines.count());
    }
    for [state, names, cities] in lines_of(CITIES) {
        let former = names.split_once('<').map_or("", |(_, former)| former);
        for name in former.split(',').filter(|name| !name.is_empty()) {
            assert!(places().district(state, name).is_some(), "{state} {name}");
        }
        for city in cities.split(';') {
            let (city, own) = city.split_once('#').unwrap_or((city, "*"));
            let all = city
                .trim_start_matches([' ', '~'])
                .split(['=', '@'])
                .all(|name| !name.trim().is_empty());
            let ranges = own.split_whitespace().all(|own| own == "*" || range_of(own).is_some());
            assert!(all && ranges, "{state} {city}");
            let names = city.split('@').next().unwrap_or_default();
            for name in names.split('=') {
                assert!(Key::new(state, [name]).is_some(), "{name} is too long");
                assert!(name.split_whitespace().count() <= MAX_NAME_WORDS, "{name}");
            }
        }
    }
}

#[test]
fn the_districts_of_both_files_are_the_same() {
    let places = places();
    let mut with_pincodes = vec![false; places.districts.len()];
    for [state, name, _] in lines_of(PINCODES) {
        let id = places.district(state, name);
        let id = id.unwrap_or_else(|| panic!("{state} {name} has no line in cities.txt"));
        with_pincodes[usize::from(id)] = true;
    }
    for (district, has) in places.districts.iter().zip(with_pincodes) {
        assert!(has, "{} {} has no PIN codes", district.state, district.name);
    }
    assert_eq!(places.district_ids.len(), count_of_names(), "a name of two districts");
}

/// The number of distinct names of all districts.
fn count_of_names() -> usize {
    let names = |[state, names, _]: [&'static str; 3]| {
        let names = names.split('<').next().unwrap_or_default();
        let mut keys: Vec<Key> =
            names.split('=').filter_map(|name| Key::new(state, [name])).collect();
        keys.sort_unstable_by_key(|key| key.bytes);
        keys.dedup();
        keys.len()
    };
    lines_of(CITIES).map(names).sum()
}

#[test]
fn ranges_of_pin_codes_are_in_the_district_of_their_city_and_do_not_overlap() {
    let places = places();
    for (first, last, index) in &places.ranges {
        let city = places.city(*index);
        let state = places.districts[usize::from(city.district)].state;
        let in_district = |pincode: &u32| {
            let districts = places.districts_of(*pincode, state);
            places.agrees(city, &pincode.to_string(), &districts)
        };
        assert!((*first..=*last).any(|pincode| in_district(&pincode)), "{} {first}", city.name);
    }
    let overlap = places.ranges.windows(2).find(|pair| pair[0].1 >= pair[1].0);
    assert_eq!(overlap, None);
}
