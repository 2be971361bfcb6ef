//! Networks: the surroundings of a company, and the paths between two companies or people. The graph finds
//! the nodes; names, statuses and dates are read from the register.

mod bods;
mod details;
mod ftm;
pub mod handlers;
mod sentences;
