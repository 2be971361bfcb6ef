//! The register: records are read unchanged, and every change has a number.

use std::path::Path;
use std::sync::Arc;

use panji_store::StoreError;
use panji_store::register::{Company, DocumentFilter, Record, Register, Stored};
use panji_testkit::records::{self, CIN, DIN, GSTIN, LEI, PARENT_LEI};
use panji_testkit::{NOW_MS, on_every_engine};
use tokio::task::JoinSet;

pub const OTHER_CIN: &str = "U17110MH2001PTC990502";
pub const THIRD_CIN: &str = "U17110MH2001PTC990503";

pub async fn store(register: &Register, records: &[Record]) -> Vec<Stored> {
    register.store_batch(records, NOW_MS).await.unwrap()
}

pub async fn store_one(register: &Register, record: Record) -> Stored {
    store(register, &[record]).await.remove(0)
}

/// All data in the register about the company of `one_of_each`.
async fn read_all(register: &Register) -> Vec<Record> {
    let mut read = Vec::new();
    read.extend(register.find_company(CIN).await.unwrap().map(Record::Company));
    read.extend(register.find_director(DIN).await.unwrap().map(Record::Director));
    let appointments = register.list_appointments(CIN).await.unwrap();
    read.extend(appointments.into_iter().map(Record::Appointment));
    read.extend(register.list_charges(CIN).await.unwrap().into_iter().map(Record::Charge));
    let years = register.list_financial_years(CIN).await.unwrap();
    read.extend(years.into_iter().map(Record::FinancialYear));
    read.extend(register.list_filings(CIN).await.unwrap().into_iter().map(Record::Filing));
    let documents = register.list_documents(CIN, &DocumentFilter::All, 100, 0).await.unwrap();
    read.extend(documents.into_iter().map(Record::Document));
    read.extend(register.list_credit_ratings(CIN).await.unwrap().into_iter().map(Record::Rating));
    let establishments = register.list_epfo_establishments(CIN).await.unwrap();
    read.extend(establishments.into_iter().map(Record::Epfo));
    read.extend(register.find_gst_registration(GSTIN).await.unwrap().map(Record::Gst));
    read.extend(register.list_gst_filings(GSTIN).await.unwrap().into_iter().map(Record::GstFiling));
    read.extend(register.find_company_pan(CIN).await.unwrap().map(Record::Pan));
    read.extend(register.find_company_lei(CIN).await.unwrap().map(Record::Lei));
    let parents = register.list_lei_parents(LEI).await.unwrap();
    read.extend(parents.into_iter().map(Record::LeiParent));
    read.extend(register.find_lei_entity(PARENT_LEI).await.unwrap().map(Record::LeiEntity));
    read
}

#[test]
fn every_kind_of_record_is_read_unchanged() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let records = records::one_of_each();
        assert_eq!(store(&register, &records).await, vec![Stored::New; records.len()]);
        assert_eq!(read_all(&register).await, records);
        let feed = register.list_changes(0, 100).await.unwrap();
        let resources: Vec<&str> = feed.iter().map(|change| change.resource.as_str()).collect();
        assert_eq!(resources, records.iter().map(Record::resource).collect::<Vec<_>>());
        assert_eq!(feed[2].key, format!("{CIN}|{DIN}|2001-05-14"));
    });
}

#[test]
fn a_missing_record_is_none_and_not_an_error() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        assert_eq!(read_all(&register).await, []);
        assert_eq!(register.find_company_reference(CIN).await.unwrap(), None);
        assert_eq!(register.count_documents(CIN, &DocumentFilter::All).await.unwrap(), 0);
        assert_eq!(register.count_directorships(DIN).await.unwrap(), (0, 0));
        assert_eq!(register.newest_change().await.unwrap(), 0);
    });
}

#[test]
fn the_same_batch_twice_changes_nothing() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let records = records::one_of_each();
        store(&register, &records).await;
        let newest = register.newest_change().await.unwrap();
        assert_eq!(newest, records.len() as i64);
        assert_eq!(store(&register, &records).await, vec![Stored::Unchanged; records.len()]);
        assert_eq!(register.newest_change().await.unwrap(), newest);
        assert_eq!(register.list_changes(newest, 100).await.unwrap(), []);
    });
}

#[test]
fn a_changed_record_names_exactly_the_columns_that_changed() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let first = records::company(CIN, "Udaharan Textiles Private Limited");
        store_one(&register, Record::Company(first.clone())).await;
        let changed = Company {
            listed: None,
            paid_up_capital: Some(60_000_000),
            email: Some("office@udaharan.example".into()),
            as_of: Some("2026-01-11".into()),
            ..first
        };
        assert_eq!(
            store_one(&register, Record::Company(changed.clone())).await,
            Stored::Changed(vec!["listed", "email", "paid_up_capital", "as_of"])
        );
        assert_eq!(register.find_company(CIN).await.unwrap(), Some(changed));
        let feed = register.list_changes(1, 10).await.unwrap();
        assert_eq!(feed.len(), 1);
        assert_eq!((feed[0].seq, feed[0].key.as_str()), (2, CIN));
        let fields: Option<String> = databases
            .engine("register")
            .await
            .query_opt("select fields from changes where seq = 2", &[], |row| row.get(0))
            .await
            .unwrap();
        assert_eq!(fields.as_deref(), Some("listed,email,paid_up_capital,as_of"));
    });
}

#[test]
fn an_older_record_is_not_stored() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let existing = records::charge(CIN, "1", Some("2020-01-01"));
        store_one(&register, Record::Charge(existing.clone())).await;
        for as_of in [Some("2026-01-09".to_owned()), None] {
            let older = panji_store::register::Charge { amount: None, as_of, ..existing.clone() };
            assert_eq!(store_one(&register, Record::Charge(older)).await, Stored::Older);
        }
        assert_eq!(register.list_charges(CIN).await.unwrap(), std::slice::from_ref(&existing));
        assert_eq!(register.newest_change().await.unwrap(), 1);
        // Of the same day, the later import wins.
        let corrected = panji_store::register::Charge { amount: Some(1), ..existing };
        let stored = store_one(&register, Record::Charge(corrected)).await;
        assert_eq!(stored, Stored::Changed(vec!["amount"]));
    });
}

#[test]
fn a_dry_run_returns_the_changes_and_stores_nothing() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let records = records::one_of_each();
        let outcomes = register.dry_run(&records).await.unwrap();
        assert_eq!(outcomes, vec![Stored::New; records.len()]);
        assert_eq!(read_all(&register).await, []);
        assert_eq!(register.newest_change().await.unwrap(), 0);
        store(&register, &records).await;
        let outcomes = register.dry_run(&records).await.unwrap();
        assert_eq!(outcomes, vec![Stored::Unchanged; records.len()]);
    });
}

#[test]
fn a_batch_is_stored_completely_or_not_at_all() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let batch = records::one_of_each();
        // The last record cannot be stored: its table is missing.
        let engine = databases.engine("register").await;
        let mut transaction = engine.transaction().await.unwrap();
        transaction.run_script("alter table company_pans rename to put_away").await.unwrap();
        transaction.commit().await.unwrap();
        assert!(matches!(register.store_batch(&batch, NOW_MS).await, Err(StoreError::Bug(_))));
        assert_eq!(register.find_company(CIN).await.unwrap(), None);
        assert_eq!(register.newest_change().await.unwrap(), 0);
    });
}

#[test]
fn a_former_number_finds_the_company_under_its_present_one() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let listed = Company {
            former_cins: format!("[\"{OTHER_CIN}\",\"{CIN}\"]"),
            ..records::company(CIN, "Udaharan Textiles Limited")
        };
        store_one(&register, Record::Company(listed.clone())).await;
        assert_eq!(register.find_company(OTHER_CIN).await.unwrap(), Some(listed.clone()));
        let reference = register.find_company_reference(OTHER_CIN).await.unwrap().unwrap();
        assert_eq!(reference, listed.reference());
        assert_eq!(register.find_company(THIRD_CIN).await.unwrap(), None);

        // The next change of number adds another former one.
        let more = Company { former_cins: format!("[\"{OTHER_CIN}\",\"{THIRD_CIN}\"]"), ..listed };
        let stored = store_one(&register, Record::Company(more.clone())).await;
        assert_eq!(stored, Stored::Changed(vec!["former_cins"]));
        assert_eq!(register.find_company(THIRD_CIN).await.unwrap(), Some(more));
    });
}

#[test]
fn a_change_of_name_reaches_the_search_index_through_the_feed() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let before = records::company(CIN, "Udaharan Mills Private Limited");
        store_one(&register, Record::Company(before.clone())).await;
        let seen = register.newest_change().await.unwrap();
        let after = Company {
            name: "Udaharan Textiles Private Limited".into(),
            former_names: r#"[{"name":"Udaharan Mills Private Limited"}]"#.into(),
            ..before
        };
        let stored = store_one(&register, Record::Company(after.clone())).await;
        assert_eq!(stored, Stored::Changed(vec!["name", "former_names"]));
        let feed = register.list_changes(seen, 10).await.unwrap();
        let indexed = register.find_indexed(&feed[0].key).await.unwrap().unwrap();
        assert_eq!((indexed.name, indexed.former_names), (after.name, after.former_names));
        assert_eq!(indexed.listed, Some(false));
    });
}

#[test]
fn companies_are_listed_in_the_order_of_their_numbers() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        // Byte order: digits, capitals, small letters, with any collation of the database.
        let cins = ["AAB-0001", "AAa-0001", "F00001", "U1", "a1"];
        let batch: Vec<Record> =
            cins.iter().rev().map(|cin| Record::Company(records::company(cin, "Namuna"))).collect();
        store(&register, &batch).await;
        let mut listed: Vec<String> = Vec::new();
        loop {
            let after = listed.last().cloned().unwrap_or_default();
            let page = register.list_indexed(&after, 2).await.unwrap();
            if page.is_empty() {
                break;
            }
            listed.extend(page.into_iter().map(|company| company.cin));
        }
        assert_eq!(listed, cins);
    });
}

#[test]
fn the_change_feed_has_no_gaps_under_two_writers() {
    on_every_engine(async |databases| {
        let reader = databases.register().await;
        let mut writers = JoinSet::new();
        for writer in 0..2 {
            let register = databases.register().await;
            writers.spawn(async move {
                for batch in 0..20 {
                    let records: Vec<Record> = (0..5)
                        .map(|number| format!("W{writer}B{batch:02}N{number}"))
                        .map(|cin| Record::Company(records::company(&cin, "Namuna")))
                        .collect();
                    store(&register, &records).await;
                }
            });
        }
        // A reader never sees a number before a lower one, or before its record.
        let mut last = 0;
        while last < 200 {
            let committed = reader.newest_committed_change().await.unwrap();
            let changes = reader.list_changes(last, 1_000).await.unwrap();
            for change in changes.into_iter().filter(|change| change.seq <= committed) {
                assert_eq!(change.seq, last + 1);
                let company = reader.find_company(&change.key).await.unwrap();
                assert!(company.is_some(), "what a change is about can be read: {change:?}");
                last = change.seq;
            }
            tokio::task::yield_now().await;
        }
        writers.join_all().await;
        assert_eq!(reader.newest_change().await.unwrap(), 200);
        assert_eq!(reader.list_changes(0, 1_000).await.unwrap().len(), 200);
    });
}

#[test]
fn two_concurrent_imports_of_the_same_records_both_succeed() {
    on_every_engine(async |databases| {
        let mut writers = JoinSet::new();
        for writer in 0..4 {
            let register = databases.register().await;
            writers.spawn(async move {
                let mut cins: Vec<String> =
                    (0..100).map(|number| format!("N{number:03}")).collect();
                if writer % 2 == 1 {
                    cins.reverse();
                }
                let records: Vec<Record> = cins
                    .iter()
                    .map(|cin| Record::Company(records::company(cin, "Namuna")))
                    .collect();
                register.store_batch(&records, NOW_MS).await
            });
        }
        let mut new = 0;
        for outcomes in writers.join_all().await {
            new += outcomes.unwrap().iter().filter(|stored| **stored == Stored::New).count();
        }
        assert_eq!(new, 100);
        assert_eq!(databases.register().await.newest_change().await.unwrap(), 100);
    });
}

#[test]
fn a_static_register_reads_like_a_stored_one_from_many_threads() {
    on_every_engine(async |databases| {
        let records = records::one_of_each();
        let stored = databases.register().await;
        store(&stored, &records).await;
        let imports = [(NOW_MS, records)];
        let in_memory = Arc::new(Register::static_with_history(&imports).await.unwrap());
        assert_eq!(in_memory.newest_change().await.unwrap(), stored.newest_change().await.unwrap());
        let expected = Arc::new(read_all(&stored).await);
        let mut reading = JoinSet::new();
        for _ in 0..16 {
            let (in_memory, expected) = (in_memory.clone(), expected.clone());
            reading.spawn(async move {
                for _ in 0..20 {
                    assert_eq!(read_all(&in_memory).await, *expected);
                    tokio::task::yield_now().await;
                }
            });
        }
        reading.join_all().await;
        let written = in_memory.store_batch(&[Record::Pan(records::pan(CIN, "X"))], NOW_MS).await;
        assert!(matches!(written, Err(StoreError::Unavailable(_))), "{written:?}");
    });
}

/// The records of the sandbox, file by file.
fn sandbox() -> Vec<Vec<Record>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/sandbox");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        // Earlier versions of records of the other files.
        .filter(|path| path.file_name().is_some_and(|name| name != "history.jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let parse_file = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .enumerate()
            .map(|(index, line)| {
                panji_import::panji::parse_line(line)
                    .unwrap_or_else(|reason| panic!("{}:{}: {reason}", path.display(), index + 1))
            })
            .collect()
    };
    files.iter().map(parse_file).collect()
}

#[test]
fn the_sandbox_is_imported_and_a_second_import_changes_nothing() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let mut stored = 0;
        for records in sandbox() {
            for (record, outcome) in records.iter().zip(store(&register, &records).await) {
                assert_eq!(outcome, Stored::New, "twice in the sandbox: {record:?}");
                stored += 1;
            }
            let again = store(&register, &records).await;
            assert!(again.iter().all(|outcome| *outcome == Stored::Unchanged));
            for record in &records {
                if let Record::Company(company) = record {
                    let existing = register.find_company(&company.cin).await.unwrap();
                    assert_eq!(existing.as_ref(), Some(company));
                }
            }
        }
        assert_eq!(register.newest_change().await.unwrap(), stored);
    });
}
