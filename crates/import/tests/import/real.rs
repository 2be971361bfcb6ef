//! The published company master, in the directory of the variable PANJI_REAL_DATA: the rows and
//! irregularities of each file. Without the variable nothing is tested here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use panji_import::Report;
use panji_store::register::{Company, JoinDecision, Separated};

use crate::{Bench, sums};

/// A file of the master after its import.
struct Imported {
    bench: Bench,
    path: PathBuf,
    report: Report,
    companies: Vec<Company>,
}

impl Imported {
    fn count(&self, has: impl Fn(&Company) -> bool) -> usize {
        self.companies.iter().filter(|company| has(company)).count()
    }

    /// The number of addresses with a PIN code, a city, a district.
    fn office_parts(&self) -> [usize; 3] {
        [
            self.count(|company| company.pincode.is_some()),
            self.count(|company| company.city.is_some()),
            self.count(|company| company.district.is_some()),
        ]
    }

    /// The authorised capital of all companies, in rupees.
    fn authorised_rupees(&self) -> i64 {
        self.companies.iter().filter_map(|company| company.authorised_capital).sum::<i64>() / 100
    }

    fn words(&self, word: impl Fn(&Company) -> &str) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for company in &self.companies {
            *counts.entry(word(company)).or_default() += 1;
        }
        counts
    }

    /// A second import of the same file must change nothing.
    fn check_again(&mut self) {
        let newest = self.bench.newest_change();
        let again = self.bench.recheck(&self.path);
        let Report { read, new, rejected, .. } = self.report;
        assert_eq!(sums(&again), [read, 0, 0, new, 0, rejected]);
        assert_eq!(self.bench.newest_change(), newest);
    }
}

#[allow(clippy::disallowed_methods, reason = "names the real files, if there are any")]
fn import(file: &str) -> Option<Imported> {
    let root = PathBuf::from(std::env::var_os("PANJI_REAL_DATA")?);
    let path = root.join("mca_master").join(file);
    let mut bench = Bench::new();
    let report = bench.import(&path);
    assert_eq!(report.failures, [] as [String; 0]);
    // Joined numbers are separated again, so that every row of the file is a company.
    let decisions = bench.runtime.block_on(bench.register.list_join_decisions()).unwrap();
    assert_eq!(decisions.len() as u64, report.joined);
    for JoinDecision { cin, former_cin, .. } in &decisions {
        let separated = bench.register.separate_companies(cin, former_cin, panji_testkit::NOW_MS);
        assert_eq!(bench.runtime.block_on(separated).unwrap(), Separated::Restored);
    }
    let companies = companies(&bench);
    assert_eq!(companies.len() as u64, report.new);
    Some(Imported { bench, path, report, companies })
}

pub fn companies(bench: &Bench) -> Vec<Company> {
    let mut companies: Vec<Company> = Vec::new();
    loop {
        let after = companies.last().map_or("", |company| company.cin.as_str());
        let page = bench.runtime.block_on(bench.register.list_indexed(after, 2_000)).unwrap();
        if page.is_empty() {
            return companies;
        }
        companies.extend(page.iter().map(|entry| bench.company(&entry.cin)));
    }
}

fn registered_in_another_year(company: &Company) -> bool {
    let registered = company.incorporated_on.as_deref().unwrap();
    registered[..4] != company.cin[8..12]
}

fn paid_over_authorised(company: &Company) -> bool {
    company.paid_up_capital > company.authorised_capital
}

#[test]
fn goa_is_imported_completely() {
    let Some(mut goa) = import("new_format/Goa.csv") else { return };
    assert_eq!(sums(&goa.report), [11_879, 11_878, 0, 0, 0, 1]);
    let reject = goa.bench.rejects.0[0].clone();
    assert_eq!(
        reject.reason,
        "cin: character 16 must be a digit, found O: a zero was probably meant"
    );
    assert!(reject.raw.starts_with("U63040GA2006PTCOO4531,"), "{}", reject.raw);
    assert!(goa.report.unreadable_cells.is_empty(), "{:?}", goa.report.unreadable_cells);
    assert_eq!(goa.count(registered_in_another_year), 5);
    assert_eq!(goa.count(paid_over_authorised), 16);
    assert_eq!(goa.count(|company| company.listed == Some(true)), 26);
    assert_eq!(goa.authorised_rupees(), 161_939_889_070);
    assert_eq!(goa.count(|company| company.as_of.as_deref() == Some("2025-05-05")), 11_878);
    assert_eq!(goa.count(|company| company.state.as_deref() == Some("Goa")), 11_878);
    assert_eq!(goa.count(|company| company.roc_code.as_deref() == Some("ROC-GOA")), 11_878);
    let statuses = goa.words(|company| &company.status);
    assert_eq!((statuses["active"], statuses.get("other")), (6_632, None));
    let repaired = goa.bench.company("U31200GA1990PTC001057").address.unwrap();
    assert!(repaired.contains("Gera’s Imperium Grand"), "{repaired}");
    let lost = |company: &Company| company.address.as_ref().unwrap().contains('\u{FFFD}');
    assert_eq!(goa.count(lost), 0);
    assert_eq!(goa.office_parts(), [10_782, 10_602, 10_606]);
    goa.check_again();
}

#[test]
fn the_spreadsheet_of_tamil_nadu_is_imported_completely() {
    let Some(mut nadu) = import("new_format/Demo_TamilNadu.csv") else { return };
    // The 500 empty rows are not counted.
    assert_eq!(sums(&nadu.report), [9_999, 9_999, 0, 0, 0, 0]);
    assert!(nadu.report.unreadable_cells.is_empty(), "{:?}", nadu.report.unreadable_cells);
    // Exchanged months and days would show as unreadable dates or here.
    assert_eq!(nadu.bench.company("U72900TN2020PTC137188").incorporated_on.unwrap(), "2020-08-18");
    assert_eq!(nadu.bench.company("U72900TN2021PTC143832").incorporated_on.unwrap(), "2021-06-01");
    assert_eq!(nadu.count(|company| company.incorporated_on.is_some()), 9_999);
    assert_eq!(nadu.count(registered_in_another_year), 2);
    assert_eq!(nadu.count(paid_over_authorised), 3);
    assert_eq!(nadu.count(|company| company.as_of.as_deref() == Some("2025-05-03")), 9_999);
    let padded = |company: &Company| company.nic_code.as_ref().unwrap().starts_with('0');
    assert_eq!(nadu.count(padded), 391);
    assert_eq!(nadu.count(|company| company.nic_code.as_ref().unwrap().len() == 5), 9_999);
    // The letter of its CIN says unlisted, the column says listed.
    assert_eq!(nadu.count(|company| company.listed == Some(true)), 1);
    assert_eq!(nadu.count(|company| company.cin.starts_with('L')), 0);
    assert_eq!(nadu.authorised_rupees(), 194_888_184_618);
    assert_eq!(nadu.count(|company| &company.cin[6..8] == "TZ"), 2_120);
    assert_eq!(nadu.count(|company| company.state_code.as_deref() == Some("TN")), 9_999);
    assert!(!nadu.words(|company| &company.status).contains_key("other"));
    let repaired = nadu.bench.company("U85191TN2007PTC062121").address.unwrap();
    assert!(repaired.starts_with("First Floor,Block –II (Rear Side)"), "{repaired}");
    let lost = |company: &Company| company.address.as_ref().unwrap().contains('\u{FFFD}');
    assert_eq!(nadu.count(lost), 0);
    assert_eq!(nadu.office_parts(), [9_018, 9_337, 9_285]);
    nadu.check_again();
}

/// The expected content of a file of the older release.
struct Older {
    file: &'static str,
    rows: u64,
    state: &'static str,
    emails: usize,
    annual_returns: usize,
    balance_sheets: usize,
    padded_codes: usize,
    authorised_rupees: i64,
    without_roc: usize,
    office_parts: [usize; 3],
}

fn check_older(expected: &Older) {
    let file = format!("old_format_masked/{}.csv", expected.file);
    let Some(mut older) = import(&file) else { return };
    assert_eq!(sums(&older.report), [expected.rows, expected.rows, 0, 0, 0, 0], "{file}");
    assert!(older.report.unreadable_cells.is_empty(), "{:?}", older.report.unreadable_cells);
    assert_eq!(older.count(registered_in_another_year), 0, "{file}");
    assert_eq!(older.count(|company| company.email.is_some()), expected.emails, "{file}");
    let returns = older.count(|company| company.last_annual_return_year.is_some());
    assert_eq!(returns, expected.annual_returns, "{file}");
    let sheets = older.count(|company| company.last_balance_sheet_on.is_some());
    assert_eq!(sheets, expected.balance_sheets, "{file}");
    let padded = |company: &Company| company.nic_code.as_ref().unwrap().starts_with('0');
    assert_eq!(older.count(padded), expected.padded_codes, "{file}");
    assert_eq!(older.authorised_rupees(), expected.authorised_rupees, "{file}");
    assert_eq!(older.count(|company| company.roc_name.is_none()), expected.without_roc, "{file}");
    let rows = expected.rows as usize;
    assert_eq!(older.count(|company| company.state.as_deref() == Some(expected.state)), rows);
    assert_eq!(older.count(|company| company.as_of.as_deref() == Some("2021-03-31")), rows);
    assert_eq!(older.count(|company| company.listed.is_none()), rows);
    for word in ["status", "class", "category", "sub_category"] {
        let is_other = |company: &Company| match word {
            "status" => company.status == "other",
            "class" => company.class.as_deref() == Some("other"),
            "category" => company.category.as_deref() == Some("other"),
            _ => company.sub_category.as_deref() == Some("other"),
        };
        assert_eq!(older.count(is_other), 0, "{file}: {word}");
    }
    assert_eq!(older.office_parts(), expected.office_parts, "{file}");
    older.check_again();
}

#[test]
#[rustfmt::skip]
fn the_older_release_is_imported_completely() {
    check_older(&Older { file: "Manipur", rows: 1_300, state: "Manipur", emails: 1_105, annual_returns: 504, balance_sheets: 499, padded_codes: 123, authorised_rupees: 9_694_230_111, without_roc: 1, office_parts: [1_143, 1_070, 1_120] });
    check_older(&Older { file: "Mizoram", rows: 197, state: "Mizoram", emails: 163, annual_returns: 78, balance_sheets: 77, padded_codes: 30, authorised_rupees: 2_193_650_000, without_roc: 0, office_parts: [169, 184, 170] });
    check_older(&Older { file: "Nagaland", rows: 681, state: "Nagaland", emails: 420, annual_returns: 227, balance_sheets: 227, padded_codes: 94, authorised_rupees: 6_418_025_000, without_roc: 2, office_parts: [462, 582, 497] });
    check_older(&Older { file: "Sikkim", rows: 2, state: "Sikkim", emails: 2, annual_returns: 1, balance_sheets: 1, padded_codes: 0, authorised_rupees: 200_000, without_roc: 0, office_parts: [2, 2, 2] });
    check_older(&Older { file: "Uttarakhand_first500", rows: 500, state: "Uttarakhand", emails: 424, annual_returns: 251, balance_sheets: 250, padded_codes: 468, authorised_rupees: 7_736_670_000, without_roc: 3, office_parts: [394, 456, 448] });
}

#[test]
fn the_encodings_and_years_of_uttarakhand_are_read() {
    let Some(file) = import("old_format_masked/Uttarakhand_first500.csv") else { return };
    let lost = file.bench.company("U01403UR2015PTC001392").address.unwrap();
    assert!(lost.contains("Village \u{FFFD} Majola"), "{lost}");
    let flex = file.bench.company("L15133UR1990PLC023970");
    assert_eq!(flex.incorporated_on.as_deref(), Some("1990-02-05"));
    assert_eq!(flex.last_annual_return_year.as_deref(), Some("2019-20"));
    assert_eq!(flex.last_balance_sheet_on.as_deref(), Some("2020-03-31"));
}

#[test]
#[allow(clippy::disallowed_methods, reason = "names the real files, if there are any")]
fn the_whole_directory_is_imported_at_once() {
    let Some(root) = std::env::var_os("PANJI_REAL_DATA") else { return };
    let mut bench = Bench::new();
    let report = bench.import(&PathBuf::from(root).join("mca_master"));
    assert_eq!(report.files, 7);
    assert_eq!(sums(&report), [24_558, 24_557, 0, 0, 0, 1]);
    // Four companies are listed as private and as public; one number was given to two companies.
    assert_eq!(
        (report.joined, report.possible_duplicates.len()),
        (4, 1),
        "{:?}",
        report.possible_duplicates
    );
}
