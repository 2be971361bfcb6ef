//! Both releases of the company master: fictitious rows with every difficulty of real files.

use panji_import::panji::parse_line;
use panji_import::{DateOrder, Options, Report};
use panji_store::register::Company;

use crate::{Bench, fixture, sums};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_usual_row_of_the_newer_release_fills_its_fields() {
    let mut bench = Bench::new();
    bench.import(&fixture("mca_master_2023.csv"));
    let usual = bench.company("U01110GA2020PTC990001");
    let expected = Company {
        cin: "U01110GA2020PTC990001".into(),
        name: "NAMUNA FARMS PRIVATE LIMITED".into(),
        kind: "company".into(),
        status: "active".into(),
        status_text: some("Active"),
        class: some("private"),
        class_text: some("Private"),
        category: some("limited_by_shares"),
        category_text: some("Company limited by shares"),
        sub_category: some("non_government"),
        sub_category_text: some("Non-government company"),
        listed: Some(false),
        incorporated_on: some("2020-08-18"),
        registration_number: some("990001"),
        address: some("9 NADI MARG TARA BHAVAN,PANAJI,North Goa,Goa,403001-India"),
        city: some("Panaji"),
        district: some("North Goa"),
        state: some("Goa"),
        state_code: some("GA"),
        pincode: some("403001"),
        country: some("India"),
        roc_code: some("ROC-GOA"),
        roc_name: some("ROC Goa"),
        nic_code: some("01110"),
        nic_description: some("Trading"),
        former_names: "[]".into(),
        former_cins: "[]".into(),
        authorised_capital: Some(10_000_000),
        paid_up_capital: Some(10_000_000),
        as_of: some("2020-08-18"),
        coverage: "{}".into(),
        source: "mca_master_2023".into(),
        ..Company::default()
    };
    assert_eq!(usual, expected);
}

#[test]
fn difficult_rows_of_the_newer_release_are_read() {
    let mut bench = Bench::new();
    bench.import(&fixture("mca_master_2023.csv"));
    let listed = bench.company("L24100GA1990PLC990002");
    assert_eq!(listed.incorporated_on, some("1990-07-09"));
    assert_eq!(listed.authorised_capital, Some(27_300_000_000_000));
    assert_eq!(listed.paid_up_capital, Some(100_000_050));
    assert_eq!(listed.listed, Some(true));
    assert!(listed.address.unwrap().starts_with("Block –II Tara’s House,CHENNAI 600 041,"));
    assert_eq!((listed.state, listed.state_code), (some("Tamil Nadu"), some("TN")));
    assert_eq!(listed.pincode, some("600041"));
    assert_eq!((listed.city, listed.district), (some("Chennai"), some("Chennai")));

    let llp = bench.company("AAZ-9901");
    assert_eq!((llp.kind.as_str(), llp.status.as_str()), ("llp", "converted_to_company"));
    assert_eq!((llp.class, llp.category_text, llp.listed), (None, None, None));
    assert_eq!((llp.incorporated_on, llp.address, llp.country), (None, None, None));
    assert_eq!((llp.state, llp.nic_code, llp.paid_up_capital), (some("Goa"), None, None));
    let foreign = bench.company("F99001");
    assert_eq!((foreign.kind.as_str(), foreign.status.as_str()), ("foreign_company", "other"));
    assert_eq!(foreign.status_text, some("Wound Up Abroad"));
    assert_eq!(foreign.incorporated_on, some("2019-12-31"));

    let other_year = bench.company("U01110GA2006PTC990004");
    assert_eq!(other_year.incorporated_on, some("2007-03-05"));
    let quoted = bench.company("U01110GA2006PTC990006");
    assert_eq!(quoted.address, some("M/S \"TARA\" BHAVAN, 5\" ROAD,Goa,403001-India"));
    let two_lines = bench.company("U01110GA2006PTC990007");
    assert_eq!(two_lines.city, some("Margao"));
    assert_eq!(bench.company("U01110GA2006PTC990008").incorporated_on, some("2006-04-08"));
    let odd = bench.company("U01110GA2006PTC990010");
    assert_eq!((odd.authorised_capital, odd.paid_up_capital), (Some(10_000), Some(50_000)));
    assert_eq!((odd.incorporated_on, odd.listed, odd.nic_code), (None, None, None));
    let undated = bench.company("U01110GA2006PTC990012");
    assert_eq!((undated.incorporated_on, undated.status.as_str()), (None, "unknown"));
}

#[test]
fn the_report_accounts_for_every_row_of_the_newer_release() {
    let mut bench = Bench::new();
    let report = bench.import(&fixture("mca_master_2023.csv"));
    assert_eq!(sums(&report), [17, 10, 0, 0, 0, 7]);
    let no_text = "the row is not text: it has control characters";
    let count = "the row has 17 cells, the header 16: a quote or a separator is out of place";
    let expected = [
        (8, "cin: character 16 must be a digit, found O: a zero was probably meant"),
        (10, "a quote is opened and not closed"),
        (14, no_text),
        (15, no_text),
        (16, no_text),
        (18, count),
        (21, "name is empty"),
    ];
    assert_eq!(bench.rejected(), expected);
    assert_eq!(report.by_reason[no_text], 3);
    assert_eq!(report.by_reason["cin: a character is not allowed at its position"], 1);
    let unreadable: Vec<_> =
        report.unreadable_cells.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    let expected = [
        ("authorised capital", 1),
        ("date of registration", 1),
        ("industry code", 1),
        ("listing status", 1),
    ];
    assert_eq!(unreadable, expected);
    assert_eq!(report.failures, [] as [String; 0]);
}

#[test]
fn difficult_rows_of_the_older_release_are_imported() {
    let mut bench = Bench::new();
    let report = bench.import(&fixture("mca_master_2021.csv"));
    let old = bench.company("U01100MN1913PTC990001");
    assert_eq!(old.incorporated_on, some("1913-11-03"));
    assert_eq!((old.class, old.nic_code), (some("one_person"), some("01100")));
    assert_eq!((old.city, old.district), (some("Imphal"), some("Imphal West")));
    assert_eq!((old.pincode, old.country), (some("795001"), some("India")));
    assert_eq!((old.roc_name, old.roc_code), (some("RoC-Shillong"), some("ROC-SHILLONG")));
    assert_eq!(old.email, some("namuna@example.in"));
    assert_eq!(old.last_annual_return_year, some("2019-20"));
    assert_eq!(old.last_balance_sheet_on, some("2019-03-31"));
    assert_eq!(old.listed, None);
    assert_eq!((old.as_of, old.source.as_str()), (some("2021-03-31"), "mca_master_2021"));

    let empty = bench.company("U99999MN2013PLC990002");
    assert_eq!(empty.status, "not_available_for_efiling");
    assert_eq!((empty.address, empty.roc_name, empty.roc_code), (None, None, None));
    assert_eq!((empty.nic_description, empty.email), (None, None));
    assert_eq!(empty.incorporated_on, some("2013-12-27"));

    let windows = bench.company("L15133UR1990PLC990003");
    let address = "Café Road Village \u{FFFD} Majola – Dehradun , Dehradun Unclassified UR 248001";
    assert_eq!(windows.address, some(address));
    assert_eq!((windows.city, windows.state_code), (some("Dehradun"), some("UT")));
    assert_eq!((windows.email, windows.listed), (None, None));
    assert_eq!(windows.last_annual_return_year, some("2019-20"));
    assert_eq!(windows.last_balance_sheet_on, some("2012-12-31"));

    let year = bench.company("U15133UR1999PTC990004");
    assert_eq!(year.incorporated_on, some("2000-04-01"));
    assert_eq!((year.status.as_str(), year.state), ("active", some("Uttarakhand")));
    assert_eq!(year.last_annual_return_year, some("2019"));
    assert_eq!(year.last_balance_sheet_on, None);

    assert_eq!(sums(&report), [6, 4, 0, 0, 0, 2]);
    assert_eq!(bench.rejected().iter().map(|(line, _)| *line).collect::<Vec<_>>(), [6, 7]);
    assert!(bench.rejected()[0].1.starts_with("cin: "), "{:?}", bench.rejected());
    assert!(bench.rejected()[1].1.starts_with("the row has 4 cells"), "{:?}", bench.rejected());
    assert_eq!(report.unreadable_cells["latest balance sheet"], 1);
}

#[test]
fn a_second_import_changes_nothing() {
    let mut bench = Bench::new();
    for name in ["mca_master_2021.csv", "mca_master_2023.csv"] {
        let first = bench.import(&fixture(name));
        let newest = bench.newest_change();
        let again = bench.recheck(&fixture(name));
        assert_eq!(sums(&again), [first.read, 0, 0, first.new, 0, first.rejected]);
        assert_eq!(bench.newest_change(), newest);
    }
}

#[test]
fn a_master_row_does_not_change_fields_of_another_source() {
    let mut bench = Bench::new();
    let line = r#"{"record":"company","cin":"U01110GA2020PTC990001","name":"Namuna Farms",
        "email":"namuna@example.in","former_names":[{"name":"Purana Limited"}],
        "former_cins":["U01110MH2020PTC990001"],"capital":{"members":5},
        "last_agm_on":"2019-09-30","as_of":"2019-12-31"}"#;
    let line = line.replace('\n', " ");
    parse_line(&line).unwrap();
    let own = bench.file("own.jsonl", &line);
    bench.import(&own);
    let report = bench.import(&fixture("mca_master_2023.csv"));
    assert_eq!((report.new, report.changed), (9, 1));
    let merged = bench.company("U01110MH2020PTC990001");
    assert_eq!(merged.cin, "U01110GA2020PTC990001");
    assert_eq!(merged.name, "NAMUNA FARMS PRIVATE LIMITED");
    assert_eq!(merged.email, some("namuna@example.in"));
    assert_eq!((merged.members, merged.last_agm_on), (Some(5), some("2019-09-30")));
    assert!(merged.former_names.contains("Purana"));
    assert_eq!(sums(&bench.import(&own))[4], 1, "it is older now");
}

const HEADER: &str = "CIN,CompanyName,CompanyROCcode,CompanyRegistrationdate_date,\
    Registered_Office_Address,Listingstatus,CompanyStatus\n";

impl Bench {
    /// Imports rows of the newer release.
    fn import_text(&mut self, name: &str, rows: &str) -> Report {
        let path = self.file(name, format!("{HEADER}{rows}"));
        self.import(&path)
    }
}

fn row(number: u32, date: &str) -> String {
    format!(
        "U01110GA2006PTC{number:06},NAMUNA {number} PRIVATE LIMITED,ROC Goa,{date},\
         \"9 NADI MARG, NEAR TARA BHAVAN, BEHIND THE OLD MILL,PANAJI,Goa,403001-India\",\
         Unlisted,Active\n"
    )
}

#[test]
fn a_long_range_of_garbage_does_not_affect_other_rows() {
    let mut bench = Bench::new();
    let mut content = format!("{HEADER}{}", row(1, "2006-04-01")).into_bytes();
    // More than the longest line, without a line end, and with quotes that open cells.
    content.extend([0xFF, b',', b'"', 0x00, 0x9D].repeat(600_000));
    content.push(b'\n');
    content.extend(row(2, "2006-04-02").bytes());
    // A cell that never ends, at the end of the file.
    content.extend(b"U01110GA2006PTC000003,\"open\nmore\nand more\n");
    let path = bench.file("garbage.csv", content);
    let report = bench.import(&path);
    assert_eq!((report.new, report.failures.len()), (2, 0));
    assert_eq!(bench.rejected()[0], (3, "the line is longer than 1048576 bytes"));
    assert_eq!(bench.rejected()[1], (5, "a quote is opened and not closed"));
    assert!(bench.rejects.0.iter().all(|reject| reject.raw.chars().count() <= 2_000));
}

#[test]
fn the_order_of_dates_is_detected_from_the_whole_file() {
    let mut bench = Bench::new();
    let unclear: String = (1..8_000).map(|number| row(number, "2/3/2006")).collect();
    assert!(unclear.len() > 1 << 20);
    let path = bench.file("late.csv", format!("{HEADER}{unclear}{}", row(8_000, "2/28/2006")));
    bench.import(&path);
    let first = bench.company("U01110GA2006PTC000001");
    assert_eq!(first.incorporated_on, some("2006-02-03"));
    assert_eq!(first.as_of, some("2006-02-28"));
}

#[test]
fn ambiguous_dates_are_counted_if_nothing_determines_the_order() {
    let mut bench = Bench::new();
    let rows = [row(1, "2/3/2006"), row(2, "4/5/2006"), row(3, "6/6/2006"), row(4, "NA")];
    let path = bench.file("unclear.csv", format!("{HEADER}{}", rows.concat()));
    let report = bench.import(&path);
    let counts: Vec<u64> = report.ambiguities.values().copied().collect();
    assert_eq!(counts, [2], "{:?}", report.ambiguities);
    assert!(
        report.ambiguities.keys().all(|ambiguity| ambiguity.contains("--dates")),
        "{:?}",
        report.ambiguities
    );
    assert_eq!(bench.company("U01110GA2006PTC000001").incorporated_on, some("2006-03-02"));

    let dates = |order| Options { dates: Some(order), ..Options::default() };
    let report = bench.import_with(&path, &dates(DateOrder::MonthFirst));
    assert!(report.ambiguities.is_empty(), "{:?}", report.ambiguities);
    assert_eq!(report.known_files, 0, "another order makes another cache key");
    assert_eq!(bench.company("U01110GA2006PTC000001").incorporated_on, some("2006-02-03"));
    let report = bench.import_with(&path, &dates(DateOrder::DayFirst));
    assert!(report.ambiguities.is_empty(), "{:?}", report.ambiguities);
}

#[test]
fn one_unambiguous_date_determines_the_order() {
    let mut bench = Bench::new();
    let rows = [row(1, "2/3/2006"), row(2, "4/25/2006")].concat();
    let report = bench.import_text("clear.csv", &rows);
    assert!(report.ambiguities.is_empty(), "{:?}", report.ambiguities);
    let rows = [row(1, "2/3/2006"), row(2, "4/25/2006"), row(3, "25/4/2006")].concat();
    let report = bench.import_text("both.csv", &rows);
    assert_eq!(
        report.ambiguities.values().sum::<u64>(),
        1,
        "dates of both orders do not determine the order"
    );
    let rows = [row(1, "2006-03-02"), row(2, "02-03-2006")].concat();
    let report = bench.import_text("dashes.csv", &rows);
    assert!(report.ambiguities.is_empty(), "{:?}", report.ambiguities);
}

#[test]
fn a_lost_space_in_a_name_is_restored() {
    let mut bench = Bench::new();
    let broken = row(1, "2006-03-02").replace("PRIVATE LIMITED", "SERVICESPRIVATELIMITED");
    bench.import_text("broken.csv", &broken);
    let company = bench.company("U01110GA2006PTC000001");
    assert_eq!(company.name, "NAMUNA 1 SERVICES PRIVATE LIMITED");
    assert_eq!(company.name_text.as_deref(), Some("NAMUNA 1 SERVICESPRIVATELIMITED"));
}

#[test]
fn a_broken_word_of_an_address_is_joined_and_the_sources_words_are_stored_too() {
    let mut bench = Bench::new();
    let broken = row(1, "2006-03-02").replace("PANAJI,Goa", "CALANG,UTE BARDEZ,GOA,Goa");
    let broken = broken.replace("403001", "403516");
    bench.import_text("broken.csv", &broken);
    let company = bench.company("U01110GA2006PTC000001");
    assert_eq!((company.city, company.pincode), (some("Calangute"), some("403516")));
    for (address, end) in [
        (company.address, "BEHIND THE OLD MILL,CALANGUTE BARDEZ,GOA,Goa,403516-India"),
        (company.address_text, "BEHIND THE OLD MILL,CALANG,UTE BARDEZ,GOA,Goa,403516-India"),
    ] {
        assert!(address.as_ref().unwrap().ends_with(end), "{address:?}");
    }
}

#[test]
fn a_date_is_required_if_none_can_be_determined() {
    let mut bench = Bench::new();
    let path = bench.file("undated.csv", format!("{HEADER}{}", row(1, "NA")));
    let report = bench.import(&path);
    assert_eq!((report.new, report.failures.len()), (0, 1));
    assert!(report.failures[0].ends_with("give it as --as-of DATE"), "{:?}", report.failures);
    let path = bench.file("empty.csv", HEADER);
    assert_eq!(bench.import(&path).failures.len(), 0);
    let header = HEADER.replace("Listingstatus", "EMAIL_ADDR");
    let later = row(1, "2021-06-01").replace("GA2006", "GA2021");
    let path = bench.file("later.csv", format!("{header}{later}"));
    bench.import(&path);
    let later = bench.company("U01110GA2021PTC000001");
    assert_eq!((later.as_of, later.source.as_str()), (some("2021-06-01"), "mca_master_2021"));
}
