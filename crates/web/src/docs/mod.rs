//! The documentation at `/docs`: guides from the Markdown files of the repository, and one page per
//! operation from the OpenAPI description, with a form that sends the call.

mod assets;
mod content;
mod fields;
mod guides;
mod inline;
mod layout;
mod markdown;
mod operations;
mod pages;
mod reference;
pub mod routes;
mod samples;
mod search;
mod trial;
mod trial_page;
