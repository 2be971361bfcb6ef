//! Tests of form errors: next to the field, and in a summary that gets the focus.

use super::browser::{Browser, Page};
use crate::server::serve_embedded;

const EMAIL: &str = "asha@firm.example";

/// Checks that a field's error is next to it, is associated with it, and is in the summary with a
/// link to the field.
#[track_caller]
fn expect_error(page: &Page, field: &str, sentence: &str) {
    assert_eq!(page.status, 422, "{field}: {}", page.text);
    let summary = page.between("class=\"notice is-bad\" role=\"alert\"", "</div>");
    assert!(summary.starts_with(" tabindex=\"-1\" autofocus"), "{field}: {summary}");
    assert!(summary.contains(&format!("<a href=\"#{field}\">{sentence}")), "{field}: {summary}");
    page.expect(&format!("<p class=\"error\" id=\"{field}-error\">{sentence}"));
    page.expect(&format!(" id=\"{field}\""));
    let described = page.text.split("aria-describedby=\"").skip(1).any(|rest| {
        let ids = rest.split('"').next().unwrap_or_default();
        ids.split(' ').any(|id| id == format!("{field}-error"))
    });
    assert!(described, "{field} does not refer to its error: {}", page.text);
}

#[test]
fn all_kinds_of_fields_of_a_key_display_their_errors() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let form = [
            ("mode", "neither"),
            ("expires", "2001-01-01"),
            ("monthly_cap", "many"),
            ("addresses", "everywhere"),
            ("operations", "getCompany"),
            ("operations", "getEverything"),
        ];
        let page = browser.send("/console/keys", &form).await;
        expect_error(&page, "mode", "Choose test or live.");
        expect_error(&page, "expires", "This date is in the past");
        expect_error(&page, "monthly_cap", "Enter a whole number");
        expect_error(&page, "addresses", "&#34;everywhere&#34; is not an IP address");
        expect_error(&page, "operations", "The operation &#34;getEverything&#34; does not exist");
        page.expect("There are 5 problems").expect("<details open>");
        let account = server.app.ledger.find_account(EMAIL).await.unwrap().unwrap();
        assert!(server.app.ledger.list_keys(&account.id).await.unwrap().is_empty());

        browser.send("/console/keys", &[("mode", "test")]).await;
        let list = browser.open("/console/keys").await;
        let roll =
            format!("/console/keys/key_{}/roll", list.between("/console/keys/key_", "/roll"));
        for wrong in ["", "7", "soon"] {
            let page = browser.send(&roll, &[("overlap_hours", wrong)]).await;
            expect_error(&page, "overlap_hours", "Choose when the old key expires");
        }
        let keys = server.app.ledger.list_keys(&account.id).await.unwrap();
        assert!(keys.len() == 1 && keys[0].expires_at.is_none(), "nothing was rolled");
    });
}

#[test]
fn the_fields_of_a_purchase_display_their_errors() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        browser.open("/console/credits").await.expect("Fields marked");
        let form = [("pack", "501"), ("name", " "), ("state", "ZZ")];
        let page = browser.send("/console/credits", &form).await;
        expect_error(&page, "pack", "Choose an amount");
        expect_error(&page, "name", "Enter a name");
        expect_error(&page, "state", "Choose a state");
        let form = [("pack", "own"), ("amount", "7"), ("name", "A"), ("gstin", "27AAAAA")];
        let page = browser.send("/console/credits", &form).await;
        expect_error(&page, "amount", "Enter whole rupees");
        expect_error(&page, "gstin", "This is not a valid GSTIN");
        let page = browser.send("/console/credits/threshold", &[("warn_below", "few")]).await;
        expect_error(&page, "warn_below", "Enter a whole number");
        page.expect("value=\"few\"");
    });
}

#[test]
fn the_fields_of_a_list_display_their_errors() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        browser.open("/console/bulk").await;
        let cin: &[u8] = b"cin\nL17111MH1994PLC990011\n";
        type Fields = &'static [(&'static str, &'static str)];
        let cases: [(Fields, &[u8], &str, &str); 7] = [
            (
                &[("work", "verify")],
                b"PK\x03\x04\x00\x00",
                "file",
                "The spreadsheet cannot be read: it is damaged",
            ),
            (&[("work", "verify")], b"", "file", "The list is empty."),
            (&[("work", "verify"), ("text", " \n ")], b"", "text", "The list is empty."),
            (&[("work", "enrich")], cin, "columns", "Select at least one column"),
            (&[("work", "neither")], cin, "work", "Choose an action"),
            (&[("work", "verify"), ("kind", "tan")], cin, "kind", "Choose a type"),
            (
                &[("work", "verify"), ("text", "name\nLine 1 has no CIN"), ("column", "pan")],
                b"",
                "column",
                "No column is called",
            ),
        ];
        for (fields, file, field, sentence) in cases {
            let page = browser.send_file("/console/bulk", fields, file).await;
            expect_error(&page, field, sentence);
        }
    });
}

#[test]
fn the_fields_of_account_and_members_display_their_errors() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let form = [("email", "nobody"), ("role", "king")];
        let page = browser.send("/console/members/invite", &form).await;
        expect_error(&page, "email", "Enter a valid email address");
        expect_error(&page, "role", "Choose a role");
        let page = browser.send("/console/account/name", &[("name", " ")]).await;
        expect_error(&page, "name", "Enter a name");
        let form = [("current_password", "another one"), ("password", "monsoon ledger ten")];
        let page = browser.send("/console/account/password", &form).await;
        expect_error(&page, "current_password", "The current password is wrong.");
    });
}

#[test]
fn refusals_are_displayed_as_failures() {
    serve_embedded(&[], async |server| {
        let mut browser = Browser::signed_up(server, EMAIL).await;
        let members = browser.open("/console/members").await;
        let person = members.between("name=\"person\" value=\"", "\"").to_owned();
        let form = [("person", person.as_str()), ("role", "billing")];
        let refused = browser.send("/console/members/change", &form).await;
        let missing = browser.open("/console/no-such-page").await;
        for (page, sentence) in [
            (&refused, "An account needs at least one owner"),
            (&missing, "This page does not exist."),
        ] {
            page.expect(&format!(
                "<p class=\"notice is-bad\" role=\"alert\" tabindex=\"-1\" autofocus \
                 data-take-focus>{sentence}"
            ));
        }
    });
}
