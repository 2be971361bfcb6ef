//! Routes whose handlers all have one type, so that the router's code is compiled once and not for
//! each handler.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};

type ResponseFuture = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler of any type.
struct AnyHandler<S>(Arc<dyn Fn(Request, S) -> ResponseFuture + Send + Sync>);

impl<S> Clone for AnyHandler<S> {
    fn clone(&self) -> AnyHandler<S> {
        AnyHandler(self.0.clone())
    }
}

impl<S: 'static> Handler<(), S> for AnyHandler<S> {
    type Future = ResponseFuture;

    fn call(self, request: Request, state: S) -> ResponseFuture {
        (self.0)(request, state)
    }
}

fn any<H, T, S>(handler: H) -> AnyHandler<S>
where
    H: Handler<T, S, Future = ResponseFuture>,
{
    AnyHandler(Arc::new(move |request, state| handler.clone().call(request, state)))
}

pub fn get<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: Handler<T, S, Future = ResponseFuture>,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::GET, any(handler))
}

pub fn post<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: Handler<T, S, Future = ResponseFuture>,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::POST, any(handler))
}
