//! Results filings in XBRL, as listed companies give them to the exchanges.

mod amounts;
mod details;
mod figures;
mod filing;
mod instance;
mod periods;
pub(crate) mod symbols;

use std::io::BufRead;

use panji_store::register::Record;

pub use figures::Figures;
pub use filing::{Filing, Outcome};
pub(crate) use instance::recognises;
pub use periods::Period;
pub use symbols::Symbols;

use crate::load::{ImportError, Importer};
use crate::report::Observer;

/// The name under which records of this format are served as `source`.
pub const SOURCE: &str = "xbrl";

/// Why a filing of a quarter gives nothing.
const NO_FULL_YEAR: &str = "results of a quarter, or of another time than a full year";

/// Loads one filing.
pub(crate) async fn load<O: Observer>(
    importer: &mut Importer<'_, O>,
    source: impl BufRead,
) -> Result<(), ImportError> {
    let filing = match Filing::read(source)? {
        Ok(filing) => filing,
        Err(reason) => return Ok(importer.take(1, "", Some(SOURCE), Err(reason)).await?),
    };
    let parsed = match filing.outcome(importer.symbols()) {
        Ok(Outcome::NoFullYear) => {
            importer.leave_out(NO_FULL_YEAR);
            return Ok(());
        }
        Ok(Outcome::Year(year)) => Ok(Record::FinancialYear(year)),
        Err(reason) => Err(reason),
    };
    Ok(importer.take(1, &filing.summary(), Some(SOURCE), parsed).await?)
}
