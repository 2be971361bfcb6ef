//! Results filings: invented ones in the forms of the real ones, and what is wrong with some.

use std::io::Write;

use panji_import::xbrl::{Filing, Outcome, Symbols};
use panji_import::{Format, Options};
use panji_store::register::FinancialYear;

use super::{Bench, fixture, sums};

const NAMUNA: &str = "L10799KA2012PLC990101";

pub fn text(name: &str) -> String {
    std::fs::read_to_string(fixture("xbrl").join(name)).unwrap()
}

fn symbols() -> Symbols {
    Symbols::read(text("symbols.csv").as_bytes()).unwrap()
}

fn outcome(filing: impl AsRef<[u8]>) -> Result<Outcome, String> {
    let filing = Filing::read(filing.as_ref()).map_err(|error| error.to_string())?;
    filing.outcome(&symbols())
}

fn year(filing: impl AsRef<[u8]>) -> FinancialYear {
    match outcome(filing) {
        Ok(Outcome::Year(year)) => year,
        other => panic!("a year was expected: {other:?}"),
    }
}

fn refused(filing: impl AsRef<[u8]>, part: &str) {
    match outcome(filing) {
        Err(reason) => assert!(reason.contains(part), "{reason:?} does not say {part:?}"),
        Ok(other) => panic!("{part:?} was expected: {other:?}"),
    }
}

/// The filing of the foods company with one thing changed.
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
        cin: NAMUNA.to_owned(),
        to_date: "2024-03-31".to_owned(),
        basis: "consolidated".to_owned(),
        financial_year: "2023-24".to_owned(),
        from_date: "2023-04-01".to_owned(),
        form_type: None,
        filed_on: None,
        revenue: lakhs(1000),
        other_income: lakhs(40),
        total_income: lakhs(1040),
        total_expenses: lakhs(1100),
        finance_cost: lakhs(20),
        depreciation: lakhs(30),
        ebitda: None,
        profit_before_tax: lakhs(-60),
        tax: lakhs(-12),
        profit: lakhs(-48),
        share_capital: lakhs(100),
        reserves: lakhs(400),
        net_worth: lakhs(500),
        total_debt: lakhs(450),
        total_assets: lakhs(1500),
        current_assets: lakhs(500),
        current_liabilities: lakhs(450),
        cash: lakhs(55),
        as_of: Some("2024-05-17".to_owned()),
        source: "xbrl".into(),
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
    // What customers have deposited with a bank is not its debt.
    assert_eq!((bank.total_debt, bank.total_assets), (lakhs(1200), lakhs(12_000)));
    assert_eq!((bank.cash, bank.net_worth, bank.current_assets), (lakhs(750), None, None));
}

#[test]
fn a_lender_that_is_no_bank_owes_securities_and_deposits_too() {
    let lender = year(text("lender.xml"));
    assert_eq!((lender.from_date.as_str(), lender.to_date.as_str()), ("2022-04-01", "2023-03-31"));
    assert_eq!((lender.revenue, lender.other_income), (lakhs(400), lakhs(0)));
    assert_eq!((lender.total_debt, lender.net_worth), (lakhs(2100), lakhs(700)));
    assert_eq!((lender.total_assets, lender.cash), (lakhs(3000), lakhs(70)));
}

#[test]
fn figures_of_less_than_a_year_are_left_out() {
    assert!(matches!(outcome(text("quarter.xml")), Ok(Outcome::NoFullYear)));
    let nine_months = changed("contextRef=\"FourD\">2023-04-01", "contextRef=\"FourD\">2023-07-01");
    assert!(matches!(outcome(nine_months), Ok(Outcome::NoFullYear)));
    let of_other_year = text("ind_as.xml").replace(
        "<fin:DateOfEndOfFinancialYear contextRef=\"OneD\">2024-03-31",
        "<fin:DateOfEndOfFinancialYear contextRef=\"OneD\">2024-12-31",
    );
    assert!(matches!(outcome(of_other_year), Ok(Outcome::NoFullYear)));
}

#[test]
fn periods_are_told_by_facts_before_contexts_and_by_contexts_without_facts() {
    let dates = ["DateOfStartOfReportingPeriod", "DateOfEndOfReportingPeriod"];
    // Without its dates the year to date begins with the financial year.
    let mut undated = text("ind_as.xml");
    for date in dates {
        undated = undated.replace(&format!("<fin:{date} "), "<fin:Passed ");
        undated = undated.replace(&format!("</fin:{date}>"), "</fin:Passed>");
    }
    assert_eq!(year(&undated).from_date, "2023-04-01");
    let undeclared = undated.replace("<xbrli:context ", "<xbrli:passed ");
    let undeclared = undeclared.replace("</xbrli:context>", "</xbrli:passed>");
    refused(undeclared, "neither its contexts nor its dates give the period");
}

#[test]
fn repeated_facts_must_agree() {
    let tax = "<fin:TaxExpense contextRef=\"FourD\" unitRef=\"INR\" decimals=\"-5\">-1200000.00";
    let finer = tax.replace("decimals=\"-5\">-1200000", "decimals=\"0\">-1234567");
    let again = |fact: &str| format!("{fact}</fin:TaxExpense>\n{tax}");
    assert_eq!(year(changed(tax, &again(tax))).tax, lakhs(-12));
    assert_eq!(year(changed(tax, &again(&finer))).tax, Some(-123_456_700));
    let other = tax.replace("-1200000", "-1300000");
    refused(changed(tax, &again(&other)), "TaxExpense is given twice for one period");
    // A contradiction in the quarter takes nothing from the year.
    let quarter = "<fin:TaxExpense contextRef=\"OneD\" unitRef=\"INR\" decimals=\"-5\">1500000.00";
    let twice = quarter.replace("1500000", "1");
    assert_eq!(
        year(changed(quarter, &format!("{twice}</fin:TaxExpense>{quarter}"))).tax,
        lakhs(-12)
    );
    let nature = "contextRef=\"FourD\">Consolidated<";
    let both = format!(
        "{nature}/fin:NatureOfReportStandaloneConsolidated>\
         <fin:NatureOfReportStandaloneConsolidated contextRef=\"FourD\">Standalone<"
    );
    refused(changed(nature, &both), "\"Consolidated\" and \"Standalone\"");
}

#[test]
fn a_balance_sheet_must_balance_up_to_its_rounding() {
    let assets = "<fin:Assets contextRef=\"OneI\" unitRef=\"INR\" decimals=\"-5\">150000000.00";
    let near = assets.replace("150000000", "150100000");
    assert_eq!(year(changed(assets, &near)).total_assets, lakhs(1501));
    let far = assets.replace("150000000", "151000000");
    refused(changed(assets, &far), "the balance sheet does not balance");
    let without = changed(assets, "<fin:Assets contextRef=\"OneI\" unitRef=\"INR\">");
    assert_eq!(year(without).total_assets, None);
}

#[test]
fn amounts_that_cannot_be_meant_are_refused() {
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
fn the_company_is_found_by_symbol_code_or_cin() {
    let symbol = "contextRef=\"OneD\">NAMUNA<";
    let other = text("ind_as.xml").replace("NAMUNA", "ANJAAN");
    refused(&other, "no CIN is known for the symbol \"ANJAAN\": give a CSV");
    let by_code = format!("symbol,cin\n599901,{NAMUNA}\n");
    let by_code = Symbols::read(by_code.as_bytes()).unwrap();
    let filing = Filing::read(other.as_bytes()).unwrap();
    assert!(matches!(filing.outcome(&by_code), Ok(Outcome::Year(year)) if year.cin == NAMUNA));
    let stated = format!(
        "{symbol}/fin:Symbol>\n<fin:CorporateIdentityNumber contextRef=\"OneD\">{}\
         </fin:CorporateIdentityNumber>\n<fin:Symbol contextRef=\"FourD\">NAMUNA<",
        "L10799KA2012PLC990999"
    );
    assert_eq!(year(changed(symbol, &stated)).cin, "L10799KA2012PLC990999");
}

#[test]
fn the_date_is_that_of_the_approval_where_it_can_be() {
    for slip in ["2004-05-17", "2204-05-17", "17/05/2024"] {
        assert_eq!(
            year(changed("2024-05-17", slip)).as_of.as_deref(),
            Some("2024-03-31"),
            "{slip}"
        );
    }
}

#[test]
fn broken_documents_are_refused_with_the_place() {
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
fn what_a_broken_document_quotes_is_bounded_and_hides_pans() {
    let mut bench = Bench::new();
    let quoted = format!("</fin:ZZDCK9534Q{}>", "x".repeat(5_000));
    let path = bench.file("broken.xml", changed("</fin:Symbol>", &quoted));
    bench.import(&path);
    let reason = &bench.rejects.0[0].reason;
    assert!(reason.contains("ZZDCKXXXXQ") && !reason.contains("9534"), "{reason}");
    assert_eq!(reason.chars().count(), 1_000);
}

#[test]
fn files_archives_and_encodings_go_in_and_the_sums_account_for_each() {
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
    bench.file("all/e.xml", ind_as.replace("NAMUNA", "ANJAAN"));
    bench.file("all/f.xml", &ind_as[..1000]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text("bank.xml").as_bytes()).unwrap();
    bench.file("all/g.xml.gz", packed.finish().unwrap());
    let options = Options { symbols: symbols(), ..Options::default() };
    let folder = bench.directory.path().join("all");
    let report = bench.import_with(&folder, &options);
    assert_eq!(sums(&report), [7, 3, 0, 1, 0, 2]);
    assert_eq!(report.left_out.values().sum::<u64>(), 1);
    assert_eq!(report.failures, Vec::<String>::new());
    let reasons: Vec<&str> = bench.rejected().iter().map(|(_, reason)| *reason).collect();
    assert!(reasons[0].starts_with("no CIN is known") && reasons[1].contains("at byte"));
    assert_eq!(
        bench.rejects.0[0].raw,
        "ANJAAN, Namuna Foods & Oils Limited, Consolidated, 2024-03-31"
    );
    // The same again changes nothing.
    let again = bench.import_with(&folder, &options);
    assert_eq!(sums(&again), [7, 0, 0, 4, 0, 2]);
    let held = bench.runtime.block_on(bench.register.list_financial_years(NAMUNA)).unwrap();
    assert_eq!(held, [year(ind_as)]);
}

#[test]
fn a_format_that_is_said_holds_and_a_list_of_symbols_is_no_filing() {
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
        assert!(outcome(&whole[..end]).is_err(), "{end} bytes");
    }
    for (at, byte) in
        (0..whole.len()).step_by(3).zip([0, b'<', b'>', b'&', b'"', 0xFF].iter().cycle())
    {
        let mut damaged = whole.clone();
        damaged[at] = *byte;
        let _ = outcome(damaged);
    }
}
