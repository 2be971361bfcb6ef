//! The lookups of one identifier: most calls are. They are served without the router, whose layers
//! allocate several boxes for each request instead of one.

use std::sync::{Arc, LazyLock};

use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};

use super::call::Call;
use super::{companies, directors, gst, verify};
use crate::app::App;
use crate::config::operation::Operation;
use crate::http::error::{ApiError, ApiResult};

macro_rules! lookups {
    ($( $operation:ident => $handler:path, )*) => {
        const LOOKUPS: &[Operation] = &[$( Operation::$operation, )*];

        async fn respond_to_call(call: Call) -> ApiResult {
            // Each boxed, so that a call reserves memory for its own handler and not for the largest.
            match call.operation {
                $( Operation::$operation => Box::pin($handler(call)).await, )*
                _ => Err(ApiError::internal("the operation is not a lookup")),
            }
        }
    };
}

lookups! {
    GetCompany => companies::get_company,
    GetCompanyPan => companies::get_company_pan,
    GetCompanyProfile => companies::get_company_profile,
    GetCompanyFinancials => companies::get_company_financials,
    GetCompanyDirectors => companies::get_company_directors,
    GetCompanyCharges => companies::get_company_charges,
    GetCompanyCompliance => companies::get_company_compliance,
    ListCompanyDocuments => companies::list_company_documents,
    GetDirector => directors::get_director,
    ListDirectorCompanies => directors::list_director_companies,
    VerifyCin => verify::verify_cin,
    VerifyDin => verify::verify_din,
    VerifyGstin => verify::verify_gstin,
    VerifyPan => verify::verify_pan,
    GetGst => gst::get_gst,
    SearchByPan => gst::search_by_pan,
}

/// The prefix and the suffix of the identifier in the path of each lookup.
static PATHS: LazyLock<Vec<(&str, &str, Operation)>> = LazyLock::new(|| {
    let parts = |operation: &Operation| {
        let (before, named) = operation.path().split_once('{')?;
        Some((before, named.split_once('}')?.1, *operation))
    };
    LOOKUPS.iter().filter_map(parts).collect()
});

/// The lookup that a request asks for; none if the router must decide.
pub fn find(method: &Method, path: &str) -> Option<Operation> {
    let fits = |(before, behind, _): &&(&str, &str, Operation)| {
        let identifier = path.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
        identifier.is_some_and(|identifier| !identifier.is_empty() && !identifier.contains('/'))
    };
    let (.., operation) = PATHS.iter().find(fits)?;
    // A route without parameters has priority.
    let is_fixed = Operation::ALL.iter().any(|other| other.path() == path);
    (*method == Method::GET && !is_fixed).then_some(*operation)
}

/// Authorizes a lookup and responds to it.
pub async fn respond(app: &Arc<App>, operation: Operation, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    match Call::authorize(&mut parts, app, operation).await {
        Ok(call) => respond_to_call(call).await.into_response(),
        Err(stopped) => stopped.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::middleware::Middleware;
    use crate::http::compression::Compressed;
    use crate::http::service::HttpService;

    /// The size of the future that a function would return.
    fn future_bytes<A, B, F: Future>(_: impl FnOnce(A, B) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn a_request_in_progress_keeps_little_memory() {
        // With all paths in it, it had 32 KB.
        let bytes = future_bytes(|service: &'static Compressed<Middleware>, request: Request| {
            service.respond(request)
        });
        assert!(bytes <= 4_096, "{bytes} bytes");
        let bytes = future_bytes(|call: Call, ()| companies::get_company(call));
        assert!(bytes <= 4_096, "{bytes} bytes");
    }

    #[test]
    fn a_look_up_is_found_as_the_router_would_find_it() {
        let found = |path: &str| find(&Method::GET, path);
        for operation in LOOKUPS {
            let path = operation.path().replace('{', "x%2F").replace('}', "");
            assert_eq!(found(&path), Some(*operation), "{path}");
            assert_eq!(Operation::of(&Method::GET, &path), Some(*operation), "{path}");
            for method in [Method::HEAD, Method::POST, Method::OPTIONS] {
                assert_eq!(find(&method, &path), None, "{method} {path}");
            }
            for path in [path.clone() + "/", path.clone() + "/x", path.replace("x%2F", "x/")] {
                assert_eq!(found(&path), None, "{path}");
            }
            let (before, ..) = operation.path().split_once('{').expect("a parameter");
            assert_eq!(found(before), None, "{before}");
        }
        for operation in Operation::ALL.iter().filter(|operation| !LOOKUPS.contains(operation)) {
            assert_eq!(found(&operation.path().replace(['{', '}'], "")), None, "{operation:?}");
        }
    }
}
