//! JSON of the MCA portal and of the GST system: fictitious documents with the difficulties of real
//! ones, and real documents if `PANJI_REAL_DATA` is set.

mod companies;
mod gst;
mod mangled;
mod real;

use std::path::PathBuf;

use panji_import::{Reason, gstn, mca_company_json};
use panji_store::register::{
    Appointment, Charge, Company, Director, GstFiling, GstRegistration, Record,
};
use serde_json::{Value, json};

const AS_OF: Option<&str> = Some("2025-07-01");

fn fixture(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/json").join(name);
    document(&path)
}

fn document(path: &PathBuf) -> Value {
    let text = std::fs::read_to_string(path).expect("the file is there");
    serde_json::from_str(&text).expect("the file is JSON")
}

/// The records of a document, by kind.
#[derive(Default)]
struct Read {
    companies: Vec<Company>,
    directors: Vec<Director>,
    appointments: Vec<Appointment>,
    charges: Vec<Charge>,
    gst: Vec<GstRegistration>,
    filings: Vec<GstFiling>,
    rejects: Vec<String>,
}

impl Read {
    fn of(results: Vec<Result<Record, Reason>>) -> Read {
        let mut read = Read::default();
        for result in results {
            match result {
                Ok(Record::PartialCompany(company)) => read.companies.push(company),
                Ok(Record::Director(director)) => read.directors.push(director),
                Ok(Record::Appointment(appointment)) => read.appointments.push(appointment),
                Ok(Record::Charge(charge)) => read.charges.push(charge),
                Ok(Record::Gst(registration)) => read.gst.push(registration),
                Ok(Record::GstFiling(filing)) => read.filings.push(filing),
                Ok(other) => panic!("unexpected {other:?}"),
                Err(reason) => read.rejects.push(reason.text),
            }
        }
        read
    }

    fn mca(document: &Value) -> Read {
        assert!(mca_company_json::recognizes(document) && !gstn::recognizes(document));
        Read::of(mca_company_json::parse_document(document, AS_OF, "2026-06-30"))
    }

    fn gst(document: &Value) -> Read {
        assert!(gstn::recognizes(document) && !mca_company_json::recognizes(document));
        Read::of(
            gstn::parse_document(document, AS_OF).into_iter().map(|(_, record)| record).collect(),
        )
    }

    /// Everything that was read, in one text.
    fn text(&self) -> String {
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
            self.companies,
            self.directors,
            self.appointments,
            self.charges,
            self.gst,
            self.filings,
            self.rejects
        )
    }

    fn assert_rejects(&self, expected: &[&str]) {
        for (sentence, part) in self.rejects.iter().zip(expected) {
            assert!(sentence.contains(part), "{sentence:?} does not say {part:?}");
        }
        assert_eq!(self.rejects.len(), expected.len(), "{:#?}", self.rejects);
    }

    fn assert_keys_are_unique(&self) {
        let mut keys: Vec<String> = Vec::new();
        keys.extend(self.directors.iter().map(|one| one.din.clone()));
        keys.extend(
            self.appointments.iter().map(|s| format!("{} {} {}", s.cin, s.din, s.appointed_on)),
        );
        keys.extend(self.charges.iter().map(|one| format!("charge {}", one.charge_id)));
        keys.extend(
            self.filings.iter().map(|f| format!("{} {} {}", f.gstin, f.period, f.return_type)),
        );
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count, "two records of one document have the same key");
    }
}

/// The main fields of an appointment.
fn summary(appointment: &Appointment) -> (&str, &str, &str, Option<&str>) {
    (
        &appointment.cin,
        &appointment.appointed_on,
        &appointment.designation,
        appointment.ceased_on.as_deref(),
    )
}

#[test]
fn personal_data_is_not_read() {
    let company = Read::mca(&fixture("company.json")).text();
    let taxpayers = Read::gst(&fixture("taxpayers_api.json")).text();
    for private in [
        "ABCPD1234E",
        "ABCPS9876K",
        "ABCPT5555L",
        "Private Lane",
        "560999",
        "1971",
        "home.example",
        "98000000",
        "PITAJI",
        "PRIVATE MEMBER",
        "SOMEONE",
    ] {
        assert!(!company.contains(private) && !taxpayers.contains(private), "{private}");
    }
}

#[test]
fn documents_of_other_kinds_are_not_recognized() {
    for other in [json!({"record": "gst", "gstin": "29ZZZCQ1234F1ZX"}), json!([]), json!("text")] {
        assert!(!gstn::recognizes(&other) && !mca_company_json::recognizes(&other), "{other}");
    }
}
