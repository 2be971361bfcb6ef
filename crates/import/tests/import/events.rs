//! Two releases of a company master: the events of the second equal an independent comparison.

use std::collections::BTreeMap;
use std::path::PathBuf;

use panji_import::Options;
use panji_store::register::Event;
use serde_json::Value;

use crate::Bench;

/// The events of the second of two files, by company and type: the old and new values.
fn events_of(first: &[u8], second: &[u8]) -> BTreeMap<(String, String), (Value, Value)> {
    let mut bench = Bench::new();
    for (name, content, day) in
        [("first.csv", first, "2026-01-31"), ("second.csv", second, "2026-02-28")]
    {
        let path = bench.file(name, content);
        let as_of = Some(day.parse().unwrap());
        let report = bench.import_with(&path, &Options { as_of, ..Options::default() });
        assert_eq!(report.failures, [] as [String; 0]);
    }
    let list = bench.register.list_events(0, 1_000_000);
    let events: Vec<Event> = bench.runtime.block_on(list).unwrap();
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq));
    let values = |text: &Option<String>| {
        text.as_deref().map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
    };
    events
        .iter()
        .map(|event| {
            let key = (event.subject.clone(), event.event_type.clone());
            (key, (values(&event.old_values), values(&event.new_values)))
        })
        .collect()
}

const HEADER: &str = "CIN,CompanyName,CompanyROCcode,CompanyCategory,CompanySubCategory,CompanyClass,AuthorizedCapital,PaidupCapital,CompanyRegistrationdate_date,Registered_Office_Address,Listingstatus,CompanyStatus,CompanyStateCode,CompanyIndian/Foreign Company,nic_code,CompanyIndustrialClassification\n";

fn row(number: u32, name: &str, paid_up: u32, status: &str) -> String {
    format!(
        "U85100GA2022PTC99{number:04},{name} PRIVATE LIMITED,ROC Goa,Company limited by shares,Non-government company,Private,1000000.00,{paid_up}.00,2022-11-23,\"1 Namuna Marg,North Goa,Goa,403521-India\",Unlisted,{status},goa,Indian,85100,Services\n"
    )
}

#[test]
fn a_second_release_makes_events_of_what_differs_and_of_nothing_else() {
    let first = [row(1, "UDAHARAN", 100, "Active"), row(2, "NAMUNA", 100, "Active")];
    let second = [
        row(1, "UDAHARAN", 200, "Strike Off"),
        row(2, "NAMUNA", 100, "Active"),
        row(3, "MISAL", 100, "Active"),
    ];
    let file = |rows: &[String]| format!("{HEADER}{}", rows.concat()).into_bytes();
    let events = events_of(&file(&first), &file(&second));
    let changed = "U85100GA2022PTC990001".to_owned();
    let keys: Vec<(&str, &str)> = events.keys().map(|(cin, kind)| (&**cin, &**kind)).collect();
    assert_eq!(
        keys,
        [
            (changed.as_str(), "company.capital_changed"),
            (changed.as_str(), "company.status_changed"),
            ("U85100GA2022PTC990003", "company.added"),
        ]
    );
    let (old, new) = &events[&(changed.clone(), "company.capital_changed".into())];
    assert_eq!(
        (&old["paid_up_capital"], &new["paid_up_capital"]),
        (&10_000.into(), &20_000.into())
    );
    let (old, new) = &events[&(changed, "company.status_changed".into())];
    assert_eq!(
        (&old["status_text"], &new["status_text"]),
        (&"Active".into(), &"Strike Off".into())
    );
}

/// A row of the real file, with some cells replaced: every seventh company is struck off, every
/// eleventh has more paid-up capital, every thirteenth another name.
fn edited(index: usize, record: &csv::StringRecord) -> (csv::StringRecord, [bool; 3]) {
    let mut cells: Vec<String> = record.iter().map(str::to_owned).collect();
    let edits = [
        index.is_multiple_of(7) && cells[11] == "Active",
        index.is_multiple_of(11),
        index.is_multiple_of(13),
    ];
    if edits[0] {
        cells[11] = "Strike Off".into();
    }
    if edits[1] {
        let rupees: f64 = cells[7].parse().unwrap();
        cells[7] = format!("{:.2}", rupees + 12_345.0);
    }
    if edits[2] {
        cells[1] = format!("BADLA {}", cells[1]);
    }
    (csv::StringRecord::from(cells), edits)
}

#[test]
#[allow(clippy::disallowed_methods, reason = "names the real files, if there are any")]
fn events_of_an_edited_real_master_equal_the_edits() {
    let Some(root) = std::env::var_os("PANJI_REAL_DATA") else { return };
    let path = PathBuf::from(root).join("mca_master/new_format/Goa.csv");
    let first = std::fs::read(path).unwrap();
    let mut reader = csv::Reader::from_reader(first.as_slice());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(reader.headers().unwrap()).unwrap();
    let mut expected = BTreeMap::new();
    for (index, record) in reader.records().enumerate() {
        let record = record.unwrap();
        let (changed, edits) = edited(index, &record);
        writer.write_record(&changed).unwrap();
        let kinds = ["company.status_changed", "company.capital_changed", "company.name_changed"];
        for ((is_edited, kind), column) in edits.into_iter().zip(kinds).zip([11, 7, 1]) {
            if is_edited {
                let cells = (record[column].to_owned(), changed[column].to_owned());
                expected.insert((record[0].to_owned(), kind.to_owned()), cells);
            }
        }
    }
    let events = events_of(&first, &writer.into_inner().unwrap());
    let found: Vec<&(String, String)> = events.keys().collect();
    assert_eq!(found, expected.keys().collect::<Vec<_>>());
    for (key, (from, to)) in &expected {
        let (old, new) = &events[key];
        let (column, is_money) = match key.1.as_str() {
            "company.status_changed" => ("status_text", false),
            "company.capital_changed" => ("paid_up_capital", true),
            _ => continue,
        };
        let value = |cell: &str| match is_money {
            true => Value::from((cell.parse::<f64>().unwrap() * 100.0).round() as i64),
            false => Value::from(cell),
        };
        assert_eq!((&old[column], &new[column]), (&value(from), &value(to)), "{key:?}");
    }
    assert!(expected.len() > 2_000, "{}", expected.len());
}
