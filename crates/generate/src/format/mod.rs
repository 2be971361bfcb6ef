//! The formats of the sources in which the register is written. The generated texts need no
//! escaping in JSON, so they are written unchanged.

pub(crate) mod gstn;
pub(crate) mod master;
pub(crate) mod own;
