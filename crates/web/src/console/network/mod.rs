//! The network on the page of a company or a person: the drawing and the table.

mod drawing;
pub mod drawn_network;
mod section;

pub use self::section::{ExpandedNodes, NetworkSection, expansion_parts};
