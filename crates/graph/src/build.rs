//! Builds a new generation of the graph from the register.

use std::time::Instant;

use panji_generations::{BuildOutcome, Built, Generations};
use panji_store::Register;
use panji_store::register::AppointmentKey;

use crate::builder::{Builder, CompanyLinks};
use crate::error::GraphError;
use crate::file;

/// Rows per page.
const PAGE: i64 = 10_000;

/// Observes and controls a build.
pub trait BuildObserver {
    /// Called after each page with the number of companies so far; false stops the build.
    fn should_continue(&self, companies: u64) -> bool;
}

/// Lets a build run to its end.
struct NoObserver;

impl BuildObserver for NoObserver {
    fn should_continue(&self, _companies: u64) -> bool {
        true
    }
}

impl Builder {
    /// Reads all companies and appointments.
    pub async fn read_all(register: &Register) -> Result<Builder, GraphError> {
        Ok(Builder::read(register, &NoObserver).await?.unwrap_or_default())
    }

    /// Reads all companies and appointments; none if the observer stops it.
    pub async fn read(
        register: &Register,
        observer: &dyn BuildObserver,
    ) -> Result<Option<Builder>, GraphError> {
        let mut builder = Builder::default();
        let mut after = String::new();
        loop {
            let page = register.list_linked(&after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.cin);
            for company in &page {
                builder.add_company(&company.cin, &CompanyLinks::of(company))?;
            }
            if !observer.should_continue(builder.companies()) {
                return Ok(None);
            }
        }
        let mut after = AppointmentKey::default();
        loop {
            let page = register.list_appointment_keys(&after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after.clone_from(last);
            for appointment in &page {
                builder.add_appointment(&appointment.cin, &appointment.din)?;
            }
            if !observer.should_continue(builder.companies()) {
                return Ok(None);
            }
        }
        Ok(Some(builder))
    }
}

/// Builds a new generation from the register and makes it the current one.
pub async fn build(
    generations: &Generations,
    register: &Register,
    observer: &dyn BuildObserver,
) -> Result<BuildOutcome, GraphError> {
    let started = Instant::now();
    let Some(lock) = generations.lock()? else { return Ok(BuildOutcome::AlreadyBuilding) };
    // Changes after this one may be in the graph already; following them again changes nothing.
    let newest = register.newest_committed_change().await?;
    let Some(builder) = Builder::read(register, observer).await? else {
        return Ok(BuildOutcome::Stopped);
    };
    let companies = builder.companies();
    let (directory, number) = generations.create_draft(&lock)?;
    file::write(&builder.finish(newest), &directory)?;
    generations.publish(&lock, number)?;
    generations.remove_old(&lock)?;
    Ok(BuildOutcome::Built(Built { records: companies, seconds: started.elapsed().as_secs_f64() }))
}
