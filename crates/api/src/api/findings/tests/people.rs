//! Rules about the people in office.

use super::*;

#[test]
fn more_than_twenty_directorships_are_a_finding() {
    let rule = |directorships| outcome_of("many_directorships", director(directorships));
    assert_eq!(rule(directorships(21, "PTC", "active")), Found(1));
    assert_eq!(rule(directorships(20, "PTC", "active")), Nothing, "twenty are allowed");
    assert_eq!(rule(directorships(11, "PLC", "active")), Found(1), "public companies");
    assert_eq!(rule(directorships(10, "PLC", "active")), Nothing, "ten public ones are allowed");
    assert_eq!(
        rule(directorships(30, "PTC", "dormant")),
        Nothing,
        "dormant companies do not count"
    );
    assert_eq!(rule(directorships(30, "PTC", "struck_off")), Nothing);
    assert_eq!(
        rule(directorships(30, "NPL", "active")),
        Nothing,
        "section 8 companies do not count"
    );
    let llps = (0..30).map(|at| directorship(&format!("ZZA-{at:04}"), "active")).collect();
    assert_eq!(rule(llps), Nothing, "LLPs are not companies");
    let mut left = directorships(21, "PTC", "active");
    left[3].directorship.ceased_on = own("2025-01-01");
    assert_eq!(rule(left), Nothing, "an appointment has ended");
    let mut secretary = directorships(21, "PTC", "active");
    secretary[3].directorship.designation = "company_secretary".into();
    assert_eq!(rule(secretary), Nothing, "a secretary is no director");
}

#[test]
fn directorships_in_struck_off_companies_lapse_after_five_years() {
    let rule = |change: fn(&mut PersonDirectorship)| {
        let mut one = directorship("U22219DL2010PTC990224", "struck_off");
        change(&mut one);
        outcome_of("directorships_in_struck_off_companies", director(vec![one]))
    };
    assert_eq!(rule(|_| ()), Found(1));
    assert_eq!(rule(|entry| entry.struck_off_on = own("2021-07-01")), Found(1));
    assert_eq!(rule(|entry| entry.struck_off_on = own("2021-06-30")), Nothing, "lapsed today");
    assert_eq!(rule(|entry| entry.directorship.ceased_on = own("2021-07-01")), Found(1));
    assert_eq!(
        rule(|entry| entry.directorship.ceased_on = own("2021-06-30")),
        Nothing,
        "left before"
    );
    assert_eq!(
        rule(|entry| entry.company_origin = Some(origin("2020-01-31"))),
        Nothing,
        "it was struck off more than five years ago already"
    );
    assert_eq!(rule(|entry| entry.directorship.company_status = own("active")), Nothing);
    assert_eq!(
        rule(|entry| entry.directorship.company_status = None),
        Nothing,
        "not in the register"
    );
    assert_eq!(rule(|entry| entry.directorship.designation = "cfo".into()), Nothing);
    assert_eq!(rule(|entry| entry.directorship.cin = CIN.into()), Nothing, "the company itself");
    let records = director(vec![directorship("U22219DL2010PTC990224", "struck_off")]);
    let finding = check(records).findings.remove(0);
    assert_eq!(finding.confidence, "low", "the day is not known");
    assert!(finding.sentence.contains("published as struck off"), "{}", finding.sentence);
}

#[test]
fn a_disqualified_director_is_a_finding() {
    let rule = |status: Option<&str>| {
        let mut stored = director(Vec::new());
        stored.people[0].status = status.map(|status| (status.to_owned(), origin(AS_OF)));
        outcome_of("director_disqualified", stored)
    };
    assert_eq!(rule(Some("disqualified")), Found(1));
    assert_eq!(rule(Some("surrendered")), Found(1));
    assert_eq!(rule(Some("approved")), Nothing);
    assert_eq!(rule(Some("unknown")), NotChecked);
    assert_eq!(rule(None), NotChecked);
}

#[test]
fn a_change_of_all_directors_is_a_finding() {
    let rule = |appointments: Vec<Appointment>| {
        let mut stored = records_without_findings();
        stored.appointments = appointments;
        outcome_of("all_directors_changed", stored)
    };
    let came = appointment("99000101", "2025-08-01", None);
    let went = appointment("99000102", "2010-08-01", Some("2025-08-02"));
    assert_eq!(rule(vec![came.clone(), went.clone()]), Found(1));
    assert_eq!(rule(vec![came.clone()]), Nothing, "nobody left");
    let stayed = appointment("99000103", "2011-01-01", None);
    assert_eq!(rule(vec![came.clone(), went.clone(), stayed]), Nothing, "one stayed");
    let earlier = appointment("99000102", "2010-08-01", Some("2025-06-30"));
    assert_eq!(rule(vec![came.clone(), earlier]), Nothing, "the others left earlier");
    let mut partial = company(|company| company.coverage = Coverage::EMPTY.into());
    partial.appointments = vec![came.clone(), went.clone()];
    assert_eq!(outcome_of("all_directors_changed", partial), NotChecked, "a part is known");
    let mut new = company(|company| company.incorporated_on = own("2025-07-20"));
    new.appointments = vec![came, went];
    assert_eq!(outcome_of("all_directors_changed", new), Nothing, "the company is new itself");
}
