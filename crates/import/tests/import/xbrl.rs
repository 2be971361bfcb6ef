//! Results filings: fictitious ones in the form of real ones, some with errors.

use std::io::Write;

use panji_import::xbrl::{Filing, FilingTime, Symbols};
use panji_import::{Format, Options};
use panji_store::register::FinancialYear;

use super::{Bench, fixture, sums};

const NAMUNA: &str = "L10799KA2012PLC990101";

pub fn text(name: &str) -> String {
    std::fs::read_to_string(fixture("xbrl").join(name)).unwrap()
}

pub fn symbols() -> Symbols {
    Symbols::read(text("symbols.csv").as_bytes()).unwrap()
}

fn records(filing: impl AsRef<[u8]>) -> Result<Vec<FinancialYear>, Box<dyn std::error::Error>> {
    let filing = Filing::read(filing.as_ref())?;
    Ok(filing.records(&FilingTime::default()).into_iter().collect::<Result<_, _>>()?)
}

/// The figures of the period of this type, without the digest of the filing.
fn of_type(filing: impl AsRef<[u8]>, period_type: &str) -> FinancialYear {
    let records = records(filing).unwrap();
    let found = records.iter().find(|one| one.period_type == period_type);
    let mut found = found.unwrap_or_else(|| panic!("no {period_type} in {records:?}")).clone();
    assert_eq!(std::mem::take(&mut found.filing).len(), 32);
    found
}

fn year(filing: impl AsRef<[u8]>) -> FinancialYear {
    of_type(filing, "year")
}

/// The codes of the inconsistencies of the year.
fn flags(filing: impl AsRef<[u8]>) -> Vec<String> {
    let flags: Vec<serde_json::Value> = serde_json::from_str(&year(filing).flags.unwrap()).unwrap();
    flags.iter().map(|flag| flag["code"].as_str().unwrap().to_owned()).collect()
}

fn refused(filing: impl AsRef<[u8]>, part: &str) {
    match records(filing) {
        Err(error) => {
            assert!(error.to_string().contains(part), "{error:?} does not say {part:?}");
        }
        Ok(other) => panic!("{part:?} was expected: {other:?}"),
    }
}

/// The filing of the foods company with one replacement.
fn changed(from: &str, to: &str) -> String {
    let text = text("ind_as.xml");
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn lakhs(lakhs: i64) -> Option<i64> {
    Some(lakhs * 10_000_000)
}

#[test]
fn a_company_under_ind_as_gives_its_year() {
    let expected = FinancialYear {
        to_date: "2024-03-31".to_owned(),
        basis: "consolidated".to_owned(),
        period_type: "year".to_owned(),
        financial_year: "2023-24".to_owned(),
        from_date: "2023-04-01".to_owned(),
        revenue: lakhs(1000),
        other_income: lakhs(40),
        total_income: lakhs(1040),
        total_expenses: lakhs(1100),
        finance_cost: lakhs(20),
        depreciation: lakhs(30),
        profit_before_tax: lakhs(-60),
        tax: lakhs(-12),
        profit: lakhs(-48),
        profit_to_owners: lakhs(-50),
        share_capital: lakhs(100),
        reserves: lakhs(400),
        net_worth: lakhs(500),
        total_debt: lakhs(450),
        total_assets: lakhs(1500),
        current_assets: lakhs(500),
        current_liabilities: lakhs(450),
        cash: lakhs(55),
        flags: Some("[]".to_owned()),
        as_of: Some("2024-05-17".to_owned()),
        source: "xbrl".into(),
        ..FinancialYear::default()
    };
    assert_eq!(year(text("ind_as.xml")), expected);
}

#[test]
fn a_bank_whose_contexts_are_not_declared_gives_its_year() {
    let bank = year(text("bank.xml"));
    assert_eq!((bank.from_date.as_str(), bank.to_date.as_str()), ("2020-04-01", "2021-03-31"));
    assert_eq!((bank.basis.as_str(), bank.as_of.as_deref()), ("standalone", Some("2021-03-31")));
    assert_eq!((bank.revenue, bank.total_income), (lakhs(3200), lakhs(4000)));
    assert_eq!((bank.finance_cost, bank.depreciation), (lakhs(1600), None));
    assert_eq!((bank.total_expenses, bank.profit_before_tax), (lakhs(3200), lakhs(800)));
    assert_eq!((bank.tax, bank.profit), (lakhs(200), lakhs(600)));
    assert_eq!((bank.share_capital, bank.reserves), (lakhs(90), lakhs(610)));
    // Deposits of customers are not debt of the bank.
    assert_eq!((bank.total_debt, bank.total_assets), (lakhs(1200), lakhs(12_000)));
    assert_eq!((bank.cash, bank.net_worth, bank.current_assets), (lakhs(750), None, None));
}

#[test]
fn securities_and_deposits_are_debt_of_a_lender_that_is_not_a_bank() {
    let lender = year(text("lender.xml"));
    assert_eq!((lender.from_date.as_str(), lender.to_date.as_str()), ("2022-04-01", "2023-03-31"));
    assert_eq!((lender.revenue, lender.other_income), (lakhs(400), lakhs(0)));
    assert_eq!((lender.total_debt, lender.net_worth), (lakhs(2100), lakhs(700)));
    assert_eq!((lender.total_assets, lender.cash), (lakhs(3000), lakhs(70)));
}

#[test]
fn periods_within_a_year_have_separate_records_with_their_balance_sheet() {
    let quarter = of_type(text("ind_as.xml"), "quarter");
    assert_eq!(
        (quarter.from_date.as_str(), quarter.to_date.as_str()),
        ("2024-01-01", "2024-03-31")
    );
    assert_eq!((quarter.revenue, quarter.profit), (lakhs(300), lakhs(45)));
    assert_eq!(quarter.total_assets, lakhs(1500), "the balance sheet of its last day");
    let half = text("half_year.xml");
    let of_filing = records(&half).unwrap();
    let types: Vec<&str> = of_filing.iter().map(|one| one.period_type.as_str()).collect();
    assert_eq!(types, ["half_year", "quarter"]);
    let of_half = of_type(&half, "half_year");
    assert_eq!(
        (of_half.from_date.as_str(), of_half.to_date.as_str()),
        ("2025-04-01", "2025-09-30")
    );
    assert_eq!((of_half.revenue, of_half.total_assets), (lakhs(640), lakhs(1600)));
    assert_eq!(of_half.financial_year, "2025-26");
    let nine_months = changed("contextRef=\"FourD\">2023-04-01", "contextRef=\"FourD\">2023-07-01");
    assert_eq!(of_type(nine_months, "nine_months").revenue, lakhs(1000));
    let ten_months = changed("contextRef=\"FourD\">2023-04-01", "contextRef=\"FourD\">2023-06-01");
    assert_eq!(records(ten_months).unwrap().len(), 1, "only the quarter");
    let of_other_year = text("ind_as.xml").replace(
        "<fin:DateOfEndOfFinancialYear contextRef=\"OneD\">2024-03-31",
        "<fin:DateOfEndOfFinancialYear contextRef=\"OneD\">2024-12-31",
    );
    assert_eq!(records(of_other_year).unwrap().len(), 1, "only the quarter");
}

#[test]
fn periods_are_read_from_facts_first_and_then_from_contexts() {
    let dates = ["DateOfStartOfReportingPeriod", "DateOfEndOfReportingPeriod"];
    // Without its dates the year to date begins with the financial year.
    let mut undated = text("ind_as.xml");
    for date in dates {
        undated = undated.replace(&format!("<fin:{date} "), "<fin:Ignored ");
        undated = undated.replace(&format!("</fin:{date}>"), "</fin:Ignored>");
    }
    assert_eq!(year(&undated).from_date, "2023-04-01");
    let undeclared = undated.replace("<xbrli:context ", "<xbrli:ignored ");
    let undeclared = undeclared.replace("</xbrli:context>", "</xbrli:ignored>");
    refused(undeclared, "neither its contexts nor its dates state the period");
}

#[test]
fn the_most_exact_repeated_fact_counts_and_a_contradiction_is_flagged() {
    let tax = "<fin:TaxExpense contextRef=\"FourD\" unitRef=\"INR\" decimals=\"-5\">-1200000.00";
    let finer = tax.replace("decimals=\"-5\">-1200000", "decimals=\"0\">-1234567");
    let again = |fact: &str| format!("{fact}</fin:TaxExpense>\n{tax}");
    assert_eq!(year(changed(tax, &again(tax))).tax, lakhs(-12));
    assert_eq!(year(changed(tax, &again(&finer))).tax, Some(-123_456_700));
    let other = changed(tax, &again(&tax.replace("-1200000", "-1300000")));
    assert_eq!((year(&other).tax, flags(&other)), (None, vec!["stated_twice".to_owned()]));
    // A contradiction in the quarter does not affect the year.
    let quarter = "<fin:TaxExpense contextRef=\"OneD\" unitRef=\"INR\" decimals=\"-5\">1500000.00";
    let twice = quarter.replace("1500000", "1");
    let twice = changed(quarter, &format!("{twice}</fin:TaxExpense>{quarter}"));
    assert_eq!((year(&twice).tax, flags(&twice)), (lakhs(-12), Vec::new()));
    let nature = "contextRef=\"FourD\">Consolidated<";
    let both = format!(
        "{nature}/fin:NatureOfReportStandaloneConsolidated>\
         <fin:NatureOfReportStandaloneConsolidated contextRef=\"FourD\">Standalone<"
    );
    refused(changed(nature, &both), "\"Consolidated\" and \"Standalone\"");
}

/// The filing with another amount in lakhs for an element of the year or of its last day.
fn with(element: &str, context: &str, lakhs: i64) -> String {
    let text = text("ind_as.xml");
    let start = format!("<fin:{element} contextRef=\"{context}\" unitRef=\"INR\" decimals=\"-5\">");
    let at = text.find(&start).unwrap_or_else(|| panic!("{start}")) + start.len();
    let end = at + text[at..].find('<').unwrap();
    format!("{}{}{}", &text[..at], lakhs * 100_000, &text[end..])
}

#[test]
fn inconsistencies_are_flagged_and_the_stated_figures_are_unchanged() {
    let check = |text: String, expected: &[&str]| assert_eq!(flags(text), expected);
    // Sums may differ by the rounding of each part.
    check(with("Assets", "OneI", 1501), &[]);
    let unbalanced = with("Assets", "OneI", 1510);
    assert_eq!(year(&unbalanced).total_assets, lakhs(1510));
    check(unbalanced, &["balance_sheet_unbalanced"]);
    check(with("OtherIncome", "FourD", 90), &["total_income_mismatch"]);
    check(with("TaxExpense", "FourD", 12), &["tax_sign"]);
    check(with("ProfitLossForPeriod", "FourD", -20), &["profit_mismatch"]);
    check(with("FinanceCosts", "OneD", 5), &[]);
    check(with("OtherEquity", "OneI", 300), &["equity_mismatch"]);
    check(with("EquityShareCapital", "OneI", 1), &["equity_mismatch", "unit_doubtful"]);
    check(with("CurrentAssets", "OneI", -500), &["negative_amount"]);
    let in_lakhs = changed(
        "<fin:RevenueFromOperations contextRef=\"FourD\" unitRef=\"INR\" decimals=\"-5\">100000000.00",
        "<fin:RevenueFromOperations contextRef=\"FourD\" unitRef=\"INR\" decimals=\"-5\">1000.00",
    );
    check(in_lakhs, &["total_income_mismatch", "unit_doubtful"]);
    let without = changed(
        "<fin:EquityShareCapital contextRef=\"OneI\" unitRef=\"INR\" decimals=\"-5\">10000000.00",
        "<fin:EquityShareCapital contextRef=\"OneI\" unitRef=\"INR\">",
    );
    assert_eq!(year(&without).share_capital, lakhs(100));
    check(without, &["share_capital_stand_in"]);
}

#[test]
fn exceptional_items_are_read_and_their_sign_is_checked() {
    let before = |items: &str, profit: &str| {
        let fact = |element: &str, amount: &str| {
            format!(
                "<fin:{element} contextRef=\"FourD\" unitRef=\"INR\" decimals=\"-5\">{amount}00000.00\
                 </fin:{element}>\n"
            )
        };
        let facts = fact("ProfitBeforeExceptionalItemsAndTax", profit)
            + &fact("ExceptionalItemsBeforeTax", items);
        let text = with("Expenses", "FourD", 1000);
        text.replacen("<fin:ProfitBeforeTax ", &format!("{facts}<fin:ProfitBeforeTax "), 1)
    };
    let loss = before("-100", "40");
    let read = year(&loss);
    assert_eq!(read.exceptional_items, lakhs(-100));
    assert_eq!(read.profit_before_exceptional_items, lakhs(40));
    assert_eq!(flags(&loss), Vec::<String>::new());
    assert_eq!(flags(before("100", "40")), ["exceptional_items_sign"]);
    assert_eq!(flags(before("30", "40")), ["profit_before_tax_mismatch"]);
    assert_eq!(flags(before("-130", "70")), ["expenses_mismatch"]);
}

#[test]
fn invalid_amounts_are_refused() {
    let income = "<fin:Income contextRef=\"FourD\" unitRef=\"INR\" decimals=\"-5\">104000000.00";
    let with = |amount: &str| changed(income, &income.replace("104000000.00", amount));
    for wrong in ["abc", "(12)", "1e300", "9999999999999999"] {
        refused(with(wrong), "is not an amount");
    }
    assert_eq!(year(with("-5.25")).total_income, Some(-525));
    assert_eq!(year(with("")).total_income, None);
    refused(changed("iso4217:INR<", "iso4217:USD<"), "is in \"USD\"; only rupees");
    refused(changed(">INR</fin:Desc", ">EUR</fin:Desc"), "it is in \"EUR\"");
}

#[test]
fn the_date_is_the_day_of_approval_if_it_is_plausible() {
    for typo in ["2004-05-17", "2204-05-17", "17/05/2024"] {
        assert_eq!(
            year(changed("2024-05-17", typo)).as_of.as_deref(),
            Some("2024-03-31"),
            "{typo}"
        );
    }
}

#[test]
fn errors_of_broken_documents_give_the_position() {
    let whole = text("ind_as.xml");
    refused(&whole[..whole.len() / 2], "(at byte ");
    refused(whole.replace("</xbrli:xbrl>", ""), "the XML ends too early");
    refused(changed("</fin:Symbol>", "</fin:Cymbal>"), "the XML is invalid");
    refused("<html><body/></html>", "this is not an XBRL instance");
    let declared = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<xbrli:xbrl";
    refused(changed("<xbrli:xbrl", declared), "a document type declaration is not accepted");
    refused(changed(">NAMUNA</fin:Symbol", ">&b;</fin:Symbol"), "the entity \"b\" is unknown");
    refused(format!("<xbrl>{}", "<a>".repeat(100)), "deeper than 64");
    let many = "<Symbol contextRef=\"c\">A</Symbol>".repeat(100_001);
    refused(format!("<xbrl>{many}</xbrl>"), "more than 100000 contexts");
    let mut latin = whole.into_bytes();
    let at = latin.windows(6).position(|bytes| bytes == b"Namuna").unwrap();
    latin[at] = 0xE9;
    refused(latin, "neither UTF-8 nor UTF-16");
}

#[test]
fn quotes_from_a_broken_document_are_bounded_and_pans_in_them_are_masked() {
    let mut bench = Bench::new();
    let quoted = format!("</fin:ZZDCK9534Q{}>", "x".repeat(5_000));
    let path = bench.file("broken.xml", changed("</fin:Symbol>", &quoted));
    bench.import(&path);
    let reason = &bench.rejects.0[0].reason;
    assert!(reason.contains("ZZDCKXXXXQ") && !reason.contains("9534"), "{reason}");
    assert_eq!(reason.chars().count(), 1_000);
}

#[test]
fn files_archives_and_encodings_are_imported_and_all_are_counted() {
    let mut bench = Bench::new();
    let (ind_as, quarter) = (text("ind_as.xml"), text("quarter.xml"));
    let utf16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = text("lender.xml").replace("encoding=\"UTF-8\"", "encoding=\"UTF-16\"");
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    bench.file("all/a.xml", format!("\u{FEFF}{ind_as}"));
    bench.file("all/b.xml", &quarter);
    bench.file("all/c.xml", utf16(u16::to_le_bytes));
    bench.file("all/d.xml", utf16(u16::to_be_bytes));
    bench.file("all/e.xml", ind_as.replace("NAMUNA", "ANJAAN").replace("599901", "599909"));
    bench.file("all/f.xml", &ind_as[..1000]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text("bank.xml").as_bytes()).unwrap();
    bench.file("all/g.xml.gz", packed.finish().unwrap());
    let options = Options { symbols: symbols(), ..Options::default() };
    let folder = bench.directory.path().join("all");
    let report = bench.import_with(&folder, &options);
    // The foods company's year and two quarters, the lender's year and quarter in each byte order,
    // the bank's year; two periods of an unknown company and a broken file.
    assert_eq!(sums(&report), [11, 8, 0, 0, 0, 3]);
    assert_eq!(report.failures, Vec::<String>::new());
    let reasons: Vec<&str> = bench.rejected().iter().map(|(_, reason)| *reason).collect();
    assert!(reasons[0].contains("at byte"), "{reasons:?}");
    assert!(reasons[1..].iter().all(|reason| reason.starts_with("no CIN is known")), "{reasons:?}");
    assert_eq!(
        bench.rejects.0[1].raw,
        "ANJAAN, Namuna Foods & Oils Limited, Consolidated, 2024-03-31"
    );
    // A second import changes nothing.
    let again = bench.import_with(&folder, &options);
    assert_eq!(sums(&again), [11, 0, 0, 8, 0, 3]);
    let stored = bench.runtime.block_on(bench.register.list_financial_years(NAMUNA)).unwrap();
    assert!(stored.iter().any(|one| one.is_year() && one.profit == lakhs(-48)), "{stored:?}");
}

#[test]
fn a_given_format_is_used_and_a_list_of_symbols_is_not_a_filing() {
    let mut bench = Bench::new();
    let list = bench.file("symbols.csv", text("symbols.csv"));
    let report = bench.import(&list);
    assert!(report.failures[0].contains("give it as --symbols"), "{:?}", report.failures);
    let forced = Options { format: Format::from_name("xbrl"), ..Options::default() };
    let report = bench.import_with(&list, &forced);
    assert_eq!((report.rejected, report.failures.len()), (1, 0));
}

#[test]
fn a_damaged_filing_is_refused_or_read_and_never_stops_the_program() {
    let whole = text("ind_as.xml").into_bytes();
    for end in (0..whole.len()).step_by(7) {
        assert!(records(&whole[..end]).is_err(), "{end} bytes");
    }
    for (at, byte) in
        (0..whole.len()).step_by(3).zip([0, b'<', b'>', b'&', b'"', 0xFF].iter().cycle())
    {
        let mut damaged = whole.clone();
        damaged[at] = *byte;
        let _ = records(damaged);
    }
}
