//! Tests of the console's pages through a simulated browser.

mod audit_log;
pub mod browser;
mod bulk;
mod buyers;
mod calls;
mod confirmation;
mod form_errors;
mod forms;
mod getting_around;
mod keys;
mod log_in;
mod members;
mod network;
mod operator;
mod pages;
mod payments;
mod privacy;
mod razorpay;
mod review;
mod second_factor;
mod sessions;
mod times;
mod usage;
mod views;
mod watch;
mod webhooks;
