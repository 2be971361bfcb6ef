//! Events with old and new values, and what the register said at an earlier instant.

use panji_store::register::{
    Appointment, Charge, Company, Director, Event, PastRecords, Record, Register,
};
use panji_testkit::records::{self, CIN, DIN};
use panji_testkit::{NOW_MS, on_every_engine};

use crate::DAY_MS;

const NEW_CIN: &str = "L17110MH2001PLC990501";

/// A date of the source, in February 2026.
fn on_day(day: i64) -> Option<String> {
    Some(format!("2026-02-{day:02}"))
}

fn at(day: i64) -> i64 {
    NOW_MS + day * DAY_MS
}

/// A register with one record of each kind, whose first import has ended.
async fn imported(databases: &panji_testkit::Databases) -> Register {
    let register = databases.register().await;
    register.store_batch(&records::one_of_each(), NOW_MS).await.unwrap();
    register.start_events(NOW_MS).await.unwrap();
    register
}

async fn store(register: &Register, record: Record, day: i64) {
    register.store_batch(&[record], at(day)).await.unwrap();
}

async fn events(register: &Register) -> Vec<Event> {
    register.list_events(0, 1_000).await.unwrap()
}

fn named(events: &[Event]) -> Vec<(&str, &str)> {
    events.iter().map(|event| (event.event_type.as_str(), event.subject.as_str())).collect()
}

fn value(text: &Option<String>) -> serde_json::Value {
    serde_json::from_str(text.as_deref().unwrap()).unwrap()
}

fn company(day: i64) -> Company {
    Company { as_of: on_day(day), ..records::company(CIN, "Udaharan Textiles Private Limited") }
}

#[test]
fn a_first_import_makes_no_events_and_a_later_change_has_both_values() {
    on_every_engine(async |databases| {
        let register = imported(&databases).await;
        assert_eq!(events(&register).await, []);
        let before = register.find_company(CIN).await.unwrap().unwrap();
        let after = Company {
            status: "struck_off".into(),
            status_text: Some("Strike Off".into()),
            pincode: Some("400001".into()),
            as_of: on_day(1),
            ..before.clone()
        };
        store(&register, Record::Company(after), 1).await;
        let found = events(&register).await;
        assert_eq!(
            named(&found),
            [("company.status_changed", CIN), ("company.office_changed", CIN)]
        );
        let old = value(&found[0].old_values);
        assert_eq!(old["status"], "active");
        assert_eq!(old["as_of"], before.as_of.unwrap());
        assert_eq!(value(&found[0].new_values)["status"], "struck_off");
        assert_eq!(found[0].as_of, on_day(1));
        assert_eq!(found[0].recorded_at, at(1));
        assert_eq!(value(&found[1].new_values)["pincode"], "400001");
        assert_eq!(found[1].seq, found[0].seq + 1);
    });
}

#[test]
fn the_same_data_again_makes_no_event_and_a_newer_date_alone_makes_none() {
    on_every_engine(async |databases| {
        let register = imported(&databases).await;
        register.store_batch(&records::one_of_each(), at(1)).await.unwrap();
        let newer = register.find_company(CIN).await.unwrap().unwrap();
        store(&register, Record::Company(Company { as_of: on_day(2), ..newer }), 2).await;
        assert_eq!(events(&register).await, []);
    });
}

#[test]
fn an_interrupted_first_import_that_is_run_again_makes_no_events() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let all = records::one_of_each();
        register.store_batch(&all[..2], NOW_MS).await.unwrap();
        register.store_batch(&all, at(1)).await.unwrap();
        register.start_events(at(1)).await.unwrap();
        assert_eq!(events(&register).await, []);
        store(&register, Record::Charge(records::charge(CIN, "990099", None)), 2).await;
        assert_eq!(named(&events(&register).await), [("charge.created", CIN)]);
    });
}

#[test]
fn appointments_are_events_of_the_company_and_of_the_director() {
    on_every_engine(async |databases| {
        let register = imported(&databases).await;
        let appointment = records::appointment(CIN, "99000777", "2026-02-01", None);
        store(&register, Record::Appointment(appointment.clone()), 1).await;
        let left =
            Appointment { ceased_on: Some("2026-02-20".into()), as_of: on_day(21), ..appointment };
        store(&register, Record::Appointment(left), 2).await;
        let director = Director {
            status: "disqualified".into(),
            as_of: on_day(22),
            ..records::director(DIN, "Namuna Udaharan")
        };
        store(&register, Record::Director(director), 3).await;
        let found = events(&register).await;
        assert_eq!(
            named(&found),
            [
                ("director.appointed", CIN),
                ("director.ceased", CIN),
                ("director.status_changed", DIN)
            ]
        );
        assert_eq!(found[0].related.as_deref(), Some("99000777"));
        assert_eq!(value(&found[1].new_values)["name"], "Namuna Udaharan");
        let of_person = register.list_subject_events(&["99000777"], i64::MAX, 10).await.unwrap();
        let types: Vec<&str> = of_person.iter().map(|event| event.event_type.as_str()).collect();
        assert_eq!(types, ["director.ceased", "director.appointed"]);
        let page = register.list_subject_events(&["99000777"], of_person[0].seq, 10).await.unwrap();
        assert_eq!(page.len(), 1);
    });
}

#[test]
fn a_new_number_is_one_event_for_both_numbers_and_keeps_the_history() {
    on_every_engine(async |databases| {
        let register = imported(&databases).await;
        let before = register.find_company(CIN).await.unwrap().unwrap();
        let charges = register.list_charges(CIN).await.unwrap();
        let renumbered = Company {
            cin: NEW_CIN.into(),
            former_cins: format!(r#"["{CIN}"]"#),
            as_of: on_day(1),
            ..before.clone()
        };
        store(&register, Record::Company(renumbered), 1).await;
        let found = events(&register).await;
        assert_eq!(named(&found), [("company.number_changed", NEW_CIN)]);
        assert_eq!(found[0].related.as_deref(), Some(CIN));
        assert_eq!(value(&found[0].old_values)["cin"], CIN);

        let present = register.find_company(NEW_CIN).await.unwrap().unwrap();
        let PastRecords::Records(then) = register.company_at(&present, at(1) - 1).await.unwrap()
        else {
            panic!("it was recorded");
        };
        assert_eq!(then.last(), Some(&Record::Company(before)));
        let earlier: Vec<&Charge> = then.iter().filter_map(charge_of).collect();
        assert_eq!(earlier, charges.iter().collect::<Vec<_>>());
    });
}

fn charge_of(record: &Record) -> Option<&Charge> {
    match record {
        Record::Charge(charge) => Some(charge),
        _ => None,
    }
}

#[test]
fn before_the_first_import_nothing_was_recorded() {
    on_every_engine(async |databases| {
        let register = imported(&databases).await;
        let company = register.find_company(CIN).await.unwrap().unwrap();
        let past = register.company_at(&company, NOW_MS - 1).await.unwrap();
        assert_eq!(past, PastRecords::NotRecorded);
        let director = register.find_director(DIN).await.unwrap().unwrap();
        assert_eq!(
            register.director_at(&director, NOW_MS - 1).await.unwrap(),
            PastRecords::NotRecorded
        );
        assert!(matches!(
            register.company_at(&company, NOW_MS).await.unwrap(),
            PastRecords::Records(_)
        ));
    });
}

#[test]
fn old_entries_are_deleted_and_what_was_before_them_is_no_longer_known() {
    on_every_engine(async |databases| {
        let register = imported(&databases).await;
        for day in 1..=4 {
            let paid_up_capital = Some(day * 100);
            store(&register, Record::Company(Company { paid_up_capital, ..company(day) }), day)
                .await;
        }
        let all = events(&register).await;
        assert!(all.len() >= 4, "{:?}", named(&all));
        while register.delete_expired_changes(at(3)).await.unwrap() > 0 {}
        let kept = events(&register).await;
        assert!(kept.iter().all(|event| event.recorded_at >= at(3)));
        assert_eq!(kept.last(), all.last());
        assert_eq!(register.oldest_kept_change().await.unwrap() + 1, kept[0].seq);
        let present = register.find_company(CIN).await.unwrap().unwrap();
        assert_eq!(register.company_at(&present, at(1)).await.unwrap(), PastRecords::NotKept);
        let PastRecords::Records(then) = register.company_at(&present, at(3)).await.unwrap() else {
            panic!("the changes since then are kept");
        };
        let Some(Record::Company(then)) = then.last() else { panic!("a company is last") };
        assert_eq!(then.paid_up_capital, Some(300));
        assert!(register.has_changed_since(0, "company").await.unwrap());
    });
}

/// Small numbers by chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn maybe(&mut self, text: &str) -> Option<String> {
        let number = self.below(4);
        (number > 0).then(|| format!("{text} {number}"))
    }
}

/// An import with some records of the company and of its director.
fn random_import(chance: &mut Chance, day: i64) -> Vec<Record> {
    let mut records = Vec::new();
    for _ in 0..=chance.below(4) {
        records.push(match chance.below(5) {
            0 | 1 => Record::Company(Company {
                name: chance.maybe("Udaharan").unwrap_or("Udaharan".into()),
                status: ["active", "struck_off", "dormant"][chance.below(3) as usize].into(),
                address: chance.maybe("Namuna Marg"),
                paid_up_capital: Some(chance.below(3) as i64 * 100),
                listed: [None, Some(true), Some(false)][chance.below(3) as usize],
                source: ["panji", "mca_master"][chance.below(2) as usize].into(),
                ..company(day)
            }),
            2 => Record::Appointment(Appointment {
                ceased_on: chance.maybe("2026-02-1"),
                as_of: on_day(day),
                ..records::appointment(
                    CIN,
                    DIN,
                    ["2001-05-14", "2010-01-01", ""][chance.below(3) as usize],
                    None,
                )
            }),
            3 => Record::Charge(Charge {
                amount: Some(chance.below(3) as i64 * 100),
                as_of: on_day(day),
                ..records::charge(CIN, ["1", "2"][chance.below(2) as usize], None)
            }),
            _ => Record::Director(Director {
                status: ["approved", "disqualified"][chance.below(2) as usize].into(),
                as_of: on_day(day),
                ..records::director(DIN, "Namuna Udaharan")
            }),
        });
    }
    records
}

/// The company with its directors and charges, and the director.
type Copy = (Company, Vec<Appointment>, Vec<Charge>, Director);

/// A copy of what the register says now.
async fn copy(register: &Register) -> Copy {
    (
        register.find_company(CIN).await.unwrap().unwrap(),
        register.list_appointments(CIN).await.unwrap(),
        register.list_charges(CIN).await.unwrap(),
        register.find_director(DIN).await.unwrap().unwrap(),
    )
}

#[test]
fn the_past_equals_the_copies_that_were_kept_of_it() {
    for seed in 1..=8 {
        on_every_engine(async |databases| {
            let register = imported(&databases).await;
            let mut chance = Chance(seed);
            let mut copies = vec![copy(&register).await];
            for day in 1..=20 {
                register.store_batch(&random_import(&mut chance, day), at(day)).await.unwrap();
                register.start_events(at(day)).await.unwrap();
                copies.push(copy(&register).await);
            }
            for (day, kept) in copies.iter().enumerate() {
                assert_eq!(&past_copy(&register, at(day as i64)).await, kept, "{seed}, day {day}");
            }
        });
    }
}

/// What [`copy`] returned at an instant, worked out from the events.
async fn past_copy(register: &Register, at_ms: i64) -> Copy {
    let (company, _, _, director) = copy(register).await;
    let past = past_register(register.company_at(&company, at_ms).await.unwrap(), at_ms).await;
    let then = past.find_company(CIN).await.unwrap().unwrap();
    let appointments = past.list_appointments(CIN).await.unwrap();
    let charges = past.list_charges(CIN).await.unwrap();
    let past = past_register(register.director_at(&director, at_ms).await.unwrap(), at_ms).await;
    let listed = past.list_directorships(DIN).await.unwrap();
    assert_eq!(listed[0].company_status.as_ref(), Some(&then.status));
    (then, appointments, charges, past.find_director(DIN).await.unwrap().unwrap())
}

async fn past_register(past: PastRecords, at_ms: i64) -> Register {
    let PastRecords::Records(records) = past else { panic!("it was recorded at {at_ms}") };
    Register::in_memory(&records, at_ms).await.unwrap()
}
