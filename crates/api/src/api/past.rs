//! `as_of`: the day whose state of the register a call reads.

use jiff::civil::Date;
use panji_store::calendar::{ist_day, ist_midnight_ms};
use panji_store::register::{PastRecords, Record};

use super::call::Call;
use crate::http::error::{ApiError, ErrorCode};

/// A day before today.
pub struct PastDay {
    day: Date,
    /// The last instant of the day in India.
    pub end_ms: i64,
}

impl Call {
    /// The day of `as_of`; none without it, and for today.
    pub fn past_day(&self) -> Result<Option<PastDay>, ApiError> {
        let Some(day) = self.query.day("as_of")? else { return Ok(None) };
        let today = ist_day(self.context.at_ms);
        let next = day.tomorrow().map_err(|_| in_future(&today))?;
        match day.to_string().cmp(&today) {
            std::cmp::Ordering::Greater => Err(in_future(&today)),
            std::cmp::Ordering::Equal => Ok(None),
            std::cmp::Ordering::Less => {
                Ok(Some(PastDay { day, end_ms: ist_midnight_ms(&next.to_string()) - 1 }))
            }
        }
    }
}

fn in_future(today: &str) -> ApiError {
    ApiError::parameter("as_of", format!("as_of must be a day up to today, {today}."))
}

impl PastDay {
    /// The records of that day, or why there are none.
    pub fn records(&self, past: PastRecords) -> Result<Vec<Record>, ApiError> {
        let day = self.day;
        match past {
            PastRecords::Records(records) => Ok(records),
            PastRecords::NotRecorded => Err(ApiError::new(
                ErrorCode::NotRecordedThen,
                format!("The register had no such record on {day}: it was imported later."),
            )
            .param("as_of")),
            PastRecords::NotKept => Err(ApiError::new(
                ErrorCode::HistoryNotKept,
                format!("The changes since {day} are no longer stored: ask for a later day."),
            )
            .param("as_of")),
        }
    }
}
