//! Street addresses: invented streets in real towns.

use crate::chance::Chance;
use crate::places::Town;
use crate::words::{BRANDS, DEITIES, PLACES, SURNAMES};

/// A street with house and quarter, and a PIN code of the town.
pub(crate) fn street_and_pincode(chance: &mut Chance, town: &Town) -> (String, String) {
    let pincode = format!("{}{:03}", town.2, chance.between(1, 99));
    let house = match chance.below(6) {
        0 => format!("{}/{}", chance.between(1, 400), chance.between(1, 60)),
        1 => format!("PLOT NO.{}", chance.between(1, 500)),
        2 => format!("SHOP NO {}", chance.between(1, 80)),
        3 => format!("FLAT NO.{:02}", chance.between(1, 60)),
        4 => format!("H NO {}-{}", chance.between(1, 30), chance.between(1, 900)),
        _ => format!("NO.{}", chance.between(1, 999)),
    };
    let building = match chance.below(4) {
        0 => format!(" {} TOWERS,", BRANDS.pick(chance)),
        1 => format!(" {} COMPLEX,", DEITIES.pick(chance)),
        _ => String::new(),
    };
    let street = match chance.below(5) {
        0 => format!("{} ROAD", PLACES.pick(chance)),
        1 => format!("{} NAGAR", DEITIES.pick(chance)),
        2 => format!("{} STREET", SURNAMES.pick(chance)),
        3 => format!("SECTOR {}", chance.between(1, 120)),
        _ => format!("{} COLONY", SURNAMES.pick(chance)),
    };
    (format!("{house},{building} {street}"), pincode)
}
