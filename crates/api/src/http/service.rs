//! The trait of services that a listener can serve.

use std::net::IpAddr;

use axum::Router;
use axum::extract::Request;
use axum::http::Response as HttpResponse;
use axum::response::Response;
use tower::Service;

pub trait HttpService: Clone + Send + Sync + Unpin + 'static {
    /// Responds to one request.
    fn respond(&self, request: Request) -> impl Future<Output = Response> + Send;

    /// The response to bytes that the HTTP layer could not parse as a request and would refuse with
    /// this bare status; none to send the bare status.
    fn refuse_unreadable(&self, _status: u16, _address: IpAddr) -> Option<HttpResponse<String>> {
        None
    }
}

impl HttpService for Router {
    async fn respond(&self, request: Request) -> Response {
        let Ok(response) = self.clone().call(request).await;
        response
    }
}
