//! The program itself, started as a process on both engines: what it prints, what it charges, and
//! what it keeps when it, its database or its disk goes away.
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that goes wrong")]

mod accounts;
mod bulk_jobs;
mod command_line;
mod console;
mod damage;
mod disk;
mod http;
mod import_stops;
mod imports;
mod killing;
mod load;
mod logs;
mod newcomer;
mod node;
mod nodes;
mod outages;
mod own_postgres;
mod program;
mod rates;
mod raw;
mod replays;
mod settings;
mod spending;
