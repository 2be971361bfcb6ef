//! Several filings together: which one counts, which company it belongs to, and companies that are
//! imported later.

use panji_import::Options;
use panji_import::xbrl::{FilingList, Symbols};
use panji_store::register::{FinancialYear, ReportedPeriod, reported_periods};

use super::xbrl::{symbols, text};
use super::{Bench, sums};

const NAMUNA: &str = "L10799KA2012PLC990101";
const REVENUE: &str =
    "<fin:RevenueFromOperations contextRef=\"FourD\" unitRef=\"INR\" decimals=\"-5\">100000000.00";

/// The filing of the foods company with another revenue of the year.
fn with_revenue(lakhs: i64) -> String {
    let text = text("ind_as.xml");
    assert!(text.contains(REVENUE));
    text.replacen(REVENUE, &REVENUE.replace("100000000", &(lakhs * 100_000).to_string()), 1)
}

fn rows(bench: &Bench) -> Vec<FinancialYear> {
    bench.runtime.block_on(bench.register.list_financial_years(NAMUNA)).unwrap()
}

fn year(bench: &Bench) -> ReportedPeriod {
    let periods = reported_periods(&rows(bench));
    periods.into_iter().find(|period| period.figures.is_year()).unwrap()
}

fn lakhs(lakhs: i64) -> Option<i64> {
    Some(lakhs * 10_000_000)
}

fn given() -> Options {
    Options { symbols: symbols(), ..Options::default() }
}

#[test]
fn the_filing_filed_last_counts_in_any_order_of_import() {
    let original = "INDAS_1001_2001_17052024060501.xml";
    let revised = "A_INDAS_1002_2002_20062024101500.xml";
    for names in [[original, revised], [revised, original]] {
        let mut bench = Bench::new();
        for name in names {
            let revenue = if name == revised { 990 } else { 1000 };
            let path = bench.file(name, with_revenue(revenue));
            bench.import_with(&path, &given());
        }
        let year = year(&bench);
        assert_eq!((year.figures.revenue, year.revision), (lakhs(990), 2));
        assert_eq!(year.figures.filed_on.as_deref(), Some("2024-06-20"));
        assert_eq!(year.figures.filed_at, None, "the hour of that stamp is not certain");
        assert!(!year.order_unknown);
    }
}

#[test]
fn the_time_in_the_exchanges_list_takes_precedence_over_the_name() {
    // By their names the second would be the later one.
    let entry = |file: &str, time: &str| {
        format!(r#"{{"xbrl":"https://exchange.example/{file}","broadCastDate":"{time}"}}"#)
    };
    let list = format!(
        "[{},{}]",
        entry("a_17052024060501.xml", "02-Jul-2024 19:42:10"),
        entry("b_20062024101500.xml", "20-Jun-2024 10:15:00")
    );
    let mut filings = FilingList::default();
    filings.add(list.as_bytes()).unwrap();
    let mut bench = Bench::new();
    bench.file("all/a_17052024060501.xml", with_revenue(1000));
    bench.file("all/b_20062024101500.xml", with_revenue(990));
    let folder = bench.directory.path().join("all");
    bench.import_with(&folder, &given());
    assert_eq!(year(&bench).figures.revenue, lakhs(990));
    // The same files again, with the list: their times change.
    let report = bench.import_with(&folder, &Options { filings, ..given() });
    assert_eq!(sums(&report), [4, 0, 4, 0, 0, 0]);
    let year = year(&bench);
    assert_eq!((year.figures.revenue, year.revision), (lakhs(1000), 2));
    assert_eq!(year.figures.filed_at.as_deref(), Some("2024-07-02T14:12:10Z"));
    // An import under a name without a time, and without the list, does not remove the time.
    let renamed = bench.file("renamed.xml", with_revenue(1000));
    bench.import_with(&renamed, &given());
    assert_eq!(self::year(&bench), year);
}

#[test]
fn an_unknown_order_is_flagged_and_does_not_depend_on_file_names() {
    let mut revenues = Vec::new();
    for names in [["a.xml", "b.xml"], ["b.xml", "a.xml"]] {
        let mut bench = Bench::new();
        bench.file(&format!("all/{}", names[0]), with_revenue(1000));
        bench.file(&format!("all/{}", names[1]), with_revenue(990));
        let folder = bench.directory.path().join("all");
        bench.import_with(&folder, &given());
        let year = year(&bench);
        assert!(year.order_unknown);
        revenues.push(year.figures.revenue);
    }
    assert_eq!(revenues[0], revenues[1]);
}

#[test]
fn a_year_without_a_balance_sheet_uses_one_of_another_filing_of_the_same_day() {
    let without = with_revenue(990).replace("contextRef=\"OneI\"", "contextRef=\"NoI\"");
    let mut bench = Bench::new();
    let path = bench.file("INDAS_1001_2001_17052024060501.xml", text("ind_as.xml"));
    bench.import_with(&path, &given());
    let path = bench.file("INDAS_1002_2002_20062024101500.xml", without);
    bench.import_with(&path, &given());
    let year = year(&bench);
    assert_eq!((year.figures.revenue, year.figures.total_assets), (lakhs(990), lakhs(1500)));
    let of = year.balance_sheet_of.unwrap();
    assert_eq!(of.filed_on.as_deref(), Some("2024-05-17"));
}

#[test]
fn the_names_of_a_filing_are_remembered_and_a_renamed_symbol_is_found() {
    let mut bench = Bench::new();
    // The old filing, with the old symbol, is first; the new one states CIN, ISIN, code and symbol.
    bench.file("all/a_old.xml", text("ind_as.xml"));
    bench.file("all/b_new.xml", text("half_year.xml"));
    let folder = bench.directory.path().join("all");
    let report = bench.import(&folder);
    assert_eq!(sums(&report), [4, 4, 0, 0, 0, 0], "{:?}", bench.rejects.0);
    let known = bench.runtime.block_on(bench.register.list_symbols()).unwrap();
    let names: Vec<&str> = known.iter().map(|one| one.symbol.as_str()).collect();
    assert_eq!(names, ["599901", "INE000Z01010", "NAMUNA", "NAMUNANEW"]);
    assert!(known.iter().all(|one| one.cin == NAMUNA));
    // A later import knows them, without a list.
    let path = bench.file("quarter.xml", text("quarter.xml"));
    assert_eq!(sums(&bench.import(&path)), [1, 1, 0, 0, 0, 0]);
}

#[test]
fn a_company_is_found_by_any_name_and_a_placeholder_is_not_a_name() {
    let other = text("ind_as.xml").replace("NAMUNA", "ANJAAN");
    let by_code = Symbols::read(format!("symbol,cin\n599901,{NAMUNA}\n").as_bytes()).unwrap();
    let mut bench = Bench::new();
    let path = bench.file("other.xml", &other);
    let report = bench.import(&path);
    assert_eq!(sums(&report), [2, 0, 0, 0, 0, 2]);
    assert!(
        bench.rejected()[0].1.contains("no CIN is known for the symbol \"ANJAAN\": give a CSV")
    );
    let report = bench.import_with(&path, &Options { symbols: by_code, ..Options::default() });
    assert_eq!(sums(&report), [2, 2, 0, 0, 0, 0]);
    // A placeholder does not identify a company.
    let nobody = text("quarter.xml").replace("NAMUNA", "NOTLISTED");
    let path = bench.file("nobody.xml", nobody);
    bench.import(&path);
    assert!(bench.rejected()[0].1.contains("by no symbol, code or CIN"), "{:?}", bench.rejected());
}

#[test]
fn figures_without_a_company_are_counted_until_the_company_is_imported() {
    let mut bench = Bench::new();
    let path = bench.file("a.xml", text("ind_as.xml"));
    let report = bench.import_with(&path, &given());
    assert_eq!((report.periods_without_company, report.companies_missing), (2, 1));
    let lines = format!(
        "{{\"record\":\"company\",\"cin\":\"{NAMUNA}\",\"name\":\"Namuna Foods Limited\"}}\n\
         {{\"record\":\"financial_year\",\"cin\":\"{NAMUNA}\",\"from_date\":\"2022-04-01\",\
         \"to_date\":\"2023-03-31\",\"basis\":\"standalone\",\"exceptional_items\":-5,\
         \"filed_at\":\"2023-05-17T12:30:00Z\"}}\n"
    );
    let path = bench.file("company.jsonl", lines);
    let report = bench.import(&path);
    assert_eq!((report.new, report.rejected), (2, 0), "{:?}", bench.rejects.0);
    assert_eq!((report.periods_without_company, report.companies_missing), (0, 0));
    assert_eq!(reported_periods(&rows(&bench)).len(), 3);
}
