//! The load benchmark: Panji, other systems and two baseline servers with the same data and load.

mod arguments;
mod baselines;
mod chart;
mod disk;
mod endpoints;
mod figures;
mod growth;
mod host;
mod import_run;
mod measure;
mod page;
mod probe;
mod process;
mod system;
mod targets;
mod workspace;

use std::process::ExitCode;

use clap::Parser;
use panji_bench::report::print_progress;

use arguments::{Arguments, Command, Part};
use figures::Figures;
use page::Page;
use workspace::Workspace;

/// The baseline servers use the same allocator as Panji.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Some(Command::Constant(baseline)) => baselines::serve_constant(baseline),
        Some(Command::Read(baseline)) => baselines::serve_read(baseline),
        None => process::end_children_on_signals().and_then(|()| measure(&arguments)),
    };
    process::end_all();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_progress(&format!("bench load: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Prepares the data, measures each part, and writes each section of the page as soon as it is
/// complete.
fn measure(arguments: &Arguments) -> anyhow::Result<()> {
    process::allow_open_files()?;
    let page = Page::open(arguments)?;
    let workspace = Workspace::prepare(arguments)?;
    let mut figures = Figures::default();
    let wanted = |part| arguments.wants(part);
    if wanted(Part::Endpoints) || wanted(Part::Alternatives) {
        endpoints::measure(&workspace, &mut figures)?;
        page.write_endpoints(&figures)?;
        page.write_alternatives(&figures)?;
    }
    if wanted(Part::Allocations) {
        figures.allocations = endpoints::count_allocations(&workspace)?;
        page.write_endpoints(&figures)?;
    }
    if wanted(Part::Connections) {
        figures.by_connections = growth::by_connections(&workspace)?;
        page.write_connections(&figures)?;
    }
    if wanted(Part::Sizes) {
        figures.by_size = growth::by_size(&workspace)?;
        page.write_sizes(&figures)?;
    }
    if wanted(Part::Nodes) {
        figures.by_nodes = growth::by_nodes(&workspace)?;
        page.write_nodes(&figures)?;
    }
    if wanted(Part::Import) {
        figures.import_run = Some(import_run::measure(&workspace)?);
        page.write_import_run(&figures)?;
    }
    page.write_machine(&workspace, &figures)?;
    page.write_targets(&figures)
}
