//! Writes a whole register: files in the formats of the sources, in parallel on all cores.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::company::Company;
use crate::faults::Fault;
use crate::format::{gstn, master, own};
use crate::gst::BLOCK;
use crate::output::{Output, failure};
use crate::people::own_directors;
use crate::places::REGISTRARS;
use crate::tally::Tally;
use crate::{AS_OF, GenerateError, MAX_COMPANIES, Synthetic};

/// The directories of each format. An import reads directories in the order of their names: the
/// history of a company must come after the company.
const MASTER_DIRECTORY: &str = "1-mca-master";
const GST_DIRECTORY: &str = "2-gst";
const OWN_DIRECTORY: &str = "3-panji";
/// Next to the data; `panji import` ignores a file of this name.
pub const EXPECTED_FILE: &str = "EXPECTED.json";

/// Companies whose lines go into the same files; a multiple of `BLOCK`.
const PART: u64 = 500_000;
/// Companies between two calls of the observer.
const PROGRESS_STEP: u64 = 4_096;

#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub companies: u64,
    /// The same seed gives the same files.
    pub seed: u64,
    /// How many rows of a million have a fault.
    pub faults_per_million: u64,
    /// Number of threads. The files do not depend on it.
    pub threads: usize,
}

/// Files that one thread writes.
enum Task {
    Master(&'static str),
    Gst(u64),
    Own(u64),
}

/// The state shared by all threads.
struct Job<'a> {
    register: Synthetic,
    plan: Plan,
    directory: &'a Path,
    tasks: Vec<Task>,
    next: AtomicUsize,
    stopped: AtomicBool,
    done: AtomicU64,
    observer: &'a (dyn Fn(u64, u64) + Sync),
}

/// Writes a register into a new or empty directory, and returns the expected result of an import.
/// The observer gets the number of completed steps.
pub fn write_register(
    plan: Plan,
    directory: &Path,
    observer: &(dyn Fn(u64, u64) + Sync),
) -> Result<Tally, GenerateError> {
    if !(1..=MAX_COMPANIES).contains(&plan.companies) {
        return Err(GenerateError::Companies);
    }
    prepare(directory)?;
    let register = Synthetic::with_faults(plan.seed, plan.faults_per_million);
    let parts = plan.companies.div_ceil(PART);
    let states: BTreeSet<&str> = REGISTRARS.iter().map(|registrar| registrar.state).collect();
    // The longest tasks first, so that no core is idle at the end.
    let tasks = (0..parts)
        .flat_map(|part| [Task::Own(part), Task::Gst(part)])
        .chain(states.into_iter().map(Task::Master))
        .collect();
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let job =
        Job { register, plan, directory, tasks, next, stopped, done: AtomicU64::new(0), observer };
    let tally = run(&job)?;
    let head = format!(
        "  \"note\": \"Everything in this register is synthetic.\",\n  \"companies\": {},\n  \"seed\": {},\n  \
         \"faults_per_million\": {},\n  \"as_of\": \"{AS_OF}\",\n",
        plan.companies, plan.seed, plan.faults_per_million
    );
    let mut expected = Output::create(directory.join(EXPECTED_FILE))?;
    expected.write(tally.to_json(&head).as_bytes())?;
    expected.finish()?;
    Ok(tally)
}

/// Creates the directories; never touches existing files.
fn prepare(directory: &Path) -> Result<(), GenerateError> {
    std::fs::create_dir_all(directory).map_err(failure(directory))?;
    let mut entries = std::fs::read_dir(directory).map_err(failure(directory))?;
    if entries.next().is_some() {
        return Err(GenerateError::NotEmpty { directory: directory.to_owned() });
    }
    for name in [MASTER_DIRECTORY, GST_DIRECTORY, OWN_DIRECTORY] {
        let path = directory.join(name);
        std::fs::create_dir(&path).map_err(failure(&path))?;
    }
    Ok(())
}

fn run(job: &Job<'_>) -> Result<Tally, GenerateError> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..job.plan.threads.max(1)).map(|_| scope.spawn(|| job.work())).collect();
        let mut total = Tally::default();
        let mut first_error = None;
        for thread in threads {
            match thread.join() {
                Ok(Ok(tally)) => total.add(tally),
                Ok(Err(error)) => drop(first_error.get_or_insert(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        first_error.map_or(Ok(total), Err)
    })
}

impl Job<'_> {
    /// Runs one task after another until none is left or another thread has failed.
    fn work(&self) -> Result<Tally, GenerateError> {
        let mut tally = Tally::default();
        while let Some(task) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = match task {
                Task::Master(state) => self.write_master(state, &mut tally),
                Task::Gst(part) => self.write_gst(*part, &mut tally),
                Task::Own(part) => self.write_own(*part, &mut tally),
            };
            if outcome.is_err() {
                self.stopped.store(true, Ordering::Relaxed);
            }
            outcome?;
            if self.stopped.load(Ordering::Relaxed) {
                break;
            }
        }
        Ok(tally)
    }

    /// Each company counts as three steps: in the master, with its registrations, with its lines.
    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(PROGRESS_STEP) {
            (self.observer)(done, self.plan.companies * 3);
        }
    }

    fn indices(&self, part: u64) -> std::ops::Range<u64> {
        part * PART..((part + 1) * PART).min(self.plan.companies)
    }

    fn path(&self, directory: &str, kind: &str, part: u64) -> PathBuf {
        self.directory.join(directory).join(format!("{kind}-{:02}.jsonl", part + 1))
    }

    fn write_master(&self, state: &str, tally: &mut Tally) -> Result<(), GenerateError> {
        let mut indices = self.register.layout.in_state(state, self.plan.companies).peekable();
        // A state without companies has no file.
        if indices.peek().is_none() {
            return Ok(());
        }
        let style = master::Style::of(state, self.plan.faults_per_million > 0);
        let name = format!("{}.csv", state.replace(' ', "_"));
        let mut file = Output::create(self.directory.join(MASTER_DIRECTORY).join(name))?;
        file.write(format!("{}{}", master::HEADER, style.line_end()).as_bytes())?;
        let mut line = Vec::new();
        for index in indices {
            let company = self.register.company(index);
            let fault = self.register.fault(index).filter(|fault| fault.is_of_master());
            line.clear();
            master::write_row(&mut line, &company, style, fault);
            file.write(&line)?;
            if let Some(fault) = fault {
                tally.fault(fault);
                tally.rejects += u64::from(fault.rejects_company() || fault == Fault::Garbage);
            }
            if !fault.is_some_and(Fault::rejects_company) {
                tally.record("company");
            }
            self.step();
        }
        file.write(style.end_of_file().as_bytes())?;
        close(file, tally)
    }

    fn write_gst(&self, part: u64, tally: &mut Tally) -> Result<(), GenerateError> {
        let mut taxpayers = Output::create(self.path(GST_DIRECTORY, "taxpayers", part))?;
        let mut returns = Lazy::new(self.path(GST_DIRECTORY, "returns", part));
        let mut line = Vec::new();
        let indices = self.indices(part);
        for first in indices.clone().step_by(BLOCK as usize) {
            let block = first..(first + BLOCK).min(indices.end);
            let companies: Vec<Company> =
                block.clone().map(|index| self.register.company(index)).collect();
            let registrations = self.register.registrations(&companies);
            for (position, registration) in registrations.iter().enumerate() {
                // The fault of a company is in the first of its two registrations.
                let index = block.start + position as u64 / 2;
                let fault = self.register.fault(index).filter(|fault| fault.is_of_gst());
                // The first line identifies the format of the file.
                let fault = fault.filter(|_| position % 2 == 0 && index > indices.start);
                line.clear();
                gstn::write_taxpayer(&mut line, registration, fault);
                taxpayers.write(&line)?;
                if fault.is_some_and(Fault::rejects_registration) {
                    tally.rejects += 1;
                } else {
                    tally.record("gst");
                }
                let wanted = registration.has_returns || fault.is_some_and(Fault::is_of_returns);
                line.clear();
                let count =
                    if wanted { gstn::write_returns(&mut line, registration, fault) } else { 0 };
                if count > 0 {
                    returns.write(&line)?;
                    *tally.records.entry("gst_filing").or_default() += count;
                    tally.rejects += u64::from(fault == Some(Fault::ReturnTwice));
                }
                if let Some(fault) = fault.filter(|fault| count > 0 || !fault.is_of_returns()) {
                    tally.fault(fault);
                }
            }
            companies.iter().for_each(|_| self.step());
        }
        returns.close(tally)?;
        close(taxpayers, tally)
    }

    fn write_own(&self, part: u64, tally: &mut Tally) -> Result<(), GenerateError> {
        let mut files = OwnFiles::new(|kind| self.path(OWN_DIRECTORY, kind, part));
        for index in self.indices(part) {
            let company = self.register.company(index);
            let fault = self.register.fault(index);
            let lost = fault.is_some_and(Fault::rejects_company);
            if !lost && (!company.former_names.is_empty() || company.former_cin.is_some()) {
                files.companies.line(|line| own::write_history(line, &company))?;
                tally.changes += 1;
            }
            // Some companies have no known PAN.
            if !index.is_multiple_of(4) {
                files.pans.line(|line| own::write_pan(line, &company))?;
                tally.record("pan");
            }
            self.write_people(&company, fault, &mut files, tally)?;
            self.write_sections(&company, &mut files, tally)?;
            self.step();
        }
        files.close(tally)
    }

    fn write_people(
        &self,
        company: &Company,
        fault: Option<Fault>,
        files: &mut OwnFiles,
        tally: &mut Tally,
    ) -> Result<(), GenerateError> {
        for director in own_directors(company.index) {
            let director = self.register.director(director);
            files.directors.line(|line| own::write_director(line, &director))?;
            tally.record("director");
        }
        for (position, appointment) in self.register.appointments(company).iter().enumerate() {
            let director = self.register.director(appointment.director);
            let fault = fault.filter(|fault| *fault == Fault::ForeignDate && position == 0);
            files.appointments.line(|line| {
                own::write_appointment(line, &company.cin, appointment, &director, fault)
            })?;
            match fault {
                Some(fault) => {
                    tally.fault(fault);
                    tally.rejects += 1;
                }
                None => tally.record("appointment"),
            }
        }
        Ok(())
    }

    fn write_sections(
        &self,
        company: &Company,
        files: &mut OwnFiles,
        tally: &mut Tally,
    ) -> Result<(), GenerateError> {
        let sections = self.register.sections(company);
        let cin = &company.cin;
        for charge in &sections.charges {
            files.charges.line(|line| own::write_charge(line, cin, charge))?;
            tally.record("charge");
        }
        for accounts in &sections.years {
            files.financial_years.line(|line| own::write_accounts(line, company, accounts))?;
            tally.record("financial_year");
        }
        for filing in &sections.filings {
            files.filings.line(|line| own::write_filing(line, cin, filing))?;
            tally.record("filing");
        }
        for document in &sections.documents {
            files.documents.line(|line| own::write_document(line, cin, document))?;
            tally.record("document");
        }
        for rating in &sections.ratings {
            files.ratings.line(|line| own::write_rating(line, cin, rating))?;
            tally.record("rating");
        }
        if let Some(epfo) = &sections.epfo {
            files.epfo.line(|line| own::write_epfo(line, company, epfo))?;
            tally.record("epfo");
        }
        Ok(())
    }
}

fn close(file: Output, tally: &mut Tally) -> Result<(), GenerateError> {
    tally.bytes += file.finish()?;
    tally.files += 1;
    Ok(())
}

/// A file that is created with its first line, so that no file is empty.
struct Lazy {
    path: PathBuf,
    file: Option<Output>,
    buffer: Vec<u8>,
}

impl Lazy {
    fn new(path: PathBuf) -> Lazy {
        Lazy { path, file: None, buffer: Vec::new() }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), GenerateError> {
        if self.file.is_none() {
            self.file = Some(Output::create(self.path.clone())?);
        }
        self.file.as_mut().map_or(Ok(()), |file| file.write(bytes))
    }

    fn line(&mut self, compose: impl FnOnce(&mut Vec<u8>)) -> Result<(), GenerateError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        compose(&mut buffer);
        let written = self.write(&buffer);
        self.buffer = buffer;
        written
    }

    fn close(self, tally: &mut Tally) -> Result<(), GenerateError> {
        self.file.map_or(Ok(()), |file| close(file, tally))
    }
}

macro_rules! own_files {
    ($( $field:ident, )*) => {
        /// The files of the native format of one part.
        struct OwnFiles {
            $( $field: Lazy, )*
        }

        impl OwnFiles {
            fn new(path: impl Fn(&str) -> PathBuf) -> OwnFiles {
                OwnFiles { $( $field: Lazy::new(path(stringify!($field))), )* }
            }

            fn close(self, tally: &mut Tally) -> Result<(), GenerateError> {
                $( self.$field.close(tally)?; )*
                Ok(())
            }
        }
    };
}

own_files! {
    companies, pans, directors, appointments, charges, financial_years, filings, documents, ratings, epfo,
}
