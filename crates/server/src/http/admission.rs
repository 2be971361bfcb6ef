//! Requests under way: counted, and refused at once where there are too many, the cheapest first.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::Request;

use super::authorization::presents_key;

/// Of a hundred places, those that cheap requests may take; the rest is kept for paid calls.
const CHEAP_PERCENT: usize = 75;

/// The requests under way in this process.
pub struct InFlight {
    count: AtomicUsize,
    most: usize,
    most_cheap: usize,
}

/// A request's place; given back when dropped.
pub struct Permit<'a>(&'a InFlight);

/// What a request is worth when not all can be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Priority {
    /// Whether the process is well: always answered, or it would be restarted for being busy.
    Health,
    /// Pages, calls without a key, and the two operations of the free quota.
    Cheap,
    /// Calls that cost credits.
    Paid,
}

impl InFlight {
    /// Room for so many requests.
    pub fn new(most: usize) -> InFlight {
        let most_cheap = (most * CHEAP_PERCENT / 100).max(1);
        InFlight { count: AtomicUsize::new(0), most, most_cheap }
    }

    /// The requests under way.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// A place for a request; none where too many are under way for what it is worth.
    pub fn enter(&self, request: &Request) -> Option<Permit<'_>> {
        let before = self.count.fetch_add(1, Ordering::Relaxed);
        let place = Permit(self);
        if before < self.most_cheap {
            return Some(place);
        }
        let let_in = match worth(request) {
            Priority::Health => true,
            Priority::Cheap => false,
            Priority::Paid => before < self.most,
        };
        let_in.then_some(place)
    }

    /// Waits without taking a place meanwhile.
    pub async fn wait_outside(&self, waiting: impl Future<Output = ()>) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        let _back = Reacquire(self);
        waiting.await;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Comes back in when dropped, so that a request that is given up while it waits leaves once only.
struct Reacquire<'a>(&'a InFlight);

impl Drop for Reacquire<'_> {
    fn drop(&mut self) {
        self.0.count.fetch_add(1, Ordering::Relaxed);
    }
}

fn worth(request: &Request) -> Priority {
    let path = request.uri().path();
    // Search and the company itself: one step below /v1/companies.
    let free_quota = path.strip_prefix("/v1/companies/").is_some_and(|rest| !rest.contains('/'));
    match path {
        "/healthz" | "/readyz" => Priority::Health,
        _ if path.starts_with("/v1/") && !free_quota && presents_key(request.headers()) => {
            Priority::Paid
        }
        _ => Priority::Cheap,
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use panji_store::ledger::{KeyText, Mode};

    use super::*;

    fn request(path: &str, key: Option<&str>) -> Request {
        let request = Request::get(path);
        let request = match key {
            Some(key) => request.header("authorization", format!("Bearer {key}")),
            None => request,
        };
        request.body(Body::empty()).expect("a good request")
    }

    #[test]
    fn what_costs_credits_is_worth_more_than_what_is_free() {
        let key = KeyText::generate(Mode::Live, |bytes| bytes.fill(7));
        let key = Some(key.as_str());
        for (path, key, expected) in [
            ("/healthz", None, Priority::Health),
            ("/readyz", None, Priority::Health),
            ("/docs", None, Priority::Cheap),
            ("/console/keys", None, Priority::Cheap),
            ("/v1/openapi.json", None, Priority::Cheap),
            ("/v1/verify/cin/x", None, Priority::Cheap),
            ("/v1/verify/cin/x", Some("pk_live_guessed"), Priority::Cheap),
            ("/v1/verify/cin/x", key, Priority::Paid),
            ("/v1/companies/search?q=x", key, Priority::Cheap),
            ("/v1/companies/x", key, Priority::Cheap),
            ("/v1/companies/x/profile", key, Priority::Paid),
            ("/v1/bulk/verify", key, Priority::Paid),
        ] {
            assert_eq!(worth(&request(path, key)), expected, "{path}");
        }
    }

    #[test]
    fn places_are_given_back() {
        let in_flight = InFlight::new(4);
        let cheap = request("/docs", None);
        let places: Vec<Permit<'_>> = (0..3).map_while(|_| in_flight.enter(&cheap)).collect();
        assert_eq!((places.len(), in_flight.count()), (3, 3));
        assert!(in_flight.enter(&cheap).is_none());
        assert_eq!(in_flight.count(), 3, "who was refused takes no place");
        drop(places);
        assert_eq!(in_flight.count(), 0);
    }
}
