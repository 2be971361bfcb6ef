//! Street addresses: synthetic streets in real towns.

use crate::places::Town;
use crate::random::Random;
use crate::vocabulary::{BRANDS, DEITIES, PLACES, SURNAMES};

/// A street with house and quarter, and a PIN code of the town.
pub(crate) fn street_and_pincode(random: &mut Random, town: &Town) -> (String, String) {
    let pincode = format!("{}{:03}", town.2, random.between(1, 99));
    let house = match random.below(6) {
        0 => format!("{}/{}", random.between(1, 400), random.between(1, 60)),
        1 => format!("PLOT NO.{}", random.between(1, 500)),
        2 => format!("SHOP NO {}", random.between(1, 80)),
        3 => format!("FLAT NO.{:02}", random.between(1, 60)),
        4 => format!("H NO {}-{}", random.between(1, 30), random.between(1, 900)),
        _ => format!("NO.{}", random.between(1, 999)),
    };
    let building = match random.below(4) {
        0 => format!(" {} TOWERS,", BRANDS.pick(random)),
        1 => format!(" {} COMPLEX,", DEITIES.pick(random)),
        _ => String::new(),
    };
    let street = match random.below(5) {
        0 => format!("{} ROAD", PLACES.pick(random)),
        1 => format!("{} NAGAR", DEITIES.pick(random)),
        2 => format!("{} STREET", SURNAMES.pick(random)),
        3 => format!("SECTOR {}", random.between(1, 120)),
        _ => format!("{} COLONY", SURNAMES.pick(random)),
    };
    (format!("{house},{building} {street}"), pincode)
}
