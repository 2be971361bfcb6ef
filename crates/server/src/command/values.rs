//! Parsers of option values. The error completes a sentence that starts with the option and the
//! value.

/// A parser of whole numbers in a range.
pub fn whole_number(
    least: i64,
    most: i64,
) -> impl Fn(&str) -> Result<i64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| match most {
            i64::MAX => format!("must be a whole number of at least {least}"),
            _ => format!("must be a whole number from {least} to {most}"),
        })
    }
}
