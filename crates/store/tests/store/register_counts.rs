//! Record counts of the register, and the imports that changed them.

use panji_store::register::{
    Company, Director, ImportRun, Record, RecordCount, Register, StoredReject,
};
use panji_testkit::records::{self, AS_OF, CIN, DIN};
use panji_testkit::{NOW_MS, on_every_engine};

const OTHER_CIN: &str = "U17110MH2001PTC990502";

async fn store(register: &Register, records: &[Record]) {
    register.store_batch(records, NOW_MS).await.unwrap();
}

fn company(cin: &str, source: &str, as_of: &str) -> Record {
    let company = records::company(cin, "Namuna Vastra Private Limited");
    Record::Company(Company { source: source.to_owned(), as_of: Some(as_of.to_owned()), ..company })
}

async fn counts(register: &Register, resource: &str) -> Vec<(String, i64, Option<String>)> {
    let counts = register.list_record_counts().await.unwrap();
    let of_kind = counts.into_iter().filter(|count| count.resource == resource);
    of_kind.map(|count| (count.source, count.records, count.newest_as_of)).collect()
}

#[test]
fn records_are_counted_by_kind_and_source() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let records = records::one_of_each();
        store(&register, &records).await;
        let counts = register.list_record_counts().await.unwrap();
        assert_eq!(counts.len(), records.len());
        let whole = |count: &RecordCount| {
            count.records == 1 && count.newest_as_of.as_deref() == Some(AS_OF)
        };
        assert!(counts.iter().all(whole), "{counts:?}");
        store(&register, &records).await;
        assert_eq!(
            register.list_record_counts().await.unwrap(),
            counts,
            "nothing was counted twice"
        );
    });
}

#[test]
fn a_record_that_changes_its_source_is_counted_for_the_new_source() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &[company(CIN, "one", "2025-01-01"), company(OTHER_CIN, "one", AS_OF)])
            .await;
        store(&register, &[company(CIN, "two", "2026-03-01")]).await;
        let of = |source: &str, newest: &str| (source.to_owned(), 1, Some(newest.to_owned()));
        assert_eq!(counts(&register, "company").await, [of("one", AS_OF), of("two", "2026-03-01")]);

        // One company under two numbers becomes one record.
        let Record::Company(merged) = company(OTHER_CIN, "two", "2026-04-01") else { panic!() };
        let merged = Company { former_cins: format!("[\"{CIN}\"]"), ..merged };
        store(&register, &[Record::Company(merged)]).await;
        assert_eq!(counts(&register, "company").await, [of("two", "2026-04-01")]);
    });
}

#[test]
fn a_key_that_occurs_twice_in_a_batch_is_one_record() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let batch = [
            company(CIN, "one", "2025-01-01"),
            company(CIN, "two", "2026-01-01"),
            company(CIN, "two", "2024-01-01"),
        ];
        store(&register, &batch).await;
        let newest = Some("2026-01-01".to_owned());
        assert_eq!(counts(&register, "company").await, [("two".to_owned(), 1, newest)]);
        assert_eq!(register.newest_change().await.unwrap(), 2);
        assert_eq!(register.find_company(CIN).await.unwrap().unwrap().source, "two");
    });
}

#[test]
fn a_source_without_a_din_status_keeps_the_stored_status() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &[Record::Director(records::director(DIN, "Namuna Udaharan"))]).await;
        let silent = Director {
            status: "unknown".to_owned(),
            nationality: None,
            source: "portal".to_owned(),
            ..records::director(DIN, "Namuna Udaharan Devi")
        };
        store(&register, &[Record::Director(silent)]).await;
        let found = register.find_director(DIN).await.unwrap().unwrap();
        assert_eq!(found.name, "Namuna Udaharan Devi");
        assert_eq!(found.status, "approved");
        assert_eq!(found.nationality.as_deref(), Some("India"));
    });
}

#[test]
fn records_of_the_first_schema_are_counted_by_the_migration() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let is_newer = |record: &Record| record.resource().starts_with("lei");
        let mut first_kinds = records::one_of_each();
        first_kinds.retain(|record| !is_newer(record));
        store(&register, &first_kinds).await;
        let expected = register.list_record_counts().await.unwrap();
        let engine = databases.engine("register").await;
        let mut transaction = engine.transaction().await.unwrap();
        for undo in [
            "drop table holdings",
            "drop table imports",
            "drop table import_sources",
            "drop table import_rejects",
            "drop table imported_files",
            "drop table listed_symbols",
            "alter table companies drop column coverage",
            "drop table company_joins",
            "alter table companies drop column inferred_cins",
            "alter table companies drop column name_text",
            "alter table companies drop column address_text",
            "drop table company_leis",
            "drop table lei_parents",
            "drop table lei_entities",
            "drop index changes_of_held",
            "drop index changes_by_subject",
            "drop index changes_by_related",
            "alter table changes drop column event_type",
            "alter table changes drop column subject",
            "alter table changes drop column related",
            "alter table changes drop column old_values",
            "alter table changes drop column new_values",
            "alter table changes drop column as_of",
            "drop table event_sources",
            "drop table history_start",
            "delete from schema_history where number >= 2",
        ] {
            transaction.run_script(undo).await.unwrap();
        }
        transaction.commit().await.unwrap();
        let upgraded = Register::open(databases.engine("register").await, NOW_MS).await.unwrap();
        assert_eq!(upgraded.list_record_counts().await.unwrap(), expected);
    });
}

#[test]
fn an_import_is_stored_with_its_sums_and_first_rejects() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        register.begin_import("01A", NOW_MS).await.unwrap();
        register.begin_import("01B", NOW_MS + 5).await.unwrap();
        let reject = |line| StoredReject {
            file: "goa.csv".into(),
            line,
            reason: "no CIN".into(),
            raw: "x,y".into(),
        };
        let mut run = ImportRun {
            id: "01A".into(),
            started_at: NOW_MS,
            updated_at: NOW_MS + 2_000,
            files: 1,
            read: 10,
            new: 9,
            rejected: 1,
            reasons: r#"{"no CIN":1}"#.into(),
            ..ImportRun::default()
        };
        register.record_import(&run, [("one", 0)], &[reject(3)], 0).await.unwrap();
        run.finished = true;
        let sources = [("one", 2), ("two", 0)];
        register.record_import(&run, sources, &[reject(9)], 1).await.unwrap();

        let imports = register.list_imports(10).await.unwrap();
        let ids: Vec<&str> = imports.iter().map(|run| run.id.as_str()).collect();
        assert_eq!(ids, ["01B", "01A"]);
        assert_eq!(imports[1], run);
        assert!(!imports[0].finished);
        let latest = register.list_latest_imports().await.unwrap();
        let latest: Vec<(&str, &str, Option<i64>)> = latest
            .iter()
            .map(|latest| (latest.source.as_str(), latest.run.id.as_str(), latest.rejected))
            .collect();
        assert_eq!(latest, [("one", "01A", Some(2)), ("two", "01A", Some(0))]);
        assert_eq!(register.list_rejects("01A", 10).await.unwrap(), [reject(3), reject(9)]);
        assert_eq!(register.list_rejects("01B", 10).await.unwrap(), []);
    });
}

#[test]
fn expired_rejects_are_deleted_and_the_sums_of_their_import_stay() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        for number in 0..12 {
            let (id, started_at) = (format!("{number:02}"), NOW_MS + number);
            register.begin_import(&id, started_at).await.unwrap();
            let reject = StoredReject {
                file: "goa.csv".into(),
                line: 7,
                reason: "no CIN".into(),
                raw: "x,y".into(),
            };
            let run = ImportRun { id, started_at, rejected: 1, ..ImportRun::default() };
            register.record_import(&run, [], &[reject], 0).await.unwrap();
        }
        let mut dropped = Vec::new();
        for _ in 0..3 {
            dropped.push(register.delete_expired_rejects(NOW_MS + 11).await.unwrap());
        }
        assert_eq!(dropped, [10, 1, 0], "some imports at a time, and the last is not old enough");
        assert_eq!(register.list_rejects("11", 10).await.unwrap().len(), 1);
        let imports = register.list_imports(100).await.unwrap();
        assert_eq!(imports.iter().map(|run| run.rejected).sum::<i64>(), 12);
    });
}
