//! When two registered offices are the same.

use panji_graph::{address_key, address_tokens};

fn key(address: &str, pincode: &str) -> Option<u64> {
    address_key(address, Some("Mumbai"), Some(pincode))
}

fn tokens(address: &str) -> String {
    address_tokens(address, Some("Mumbai"), Some("400013")).unwrap_or_default().join(" ")
}

#[test]
fn one_office_in_two_notations_has_one_key() {
    for (one, other) in [
        ("Shop No. 5, Ground Floor, Sapna Market, Kalpit Chowk", "G-5, Sapna Market, Kalpit Chowk"),
        ("Shop No.05, Ground Flr, Sapna Mkt., Kalpit Chowk", "G 5 SAPNA MARKET KALPIT CHOWK"),
        ("14 Namuna Rd, Kalpana Ngr", "14, Namuna Road, Kalpana Nagar, Mumbai - 400013"),
        (
            "14, NAMUNA ROAD, KALPANA NAGAR, MUMBAI, Maharashtra, India",
            "14 Namuna Road Kalpana Nagar",
        ),
        ("Flat No 12-A, Akela Mansion, Ekla Lane", "12 A, AKELA MANSION, EKLA LN"),
        ("Door No. 27, M.G. Road, Misal Puram", "27, M G Rd, Misal Puram"),
        ("D.No. 27, M.G. Road, Misal Puram", "27, M G Rd, Misal Puram"),
        ("12, A Wing, Khwab Heights", "Flat 12, Wing A, Khwab Heights"),
        ("Plot No. 45, Pahiya Industrial Area, Sector 99", "Plot 45, Pahiya Ind. Area, Sec-99"),
        ("305, 3rd Floor, Safar Tower, Pahiya Chowk", "Office No. 305, Safar Towers, Pahiya Chowk"),
        ("3rd Floor, Safar Tower, Pahiya Chowk", "Third Floor, Safar Tower, Pahiya Chowk"),
        ("7 Soot Gali, Near Shiv Mandir, Dhaga Vihar", "7, Soot Gali, Dhaga Vihar"),
        ("7 Soot Gali, Dhaga Vihar, Opp. State Bank", "7, Soot Gali, Dhaga Vihar"),
        (
            "Kalpanik House, 14 Namuna Marg, Kalpana Nagar",
            "14, NAMUNA MARG, KALPANIK HOUSE, KALPANA NGR., BOMBAY",
        ),
    ] {
        assert!(key(one, "400013").is_some(), "{one}: {}", tokens(one));
        assert_eq!(tokens(one), tokens(other), "{one} / {other}");
        assert_eq!(key(one, "400013"), key(other, "400 013"), "{one} / {other}");
    }
}

#[test]
fn two_offices_have_two_keys() {
    for (one, other) in [
        ("G-5, Sapna Market, Kalpit Chowk", "G-6, Sapna Market, Kalpit Chowk"),
        ("G-5, Sapna Market, Kalpit Chowk", "F-5, Sapna Market, Kalpit Chowk"),
        ("Shop 5, Ground Floor, Sapna Market", "Shop 5, First Floor, Sapna Market"),
        ("14 Namuna Road, Kalpana Nagar", "14 Namuna Road, Misal Nagar"),
        ("14 Namuna Road, Kalpana Nagar", "14A Namuna Road, Kalpana Nagar"),
        ("Plot 45, Pahiya Area, Sector 99", "Plot 45, Pahiya Area, Sector 98"),
        ("3rd Floor, Safar Tower, Pahiya Chowk", "4th Floor, Safar Tower, Pahiya Chowk"),
        ("12, Wing A, Khwab Heights", "12, Wing B, Khwab Heights"),
        ("12, A Wing, Khwab Heights", "12, C Wing, Khwab Heights"),
        ("5, New Sapna Market, Kalpit Chowk", "5, Old Sapna Market, Kalpit Chowk"),
    ] {
        assert_ne!(tokens(one), tokens(other), "{one} / {other}");
    }
    let office = "14 Namuna Road, Kalpana Nagar";
    assert_ne!(key(office, "400013"), key(office, "400014"), "the PIN code differs");
}

#[test]
fn an_address_that_many_share_has_no_key() {
    for address in [
        "",
        "Mumbai",
        "Village Rampur",
        "MG Road",
        "Sector 5",
        "Near Bus Stand, Rampur",
        "14",
        "14, 15",
    ] {
        assert_eq!(key(address, "400013"), None, "{address}: {}", tokens(address));
    }
    assert_eq!(
        address_key("14 Namuna Road, Kalpana Nagar", None, None),
        None,
        "without a PIN code"
    );
    assert_eq!(key(&"A1 word ".repeat(200), "400013"), None, "too long");
}

#[test]
fn the_pin_code_may_be_in_the_address_alone() {
    let with = address_key("14 Namuna Road, Kalpana Nagar, Mumbai 400 013", None, None);
    assert!(with.is_some());
    assert_eq!(with, key("14 Namuna Road, Kalpana Nagar", "400013"));
}
