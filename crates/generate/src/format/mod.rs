//! The formats of the sources in which the register is written. Nothing that is made here has a
//! character that JSON would have to escape, so its lines are written as they are.

pub(crate) mod gstn;
pub(crate) mod master;
pub(crate) mod own;
