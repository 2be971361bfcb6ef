//! States, their registrars and their towns.

/// A registrar of companies and its region.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Registrar {
    pub state: &'static str,
    /// The letters in CINs issued until 2022.
    pub older_code: &'static str,
    /// The letters in CINs issued since.
    pub newer_code: &'static str,
    /// The registrar's name in the company master.
    pub name: &'static str,
    /// The state's two digits in GSTINs.
    pub gst_code: &'static str,
    /// How many of ten thousand companies are here.
    pub weight: u64,
    pub towns: &'static [Town],
}

/// A town: name, district, and the first three digits of its PIN codes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Town(pub &'static str, pub &'static str, pub &'static str);

macro_rules! registrars {
    ($( $state:literal $older:literal $newer:literal $name:literal $gst:literal $weight:literal
        [$( $town:literal $district:literal $pin:literal ),+]; )*) => {
        pub(crate) const REGISTRARS: &[Registrar] = &[$( Registrar {
            state: $state,
            older_code: $older,
            newer_code: $newer,
            name: $name,
            gst_code: $gst,
            weight: $weight,
            towns: &[$( Town($town, $district, $pin) ),+],
        } ),*];
    };
}

#[rustfmt::skip]
registrars! {
    "Maharashtra" "MH" "MH" "ROC Mumbai" "27" 1500 ["MUMBAI" "Mumbai" "400", "MUMBAI" "Mumbai" "400", "THANE" "Thane" "400", "NAGPUR" "Nagpur" "440", "NASHIK" "Nashik" "422", "AURANGABAD" "Aurangabad" "431"];
    "Maharashtra" "PN" "PN" "ROC Pune" "27" 380 ["PUNE" "Pune" "411", "PUNE" "Pune" "411", "KOLHAPUR" "Kolhapur" "416", "SOLAPUR" "Solapur" "413"];
    "Delhi" "DL" "DL" "ROC Delhi" "07" 1400 ["NEW DELHI" "New Delhi" "110", "DELHI" "South Delhi" "110", "DELHI" "North West Delhi" "110"];
    "West Bengal" "WB" "WB" "ROC Kolkata" "19" 800 ["KOLKATA" "Kolkata" "700", "KOLKATA" "Kolkata" "700", "HOWRAH" "Howrah" "711", "SILIGURI" "Darjeeling" "734", "DURGAPUR" "Bardhaman" "713"];
    "Karnataka" "KA" "KA" "ROC Bangalore" "29" 650 ["BANGALORE" "Bangalore" "560", "BANGALORE" "Bangalore" "560", "MYSORE" "Mysore" "570", "MANGALORE" "Dakshina Kannada" "575", "HUBLI" "Dharwad" "580"];
    "Uttar Pradesh" "UP" "UP" "ROC Kanpur" "09" 640 ["NOIDA" "Gautam Buddha Nagar" "201", "LUCKNOW" "Lucknow" "226", "KANPUR" "Kanpur Nagar" "208", "GHAZIABAD" "Ghaziabad" "201", "AGRA" "Agra" "282", "VARANASI" "Varanasi" "221"];
    "Tamil Nadu" "TN" "TN" "ROC Chennai" "33" 560 ["CHENNAI" "Chennai" "600", "CHENNAI" "Chennai" "600", "MADURAI" "Madurai" "625", "TIRUCHIRAPPALLI" "Tiruchirappalli" "620"];
    "Tamil Nadu" "TZ" "TZ" "ROC Coimbatore" "33" 150 ["COIMBATORE" "Coimbatore" "641", "TIRUPPUR" "Tiruppur" "641", "ERODE" "Erode" "638", "SALEM" "Salem" "636"];
    "Telangana" "TG" "TS" "ROC Hyderabad" "36" 560 ["HYDERABAD" "Hyderabad" "500", "HYDERABAD" "Hyderabad" "500", "SECUNDERABAD" "Hyderabad" "500", "WARANGAL" "Warangal" "506"];
    "Gujarat" "GJ" "GJ" "ROC Ahmedabad" "24" 560 ["AHMEDABAD" "Ahmedabad" "380", "SURAT" "Surat" "395", "VADODARA" "Vadodara" "390", "RAJKOT" "Rajkot" "360", "BHAVNAGAR" "Bhavnagar" "364"];
    "Haryana" "HR" "HR" "ROC Delhi" "06" 420 ["GURGAON" "Gurgaon" "122", "GURGAON" "Gurgaon" "122", "FARIDABAD" "Faridabad" "121", "PANIPAT" "Panipat" "132", "HISAR" "Hisar" "125"];
    "Kerala" "KL" "KL" "ROC Ernakulam" "32" 360 ["ERNAKULAM" "Ernakulam" "682", "THIRUVANANTHAPURAM" "Thiruvananthapuram" "695", "THRISSUR" "Thrissur" "680", "KOZHIKODE" "Kozhikode" "673"];
    "Rajasthan" "RJ" "RJ" "ROC Jaipur" "08" 320 ["JAIPUR" "Jaipur" "302", "JODHPUR" "Jodhpur" "342", "UDAIPUR" "Udaipur" "313", "KOTA" "Kota" "324"];
    "Madhya Pradesh" "MP" "MP" "ROC Gwalior" "23" 250 ["INDORE" "Indore" "452", "BHOPAL" "Bhopal" "462", "GWALIOR" "Gwalior" "474", "JABALPUR" "Jabalpur" "482"];
    "Bihar" "BR" "BR" "ROC Patna" "10" 220 ["PATNA" "Patna" "800", "GAYA" "Gaya" "823", "MUZAFFARPUR" "Muzaffarpur" "842"];
    "Andhra Pradesh" "AP" "AP" "ROC Vijayawada" "37" 220 ["VIJAYAWADA" "Krishna" "520", "VISAKHAPATNAM" "Visakhapatnam" "530", "GUNTUR" "Guntur" "522", "TIRUPATI" "Chittoor" "517"];
    "Punjab" "PB" "PB" "ROC Chandigarh" "03" 170 ["LUDHIANA" "Ludhiana" "141", "JALANDHAR" "Jalandhar" "144", "AMRITSAR" "Amritsar" "143", "MOHALI" "Rupnagar" "160"];
    "Odisha" "OR" "OD" "ROC Cuttack" "21" 150 ["BHUBANESWAR" "Khordha" "751", "CUTTACK" "Cuttack" "753", "ROURKELA" "Sundargarh" "769"];
    "Jharkhand" "JH" "JH" "ROC Ranchi" "20" 100 ["RANCHI" "Ranchi" "834", "JAMSHEDPUR" "East Singhbhum" "831", "DHANBAD" "Dhanbad" "826"];
    "Assam" "AS" "AS" "ROC Shillong" "18" 85 ["GUWAHATI" "Kamrup" "781", "DIBRUGARH" "Dibrugarh" "786", "SILCHAR" "Cachar" "788"];
    "Chhattisgarh" "CT" "CG" "ROC Chhattisgarh" "22" 85 ["RAIPUR" "Raipur" "492", "BILASPUR" "Bilaspur" "495", "BHILAI" "Durg" "490"];
    "Uttarakhand" "UR" "UT" "ROC Uttarakhand" "05" 80 ["DEHRADUN" "Dehradun" "248", "HARIDWAR" "Haridwar" "249", "HALDWANI" "Nainital" "263"];
    "Chandigarh" "CH" "CH" "ROC Chandigarh" "04" 60 ["CHANDIGARH" "Chandigarh" "160"];
    "Goa" "GA" "GA" "ROC Goa" "30" 45 ["PANAJI" "North Goa" "403", "MARGAO" "South Goa" "403", "MAPUSA" "North Goa" "403"];
    "Himachal Pradesh" "HP" "HP" "ROC Himachal Pradesh" "02" 45 ["SHIMLA" "Shimla" "171", "SOLAN" "Solan" "173", "BADDI" "Solan" "173"];
    "Jammu and Kashmir" "JK" "JK" "ROC Jammu" "01" 45 ["SRINAGAR" "Srinagar" "190", "JAMMU" "Jammu" "180"];
    "Puducherry" "PY" "PY" "ROC Pondicherry" "34" 20 ["PUDUCHERRY" "Puducherry" "605", "KARAIKAL" "Karaikal" "609"];
    "Manipur" "MN" "MN" "ROC Shillong" "14" 12 ["IMPHAL" "West Imphal" "795"];
    "Meghalaya" "ML" "ML" "ROC Shillong" "17" 8 ["SHILLONG" "East Khasi Hills" "793"];
    "Tripura" "TR" "TR" "ROC Shillong" "16" 7 ["AGARTALA" "West Tripura" "799"];
    "Nagaland" "NL" "NL" "ROC Shillong" "13" 7 ["DIMAPUR" "Dimapur" "797"];
    "Arunachal Pradesh" "AR" "AR" "ROC Shillong" "12" 7 ["ITANAGAR" "Papum Pare" "791"];
    "Mizoram" "MZ" "MZ" "ROC Shillong" "15" 5 ["AIZAWL" "Aizawl" "796"];
    "Sikkim" "SK" "SK" "ROC Shillong" "11" 5 ["GANGTOK" "East Sikkim" "737"];
    "Dadra and Nagar Haveli" "DN" "DN" "ROC Ahmedabad" "26" 6 ["SILVASSA" "Dadra and Nagar Haveli" "396"];
    "Daman and Diu" "DD" "DD" "ROC Goa" "26" 5 ["DAMAN" "Daman" "396"];
    "Andaman and Nicobar Islands" "AN" "AN" "ROC Kolkata" "35" 5 ["PORT BLAIR" "South Andaman" "744"];
    "Ladakh" "LA" "LA" "ROC Jammu" "38" 5 ["LEH" "Leh" "194"];
    "Lakshadweep" "LD" "LD" "ROC Ernakulam" "31" 5 ["KAVARATTI" "Lakshadweep" "682"];
}
