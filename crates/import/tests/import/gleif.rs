//! GLEIF's records: which company an LEI is joined with, its parents, and what is left out.

use std::path::PathBuf;

use panji_import::Options;
use panji_import::xbrl::Symbols;
use panji_store::register::{Company, CompanyLei, LeiParent, Record};
use panji_testkit::{NOW_MS, records};

use super::{Bench, fixture, sums};

const COMPANY: &str = "U17110MH2001PTC990501";
const LEI: &str = "98450099PANJI0000184";
const HOLDING: &str = "98450099PANJI0000378";
const ABROAD: &str = "98450099PANJI0000475";
const EXCEPTIONS: &str = "gleif/20260110-0800-gleif-goldencopy-repex-golden-copy.csv";

const NO_COMPANY: &str = "a parent of an entity whose LEI is not that of a company in the register (import Level 1 before Level 2)";
const NO_PARENT: &str =
    "the LEI of an entity of another registry than the MCA (RA000394) that is no company's parent";

impl Bench {
    fn lei(&self, cin: &str) -> CompanyLei {
        let found = self.runtime.block_on(self.register.find_company_lei(cin)).unwrap();
        found.unwrap_or_else(|| panic!("{cin} has no LEI"))
    }

    fn parents(&self, lei: &str) -> Vec<LeiParent> {
        self.runtime.block_on(self.register.list_lei_parents(lei)).unwrap()
    }

    fn holder(&self, lei: &str) -> Option<String> {
        let found = self.runtime.block_on(self.register.find_lei_holder(lei)).unwrap();
        found.map(|holder| holder.name)
    }
}

#[test]
fn a_company_gets_the_lei_that_names_its_number_with_dates_of_india() {
    let mut bench = Bench::new();
    let report = bench.import(&fixture("gleif/lei2.csv"));
    assert_eq!(sums(&report), [8, 4, 0, 0, 0, 2]);
    assert_eq!(report.by_resource["lei"], 4);
    let lei = bench.lei(COMPANY);
    assert_eq!((lei.lei.as_str(), lei.source.as_str()), (LEI, "gleif"));
    // 18:30 in UTC is midnight in India.
    assert_eq!(lei.as_of.as_deref(), Some("2025-03-22"));
    assert_eq!(lei.next_renewal_on.as_deref(), Some("2026-05-08"));
    assert_eq!(lei.registered_on.as_deref(), Some("2021-05-06"));
    let status = (lei.registration_status.as_str(), lei.registration_status_text.as_deref());
    assert_eq!(status, ("issued", Some("ISSUED")));
    let llp = bench.lei("ZZD-0001");
    assert_eq!(
        (llp.registration_status.as_str(), llp.as_of.as_deref()),
        ("lapsed", Some("2025-01-01"))
    );
    let retired = bench.lei("U17110MH2001PTC990508");
    assert_eq!((retired.entity_status.as_str(), retired.as_of), ("inactive", None));
    assert_eq!(report.unreadable_cells["Registration.LastUpdateDate"], 1);
}

#[test]
fn records_that_cannot_be_joined_are_counted_with_the_reason() {
    let mut bench = Bench::new();
    let report = bench.import(&fixture("gleif/lei2.csv"));
    assert_eq!(report.skipped[NO_PARENT], 2, "a company abroad, and a branch under its PAN");
    let [number, check] = &bench.rejected()[..] else { panic!("{:?}", bench.rejected()) };
    assert_eq!(number.0, 7);
    assert!(number.1.starts_with("registeredAs: character 18 must be a digit"), "{}", number.1);
    assert!(check.1.starts_with("lei: the check digits must be 66"), "{}", check.1);
    assert!(bench.rejects.0.iter().all(|reject| !reject.raw.contains("UDAHARAN")));
}

#[test]
fn parents_are_of_known_companies_only_and_a_past_one_does_not_hide_the_present() {
    let mut bench = Bench::new();
    // Before the holders are known, nothing can be said of their parents; the file is not taken for known then.
    let early = bench.import(&fixture("gleif/rr.csv"));
    assert_eq!((early.new, early.skipped[NO_COMPANY]), (0, 4));
    bench.import(&fixture("gleif/lei2.csv"));
    let report = bench.import(&fixture("gleif/rr.csv"));
    assert_eq!((report.known_files, report.by_resource["lei_parent"]), (0, 3));
    assert_eq!(report.skipped[NO_COMPANY], 1);
    assert_eq!(
        report.skipped["a relationship of another kind than that to a consolidating parent"],
        1
    );
    assert!(bench.rejected()[0].1.starts_with("EndNode: an LEI has 20 characters, this has 18"));
    let parents = bench.parents(LEI);
    let present: Vec<(&str, &str)> = parents
        .iter()
        .filter(|parent| parent.active)
        .map(|parent| (parent.relation.as_str(), parent.parent_lei.as_str()))
        .collect();
    assert_eq!(present, [("direct", HOLDING), ("ultimate", ABROAD)]);
    assert_eq!(parents.len(), 3, "the past parent is stored as such");
}

#[test]
fn the_name_of_a_parent_abroad_is_stored_once_it_is_known_as_a_parent() {
    let mut bench = Bench::new();
    bench.import(&fixture("gleif/lei2.csv"));
    assert_eq!(bench.holder(ABROAD), None);
    assert_eq!(bench.holder(HOLDING).as_deref(), Some("NAMUNA HOLDINGS LIMITED"));
    bench.import(&fixture("gleif/rr.csv"));
    let again = bench.import(&fixture("gleif/lei2.csv"));
    assert_eq!((again.new, again.by_resource["lei_entity"]), (1, 1));
    assert_eq!(again.skipped[NO_PARENT], 1);
    assert_eq!(bench.holder(ABROAD).as_deref(), Some("BEISPIEL TEXTIL GMBH"));
}

#[test]
fn an_exception_says_why_there_is_no_parent_on_the_day_of_its_publication() {
    let mut bench = Bench::new();
    bench.import(&fixture("gleif/lei2.csv"));
    let report = bench.import(&fixture(EXCEPTIONS));
    assert_eq!((report.new, report.rejected, report.skipped[NO_COMPANY]), (2, 1, 1));
    let [direct, ultimate] = &bench.parents(HOLDING)[..] else { panic!("two") };
    assert_eq!(direct.exception.as_deref(), Some("natural_persons"));
    assert_eq!(direct.exception_text.as_deref(), Some("NATURAL_PERSONS"));
    assert_eq!((direct.parent_lei.as_str(), direct.as_of.as_deref()), ("", Some("2026-01-10")));
    assert_eq!(ultimate.exception.as_deref(), Some("no_known_person"));
}

#[test]
fn the_responses_of_the_gleif_api_give_the_same_records() {
    let mut bench = Bench::new();
    let copied = ["1_records.json", "2_relationships.jsonl", "3_parent.json"].map(|name| {
        let content = std::fs::read(fixture("gleif").join(name)).unwrap();
        bench.file(&format!("responses/{name}"), content)
    });
    let report = bench.import(copied[0].parent().unwrap());
    assert_eq!(sums(&report), [5, 4, 0, 0, 0, 0]);
    assert_eq!(bench.lei(COMPANY).as_of.as_deref(), Some("2025-03-22"));
    let [direct, ultimate] = &bench.parents(LEI)[..] else { panic!("two") };
    assert_eq!(direct.parent_lei, ABROAD);
    assert_eq!(ultimate.exception.as_deref(), Some("non_consolidating"));
    assert_eq!(bench.holder(ABROAD).as_deref(), Some("BEISPIEL TEXTIL GMBH"));
    let left = "a record of GLEIF that is about no holder, relationship or exception";
    assert_eq!(report.skipped[left], 1);
}

#[test]
fn an_lei_under_a_former_number_is_that_of_the_company() {
    let mut bench = Bench::new();
    let present = "U17110GJ2001PTC990501";
    let company = Company {
        former_cins: format!("[\"{COMPANY}\"]"),
        ..records::company(present, "Udaharan Textiles Private Limited")
    };
    let batch = [Record::Company(company)];
    bench.runtime.block_on(bench.register.store_batch(&batch, NOW_MS)).unwrap();
    bench.import(&fixture("gleif/lei2.csv"));
    assert_eq!(bench.lei(present).lei, LEI);
}

#[test]
fn broken_json_and_a_header_of_no_list_are_refused() {
    let mut bench = Bench::new();
    let broken = bench.file("broken.json", "{\"data\": [{\"type\": \"lei-records\",");
    assert!(bench.import(&broken).failures[0].contains("not JSON"));
    let other = bench.file("other.csv", "LEI,Name\n");
    let options =
        Options { format: panji_import::Format::from_name("gleif"), ..Options::default() };
    let report = bench.import_with(&other, &options);
    assert!(report.failures[0].contains("headings of no list"), "{:?}", report.failures);
}

#[test]
fn the_isins_of_a_list_of_symbols_are_stored() {
    let mut bench = Bench::new();
    let list = "SYMBOL,CIN,ISIN NUMBER\nNAMUNA,L10799KA2012PLC990101,INE990A01014\nKORA,L17111MH1994PLC990011,-\n";
    let symbols = Symbols::read(list.as_bytes()).unwrap();
    let options = Options { symbols, ..Options::default() };
    bench.import_with(&fixture("gleif/lei2.csv"), &options);
    let known = bench.runtime.block_on(bench.register.list_symbols()).unwrap();
    let known: Vec<(&str, &str)> =
        known.iter().map(|one| (one.symbol.as_str(), one.cin.as_str())).collect();
    assert_eq!(known, [("INE990A01014", "L10799KA2012PLC990101")]);
}

#[allow(clippy::disallowed_methods, reason = "names the real files, where there are any")]
fn real() -> Option<PathBuf> {
    let folder = std::env::var_os("PANJI_REAL_DATA")?;
    Some(PathBuf::from(folder).join("gleif/lei_records_india.json"))
}

#[test]
fn all_real_records_are_joined_with_the_company_that_they_name() {
    let Some(path) = real() else { return };
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let records = document["data"].as_array().unwrap();
    let mut bench = Bench::new();
    let report = bench.import(&path);
    assert_eq!((records.len(), sums(&report)), (6, [6, 6, 0, 0, 0, 0]));
    for record in records {
        let attributes = &record["attributes"];
        let lei = bench.lei(attributes["entity"]["registeredAs"].as_str().unwrap());
        assert_eq!(lei.lei, attributes["lei"].as_str().unwrap());
        let renewal = attributes["registration"]["nextRenewalDate"].as_str().unwrap();
        assert!(lei.next_renewal_on.is_some_and(|day| day.as_str() >= &renewal[..10]));
    }
    let nokia = bench.lei("U51101DL2008PTC185863");
    assert_eq!(nokia.next_renewal_on.as_deref(), Some("2026-05-08"));
    assert_eq!(nokia.as_of.as_deref(), Some("2025-03-22"));
}
