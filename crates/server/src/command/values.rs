//! Parsers of option values.

/// Why the value of an option is refused. It completes a sentence that starts with the option and
/// the value.
#[derive(Debug, thiserror::Error)]
pub enum ValueError {
    #[error("must be a whole number of at least {least}")]
    AtLeast { least: i64 },
    #[error("must be a whole number from {least} to {most}")]
    Between { least: i64, most: i64 },
    #[error("must be one of {names}")]
    OneOf { names: String },
    #[error("must be {0}")]
    Expected(&'static str),
    #[error("this is in the past: choose a later day or time")]
    Past,
}

/// A parser of whole numbers in a range.
pub fn whole_number(
    least: i64,
    most: i64,
) -> impl Fn(&str) -> Result<i64, ValueError> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or(match most {
            i64::MAX => ValueError::AtLeast { least },
            _ => ValueError::Between { least, most },
        })
    }
}
