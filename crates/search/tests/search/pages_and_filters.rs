//! Pages and filters: no company is missing or repeated, and filtered pages are full.

use std::collections::BTreeSet;

use panji_search::{Found, Order, Search, SearchRequest};
use panji_store::register::IndexedCompany;

use crate::bench::cin;

/// More than the search ranks for a first page.
const MANY: usize = 300;
/// More companies with one word than a search without filters reads.
const VERY_MANY: usize = 12_000;

fn indexed(number: usize, name: &str) -> IndexedCompany {
    IndexedCompany {
        cin: cin(number),
        name: name.to_owned(),
        former_names: "[]".to_owned(),
        former_cins: "[]".to_owned(),
        kind: "company".to_owned(),
        status: "active".to_owned(),
        state_code: Some("MH".to_owned()),
        state: Some("Maharashtra".to_owned()),
        incorporated_on: Some("2001-05-14".to_owned()),
        listed: Some(false),
        city: Some("Pune".to_owned()),
        pincode: Some("411001".to_owned()),
        class: Some("private".to_owned()),
        nic_code: Some("17110".to_owned()),
    }
}

/// Companies with one word in common, and names of different lengths.
fn many() -> Vec<IndexedCompany> {
    let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
    (0..MANY)
        .map(|number| {
            let word: String =
                (0..=number % 9).map(|at| letter(number / 9 + at * number)).collect();
            let mut company = indexed(number, &format!("Kalpanik {word}{number} Limited"));
            if number.is_multiple_of(3) {
                company.status = "struck_off".to_owned();
            }
            company
        })
        .collect()
}

fn cins(found: &[Found]) -> Vec<String> {
    found.iter().map(|found| found.cin.clone()).collect()
}

/// All pages of a search, one after another.
fn all_pages(search: &Search, request: &SearchRequest<'_>) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let page = SearchRequest { offset: all.len(), ..request.clone() };
        let hits = search.find(&page).unwrap();
        assert!(hits.companies.len() == request.limit || !hits.has_more, "a page is not full");
        all.extend(cins(&hits.companies));
        if !hits.has_more {
            let after = SearchRequest { offset: all.len(), ..request.clone() };
            assert_eq!(search.find(&after).unwrap().companies, [], "companies follow the last");
            return all;
        }
    }
}

#[test]
fn over_all_pages_no_company_is_missing_or_repeated() {
    let search = Search::in_memory(&many()).unwrap();
    for text in ["kalpanik", "kal", "ka", "U17110MH2001"] {
        let in_one_order: Vec<Vec<String>> = [30, 50]
            .map(|limit| {
                let request = SearchRequest { text, limit, ..SearchRequest::default() };
                assert_eq!(search.find(&request).unwrap().total, MANY, "{text}");
                all_pages(&search, &request)
            })
            .to_vec();
        let different: BTreeSet<&String> = in_one_order[0].iter().collect();
        assert_eq!((different.len(), in_one_order[0].len()), (MANY, MANY), "{text}");
        assert_eq!(in_one_order[0], in_one_order[1], "{text}: the order depends on the page");
    }
}

#[test]
fn an_order_is_that_of_all_pages_together() {
    let mut companies = many();
    for (number, company) in companies.iter_mut().enumerate() {
        let (year, day) = (1950 + number % 70, 1 + number % 28);
        let known = !number.is_multiple_of(10);
        company.incorporated_on = known.then(|| format!("{year}-04-{day:02}"));
    }
    let search = Search::in_memory(&companies).unwrap();
    let by_cin = |cin: &String| companies.iter().find(|company| company.cin == *cin).unwrap();
    let sorted = |order: Order| {
        let request =
            SearchRequest { text: "kalpanik", limit: 40, order, ..SearchRequest::default() };
        let found = all_pages(&search, &request);
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), MANY, "{order:?}");
        found
    };
    let names: Vec<String> =
        sorted(Order::Name).iter().map(|cin| by_cin(cin).name.to_lowercase()).collect();
    assert!(names.is_sorted());
    for order in [Order::Newest, Order::Oldest] {
        let found = sorted(order);
        let (known, unknown) = found.split_at(MANY * 9 / 10);
        assert!(unknown.iter().all(|cin| by_cin(cin).incorporated_on.is_none()), "{order:?}");
        let days: Vec<&String> =
            known.iter().map(|cin| by_cin(cin).incorporated_on.as_ref().unwrap()).collect();
        match order {
            Order::Newest => assert!(days.iter().rev().is_sorted()),
            _ => assert!(days.is_sorted()),
        }
    }
}

#[test]
fn filtered_pages_have_all_matching_companies_and_no_others() {
    let companies = many();
    let search = Search::in_memory(&companies).unwrap();
    let struck_off = companies.iter().filter(|company| company.status == "struck_off");
    let expected: BTreeSet<String> = struck_off.map(|company| company.cin.clone()).collect();
    for text in ["kalpanik", "ka", "U17110MH2001"] {
        let status = Some("struck_off");
        let request = SearchRequest { text, limit: 20, status, ..SearchRequest::default() };
        let found = all_pages(&search, &request);
        assert_eq!(found.len(), expected.len(), "{text}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{text}");
    }
}

#[test]
fn a_filter_finds_companies_that_a_very_common_word_hides() {
    let mut companies: Vec<IndexedCompany> =
        (0..VERY_MANY).map(|number| indexed(number, &format!("Namuna {number} Limited"))).collect();
    // The names are longer than all others, so that these companies are the last of their word.
    for number in 0..60 {
        let name = format!("Namuna Bahut Lamba Naam Wala Udyog {number} Limited");
        let mut company = indexed(VERY_MANY + number, &name);
        company.city = Some("Nashik".to_owned());
        company.incorporated_on = Some("2024-02-29".to_owned());
        companies.push(company);
    }
    let search = Search::in_memory(&companies).unwrap();
    let request = SearchRequest { text: "namuna", limit: 50, ..SearchRequest::default() };
    let nashik = SearchRequest { city: Some("Nashik"), ..request.clone() };
    let dated = SearchRequest { incorporated_from: Some("2024-02-29"), ..request };
    for request in [nashik, dated] {
        let hits = search.find(&request).unwrap();
        assert_eq!((hits.companies.len(), hits.total, hits.has_more), (50, 60, true));
        assert_eq!(all_pages(&search, &request).len(), 60);
    }
}

/// A company with its own value for every filter, among others.
fn one_of_its_own() -> Search {
    let mut own = indexed(1, "Kalpanik Foods LLP");
    own.kind = "llp".to_owned();
    own.class = Some("one_person".to_owned());
    own.nic_code = Some("10501".to_owned());
    own.city = Some("Nagpur".to_owned());
    own.pincode = Some("440001".to_owned());
    own.incorporated_on = Some("2010-04-01".to_owned());
    let mut unknown = indexed(2, "Kalpanik Unknown Limited");
    unknown.incorporated_on = None;
    (unknown.class, unknown.nic_code) = (None, None);
    (unknown.city, unknown.pincode) = (None, None);
    Search::in_memory(&[indexed(0, "Kalpanik Mills Limited"), own, unknown]).unwrap()
}

#[test]
fn every_filter_selects_by_its_own_value() {
    let search = one_of_its_own();
    let names = |request: SearchRequest<'_>| -> Vec<String> {
        let request = SearchRequest { text: "kalpanik", limit: 10, ..request };
        let hits = search.find(&request).unwrap();
        hits.companies.into_iter().map(|found| found.name).collect()
    };
    let any = SearchRequest::default;
    let foods = ["Kalpanik Foods LLP"];
    assert_eq!(names(SearchRequest { kind: Some("llp"), ..any() }), foods);
    assert_eq!(names(SearchRequest { class: Some("one_person"), ..any() }), foods);
    for nic in ["1", "10", "1050", "10501"] {
        assert_eq!(
            names(SearchRequest { nic: Some(nic), ..any() }).len(),
            1 + usize::from(nic == "1")
        );
    }
    assert_eq!(names(SearchRequest { nic: Some("0501"), ..any() }), [""; 0]);
    assert_eq!(names(SearchRequest { city: Some("NAGPUR"), ..any() }), foods);
    assert_eq!(names(SearchRequest { pincode: Some("440001"), ..any() }), foods);
    let between =
        |from, to| names(SearchRequest { incorporated_from: from, incorporated_to: to, ..any() });
    assert_eq!(between(Some("2010-04-01"), Some("2010-04-01")), foods);
    assert_eq!(between(Some("2010-04-02"), None), [""; 0]);
    assert_eq!(between(None, Some("2010-03-31")), ["Kalpanik Mills Limited"]);
    assert_eq!(between(None, Some("2010-04-01")).len(), 2, "an unknown date is in no period");
    let both = SearchRequest { city: Some("Nagpur"), kind: Some("company"), ..any() };
    assert_eq!(names(both), [""; 0]);
}

#[test]
fn old_and_new_names_of_a_city_find_the_same_companies() {
    let cities = [
        ("KA", "Karnataka", "Bengaluru"),
        ("KA", "Karnataka", "BANGALORE"),
        ("MH", "Maharashtra", "Bombay"),
        ("GJ", "Gujarat", "Ahmadabad"),
        ("MH", "Maharashtra", "Aurangabad"),
        ("BR", "Bihar", "Aurangabad"),
        ("MH", "Maharashtra", "Kahin Nahin"),
    ];
    let companies: Vec<IndexedCompany> = cities
        .iter()
        .enumerate()
        .map(|(number, (code, state, city))| {
            let mut company = indexed(number, &format!("Kalpanik {number} Limited"));
            company.state_code = Some((*code).to_owned());
            company.state = Some((*state).to_owned());
            company.city = Some((*city).to_owned());
            company
        })
        .collect();
    let search = Search::in_memory(&companies).unwrap();
    let found = |city, state| -> BTreeSet<String> {
        let text = "kalpanik";
        let city = Some(city);
        let request = SearchRequest { text, limit: 10, city, state, ..SearchRequest::default() };
        cins(&search.find(&request).unwrap().companies).into_iter().collect()
    };
    let expect = |numbers: &[usize]| numbers.iter().map(|number| cin(*number)).collect();
    for (city, numbers) in [
        ("Bangalore", &[0, 1][..]),
        ("bengaluru", &[0, 1]),
        ("Mumbai", &[2]),
        ("Bombay", &[2]),
        ("Ahmedabad", &[3]),
        ("Amdavad", &[3]),
        ("Chhatrapati Sambhajinagar", &[4]),
        ("Aurangabad", &[4, 5]),
        ("kahin nahin", &[6]),
    ] {
        assert_eq!(found(city, None), expect(numbers), "{city}");
    }
    assert_eq!(found("Aurangabad", Some("Bihar")), expect(&[5]));
    assert_eq!(found("Pune", None), expect(&[]));
}

#[test]
fn a_city_after_the_name_prefers_its_companies_by_any_of_its_names() {
    let cities = [
        ("Pune", "MH", "Maharashtra"),
        ("Bengaluru", "KA", "Karnataka"),
        ("Bombay", "MH", "Maharashtra"),
    ];
    let companies: Vec<IndexedCompany> = cities
        .iter()
        .enumerate()
        .map(|(number, (city, code, state))| {
            let mut company = indexed(number, "Zenbari Traders Limited");
            company.city = Some((*city).to_owned());
            company.state_code = Some((*code).to_owned());
            company.state = Some((*state).to_owned());
            company
        })
        .collect();
    let search = Search::in_memory(&companies).unwrap();
    for (city, number) in
        [("pune", 0), ("bangalore", 1), ("bengaluru", 1), ("mumbai", 2), ("bombay", 2)]
    {
        for text in [format!("zenbari traders {city}"), format!("zenbari traders limited, {city}")]
        {
            let request = SearchRequest { text: &text, limit: 3, ..SearchRequest::default() };
            let hits = search.find(&request).unwrap();
            assert_eq!(
                hits.companies.first().map(|found| found.cin.clone()),
                Some(cin(number)),
                "{text}"
            );
        }
    }
}
