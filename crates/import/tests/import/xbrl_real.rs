//! Compares 66 real filings with the exchange's list and with an independent extraction. Without
//! `PANJI_REAL_DATA` nothing is tested.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use panji_import::Options;
use panji_import::xbrl::{Filing, FilingList, FilingTime, Period, Symbols};
use panji_store::register::{FinancialYear, reported_periods};
use serde_json::Value;

use super::{Bench, sums};

#[allow(clippy::disallowed_methods, reason = "names the real files, if there are any")]
fn folder() -> Option<PathBuf> {
    std::env::var_os("PANJI_REAL_DATA").map(|folder| PathBuf::from(folder).join("xbrl"))
}

/// One filing, with its folder and the exchange's number.
struct Real {
    company: String,
    number: String,
    file_name: String,
    filing: Filing,
}

fn filings(folder: &Path) -> Vec<Real> {
    let mut filings = Vec::new();
    for company in std::fs::read_dir(folder.join("nse")).unwrap() {
        for file in std::fs::read_dir(company.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let file_name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let number = file_name
                .split('_')
                .find(|part| part.len() >= 5 && part.bytes().all(|byte| byte.is_ascii_digit()));
            let company = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
            let (company, number) = (company.to_owned(), number.unwrap().to_owned());
            let filing = Filing::read(&std::fs::read(&path).unwrap()[..]).unwrap();
            filings.push(Real { company, number, file_name, filing });
        }
    }
    let sort_key = |real: &Real| (real.company.clone(), real.number.clone());
    filings.sort_by_key(sort_key);
    filings
}

impl Real {
    /// The quarter: the shortest period. The first day of a bank's quarter is not always stated.
    fn quarter(&self) -> Period {
        let periods = self.filing.periods();
        *periods.iter().min_by_key(|period| period.days().unwrap_or(0)).unwrap()
    }
}

/// Every filing: its number, the year of its record, its basis.
const ALL: [(&str, &str); 10] = [
    (
        "bajfinance",
        "104720 2024 S, 104721 2024 C, 109333 none S, 109334 none C, 69474 2021 S, 69475 2021 C, \
         90871 2023 S, 90872 2023 C",
    ),
    ("eternal", "105794 2024 S, 105795 2024 C, 92160 2023 S, 92162 2023 C"),
    ("hdfcbank", "104623 2024 S, 104624 2024 C, 43594 2019 S, 69364 2021 C, 69365 2021 S"),
    (
        "infy",
        "104588 2024 S, 104589 2024 C, 48339 2019 S, 48345 2019 C, 69332 2021 S, 69333 2021 C, \
         90707 2023 S, 90708 2023 C",
    ),
    ("itc", "106839 2024 S, 106840 2024 C, 44081 2019 S, 70839 2021 C, 91996 2023 S, 91997 2023 C"),
    ("nestleind", "104781 2024 S"),
    (
        "reliance",
        "104633 2024 S, 104634 2024 C, 109172 none C, 109173 none S, 43585 2019 S, 43586 2019 C, \
         69588 2021 S, 69589 2021 C, 90781 2023 S, 90782 2023 C",
    ),
    (
        "sbin",
        "105529 2024 S, 105533 2024 C, 110301 none S, 110302 none C, 43998 2019 S, 70290 2021 S, \
         70314 2021 C, 70369 2021 S",
    ),
    (
        "tatasteel",
        "107994 2024 S, 107998 2024 C, 43634 2019 S, 43635 2019 C, 69712 2021 S, 69713 2021 C, \
         91089 2023 S, 91090 2023 C",
    ),
    (
        "tcs",
        "104549 2024 C, 104550 2024 S, 43557 2019 C, 43559 2019 S, 69325 2021 S, 69326 2021 C, \
         90700 2023 S, 90701 2023 C",
    ),
];

#[test]
fn each_filing_gives_its_year_or_none() {
    let Some(folder) = folder() else { return };
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for real in filings(&folder) {
        let year = real.filing.year();
        let basis = real.filing.basis(year.unwrap_or_else(|| real.quarter())).unwrap();
        let basis = if basis == "standalone" { "S" } else { "C" };
        if let Some(year) = year {
            assert_eq!(year.to.to_string()[4..], *"-03-31");
            assert_eq!(year.from.unwrap().to_string(), format!("{}-04-01", year.to.year() - 1));
        }
        let year = year.map_or("none".to_owned(), |year| year.to.year().to_string());
        let line = format!("{} {year} {basis}", real.number);
        found.entry(real.company).or_default().push(line);
    }
    let found: Vec<_> = found.into_iter().map(|(name, lines)| (name, lines.join(", "))).collect();
    let expected = ALL.map(|(name, lines)| (name.to_owned(), lines.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn periods_and_bases_agree_with_the_exchanges_list() {
    let Some(folder) = folder() else { return };
    let mut entries = Vec::new();
    for company in ["infy", "reliance", "sbin", "tcs"] {
        let path = folder.join("filing_list_json").join(format!("{company}.json"));
        let list: Vec<Value> = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        entries.extend(list);
    }
    let mut matched = 0;
    for real in filings(&folder) {
        let is_here = |entry: &&Value| {
            let file = entry["xbrl"].as_str().unwrap().rsplit('/').next().unwrap();
            file.len() > 10 && real.file_name.ends_with(file)
        };
        let Some(entry) = entries.iter().find(is_here) else { continue };
        matched += 1;
        let quarter = real.quarter();
        assert_eq!(listed(quarter.to), entry["toDate"].as_str().unwrap(), "{}", real.number);
        if let Some(from) = quarter.from {
            assert_eq!(listed(from), entry["fromDate"].as_str().unwrap(), "{}", real.number);
        }
        let basis = match real.filing.basis(quarter).unwrap() {
            "consolidated" => "Consolidated",
            _ => "Non-Consolidated",
        };
        assert_eq!(basis, entry["consolidated"].as_str().unwrap(), "{}", real.number);
        let is_last = entry["relatingTo"] == "Fourth Quarter";
        assert_eq!(real.filing.year().is_some(), is_last, "{}", real.number);
        if let Some(year) = real.filing.year() {
            let label = format!("{} To {}", listed(year.from.unwrap()), listed(year.to));
            assert_eq!(label, entry["financialYear"].as_str().unwrap(), "{}", real.number);
        }
    }
    assert_eq!(matched, 34);
}

/// A day in the format of the exchange's list.
fn listed(day: Date) -> String {
    day.strftime("%d-%b-%Y").to_string()
}

/// Filings for which the independent extraction has another measure of profit, with its rupees.
const OTHER_MEASURE: [(&str, i64); 5] = [
    // The bank put its tax among the extraordinary items; the extraction has the profit before
    // them.
    ("69365", 108_390_700_000),
    // The profit of continuing operations, before the share of associates and joint ventures.
    ("70839", 38_168_400_000),
    ("43586", 103_590_000_000),
    ("109172", 174_480_000_000),
    ("43635", 22_972_900_000),
];

#[test]
fn the_profits_of_the_quarters_agree_with_the_independent_extraction() {
    let Some(folder) = folder() else { return };
    let filings = filings(&folder);
    let profits = independent_profits(&folder);
    let agrees = |real: &Real| {
        let quarter = real.quarter();
        let read = real.filing.figures(quarter).unwrap().profit.unwrap();
        let rupees = *profits.get(&(real.company.clone(), quarter.to.to_string()))?;
        let named = OTHER_MEASURE.iter().find(|(number, _)| *number == real.number);
        Some(match named {
            Some((_, other)) => {
                assert!(*other == rupees && read != rupees * 100, "{}", real.number);
                true
            }
            None => read == rupees * 100,
        })
    };
    let (mut same, mut other_basis, mut unreadable) = (0, 0, Vec::new());
    for real in &filings {
        match agrees(real) {
            Some(true) => same += 1,
            // It has one basis for each quarter: the filing on the other basis must agree.
            Some(false) => {
                let sibling = filings.iter().any(|other| {
                    let is_sibling = other.company == real.company
                        && other.quarter().to == real.quarter().to
                        && other.filing.basis(other.quarter()) != real.filing.basis(real.quarter());
                    is_sibling && agrees(other) == Some(true)
                });
                assert!(sibling, "{} {} differs", real.company, real.number);
                other_basis += 1;
            }
            None => unreadable.push(real.number.as_str()),
        }
    }
    assert_eq!((same, other_basis), (33, 28));
    assert_eq!(unreadable, ["105794", "105795", "92160", "92162", "104781"]);
}

/// The independent extraction: the profit of a company's quarter in rupees.
fn independent_profits(folder: &Path) -> BTreeMap<(String, String), i64> {
    let mut profits = BTreeMap::new();
    for file in std::fs::read_dir(folder.join("independent_extraction_csv")).unwrap() {
        let path = file.unwrap().path();
        let company = path.file_stem().unwrap().to_str().unwrap();
        for line in std::fs::read_to_string(&path).unwrap().lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let end = Date::strptime("%d%b%Y", cells[0]).unwrap().to_string();
            let profit: f64 = cells[1].parse().unwrap();
            profits.insert((company.to_owned(), end), profit as i64);
        }
    }
    profits
}

#[test]
fn the_stated_figures_are_consistent() {
    let Some(folder) = folder() else { return };
    let mut with_balance_sheet = 0;
    for real in filings(&folder) {
        let Some(year) = real.filing.year() else { continue };
        let reported = real.filing.reported().into_iter().find(|one| one.period == year).unwrap();
        let flags = real.filing.flags(reported).unwrap();
        let odd: Vec<&str> = flags.iter().map(|flag| flag.code).collect();
        let odd: Vec<&str> = odd.into_iter().filter(|code| !code.ends_with("_stand_in")).collect();
        // The bank that put its tax among the extraordinary items.
        let expected: &[&str] = if real.number == "69365" { &["profit_mismatch"] } else { &[] };
        assert_eq!(odd, expected, "{} {flags:?}", real.number);
        let figures = real.filing.figures(year).unwrap();
        let [revenue, other_income, total_income, finance_cost, before_tax, profit] = [
            figures.revenue,
            figures.other_income,
            figures.total_income,
            figures.finance_cost,
            figures.profit_before_tax,
            figures.profit,
        ]
        .map(Option::unwrap);
        assert_eq!(revenue + other_income, total_income, "{}", real.number);
        assert!(finance_cost >= 0 && before_tax.abs() < total_income, "{}", real.number);
        assert!(profit.abs() < total_income && figures.tax.is_some(), "{}", real.number);
        let own = figures.share_capital.zip(figures.reserves).map(|(one, other)| one + other);
        if let Some(net_worth) = figures.net_worth {
            assert_eq!(Some(net_worth), own, "{}", real.number);
        }
        with_balance_sheet += u32::from(figures.total_assets.is_some());
        assert_eq!(figures.total_assets.is_some(), year.to.year() > 2021, "{}", real.number);
    }
    assert_eq!(with_balance_sheet, 33);
}

#[test]
fn the_ten_companies_are_stored_with_the_figures_of_their_filings() {
    let Some(folder) = folder() else { return };
    // The list has fictitious CINs, because the real ones are not in this repository.
    let symbols = [
        "BAJFINANCE",
        "ZOMATO",
        "HDFCBANK",
        "INFY",
        "ITC",
        "NESTLEIND",
        "RELIANCE",
        "SBIN",
        "TATASTEEL",
        "TCS",
    ];
    let mut list = "symbol,cin\n".to_owned();
    for (index, symbol) in symbols.iter().enumerate() {
        list.push_str(&format!("{symbol},{}\n", fictitious(index)));
    }
    let symbols = Symbols::read(list.as_bytes()).unwrap();
    let mut filings = FilingList::default();
    for company in ["infy", "reliance", "sbin", "tcs"] {
        let path = folder.join("filing_list_json").join(format!("{company}.json"));
        filings.add(std::fs::File::open(path).unwrap()).unwrap();
    }
    let options = Options { symbols, filings, ..Options::default() };
    let mut bench = Bench::new();
    let report = bench.import_with(&folder.join("nse"), &options);
    // 60 filings with a year and its last quarter, 6 with the first quarter.
    assert_eq!(sums(&report), [126, 126, 0, 0, 0, 0]);
    assert_eq!(report.failures, Vec::<String>::new());
    assert_eq!((report.periods_without_company, report.companies_missing), (124, 10));

    let years = |index: usize| {
        let cin = fictitious(index);
        let rows = bench.runtime.block_on(bench.register.list_financial_years(&cin)).unwrap();
        // State Bank's standalone results of 2021 were filed twice, with the same figures.
        let twice = reported_periods(&rows).iter().filter(|period| period.revision == 2).count();
        assert_eq!(twice, if index == 7 { 2 } else { 0 });
        let figures = reported_periods(&rows).into_iter().map(|period| period.figures);
        figures.filter(FinancialYear::is_year).collect::<Vec<_>>()
    };
    let check = |index: usize, key: (&str, &str), in_crore: [i64; 4]| {
        let year = years(index).into_iter().find(|one| (&*one.financial_year, &*one.basis) == key);
        let year = year.unwrap();
        let read = [year.revenue, year.total_income, year.profit_before_tax, year.profit];
        assert_eq!(read.map(|paise| paise.unwrap() / 1_000_000_000), in_crore, "{key:?}");
    };
    let (s, c) = ("standalone", "consolidated");
    check(0, ("2023-24", c), [54_969, 54_982, 19_301, 14_451]);
    check(1, ("2022-23", c), [7_079, 7_760, -1_014, -971]);
    check(2, ("2023-24", s), [258_340, 307_581, 70_895, 60_812]);
    check(3, ("2023-24", c), [153_670, 158_381, 35_988, 26_248]);
    check(4, ("2022-23", s), [70_251, 72_688, 24_750, 18_753]);
    // Fifteen months according to its notes, filed as twelve because the form allows no more.
    check(5, ("2023-24", s), [24_393, 24_541, 5_288, 3_932]);
    check(6, ("2023-24", c), [914_472, 930_529, 104_340, 79_020]);
    check(7, ("2018-19", s), [242_868, 278_082, 1_607, 862]);
    check(8, ("2023-24", c), [229_170, 230_979, -1_089, -4_909]);
    check(9, ("2023-24", c), [240_893, 245_315, 61_997, 46_099]);
    check_irregularities(&years(2), &years(6));
}

#[test]
fn the_times_in_file_names_agree_with_the_exchanges_list() {
    let Some(folder) = folder() else { return };
    let mut filings = FilingList::default();
    for company in ["infy", "reliance", "sbin", "tcs"] {
        let path = folder.join("filing_list_json").join(format!("{company}.json"));
        filings.add(std::fs::File::open(path).unwrap()).unwrap();
    }
    let mut compared = 0;
    for real in self::filings(&folder) {
        let of_name = FilingTime::of_name(&real.file_name);
        assert!(of_name.at.is_some() && of_name.number.is_some(), "{}", real.file_name);
        let Some(listed) = filings.find(&real.file_name) else { continue };
        let of_list = FilingTime::of_list(&listed.time).unwrap();
        assert_eq!(of_list.at.unwrap()[..16], of_name.at.unwrap()[..16], "{}", real.file_name);
        compared += 1;
    }
    assert_eq!(compared, 34);
}

fn check_irregularities(hdfc_bank: &[FinancialYear], reliance: &[FinancialYear]) {
    let of = |years: &[FinancialYear], label: &str, basis: &str| {
        let is_it = |one: &&FinancialYear| one.financial_year == label && one.basis == basis;
        years.iter().find(is_it).cloned().unwrap()
    };
    // The tax of that year is among the extraordinary items, and is not moved.
    let bank = of(hdfc_bank, "2020-21", "standalone");
    assert_eq!(bank.tax, Some(0));
    assert_eq!(bank.profit_before_tax.unwrap() - bank.profit.unwrap(), 10_542_460_000_000);
    // It has no balance sheet; the year's figures have capital and reserves, the latter without a
    // unit.
    assert_eq!((bank.total_assets, bank.net_worth), (None, None));
    assert_eq!(bank.reserves, Some(203_169_530_000_000));
    assert_eq!(bank.as_of.as_deref(), Some("2021-03-31"));
    assert_eq!(bank.filed_at.as_deref(), Some("2021-04-19T13:20:00Z"));
    let flags = bank.flags.as_deref().unwrap();
    for code in ["profit_mismatch", "share_capital_stand_in", "reserves_stand_in"] {
        assert!(flags.contains(code), "{flags}");
    }
    let group = of(reliance, "2023-24", "consolidated");
    assert_eq!(group.net_worth, Some(793_481_000_000_000));
    assert_eq!(group.total_debt, Some(324_622_000_000_000));
    assert_eq!(
        (group.cash, group.as_of.as_deref()),
        (Some(97_225_000_000_000), Some("2024-04-22"))
    );
}

fn fictitious(index: usize) -> String {
    format!("L65110MH1994PLC99020{index}")
}
