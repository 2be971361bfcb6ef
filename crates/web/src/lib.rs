//! The pages that people open in a browser: the console, and above it the documentation.

pub mod console;

pub mod docs;
