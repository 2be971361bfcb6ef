//! The whole site as connections see it: the edge, and smaller answers for those who take them.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response as HttpResponse, header};
use axum::response::Response;
use tower::{Layer, Service, ServiceExt, service_fn};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

use crate::edge::Edge;

/// Answers below this many bytes are not worth compressing.
const COMPRESS_ABOVE: u64 = 1_024;

/// What can be served on a connection.
pub trait Answering: Clone + Send + Sync + Unpin + 'static {
    /// Takes a request in and gives an answer out.
    fn answer(&self, request: Request) -> impl Future<Output = Response> + Send;

    /// The answer to what the HTTP layer could not read as a request, and would refuse with this status and
    /// nothing else; none where that will do.
    fn refuse_unreadable(&self, _status: u16, _address: IpAddr) -> Option<HttpResponse<String>> {
        None
    }
}

/// Everything that is served to the public.
#[derive(Clone)]
pub struct Site {
    edge: Edge,
}

impl Site {
    /// A site behind its edge.
    pub fn new(edge: Edge) -> Site {
        Site { edge }
    }

    async fn answer_compressed(&self, request: Request) -> Response {
        let edge = service_fn(async |request| Ok::<_, Infallible>(self.edge.answer(request).await));
        let compressing = CompressionLayer::new().compress_when(SizeAbove::new(COMPRESS_ABOVE));
        let Ok(response) = compressing.layer(edge).oneshot(request).await;
        response.map(Body::new)
    }
}

impl Answering for Site {
    async fn answer(&self, request: Request) -> Response {
        match request.headers().contains_key(header::ACCEPT_ENCODING) {
            true => self.answer_compressed(request).await,
            false => self.edge.answer(request).await,
        }
    }

    fn refuse_unreadable(&self, status: u16, address: IpAddr) -> Option<HttpResponse<String>> {
        Some(self.edge.refuse_unreadable(status, address))
    }
}

impl Answering for Router {
    async fn answer(&self, request: Request) -> Response {
        let Ok(response) = self.clone().call(request).await;
        response
    }
}
