//! Tests of watch lists and webhooks in a browser.

use crate::console::{PHONE, axe, check_accessibility, open, press, sees, sign_up, write};
use crate::{click, in_browser};

#[test]
fn a_company_is_found_added_and_watched_and_a_webhook_gets_its_types() {
    let axe = axe();
    in_browser(&["422"], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/watch").await;
        check_accessibility(page, &axe, "no lists").await;
        write(page, "Name", "Borrowers").await;
        press(page, "Create list").await;
        sees(page, "No members yet").await;
        check_accessibility(page, &axe, "an empty list").await;
        write(page, "Company name or CIN", "kalpanik industries").await;
        press(page, "Search").await;
        sees(page, "Kalpanik Industries Limited").await;
        check_accessibility(page, &axe, "companies found for a list").await;
        click(page, "button[value='L17111MH1994PLC990011']").await;
        sees(page, "1 member was added.").await;
        sees(page, "On this list").await;
        page.set_window_size(PHONE.0, PHONE.1).await.expect("a phone's window");
        check_accessibility(page, &axe, "a list on a phone").await;
        page.set_window_size(1280, 900).await.expect("a desktop's window");

        open(service, page, "/console/companies/U72900KA2017PTC990462").await;
        press(page, "Watch").await;
        sees(page, "2 members.").await;
        open(service, page, "/console/companies/U72900KA2017PTC990462").await;
        sees(page, "Watched: Borrowers").await;

        open(service, page, "/console/webhooks").await;
        check_accessibility(page, &axe, "no webhooks").await;
        write(page, "URL", "https://hooks.example.com/panji").await;
        click(page, "input[value='charge.created']").await;
        press(page, "Create webhook").await;
        sees(page, "Copy this secret now").await;
        sees(page, "charge.created").await;
        click(page, "details > summary").await;
        check_accessibility(page, &axe, "a webhook with its form").await;
        write(page, "URL", "https://user@hooks.example.com/").await;
        press(page, "Save").await;
        sees(page, "There is a problem").await;
        check_accessibility(page, &axe, "a webhook with a mistake").await;
    });
}
