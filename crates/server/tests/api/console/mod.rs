//! The console's pages, asked for as a browser would.

pub mod browser;
mod bulk;
mod calls;
mod confirmation;
mod deeds;
mod forms;
mod keys;
mod log_in;
mod members;
mod operator;
mod pages;
mod payments;
mod privacy;
mod razorpay;
mod second_factor;
mod sessions;
mod usage;
mod views;
