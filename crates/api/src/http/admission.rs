//! Admission control: counts concurrent requests and refuses new ones above a limit, cheap requests
//! first.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;
use axum::http::Method;

use super::authorization::{path_presents_token, presents_key};
use crate::config::operation::{Operation, Tariff};

/// The percentage of permits that cheap requests may use; the rest is reserved for paid calls.
const CHEAP_PERCENT: usize = 75;

/// The requests in progress in this process.
pub struct InFlight {
    count: AtomicUsize,
    most: usize,
    most_cheap: usize,
}

/// The permit of one request; released on drop.
pub struct Permit<'a>(&'a InFlight);

/// Which requests are served when not all can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priority {
    /// Health checks always get a response, or a busy process would be restarted.
    Health,
    /// Pages, calls without a key, free operations, and the two with a free quota.
    Cheap,
    /// Calls that cost credits.
    Paid,
}

impl InFlight {
    pub fn new(most: NonZeroUsize) -> InFlight {
        let most = most.get();
        let most_cheap = (most * CHEAP_PERCENT / 100).max(1);
        InFlight { count: AtomicUsize::new(0), most, most_cheap }
    }

    /// The number of requests in progress.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// A permit for a request; none if too many requests are in progress for its priority.
    pub fn admit(&self, request: &Request) -> Option<Permit<'_>> {
        let before = self.count.fetch_add(1, Ordering::Relaxed);
        let permit = Permit(self);
        if before < self.most_cheap {
            return Some(permit);
        }
        let admitted = match priority(request) {
            Priority::Health => true,
            Priority::Cheap => false,
            Priority::Paid => before < self.most,
        };
        admitted.then_some(permit)
    }

    /// Releases the request's permit while it waits.
    pub async fn release_while_waiting<T>(&self, waiting: impl Future<Output = T>) -> T {
        self.count.fetch_sub(1, Ordering::Relaxed);
        let _reacquire = Reacquire(self);
        waiting.await
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts the request again on drop, so that a request cancelled while it waits is subtracted only
/// once.
struct Reacquire<'a>(&'a InFlight);

impl Drop for Reacquire<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_add(1, Ordering::Relaxed);
    }
}

fn priority(request: &Request) -> Priority {
    let path = request.uri().path();
    // Which tool an MCP request calls is in its body.
    let costs_credits = || path == "/mcp" || has_price(request.method(), path);
    match path {
        "/healthz" | "/readyz" => Priority::Health,
        _ if presents_key(request.headers()) && costs_credits() => Priority::Paid,
        _ if request.method() == Method::POST && path_presents_token(path) => Priority::Paid,
        _ => Priority::Cheap,
    }
}

fn has_price(method: &Method, path: &str) -> bool {
    let operation = Operation::of(method, path);
    operation.is_some_and(|operation| match operation.tariff() {
        Tariff::Priced | Tariff::Items => true,
        Tariff::FreeQuota | Tariff::Free => false,
    })
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use panji_store::ledger::{KeyKind, KeyText, Mode};

    use super::*;

    fn request(method: Method, path: &str, key: Option<&str>) -> Request {
        let request = Request::builder().method(method).uri(path);
        let request = match key {
            Some(key) => request.header("authorization", format!("Bearer {key}")),
            None => request,
        };
        request.body(Body::empty()).expect("a valid request")
    }

    #[test]
    fn paid_calls_have_priority_over_free_ones() {
        let key = KeyText::generate(KeyKind::Api, Mode::Live, |bytes| bytes.fill(7));
        let key = Some(key.as_str());
        for (method, path, key, expected) in [
            (Method::GET, "/healthz", None, Priority::Health),
            (Method::GET, "/readyz", None, Priority::Health),
            (Method::GET, "/docs", None, Priority::Cheap),
            (Method::GET, "/console/keys", None, Priority::Cheap),
            (Method::GET, "/v1/openapi.json", None, Priority::Cheap),
            (Method::GET, "/v1/verify/cin/x", None, Priority::Cheap),
            (Method::GET, "/v1/verify/cin/x", Some("pk_live_guessed"), Priority::Cheap),
            (Method::GET, "/v1/verify/cin/x", key, Priority::Paid),
            (Method::GET, "/v1/companies/search?q=x", key, Priority::Cheap),
            (Method::GET, "/v1/companies/x", key, Priority::Cheap),
            (Method::GET, "/v1/companies/x/profile", key, Priority::Paid),
            (Method::POST, "/v1/bulk/verify", key, Priority::Paid),
            (Method::POST, "/v1/companies/match", key, Priority::Paid),
            (Method::GET, "/v1/account", key, Priority::Cheap),
            (Method::GET, "/v1/jobs", key, Priority::Cheap),
            (Method::GET, "/v1/unknown/path", key, Priority::Cheap),
            (Method::POST, "/mcp", key, Priority::Paid),
            (Method::POST, "/mcp", None, Priority::Cheap),
        ] {
            assert_eq!(priority(&request(method, path, key)), expected, "{path}");
        }
    }

    #[test]
    fn permits_are_released() {
        let in_flight = InFlight::new(NonZeroUsize::new(4).expect("4 is not 0"));
        let cheap = request(Method::GET, "/docs", None);
        let permits: Vec<Permit<'_>> = (0..3).map_while(|_| in_flight.admit(&cheap)).collect();
        assert_eq!((permits.len(), in_flight.count()), (3, 3));
        assert!(in_flight.admit(&cheap).is_none());
        assert_eq!(in_flight.count(), 3, "a refused request holds no permit");
        drop(permits);
        assert_eq!(in_flight.count(), 0);
    }
}
