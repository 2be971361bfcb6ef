//! Figures by filing and period, and the symbols of listed companies, on both engines.

use panji_store::register::{ListedSymbol, Record, reported_periods};
use panji_testkit::on_every_engine;
use panji_testkit::records::{self, CIN};

use crate::register::{OTHER_CIN, store};

#[test]
fn filings_of_a_period_are_stored_separately_and_counted_until_their_company_is_stored() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let filed = |filing: &str, day: &str, period_type: &str| {
            let mut year = records::financial_year(CIN, 2025, "standalone");
            year.filing = filing.to_owned();
            year.filed_on = Some(day.to_owned());
            year.period_type = period_type.to_owned();
            Record::FinancialYear(year)
        };
        let batch = [
            filed("b", "2025-05-01", "year"),
            filed("a", "2025-06-01", "year"),
            filed("a", "2025-06-01", "quarter"),
        ];
        store(&register, &batch).await;
        let periods = reported_periods(&register.list_financial_years(CIN).await.unwrap());
        let found: Vec<_> = periods
            .iter()
            .map(|one| {
                (one.figures.period_type.as_str(), one.figures.filing.as_str(), one.revision)
            })
            .collect();
        assert_eq!(found, [("quarter", "a", 1), ("year", "a", 2)]);
        assert_eq!(register.count_periods_without_company().await.unwrap(), (2, 1));
        store(&register, &[Record::Company(records::company(CIN, "Udaharan Textiles"))]).await;
        assert_eq!(register.count_periods_without_company().await.unwrap(), (0, 0));
    });
}

#[test]
fn a_newer_filing_replaces_the_company_of_a_symbol() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let symbol = |cin: &str, as_of: Option<&str>| ListedSymbol {
            symbol: "NAMUNA".to_owned(),
            cin: cin.to_owned(),
            as_of: as_of.map(str::to_owned),
        };
        let newest = symbol(OTHER_CIN, Some("2025-05-01"));
        let symbols = [symbol(CIN, None), symbol(CIN, Some("2024-05-01")), newest.clone()];
        for one in symbols.iter().chain([&symbol(CIN, Some("2023-05-01"))]) {
            register.store_symbols(std::slice::from_ref(one)).await.unwrap();
        }
        assert_eq!(register.list_symbols().await.unwrap(), [newest]);
    });
}
