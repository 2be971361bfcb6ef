//! Addresses with the difficulties of real ones.

use super::split;

/// Checks the PIN code, city and district of an address.
fn check(address: &str, state_code: &str, expected: [&str; 3]) {
    let parts = split(address, Some(state_code));
    let found = [parts.pincode, parts.city, parts.district].map(Option::unwrap_or_default);
    assert_eq!(found, expected, "{address}");
}

#[test]
fn the_newer_release_separates_parts_by_commas() {
    let panaji = ["403001", "Panaji", "North Goa"];
    check("9 NADI MARG,PANAJI,North Goa,Goa,403001-India", "GA", panaji);
    check("9 NADI MARG   PANJIM,GOA,Goa,403001-India", "GA", panaji);
    check("AQUEM,Margao,Goa,403601-India", "GA", ["403601", "Margao", "South Goa"]);
    check("9 NADI MARG,GOA,North Goa,Goa,NA-India", "GA", ["", "", "North Goa"]);
    check("NA,Goa,600001-India", "GA", ["", "", ""]);
    check("", "GA", ["", "", ""]);
}

#[test]
fn the_older_release_ends_in_unclassified() {
    let imphal = ["795001", "Imphal", "Imphal West"];
    check("TAT MARG IMPHAL IMPHAL , West Imphal Unclassified MN 795001", "MN", imphal);
    let gangtok = ["737102", "Gangtok", "Gangtok"];
    check("Tat Marg, Gangtok , East Sikkim Unclassified SK 737102", "SK", gangtok);
    check("TAT MARG DIMAPUR NAGALAND , Unclassified NL 000000", "NL", ["", "Dimapur", ""]);
    check("TAT MARG MANIPUR , Unclassified MN", "MN", ["", "", ""]);
    check(", Unclassified MN 000000", "MN", ["", "", ""]);
}

#[test]
fn the_capital_is_a_city() {
    let new_delhi = ["110019", "New Delhi", "South Delhi"];
    check("9 NADI MARG,KALKAJI,NEW DELHI,South Delhi,Delhi,110019-India", "DL", new_delhi);
    check("9 NADI MARG,NEW DELHI,Delhi,110001-India", "DL", ["110001", "New Delhi", "New Delhi"]);
    check("9 NADI MARG,DELHI,Central Delhi,Delhi,110006-India", "DL", ["110006", "Delhi", ""]);
    check("9 NADI MARG,KAROL BAGH,Delhi,110005-India", "DL", ["110005", "Delhi", "Central Delhi"]);
}

#[test]
fn cities_may_end_in_nagar() {
    #[rustfmt::skip]
    let cities = [
        ("AHMEDNAGAR,Ahmednagar,Maharashtra,414001", "MH", ["414001", "Ahmednagar", "Ahmednagar"]),
        ("GANDHINAGAR,Gandhinagar,Gujarat,382010", "GJ", ["382010", "Gandhinagar", "Gandhinagar"]),
        ("JAMNAGAR,Jamnagar,Gujarat,361001", "GJ", ["361001", "Jamnagar", "Jamnagar"]),
        ("BHAVNAGAR,Bhavnagar,Gujarat,364001", "GJ", ["364001", "Bhavnagar", "Bhavnagar"]),
        ("SRINAGAR,Srinagar,Jammu and Kashmir,190001", "JK", ["190001", "Srinagar", "Srinagar"]),
        ("KARIMNAGAR,Karimnagar,Telangana,505001", "TS", ["505001", "Karimnagar", "Karimnagar"]),
        ("ULHASNAGAR,Thane,Maharashtra,421002", "MH", ["421002", "Ulhasnagar", "Thane"]),
        ("MUZAFFARNAGAR,Uttar Pradesh,251001", "UP", ["251001", "Muzaffarnagar", "Muzaffarnagar"]),
    ];
    for (end, state_code, expected) in cities {
        check(&format!("9 NADI MARG,{end}-India"), state_code, expected);
    }
    // A quarter with the same name in another state is not the city.
    check("9 MARG,SRINAGAR,Erode,Tamil Nadu,638052-India", "TN", ["638052", "", "Erode"]);
}

#[test]
fn old_names_and_other_spellings_give_the_current_name() {
    let address = |end: &str| format!("9 NADI MARG,{end}-India");
    let bengaluru = ["560001", "Bengaluru", "Bengaluru Urban"];
    for name in ["BANGALORE", "Bengaluru", "BANGLORE"] {
        let end = format!("{name},Bangalore,Karnataka,560001");
        check(&address(&end), "KA", bengaluru);
    }
    let ahmedabad = ["380009", "Ahmedabad", "Ahmedabad"];
    for name in ["AHMADABAD", "Ahmedabad"] {
        let end = format!("{name},Ahmadabad City,Gujarat,380009");
        check(&address(&end), "GJ", ahmedabad);
    }
    let end = "AURANGABAD,Aurangabad,Maharashtra,431001";
    let name = "Chhatrapati Sambhajinagar";
    check(&address(end), "MH", ["431001", name, name]);
    let chennai = ["600017", "Chennai", "Chennai"];
    check(&address("MADRAS-17,Chennai,Tamil Nadu,600017"), "TN", chennai);
    let navi_mumbai = ["410210", "Navi Mumbai", "Raigad"];
    check(&address("NAVI MUMBAI,Raigad(MH),Maharashtra,410210"), "MH", navi_mumbai);
    let hyderabad = ["500001", "Hyderabad", "Hyderabad"];
    // The companies of Telangana were registered in Andhra Pradesh.
    check(&address("HYDERABAD,Andhra Pradesh,500001"), "AP", hyderabad);
    check(&address("HYDERABAD,Hyderabad,Andhra Pradesh,500001"), "AP", hyderabad);
}

#[test]
fn a_landmark_near_the_office_is_not_the_city() {
    let ludhiana = ["141001", "Ludhiana", "Ludhiana"];
    check("9 MARG,NEAR GURUDWARA,Ludhiana,Punjab,141001-India", "PB", ludhiana);
    check("9 MARG,NEAR GURUDWARA,Moga,Punjab,142001-India", "PB", ["142001", "", "Moga"]);
    check("9 MARG,NEAR MOGA,Punjab,142001-India", "PB", ["142001", "", "Moga"]);
    check("9 OLD MADRAS ROAD,Goa,000000-India", "GA", ["", "", ""]);
    // A name next to the word for a district, or for a part of one.
    let erode = ["", "", "Erode"];
    check("9 MARG   DHARAPURAM TALUK,ERODE DISTRICT,Erode,Tamil Nadu,000000-India", "TN", erode);
    check("TAT MARG DIST. KOHIMA NAGALAND , Unclassified NL 000000", "NL", ["", "", ""]);
}

#[test]
fn a_house_number_is_not_a_pin_code() {
    let none = ["", "Alwar", "Alwar"];
    check("9/301 306 TARA BHAVAN,ALWAR,Alwar,Rajasthan,000000-India", "RJ", none);
    check("SHOP 301 306 TARA BHAVAN,ALWAR,Alwar,Rajasthan,000000-India", "RJ", none);
    check("9/301306,ALWAR,Alwar,Rajasthan,000000-India", "RJ", none);
    let alwar = ["301001", "Alwar", "Alwar"];
    check("9 MARG   ALWAR 301 001,ALWAR,Alwar,Rajasthan,000000-India", "RJ", alwar);
    check("9 MARG ALWAR-301001,Alwar,Rajasthan,000000-India", "RJ", alwar);
    let chennai = ["600041", "Chennai", "Chennai"];
    let address = "16/4, TAT MARG 600 041,CHENNAI,Chennai,Tamil Nadu,000000-India";
    check(address, "TN", chennai);
}

#[test]
fn parts_that_contradict_each_other_are_left_out() {
    // The city and the PIN code are of different districts, and nothing shows which is right.
    check("9 MARG,MADURAI,Tamil Nadu,600017-India", "TN", ["", "", ""]);
    // The district decides between them.
    let without_city = ["600017", "", "Chennai"];
    check("9 MARG,MADURAI,Chennai,Tamil Nadu,600017-India", "TN", without_city);
    check("9 MARG,MADURAI,Madurai,Tamil Nadu,600017-India", "TN", ["", "Madurai", "Madurai"]);
    // Another state than the state of the company, by its name or by the PIN code.
    let elsewhere = "9 MARG,BILASPUR,Bilaspur,Chhattisgarh,000000-India";
    check(elsewhere, "HP", ["", "", ""]);
    check("9 MARG,BILASPUR,Himachal Pradesh,495001-India", "HP", ["", "", ""]);
    // A PIN code that is not in use.
    check("9 MARG,PANAJI,North Goa,Goa,403999-India", "GA", ["", "Panaji", "North Goa"]);
    check("9 MARG,PANAJI,North Goa,Goa,403001-India", "", ["", "", ""]);
}

#[test]
fn a_town_is_distinguished_from_its_region() {
    let anjuna = ["403509", "Anjuna", "North Goa"];
    check("9 MARG   ANJUNA,BARDEZ,North Goa,Goa,403509-India", "GA", anjuna);
    check("9 MARG   ANJUNA,MAPUSA,North Goa,Goa,403509-India", "GA", anjuna);
    let vasco = ["403802", "Vasco da Gama", "South Goa"];
    check("9 MARG   VASCO,MORMUGAO,South Goa,Goa,403802-India", "GA", vasco);
    // The current district, where the source has the former one.
    let hosur = ["635109", "Hosur", "Krishnagiri"];
    check("9 MARG   HOSUR,DHARMAPURI,Dharmapuri,Tamil Nadu,635109-India", "TN", hosur);
    let kashipur = ["244713", "Kashipur", "Udham Singh Nagar"];
    let address =
        "9 MARG KASHIPUR DISTT. UDHAM SINGH NAGAR , Udham Singh Nagar Unclassified UR 244713";
    check(address, "UT", kashipur);
}

#[test]
fn broken_and_joined_words_are_read() {
    let calangute = ["403516", "Calangute", "North Goa"];
    check("9 MARG   NEAR TARA BHAVAN CALANG,UTE BARDEZ,NA,Goa,403516-India", "GA", calangute);
    let kashipur = ["", "Kashipur", ""];
    check("9 ALIGANJ ROADKASHIPUR UTTARANCHAL , Unclassified UR 000000", "UT", kashipur);
    let sivakasi = ["626123", "Sivakasi", "Virudhunagar"];
    check("9 MARG SIVAKASITAMILNADU,Tamil Nadu,626123-India", "TN", sivakasi);
    // A name that only ends like a city.
    check("9 MARG,NAYAKASHIPUR,Uttarakhand,000000-India", "UT", ["", "", ""]);
}
