//! Companies that a source lists under several numbers.

use panji_import::Options;

use crate::Bench;

const PUBLIC: &str = "U01110GA2020PLC990001";
const PRIVATE: &str = "U01110GA2020PTC990001";

/// A company master with these rows: number, name and date of registration.
fn master(rows: &[[&str; 3]]) -> String {
    let header = "CompanyName,CIN,company_roc_code,COMPANYCATEGORY,CompanySubCategory,CompanyClass,\
                  AuthorizedCapital,PaidupCapital,CompanyRegistrationdate_date,Registered Office \
                  Address,ListingStatus,CompanyStatus,CompanyStateCode,CompanyIndian/Foreign \
                  Company,NIC_CODE,CompanyIndustrialClassification";
    let row = |[cin, name, date]: &[&str; 3]| {
        format!(
            "{name},{cin},ROC Goa,Company limited by shares,Non-government company,Private,100000,\
             100000,{date},\"9 NADI MARG,PANAJI,North Goa,Goa,403001-India\",Unlisted,Active,goa,91,\
             1110,Trading"
        )
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

fn dated(as_of: &str) -> Options {
    Options { as_of: Some(as_of.parse().unwrap()), ..Options::default() }
}

#[test]
fn a_company_that_is_listed_under_two_numbers_is_one_company() {
    let mut bench = Bench::new();
    let text = master(&[
        [PUBLIC, "NAMUNA FARMS LIMITED", "2020-08-18"],
        [PRIVATE, "NAMUNA FARMS PRIVATE LIMITED", "2020-08-18"],
        ["U01110GA2020PTC990007", "DOOSRA FARMS PRIVATE LIMITED", "2020-08-18"],
        ["U72900GA2020PTC990007", "TEESRA DIGITAL PRIVATE LIMITED", "2020-08-18"],
    ]);
    let path = bench.file("goa.csv", text);
    let report = bench.import(&path);
    assert_eq!((report.new, report.joined), (4, 1));
    let company = bench.company(PUBLIC);
    assert_eq!(bench.company(PRIVATE), company, "both numbers find it");
    assert_eq!(company.inferred_cins.as_ref(), Some(&company.former_cins));
    let [pair] = &report.possible_duplicates[..] else {
        panic!("{:?}", report.possible_duplicates)
    };
    assert_eq!(pair.reason, "the same number and date of incorporation, but another name");
    let mut names = [pair.first.name.as_str(), pair.second.name.as_str()];
    names.sort_unstable();
    assert_eq!(names, ["DOOSRA FARMS PRIVATE LIMITED", "TEESRA DIGITAL PRIVATE LIMITED"]);
}

#[test]
fn later_files_with_both_numbers_leave_the_company_joined() {
    let mut bench = Bench::new();
    let text = master(&[
        [PUBLIC, "NAMUNA FARMS LIMITED", "2020-08-18"],
        [PRIVATE, "NAMUNA FARMS PRIVATE LIMITED", "2020-08-18"],
    ]);
    let path = bench.file("goa.csv", text);
    bench.import(&path);
    let current = bench.company(PUBLIC).cin;
    let before = bench.newest_change();
    let report = bench.recheck(&path);
    assert_eq!((report.joined, report.unchanged, report.older), (0, 1, 1));
    assert_eq!(bench.newest_change(), before, "nothing changes");
    let reversed = master(&[
        [PRIVATE, "NAMUNA FARMS PRIVATE LIMITED", "2020-08-18"],
        [PUBLIC, "NAMUNA FARMS LIMITED", "2020-08-18"],
    ]);
    let path = bench.file("goa2.csv", reversed);
    bench.import_with(&path, &dated("2027-01-31"));
    assert_eq!(bench.company(PUBLIC).cin, current, "the order of the rows does not matter");
}

#[test]
fn a_former_number_that_alone_is_listed_later_becomes_the_current_one() {
    let mut bench = Bench::new();
    let text = master(&[
        [PUBLIC, "NAMUNA FARMS LIMITED", "2020-08-18"],
        [PRIVATE, "NAMUNA FARMS PRIVATE LIMITED", "2020-08-18"],
    ]);
    let path = bench.file("goa.csv", text);
    bench.import(&path);
    assert_eq!(bench.company(PUBLIC).cin, PRIVATE);
    let later = master(&[[PUBLIC, "NAMUNA FARMS LIMITED", "2020-08-18"]]);
    let path = bench.file("later.csv", later);
    let report = bench.import_with(&path, &dated("2027-01-31"));
    let company = bench.company(PRIVATE);
    assert_eq!((company.cin.as_str(), report.joined), (PUBLIC, 1), "{company:?}");
    assert_eq!(company.former_cins, format!("[\"{PRIVATE}\"]"));
}

#[test]
fn numbers_that_were_separated_are_not_joined_by_the_next_import() {
    let mut bench = Bench::new();
    let rows = [
        [PUBLIC, "NAMUNA FARMS LIMITED", "2020-08-18"],
        [PRIVATE, "NAMUNA FARMS PRIVATE LIMITED", "2020-08-18"],
    ];
    let path = bench.file("goa.csv", master(&rows));
    bench.import(&path);
    let separated = bench.register.separate_companies(PRIVATE, PUBLIC, panji_testkit::NOW_MS);
    bench.runtime.block_on(separated).unwrap();
    let more = ["U01110GA2020PTC990008", "CHAUTHA FARMS PRIVATE LIMITED", "2020-08-19"];
    let path = bench.file("more.csv", master(&[rows[0], rows[1], more]));
    assert_eq!(bench.import(&path).joined, 0);
    assert_eq!(bench.company(PUBLIC).cin, PUBLIC);
    assert_eq!(bench.company(PRIVATE).cin, PRIVATE);
}
