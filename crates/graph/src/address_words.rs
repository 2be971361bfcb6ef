//! The words of Indian addresses: their spellings, and which of them distinguish offices.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// Abbreviations and other spellings: `short=long`.
const SPELLINGS: &str = "RD=ROAD STR=STREET ST=STREET NGR=NAGAR NAGR=NAGAR MRG=MARG LN=LANE BLDG=BUILDING \
     BLDNG=BUILDING BUILDINGS=BUILDING APT=APARTMENT APTS=APARTMENT APPT=APARTMENT \
     APARTMENTS=APARTMENT APPARTMENT=APARTMENT SOC=SOCIETY CHSL=SOCIETY CHS=SOCIETY \
     IND=INDUSTRIAL INDL=INDUSTRIAL INDS=INDUSTRIAL EST=ESTATE EXTN=EXTENSION EXT=EXTENSION \
     COL=COLONY CLY=COLONY MKT=MARKET SEC=SECTOR SECT=SECTOR PH=PHASE BLK=BLOCK \
     CPLX=COMPLEX COMPLX=COMPLEX CTR=CENTRE CENTER=CENTRE HSE=HOUSE GRD=GROUND GR=GROUND \
     GRND=GROUND FLR=FLOOR FLOORS=FLOOR HWY=HIGHWAY JN=JUNCTION SQ=SQUARE TWR=TOWER \
     TOWERS=TOWER CHAMBER=CHAMBERS VILL=VILLAGE VPO=VILLAGE BHAVAN=BHAWAN BHVN=BHAWAN \
     CHOWKI=CHOWK ENCL=ENCLAVE GDN=GARDEN GARDENS=GARDEN HTS=HEIGHTS MAIDEN=MAIDAN";
/// Words for a unit, which one office is written with and without.
const UNIT_WORDS: &str = "SHOP FLAT UNIT OFFICE OFF ROOM DOOR PLOT SUITE CABIN PREMISES PREMISE NO NOS NUM \
     NUMBER HNO HN DNO PNO SNO GALA GODOWN BEARING MUNICIPAL MCD";
/// Words that say nothing about which office it is.
const GENERIC: &str = "ROAD STREET MARG LANE BUILDING HOUSE COMPLEX THE OF AND AT IN POST PO PS DIST DISTRICT \
     TALUKA TALUK TAL TEHSIL TEH VILLAGE CITY TOWN STATE PIN PINCODE CODE INDIA FLOOR LEVEL \
     REGD REGISTERED CO CARE SO WO";
/// A part of an address that begins with one of these describes a landmark.
const LANDMARKS: &str = "NEAR NR OPP OPPOSITE BEHIND BESIDE BESIDES ADJ ADJACENT NEXT ABOVE BELOW OFF FACING \
     BACKSIDE";
/// Words that belong to the number after them.
const NUMBERED: &str = "SECTOR PHASE BLOCK WING TOWER CROSS MAIN STAGE WARD SURVEY KHASRA GATE GUT SCO SCF GAT \
     GALI POCKET";
/// Names of cities that an address may have with or instead of the current one; `_` is a space.
const CITIES: &str = "MUMBAI BOMBAY KOLKATA CALCUTTA CHENNAI MADRAS BENGALURU BANGALORE PUNE POONA DELHI \
     NEW_DELHI NAVI_MUMBAI HYDERABAD SECUNDERABAD AHMEDABAD AHMADABAD GURGAON GURUGRAM \
     NOIDA VADODARA BARODA SURAT JAIPUR KOCHI COCHIN ERNAKULAM INDORE THANE LUCKNOW MYSORE \
     MYSURU COIMBATORE";
/// Names of floors: `name=number`.
const FLOORS: &str = "GROUND=0 FIRST=1 SECOND=2 THIRD=3 FOURTH=4 FIFTH=5 SIXTH=6 SEVENTH=7 EIGHTH=8 NINTH=9 \
     TENTH=10 I=1 II=2 III=3 IV=4 V=5 IST=1 IIND=2 IIIRD=3 IVTH=4 VTH=5";

type Words = LazyLock<FxHashSet<&'static str>>;
type Pairs = LazyLock<FxHashMap<&'static str, &'static str>>;

fn pairs(text: &'static str) -> FxHashMap<&'static str, &'static str> {
    text.split_whitespace().filter_map(|pair| pair.split_once('=')).collect()
}

/// The usual spelling of an abbreviation.
pub fn spelled(word: &str) -> Option<&'static str> {
    static KNOWN: Pairs = LazyLock::new(|| pairs(SPELLINGS));
    KNOWN.get(word).copied()
}

/// Whether a word does not distinguish one office from another.
pub fn is_noise(word: &str) -> bool {
    static KNOWN: Words =
        LazyLock::new(|| UNIT_WORDS.split_whitespace().chain(GENERIC.split_whitespace()).collect());
    KNOWN.contains(word)
}

pub fn is_landmark(word: &str) -> bool {
    static KNOWN: Words = LazyLock::new(|| LANDMARKS.split_whitespace().collect());
    KNOWN.contains(word)
}

/// Whether a word belongs to the number after it.
pub fn is_numbered(word: &str) -> bool {
    static KNOWN: Words = LazyLock::new(|| NUMBERED.split_whitespace().collect());
    KNOWN.contains(word)
}

pub fn is_city(name: &str) -> bool {
    static KNOWN: LazyLock<FxHashSet<String>> =
        LazyLock::new(|| CITIES.split_whitespace().map(|name| name.replace('_', " ")).collect());
    KNOWN.contains(name)
}

/// The number of a floor that is written as a word.
pub fn floor_named(word: &str) -> Option<u32> {
    static KNOWN: Pairs = LazyLock::new(|| pairs(FLOORS));
    KNOWN.get(word).and_then(|number| number.parse().ok())
}
