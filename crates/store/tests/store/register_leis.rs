//! Legal entity identifiers: which one is a company's, and whose an LEI is.

use panji_store::register::{Company, CompanyLei, CompanyOf, LeiHolder, Record};
use panji_testkit::on_every_engine;
use panji_testkit::records::{self, CIN, LEI, PARENT_LEI};

use crate::register::{OTHER_CIN, store, store_one};

const FORMER_CIN: &str = "U17110GJ2001PTC990501";

#[test]
fn an_lei_under_a_former_number_belongs_to_the_company_under_its_present_one() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        // One before the change of number is known, one after.
        store_one(&register, Record::Lei(records::lei(FORMER_CIN, LEI))).await;
        let company = Company {
            former_cins: format!("[\"{FORMER_CIN}\"]"),
            ..records::company(CIN, "Udaharan Textiles Private Limited")
        };
        store_one(&register, Record::Company(company)).await;
        let lapsed = CompanyLei {
            registration_status: "duplicate".to_owned(),
            as_of: Some("2026-01-11".to_owned()),
            ..records::lei(FORMER_CIN, PARENT_LEI)
        };
        store_one(&register, Record::Lei(lapsed)).await;
        let stored = register.find_company_lei(CIN).await.unwrap().unwrap();
        assert_eq!((stored.cin.as_str(), stored.lei.as_str()), (CIN, LEI), "not the duplicate");
        assert_eq!(register.list_company_leis(CIN).await.unwrap().len(), 2);
        assert_eq!(register.find_company_lei(FORMER_CIN).await.unwrap(), None);
        for number in [CIN, FORMER_CIN] {
            let (row, lei) = register.find_company_with_lei(number).await.unwrap().unwrap();
            assert_eq!(CompanyOf::from_packed(&row).unwrap().cin, CIN, "{number}");
            assert_eq!(lei, Some(stored.clone()), "{number}");
        }
        assert!(register.find_company_with_lei(OTHER_CIN).await.unwrap().is_none());
        assert_eq!(register.find_lei_company(LEI).await.unwrap().as_deref(), Some(CIN));
        let leis = register.find_company_leis(&[OTHER_CIN, CIN]).await.unwrap();
        assert_eq!(leis, [None, Some(LEI.to_owned())]);
    });
}

#[test]
fn an_lei_that_a_newer_record_gives_to_another_company_is_not_shown_with_the_first() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        let corrected =
            CompanyLei { as_of: Some("2026-03-01".to_owned()), ..records::lei(OTHER_CIN, LEI) };
        store(&register, &[Record::Lei(records::lei(CIN, LEI)), Record::Lei(corrected)]).await;
        assert_eq!(register.find_company_lei(CIN).await.unwrap(), None);
        assert!(register.find_company_lei(OTHER_CIN).await.unwrap().is_some());
        let leis = register.find_company_leis(&[CIN, OTHER_CIN]).await.unwrap();
        assert_eq!(leis, [None, Some(LEI.to_owned())]);
        assert_eq!(register.list_leis().await.unwrap(), [LEI]);
    });
}

#[test]
fn a_holder_is_named_by_its_own_record_or_by_that_of_an_entity_abroad() {
    on_every_engine(async |databases| {
        let register = databases.register().await;
        assert_eq!(register.find_lei_holder(LEI).await.unwrap(), None);
        store(&register, &records::one_of_each()).await;
        let own = register.find_lei_holder(LEI).await.unwrap().unwrap();
        assert_eq!(own.cin.as_deref(), Some(CIN));
        let abroad = LeiHolder { name: "Beispiel Textil GmbH".to_owned(), cin: None };
        assert_eq!(register.find_lei_holder(PARENT_LEI).await.unwrap(), Some(abroad));
        assert_eq!(register.list_parent_leis().await.unwrap(), [PARENT_LEI]);
    });
}
