//! The codes and names of states: two letters in a CIN, two digits in a GSTIN.

/// State letters in CINs, sorted. If a state has several, all are in use: companies registered
/// before about 2023 keep the older ones. `PN` and `TZ` are the registrars at Pune and Coimbatore.
const CIN_STATES: [(&str, &str); 45] = [
    ("AN", "Andaman and Nicobar Islands"),
    ("AP", "Andhra Pradesh"),
    ("AR", "Arunachal Pradesh"),
    ("AS", "Assam"),
    ("BR", "Bihar"),
    ("CG", "Chhattisgarh"),
    ("CH", "Chandigarh"),
    ("CT", "Chhattisgarh"),
    ("DD", "Daman and Diu"),
    ("DL", "Delhi"),
    ("DN", "Dadra and Nagar Haveli"),
    ("GA", "Goa"),
    ("GJ", "Gujarat"),
    ("HP", "Himachal Pradesh"),
    ("HR", "Haryana"),
    ("JH", "Jharkhand"),
    ("JK", "Jammu and Kashmir"),
    ("KA", "Karnataka"),
    ("KL", "Kerala"),
    ("LA", "Ladakh"),
    ("LD", "Lakshadweep"),
    ("LH", "Ladakh"),
    ("MH", "Maharashtra"),
    ("ML", "Meghalaya"),
    ("MN", "Manipur"),
    ("MP", "Madhya Pradesh"),
    ("MZ", "Mizoram"),
    ("NL", "Nagaland"),
    ("OD", "Odisha"),
    ("OR", "Odisha"),
    ("PB", "Punjab"),
    ("PN", "Maharashtra"),
    ("PY", "Puducherry"),
    ("RJ", "Rajasthan"),
    ("SK", "Sikkim"),
    ("TG", "Telangana"),
    ("TN", "Tamil Nadu"),
    ("TR", "Tripura"),
    ("TS", "Telangana"),
    ("TZ", "Tamil Nadu"),
    ("UK", "Uttarakhand"),
    ("UP", "Uttar Pradesh"),
    ("UR", "Uttarakhand"),
    ("UT", "Uttarakhand"),
    ("WB", "West Bengal"),
];

/// Codes that are not the result of a state's name: they are older, rarer, or those of a city.
const SECONDARY_CODES: [&str; 8] = ["CT", "LH", "OR", "PN", "TG", "TZ", "UK", "UR"];

/// Other spellings and former names, each with its code.
const OTHER_NAMES: [(&str, &str); 26] = [
    ("Andaman and Nicobar", "AN"),
    ("Andaman", "AN"),
    ("Arunachal", "AR"),
    ("Chattisgarh", "CG"),
    ("Chhatisgarh", "CG"),
    ("Chattishgarh", "CG"),
    ("Dadra and Nagar Haveli and Daman and Diu", "DN"),
    ("Dadar and Nagar Haveli", "DN"),
    ("DNH", "DN"),
    ("NCT of Delhi", "DL"),
    ("National Capital Territory of Delhi", "DL"),
    ("Delhi NCT", "DL"),
    ("New Delhi", "DL"),
    ("Himachal", "HP"),
    ("J and K", "JK"),
    ("Laddakh", "LA"),
    ("Lakshadweep Islands", "LD"),
    ("Lakshwadeep", "LD"),
    ("Orissa", "OD"),
    ("Pondicherry", "PY"),
    ("Pondichery", "PY"),
    ("Tamilnad", "TN"),
    ("Telengana", "TS"),
    ("Uttaranchal", "UT"),
    ("Uttrakhand", "UT"),
    ("Bengal", "WB"),
];

/// The name of the state with two letters of a CIN, in any case.
///
/// ```
/// use panji_ids::cin_state;
///
/// assert_eq!(cin_state("OR"), Some("Odisha"));
/// assert_eq!(cin_state("OD"), Some("Odisha"));
/// assert_eq!(cin_state("TZ"), Some("Tamil Nadu"));
/// assert_eq!(cin_state("XX"), None);
/// ```
pub fn cin_state(code: &str) -> Option<&'static str> {
    cin_state_codes().find(|(known, _)| known.eq_ignore_ascii_case(code)).map(|(_, name)| name)
}

/// Every pair of state letters in CINs with the state's name, sorted by the letters.
///
/// ```
/// use panji_ids::cin_state_codes;
///
/// assert_eq!(cin_state_codes().filter(|(_, name)| *name == "Uttarakhand").count(), 3);
/// ```
pub fn cin_state_codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    CIN_STATES.iter().copied()
}

/// The current CIN letters of a state, by its name: in any case, with `&` for "and", in common
/// spellings, and with former names.
///
/// ```
/// use panji_ids::state_code_by_name;
///
/// assert_eq!(state_code_by_name("jammu & kashmir"), Some("JK"));
/// assert_eq!(state_code_by_name("Orissa"), Some("OD"));
/// assert_eq!(state_code_by_name("Atlantis"), None);
/// ```
pub fn state_code_by_name(name: &str) -> Option<&'static str> {
    // Most requested names are not states: the first letter shows that at once.
    let first = letters(name).next()?.to_ascii_uppercase();
    let otherwise_named = OTHER_NAMES.iter().map(|(name, code)| (*code, *name));
    cin_state_codes()
        .chain(otherwise_named)
        .filter(|(_, known)| known.as_bytes()[0] == first && letters(known).eq(letters(name)))
        .map(|(code, _)| code)
        .find(|code| !SECONDARY_CODES.contains(code))
}

/// The name of the state with the first two digits of a GSTIN.
///
/// ```
/// use panji_ids::gst_state;
///
/// assert_eq!(gst_state("27"), Some("Maharashtra"));
/// assert_eq!(gst_state("96"), None);
/// ```
pub fn gst_state(code: &str) -> Option<&'static str> {
    let name = match code {
        "01" => "Jammu and Kashmir",
        "02" => "Himachal Pradesh",
        "03" => "Punjab",
        "04" => "Chandigarh",
        "05" => "Uttarakhand",
        "06" => "Haryana",
        "07" => "Delhi",
        "08" => "Rajasthan",
        "09" => "Uttar Pradesh",
        "10" => "Bihar",
        "11" => "Sikkim",
        "12" => "Arunachal Pradesh",
        "13" => "Nagaland",
        "14" => "Manipur",
        "15" => "Mizoram",
        "16" => "Tripura",
        "17" => "Meghalaya",
        "18" => "Assam",
        "19" => "West Bengal",
        "20" => "Jharkhand",
        "21" => "Odisha",
        "22" => "Chhattisgarh",
        "23" => "Madhya Pradesh",
        "24" => "Gujarat",
        "25" => "Daman and Diu",
        "26" => "Dadra and Nagar Haveli and Daman and Diu",
        "27" => "Maharashtra",
        "28" => "Andhra Pradesh (before division)",
        "29" => "Karnataka",
        "30" => "Goa",
        "31" => "Lakshadweep",
        "32" => "Kerala",
        "33" => "Tamil Nadu",
        "34" => "Puducherry",
        "35" => "Andaman and Nicobar Islands",
        "36" => "Telangana",
        "37" => "Andhra Pradesh",
        "38" => "Ladakh",
        "97" => "Other territory",
        "99" => "Centre jurisdiction",
        // 96, other countries, is only used as a place of supply.
        _ => return None,
    };
    Some(name)
}

/// The letters of a name in lower case, with `&` as "and" and everything else skipped.
fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().flat_map(|byte| {
        let (spelled, count) = match byte {
            b'&' => (*b"and", 3),
            _ if byte.is_ascii_alphabetic() => ([byte.to_ascii_lowercase(), 0, 0], 1),
            _ => ([0; 3], 0),
        };
        spelled.into_iter().take(count)
    })
}
