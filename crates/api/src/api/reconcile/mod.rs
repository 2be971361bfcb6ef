//! The reconciliation service, version 0.2 of the W3C community group's interface, for OpenRefine and
//! other clients of it. A token in the path takes the place of the key. Queries are matchCompanies,
//! data extension is bulkEnrich: the same code, price and charge, in the form that the clients expect.

mod extend;
mod handlers;
mod manifest;
mod preview;
mod properties;
mod queries;
mod service_request;
mod suggest;

pub use handlers::routes;
