//! The program itself, started as a process on both engines: what it prints, what it charges, and
//! what it keeps when it, its database or its disk goes away.
#![allow(clippy::unwrap_used, reason = "a test stops at the first thing that goes wrong")]

mod accounts;
mod backups;
mod bulk_jobs;
mod citus;
mod command_line;
mod console;
mod damage;
mod database_tls;
mod deeds;
mod disk;
mod disk_of_register;
mod doctor;
mod failover;
mod hangers_on;
mod http;
mod https;
mod import_stops;
mod imports;
mod index_damage;
mod killing;
mod load;
mod logs;
mod metrics;
mod newcomer;
mod node;
mod nodes;
mod outages;
mod overload;
mod own_postgres;
mod patroni;
mod privacy;
mod program;
mod rates;
mod raw;
mod register_damage;
mod reindex_stops;
mod replays;
mod replica;
mod rolling;
mod settings;
mod smuggling;
mod spending;
mod standby;
mod upgrade_stops;
