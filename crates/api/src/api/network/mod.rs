//! Networks: the surroundings of a company, and the paths between two companies or people. The graph finds
//! the nodes; names, statuses and dates are read from the register.

mod bods;
mod details;
mod ftm;
pub mod handlers;
pub mod layout;
mod reading;
mod sentences;

pub use self::reading::read_network;
