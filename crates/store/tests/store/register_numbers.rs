//! Companies that change their number: the company stays one record, with all its sections.

use panji_store::register::{Company, JoinBasis, Record, Register, Separated, Stored};
use panji_testkit::records::{self, AS_OF, CIN};
use panji_testkit::{NOW_MS, on_every_engine};

const NEW_CIN: &str = "L17110MH2001PLC990501";
const NEWEST_CIN: &str = "L17110GJ2001PLC990501";
const LATER: &str = "2026-02-20";
/// The stored list with [`CIN`] in it.
const FORMER: &str = r#"["U17110MH2001PTC990501"]"#;

fn renumbered(cin: &str, former: &[&str], as_of: &str) -> Record {
    let company = records::company(cin, "Namuna Vastra Limited");
    let former_cins = serde_json::to_string(former).unwrap();
    Record::Company(Company { former_cins, as_of: Some(as_of.to_owned()), ..company })
}

async fn store(register: &Register, records: &[Record]) -> Vec<Stored> {
    register.store_batch(records, NOW_MS).await.unwrap()
}

/// Number of rows of each section under a number.
async fn sections(register: &Register, cin: &str) -> [usize; 6] {
    [
        register.list_appointments(cin).await.unwrap().len(),
        register.list_charges(cin).await.unwrap().len(),
        register.list_financial_years(cin).await.unwrap().len(),
        register.list_filings(cin).await.unwrap().len(),
        register.list_credit_ratings(cin).await.unwrap().len(),
        usize::from(register.find_company_pan(cin).await.unwrap().is_some()),
    ]
}

async fn companies(register: &Register) -> Vec<String> {
    let page = register.list_indexed("", 10).await.unwrap();
    page.into_iter().map(|company| company.cin).collect()
}

#[test]
fn sections_move_with_a_company_to_its_present_number() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &records::one_of_each()).await;
        let before = sections(&register, CIN).await;
        assert!(before.iter().all(|rows| *rows > 0), "{before:?}");

        store(&register, &[renumbered(NEW_CIN, &[CIN], LATER)]).await;
        assert_eq!(companies(&register).await, [NEW_CIN]);
        assert_eq!(sections(&register, NEW_CIN).await, before);
        assert_eq!(sections(&register, CIN).await, [0; 6]);
        let found = register.find_company(CIN).await.unwrap().unwrap();
        assert_eq!(found.cin, NEW_CIN);

        // The feed contains the removal of the old number, so that an index can delete it.
        let feed = register.list_changes(0, 100).await.unwrap();
        let last_of_old = feed.iter().rfind(|change| change.key == CIN).unwrap();
        assert_eq!(last_of_old.resource, "pan");
        assert!(feed.iter().filter(|c| c.resource == "company" && c.key == CIN).count() == 2);
    });
}

#[test]
fn a_section_imported_under_a_former_number_is_stored_under_the_present_one() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &[renumbered(NEW_CIN, &[CIN], LATER)]).await;
        let stored = store(&register, &records::one_of_each()).await;
        assert_eq!(stored[0], Stored::Older, "the company itself has a later number");
        assert!(stored[1..].iter().all(|stored| *stored == Stored::New));
        assert_eq!(companies(&register).await, [NEW_CIN]);
        assert!(sections(&register, NEW_CIN).await.iter().all(|rows| *rows > 0));
        let again = store(&register, &records::one_of_each()).await;
        assert!(again[1..].iter().all(|stored| *stored == Stored::Unchanged));
    });
}

#[test]
fn a_number_that_changed_twice_resolves_to_the_last() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &records::one_of_each()).await;
        store(&register, &[renumbered(NEW_CIN, &[CIN], AS_OF)]).await;
        store(&register, &[renumbered(NEWEST_CIN, &[NEW_CIN], LATER)]).await;
        for cin in [CIN, NEW_CIN, NEWEST_CIN] {
            assert_eq!(register.find_company(cin).await.unwrap().unwrap().cin, NEWEST_CIN);
        }
        assert!(sections(&register, NEWEST_CIN).await.iter().all(|rows| *rows > 0));
        assert_eq!(companies(&register).await, [NEWEST_CIN]);
    });
}

#[test]
fn a_newer_record_makes_a_former_number_present_again() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &[renumbered(NEW_CIN, &[CIN], AS_OF)]).await;
        assert_eq!(store(&register, &[renumbered(CIN, &[], AS_OF)]).await, [Stored::Older]);
        assert_eq!(store(&register, &[renumbered(CIN, &[], LATER)]).await, [Stored::New]);
        assert_eq!(register.find_company(CIN).await.unwrap().unwrap().cin, CIN);

        // The record that makes it a former number is older now, and does not take it away again.
        let older = Company {
            paid_up_capital: Some(7_00),
            former_cins: format!("[\"{CIN}\"]"),
            ..records::company(NEW_CIN, "Namuna Vastra Limited")
        };
        store(&register, &[Record::Company(older)]).await;
        assert_eq!(register.find_company(CIN).await.unwrap().unwrap().cin, CIN);
    });
}

#[test]
fn many_numbers_are_searched_at_once_and_returned_in_order() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let other = "U17110MH2001PTC990502";
        let other_company = records::company(other, "Doosra Namuna Limited");
        store(&register, &[Record::Company(other_company)]).await;
        store(&register, &[renumbered(NEW_CIN, &[CIN], AS_OF)]).await;
        let unknown = "U17110MH2001PTC990599";
        let requested = [unknown, CIN, other, unknown, NEW_CIN, other];
        let found = register.find_company_summaries(&requested).await.unwrap();
        let names: Vec<Option<&str>> =
            found.iter().map(|stored| stored.as_ref().map(|stored| stored.name.as_str())).collect();
        let (renumbered, other) = (Some("Namuna Vastra Limited"), Some("Doosra Namuna Limited"));
        assert_eq!(names, [None, renumbered, other, None, renumbered, other]);
        let former = found[1].as_ref().unwrap();
        assert_eq!(former.id, NEW_CIN, "the current number");
        assert_eq!(former.origin.as_of.as_deref(), Some(AS_OF));
        assert!(register.find_company_summaries(&[]).await.unwrap().is_empty());
        let companies = register.find_companies(&requested).await.unwrap();
        let companies: Vec<Option<&str>> =
            companies.iter().map(|found| found.as_ref().map(|found| found.name.as_str())).collect();
        assert_eq!(companies, names, "whole records as well");
    });
}

const PUBLIC_CIN: &str = "U17110MH2001PLC990501";

fn listed_twice() -> [Record; 2] {
    [
        Record::PartialCompany(records::company(CIN, "Namuna Vastra Private Limited")),
        Record::PartialCompany(records::company(PUBLIC_CIN, "Namuna Vastra Limited")),
    ]
}

async fn join(register: &Register, cin: &str, former: &str, basis: JoinBasis) -> bool {
    register.join_companies(cin, former, basis, NOW_MS).await.unwrap()
}

#[test]
fn companies_that_share_a_number_or_a_name_are_listed_in_groups() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &listed_twice()).await;
        let elsewhere = records::company("U17110GJ2001PTC990877", "NAMUNA VASTRA LIMITED");
        let other = records::company("U17110MH2001PTC990502", "Doosra Namuna Limited");
        store(&register, &[Record::Company(elsewhere), Record::Company(other)]).await;
        let undated = |cin: &str| Company {
            incorporated_on: None,
            ..records::company(cin, "Namuna Vastra Limited")
        };
        let llp =
            Company { kind: "llp".into(), ..records::company("AAA-9905", "Teesra Namuna LLP") };
        let same_llp = Company { cin: "AAA-9906".into(), ..llp.clone() };
        let without = [undated("U17110KA2001PTC990878"), llp, same_llp].map(Record::Company);
        store(&register, &without).await;
        let groups = register.list_duplicate_candidates().await.unwrap();
        let (by_number, by_name) = ([PUBLIC_CIN, CIN], ["U17110GJ2001PTC990877", PUBLIC_CIN]);
        assert_eq!(groups, [by_number, by_name]);
    });
}

#[test]
fn a_joined_number_is_a_former_one_that_no_source_states() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &records::one_of_each()).await;
        let [_, public] = listed_twice();
        store(&register, &[public]).await;
        let before = sections(&register, CIN).await;
        assert!(join(&register, PUBLIC_CIN, CIN, JoinBasis::Number).await);
        assert_eq!(companies(&register).await, [PUBLIC_CIN]);
        assert_eq!(sections(&register, PUBLIC_CIN).await, before);
        let found = register.find_company(CIN).await.unwrap().unwrap();
        assert_eq!((found.cin.as_str(), found.former_cins.as_str()), (PUBLIC_CIN, FORMER));
        assert_eq!(found.inferred_cins.as_deref(), Some(FORMER));
        assert!(found.former_names.contains("Udaharan"), "{}", found.former_names);
        let counts = register.list_record_counts().await.unwrap();
        let companies = counts.iter().filter(|count| count.resource == "company");
        assert_eq!(companies.map(|count| count.records).sum::<i64>(), 1);
        assert!(!join(&register, PUBLIC_CIN, CIN, JoinBasis::Number).await, "only once");

        // Importing both rows again changes nothing.
        let again = store(&register, &listed_twice()).await;
        assert_eq!(again, [Stored::Older, Stored::Unchanged]);
        let decisions = register.list_join_decisions().await.unwrap();
        assert_eq!(decisions.len(), 1);
        assert!(decisions[0].is_same && decisions[0].basis == JoinBasis::Number);
    });
}

#[test]
fn a_newer_row_undoes_a_join_by_the_rule_but_not_one_by_a_person() {
    for (basis, expected) in [(JoinBasis::Number, CIN), (JoinBasis::Operator, PUBLIC_CIN)] {
        on_every_engine(async |databases| {
            let register = databases.register().await;
            store(&register, &listed_twice()).await;
            assert!(join(&register, PUBLIC_CIN, CIN, basis).await);
            store(&register, &[renumbered(CIN, &[], LATER)]).await;
            let found = register.find_company(CIN).await.unwrap().unwrap();
            assert_eq!(found.cin, expected, "{basis:?}");
            if basis == JoinBasis::Number {
                // The rule joins them again, the other way around.
                assert!(register.list_join_decisions().await.unwrap().is_empty());
                assert!(join(&register, CIN, PUBLIC_CIN, basis).await);
                let found = register.find_company(PUBLIC_CIN).await.unwrap().unwrap();
                assert_eq!(found.cin, CIN);
                assert_eq!(found.former_cins, format!("[\"{PUBLIC_CIN}\"]"));
            }
        });
    }
}

#[test]
fn separated_numbers_are_two_companies_again_and_the_decision_is_stored() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        store(&register, &listed_twice()).await;
        let originals = [
            register.find_company(CIN).await.unwrap().unwrap(),
            register.find_company(PUBLIC_CIN).await.unwrap().unwrap(),
        ];
        assert!(join(&register, PUBLIC_CIN, CIN, JoinBasis::Number).await);
        let separated = register.separate_companies(PUBLIC_CIN, CIN, NOW_MS).await.unwrap();
        assert_eq!(separated, Separated::Restored);
        for original in originals {
            let found = register.find_company(&original.cin).await.unwrap().unwrap();
            assert_eq!(found, original);
        }
        let decisions = register.list_join_decisions().await.unwrap();
        assert_eq!(decisions.len(), 1);
        assert!(!decisions[0].is_same && decisions[0].basis == JoinBasis::Operator);
        let again = register.separate_companies(PUBLIC_CIN, CIN, NOW_MS).await.unwrap();
        assert_eq!(again, Separated::Noted);
        assert!(join(&register, CIN, PUBLIC_CIN, JoinBasis::Operator).await);
        assert!(register.list_join_decisions().await.unwrap()[0].is_same, "the later decision");
    });
}
