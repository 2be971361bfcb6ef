//! Tests of a buyer's details, filled in from the GSTIN.

use panji_store::register::Record;

use super::browser::{Browser, Page};
use crate::responses_live::{GSTIN, one_of_each};
use crate::server::{Server, serve};

const EMAIL: &str = "asha@firm.example";
const NAME: &str = "Udaharan Textiles Private Limited";
const ADDRESS: &str = "1 Udaharan Road, Mumbai, Maharashtra, 400001";
/// A valid GSTIN of Karnataka that is not in the register.
const UNKNOWN: &str = "29ZZACK4368A1Z";

async fn import_buyer(server: &Server) {
    let mut records = one_of_each();
    for record in &mut records {
        if let Record::Gst(registration) = record {
            let place = r#"{"address":"1 Udaharan Road, Mumbai","city":"Mumbai","district":null,
                            "state":"Maharashtra","pincode":"400001"}"#;
            registration.principal_place = Some(place.to_owned());
        }
    }
    server.import(&records).await;
}

async fn fill_in(browser: &mut Browser<'_>, gstin: &str) -> Page {
    let form = [
        ("fill", "yes"),
        ("pack", "2000"),
        ("name", "Typed Name"),
        ("address", "Typed Road"),
        ("gstin", gstin),
    ];
    browser.send("/console/credits", &form).await
}

fn unknown() -> String {
    format!("{UNKNOWN}{}", panji_ids::Gstin::check_digit_for(UNKNOWN).unwrap())
}

#[test]
fn name_address_and_state_are_filled_in_from_the_gst_record() {
    serve(&[], async |server| {
        import_buyer(server).await;
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let page = fill_in(&mut browser, &GSTIN.to_lowercase()).await;
        assert_eq!((page.status, page.path.as_str()), (200, "/console/credits"));
        page.expect(&format!("value=\"{NAME}\"")).expect(&format!(">{ADDRESS}</textarea>"));
        page.expect("<option value=\"27\" selected>").expect(&format!("value=\"{GSTIN}\""));
        page.expect("filled in from the GST record").expect("value=\"2000\" checked");
        let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
        let billing = server.app.ledger.find_billing_details(&account.id).await.unwrap();
        assert!(billing.is_none(), "nothing was ordered");

        let page = fill_in(&mut browser, &unknown()).await;
        page.expect("<option value=\"29\" selected>").expect("value=\"Typed Name\"");
        page.expect(">Typed Road</textarea>").expect("No GST record was found");
        let page = fill_in(&mut browser, "").await;
        assert_eq!(page.status, 422);
        page.expect("Enter the GSTIN first.");
    });
}

#[test]
fn an_order_with_only_a_gstin_uses_the_record_and_displays_it_before_payment() {
    serve(&[], async |server| {
        import_buyer(server).await;
        let mut browser = Browser::signed_up(server, EMAIL).await;
        browser.open("/console/credits").await;
        let form = [("pack", "500"), ("name", ""), ("gstin", GSTIN)];
        let page = browser.send("/console/credits", &form).await;
        page.expect("Review and pay").expect(NAME).expect(ADDRESS).expect("Maharashtra");
        let form = [("pack", "500"), ("name", "Namuna Traders"), ("gstin", &unknown())];
        let page = browser.send("/console/credits", &form).await;
        assert_eq!(page.status, 422);
        page.expect("Enter the address: it is required with a GSTIN.");
    });
}

#[test]
fn an_account_can_look_up_a_few_buyers_per_day_for_free() {
    serve(&[], async |server| {
        import_buyer(server).await;
        let mut browser = Browser::signed_up(server, EMAIL).await;
        for _ in 0..10 {
            fill_in(&mut browser, GSTIN).await.expect(ADDRESS);
        }
        let page = fill_in(&mut browser, GSTIN).await;
        page.expect("The daily limit for GSTIN lookups is reached");
        page.expect("<option value=\"27\" selected>").expect(">Typed Road</textarea>");
        assert!(!page.text.contains(ADDRESS) && !page.text.contains(NAME), "{}", page.text);
    });
}
