//! What can be served on a connection.

use std::net::IpAddr;

use axum::Router;
use axum::extract::Request;
use axum::http::Response as HttpResponse;
use axum::response::Response;
use tower::Service;

/// What can be served on a connection.
pub trait HttpService: Clone + Send + Sync + Unpin + 'static {
    /// Takes a request in and gives an answer out.
    fn answer(&self, request: Request) -> impl Future<Output = Response> + Send;

    /// The answer to what the HTTP layer could not read as a request, and would refuse with this status and
    /// nothing else; none where that will do.
    fn refuse_unreadable(&self, _status: u16, _address: IpAddr) -> Option<HttpResponse<String>> {
        None
    }
}

impl HttpService for Router {
    async fn answer(&self, request: Request) -> Response {
        let Ok(response) = self.clone().call(request).await;
        response
    }
}
