//! Tests of the API and the console, called in process, on both database engines.
#![allow(clippy::unwrap_used, reason = "a test stops at the first failure")]

mod answers_account;
mod answers_bulk;
mod answers_companies;
mod answers_coverage;
mod answers_documents;
mod answers_lei;
mod answers_live;
mod answers_match;
mod answers_people_and_tax;
mod answers_search;
mod answers_verify;
mod ask;
mod browsers;
mod console;
mod cover;
mod credits;
mod described;
mod documentation;
mod error_recipes;
mod errors;
mod examples;
mod hostile;
mod idempotency;
mod jobs;
mod jobs_input;
mod keys;
mod negotiation;
mod openapi;
mod openapi_promises;
mod sandbox;
mod server;
mod shape;
mod slowness;
mod snapshots;
mod values;
