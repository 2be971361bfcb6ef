//! The period of each context of a filing.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::details::Details;
use super::instance::Instance;

/// The exchanges' context id for the year to date.
const YEAR_TO_DATE: &str = "FourD";
/// The exchanges' context id for the quarter.
pub const QUARTER: &str = "OneD";

/// The first and the last day of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// None if the filing does not state it.
    pub from: Option<Date>,
    pub to: Date,
}

impl Period {
    /// The number of days, including the first and the last; none if the first is unknown.
    pub fn days(&self) -> Option<i32> {
        Some(self.from?.until(self.to).ok()?.get_days() + 1)
    }
}

/// The length of a period. Periods of other lengths have no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodType {
    Quarter,
    HalfYear,
    NineMonths,
    Year,
}

impl PeriodType {
    pub fn of_days(days: i32) -> Option<PeriodType> {
        match days {
            85..=98 => Some(PeriodType::Quarter),
            175..=190 => Some(PeriodType::HalfYear),
            265..=282 => Some(PeriodType::NineMonths),
            355..=375 => Some(PeriodType::Year),
            _ => None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            PeriodType::Quarter => "quarter",
            PeriodType::HalfYear => "half_year",
            PeriodType::NineMonths => "nine_months",
            PeriodType::Year => "year",
        }
    }
}

/// The period of each context that covers the whole company.
#[derive(Debug, Default)]
pub struct Periods {
    pub durations: BTreeMap<String, Period>,
    pub instants: BTreeMap<String, Date>,
}

impl Periods {
    /// The dates that a filing states as facts take precedence over those that its contexts
    /// declare: the exchanges' tool declares the quarter for the year to date too.
    pub fn of(instance: &Instance, details: &Details) -> Periods {
        let mut periods = Periods::default();
        for fact in &instance.facts {
            let id = &fact.context;
            let declared = instance.contexts.get(id);
            if periods.contains(id) || declared.is_some_and(|context| context.is_part) {
                continue;
            }
            if let Some(day) = declared.and_then(|context| context.instant) {
                periods.instants.insert(id.clone(), day);
            } else if let Some(period) = duration(instance, details, id) {
                periods.durations.insert(id.clone(), period);
            }
        }
        periods.add_undeclared_instants(instance);
        periods
    }

    fn contains(&self, context: &str) -> bool {
        self.durations.contains_key(context) || self.instants.contains_key(context)
    }

    /// A context `OneI` that is not declared is the last day of `OneD`.
    fn add_undeclared_instants(&mut self, instance: &Instance) {
        for fact in &instance.facts {
            let id = &fact.context;
            let duration = id.strip_suffix('I').map(|prefix| format!("{prefix}D"));
            let period = duration.and_then(|duration| self.durations.get(&duration));
            if let Some(period) = period.filter(|_| !instance.contexts.contains_key(id)) {
                self.instants.insert(id.clone(), period.to);
            }
        }
    }
}

fn duration(instance: &Instance, details: &Details, id: &str) -> Option<Period> {
    let declared = |id: &str| {
        let context = instance.contexts.get(id)?;
        Some((context.start?, context.end?))
    };
    let here = declared(id);
    let to = details.day_in("DateOfEndOfReportingPeriod", id).or(here.map(|(_, end)| end))?;
    let stated = details.day_in("DateOfStartOfReportingPeriod", id);
    let is_undated = here.is_none() || here == declared(QUARTER);
    let from = if stated.is_none() && id == YEAR_TO_DATE && is_undated {
        details.day("DateOfStartOfFinancialYear")
    } else {
        stated.or(here.map(|(start, _)| start))
    };
    Some(Period { from: from.filter(|from| *from <= to), to })
}
