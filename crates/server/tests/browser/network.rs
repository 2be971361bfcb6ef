//! Tests of the drawn network in a browser: expanding nodes, names that no line crosses, accessibility.

use fantoccini::Locator;
use serde_json::json;

use crate::console::{PHONE, axe, check_accessibility, open, sees, sign_up};
use crate::{click, in_browser, run, wait_for_element};

/// Dense networks of the sandbox.
const DENSE: [&str; 3] = [
    "/console/companies/L17111MH1994PLC990011?depth=3",
    "/console/companies/U82990CH2020PTC990701?depth=2",
    "/console/directors/99000102?expand=L17111MH1994PLC990011",
];

/// The lines with a point within a name's box, which they may only touch at its edge.
const CROSSINGS: &str = "
    const svg = document.querySelector('.network-box svg.network');
    const boxes = [...svg.querySelectorAll('.box')].map(box => box.getBBox());
    const lines = [...svg.children].filter(child => child.tagName === 'path');
    const inside = (point, box) => point.x > box.x + 2 && point.x < box.x + box.width - 2
        && point.y > box.y + 2 && point.y < box.y + box.height - 2;
    return [lines.length, lines.filter(line => {
        const length = line.getTotalLength();
        return Array.from({ length: 60 }, (_, at) => line.getPointAtLength(length * at / 59))
            .some(point => boxes.some(box => inside(point, box)));
    }).length, svg.getBBox().width > svg.viewBox.baseVal.width + 1]";

#[test]
fn no_line_of_a_dense_network_crosses_a_name() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        for path in DENSE {
            open(service, page, path).await;
            wait_for_element(page, ".network-box svg.network").await;
            let found = run(page, CROSSINGS).await;
            assert!(found[0].as_u64().is_some_and(|lines| lines > 10), "{path}: {found}");
            assert_eq!(found[1], json!(0), "{path}: lines cross names");
            assert_eq!(found[2], json!(false), "{path}: the drawing is cut off");
            let script = "return [...document.querySelectorAll('.network-box .node')].filter(node => \
                          node.querySelector('text').getBBox().width > \
                          node.querySelector('.box').getBBox().width - 30).length";
            assert_eq!(run(page, script).await, json!(0), "{path}: a name is wider than its box");
        }
    });
}

#[test]
fn a_node_is_expanded_in_the_drawing_and_by_keys_in_the_table() {
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        open(service, page, "/console/directors/99000104").await;
        let expand = ".network-box .expand[href*='L17111MH1994PLC990011']";
        wait_for_element(page, expand).await;
        // A link in a drawing has no click of its own.
        let address = format!("return document.querySelector(\"{expand}\").href.baseVal");
        let address = run(page, &address).await;
        open(service, page, address.as_str().expect("an address")).await;
        sees(page, "With the connections of Kalpanik Industries Limited").await;
        sees(page, "2 steps away").await;
        click(page, "section[aria-labelledby=network] > details:not(.see-call) > summary").await;
        let link = Locator::Css("section[aria-labelledby=network] td a[aria-label^='Expand']");
        let link = page.find(link).await.expect("a link in the table");
        link.send_keys("\u{e007}").await.expect("Enter");
        sees(page, "(hide), ").await;
    });
}

#[test]
fn the_network_of_a_company_and_a_person_is_accessible_in_light_and_dark_and_fits_a_phone() {
    let axe = axe();
    in_browser(&[], async |service, page| {
        sign_up(service, page).await;
        for (size, what) in [(None, "a desk"), (Some(PHONE), "a phone")] {
            if let Some((width, height)) = size {
                page.set_window_size(width, height).await.expect("a phone's size");
            }
            for path in DENSE {
                open(service, page, path).await;
                run(page, "document.querySelectorAll('details').forEach(one => one.open = true)")
                    .await;
                for theme in ["light", "dark"] {
                    run(page, &format!("document.documentElement.dataset.theme = '{theme}'")).await;
                    let what = format!("{path} in {theme} on {what}");
                    check_accessibility(page, &axe, &what).await;
                }
                let script = "const root = document.documentElement; \
                              return root.scrollWidth - root.clientWidth";
                assert_eq!(run(page, script).await, json!(0), "{path} scrolls sideways on {what}");
            }
        }
    });
}
