//! Tests of directors, GST registrations and the GSTINs of a PAN in the sandbox.

use crate::ask::get;
use crate::server::serve;
use crate::snapshots::assert_response;

#[test]
fn a_director_has_the_count_of_their_companies() {
    serve(&[], async |server| {
        for (name, path) in [
            ("director-on-eleven-boards", "/v1/directors/99000101"),
            ("director-without-leading-zero", "/v1/directors/4990109"),
            ("director-disqualified", "/v1/directors/99000220"),
            ("director-companies-current-and-past", "/v1/directors/99000101/companies"),
            ("director-companies-all-left", "/v1/directors/99000103/companies"),
            ("director-companies-padded", "/v1/directors/%204990109%20/companies"),
        ] {
            let response = assert_response(server, name, get(path)).await;
            assert_eq!(response.status, 200, "{path}");
        }
    });
}

#[test]
fn a_director_is_found_with_and_without_leading_zeros() {
    serve(&[], async |server| {
        let key = server.test_key().await;
        let whole = server.send(get("/v1/directors/04990109").key(&key)).await;
        let short = server.send(get("/v1/directors/4990109").key(&key)).await;
        assert_eq!(whole.expect_data(), short.expect_data());
        assert_eq!(short.data()["din"], "04990109");
    });
}

#[test]
fn a_gst_registration_has_its_returns() {
    serve(&[], async |server| {
        for (name, path) in [
            ("gst-cancelled", "/v1/gst/24ZZSCB9125C1ZL"),
            ("gst-suspended", "/v1/gst/06zzvcc3042l1z8"),
            ("gst-tax-deductor-by-tan", "/v1/gst/06RTKM99017C1D2"),
            ("gst-tax-collector", "/v1/gst/07ZZUCG8100Z1CL"),
            ("gst-uin", "/v1/gst/0718UNO99003UNA"),
            ("gst-online-services", "/v1/gst/9918SGP99004OS7"),
            ("gst-non-resident", "/v1/gst/2725DEU99002NR8"),
            ("gst-government-department", "/v1/gst/%2027MUMK99002B1Z3"),
        ] {
            let response = assert_response(server, name, get(path)).await;
            assert_eq!(response.status, 200, "{path}");
        }
    });
}

#[test]
fn the_gstins_of_a_pan_are_listed_active_ones_first() {
    serve(&[], async |server| {
        for (name, path) in [
            ("pan-gstins-ten", "/v1/search/pan/zzack4368a"),
            ("pan-gstins-none", "/v1/search/pan/ZZZPZ0001Z"),
        ] {
            let response = assert_response(server, name, get(path)).await;
            assert_eq!(response.status, 200, "{path}");
        }
    });
}
