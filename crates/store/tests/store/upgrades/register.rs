//! What a program reads in a register of an earlier schema.

use panji_store::Register;
use panji_store::register::{
    CoveredSection, DocumentFilter, MIGRATIONS as REGISTER, Record, reported_periods,
};
use panji_testkit::records::{CIN, DIN, GSTIN, LEI, PAN, PARENT_LEI, company};
use panji_testkit::{NOW_MS, on_every_engine};

use super::{REGISTER_ROWS, create_old_data};

#[test]
fn a_register_of_every_earlier_schema_is_opened_without_loss() {
    for schema in 1..=REGISTER.len() {
        on_every_engine(async |databases| {
            create_old_data(&databases.engine("register").await, REGISTER, &REGISTER_ROWS, schema)
                .await;
            let engine = databases.engine("register").await;
            let register = Register::open(engine, NOW_MS + 1_000).await.unwrap();
            check_sections(&register).await;
            let counts = register.list_record_counts().await.unwrap();
            let records = 12 + i64::from(schema >= 4) + if schema >= 7 { 3 } else { 0 };
            assert_eq!(counts.iter().map(|count| count.records).sum::<i64>(), records);
            check_lei(&register, schema).await;
            assert!(counts.iter().all(|count| count.newest_as_of.as_deref() == Some("2026-01-10")));
            let imports = register.list_imports(10).await.unwrap();
            let recorded = (schema - 1).min(2);
            assert_eq!(imports.len(), recorded);
            let updated: Vec<i64> = imports.iter().rev().map(|import| import.updated_at).collect();
            let newest = if schema >= 11 { 1_768_458_602_000 } else { 1_768_458_601_000 };
            assert_eq!(updated, [1_768_458_599_000, newest][..recorded]);
            let failed: i64 = imports.iter().map(|import| import.failed_files).sum();
            assert_eq!(failed, i64::from(schema >= 5));
            let latest = register.list_latest_imports().await.unwrap();
            let rejected: Vec<(&str, Option<i64>)> =
                latest.iter().map(|latest| (latest.source.as_str(), latest.rejected)).collect();
            let expected = [("panji", None), ("xbrl", Some(3))];
            assert_eq!(rejected, expected[..recorded], "unknown for older imports");
            check_periods(&register, schema).await;
            // Schema 6 lets files be read again, for the coverage that they state.
            assert_eq!(register.find_imported_file("cafe").await.unwrap(), None);
            let known = register.find_imported_file("beef").await.unwrap();
            assert_eq!(known.is_some(), schema >= 6);
            let coverage = register.find_company(CIN).await.unwrap().unwrap().coverage();
            assert_eq!(coverage.get(CoveredSection::Charges).is_some(), schema >= 6);
            // Newer data replaces the old.
            let mut newer = company(CIN, "Udaharan Garments Private Limited");
            newer.as_of = Some("2026-02-01".into());
            let batch = [Record::Company(newer)];
            register.store_batch(&batch, NOW_MS + 2_000).await.unwrap();
            assert_eq!(register.newest_change().await.unwrap(), if schema >= 10 { 3 } else { 2 });
        });
    }
}

async fn check_lei(register: &Register, schema: usize) {
    let lei = register.find_company_lei(CIN).await.unwrap();
    assert_eq!(lei.map(|lei| lei.lei), (schema >= 7).then(|| LEI.to_owned()));
    let parents = register.list_lei_parents(LEI).await.unwrap();
    assert_eq!(parents.len(), usize::from(schema >= 7));
    let parent = register.find_lei_holder(PARENT_LEI).await.unwrap();
    assert_eq!(parent.is_some(), schema >= 7);
    let decisions = register.list_join_decisions().await.unwrap();
    assert_eq!(decisions.len(), usize::from(schema >= 8));
    let name_text = register.find_company(CIN).await.unwrap().unwrap().name_text;
    assert_eq!(name_text.is_some(), schema >= 9);
    let events = register.list_subject_events(&[CIN], i64::MAX, 10).await.unwrap();
    assert_eq!(events.len(), usize::from(schema >= 10));
}

async fn check_periods(register: &Register, schema: usize) {
    let rows = register.list_financial_years(CIN).await.unwrap();
    let year = rows.last().unwrap();
    assert!(year.is_year() && year.filing.is_empty(), "{year:?}");
    assert_eq!((year.flags.as_ref(), year.exceptional_items), (None, None));
    assert_eq!(rows.len(), if schema >= 4 { 2 } else { 1 });
    assert_eq!(reported_periods(&rows).len(), rows.len());
    let symbols = register.list_symbols().await.unwrap();
    assert_eq!(symbols.len(), usize::from(schema >= 4));
}

async fn check_sections(register: &Register) {
    let company = register.find_company("U17110GJ2001PTC990501").await.unwrap().unwrap();
    assert_eq!((company.cin.as_str(), company.paid_up_capital), (CIN, Some(50_000_050)));
    assert!(company.former_names.contains("Namuna Textiles"));
    assert_eq!(register.find_company_pan(CIN).await.unwrap().unwrap().pan, PAN);
    assert_eq!(register.find_director(DIN).await.unwrap().unwrap().name, "Namuna Udaharan");
    assert_eq!(register.list_appointments(CIN).await.unwrap().len(), 1);
    assert_eq!(register.list_directorships(DIN).await.unwrap().len(), 1);
    assert_eq!(register.list_charges(CIN).await.unwrap()[0].amount, Some(25_000_000));
    let years = register.list_financial_years(CIN).await.unwrap();
    assert_eq!(years.last().unwrap().profit, Some(-1_250));
    assert_eq!(register.list_filings(CIN).await.unwrap().len(), 1);
    assert_eq!(register.list_credit_ratings(CIN).await.unwrap().len(), 1);
    assert_eq!(register.list_epfo_establishments(CIN).await.unwrap().len(), 1);
    assert_eq!(register.count_documents(CIN, &DocumentFilter::All).await.unwrap(), 1);
    assert_eq!(register.find_gst_registration(GSTIN).await.unwrap().unwrap().e_invoice, Some(true));
    assert_eq!(register.list_gst_filings(GSTIN).await.unwrap().len(), 1);
}
