//! Tests of bulk jobs in a browser.

use serde_json::json;

use crate::console::{axe, check_accessibility, open, press, sees, sign_up};
use crate::{click, in_browser, wait_for_element};

/// Drops a file on the form; the browser's own dialog cannot be used by a test.
const DROP: &str = "const files = new DataTransfer(); \
                    files.items.add(new File([arguments[0]], 'customers.csv', { type: 'text/csv' })); \
                    const form = document.querySelector('form[data-drop]'); \
                    for (const kind of ['dragover', 'drop']) \
                      form.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true })); \
                    return document.getElementById('file').files[0]?.name";

#[test]
fn a_file_is_dropped_previewed_run_and_its_failures_are_run_again() {
    let axe = axe();
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/bulk").await;
        let list = "Id,Note\nL17111MH1994PLC990011,one\nU17110MH2001PTC000001,two\nwhat,three\n";
        let dropped = page.execute(DROP, vec![list.into()]).await.expect("script");
        assert_eq!(dropped, json!("customers.csv"));
        press(page, "Continue").await;
        sees(page, "Highest price: 2 credits").await;
        let order = "return document.getElementById('preview').getBoundingClientRect().top \
                     < document.getElementById('price').getBoundingClientRect().top";
        assert_eq!(page.execute(order, Vec::new()).await.expect("script"), json!(true));
        press(page, "Start: at most 2 credits").await;
        sees(page, "Run again with 2 failures").await;
        sees(page, "1 row: well-formed, but not in the register").await;
        sees(page, "Kalpanik Industries Limited").await;
        for theme in ["dark", "light"] {
            let script = format!("document.documentElement.dataset.theme = '{theme}'");
            page.execute(&script, Vec::new()).await.expect("script");
            check_accessibility(page, &axe, &format!("a finished job in {theme}")).await;
        }
        click(page, ".job-results th:nth-child(2) button").await;
        wait_for_element(page, ".job-results th[aria-sort='ascending']").await;
        press(page, "Run again with 2 failures").await;
        sees(page, "Highest price: 1 credit").await;
    });
}
