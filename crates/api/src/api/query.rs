//! Query parameters, parsed strictly: unknown, repeated or malformed ones are refused, so that a
//! misspelled filter never silently widens a result.

use jiff::civil::Date;
use percent_encoding::percent_decode;

use crate::http::error::ApiError;

const MAX_PARAMETERS: usize = 32;
/// How many characters of a name an error repeats.
const MAX_ECHOED: usize = 40;

#[derive(Debug, Default)]
pub struct Query {
    parameters: Vec<(String, String)>,
}

impl Query {
    pub fn parse(raw: &str) -> Result<Query, ApiError> {
        Query::read(raw, true)
    }

    /// Parses parameters of clients that may repeat one: the first counts.
    pub fn parse_first(raw: &str) -> Result<Query, ApiError> {
        Query::read(raw, false)
    }

    fn read(raw: &str, refuse_repeated: bool) -> Result<Query, ApiError> {
        let mut parameters: Vec<(String, String)> = Vec::new();
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).ok_or_else(|| malformed(name))?;
            let value = decode(value).ok_or_else(|| malformed(&name))?;
            if parameters.iter().any(|(known, _)| *known == name) {
                if !refuse_repeated {
                    continue;
                }
                let echoed = shorten(&name);
                let message = format!("The query parameter {echoed} is given twice: give it once.");
                return Err(ApiError::parameter(echoed, message));
            }
            parameters.push((name, value));
            if parameters.len() > MAX_PARAMETERS {
                let message = format!("A request takes at most {MAX_PARAMETERS} query parameters.");
                return Err(ApiError::parameter("query", message));
            }
        }
        Ok(Query { parameters })
    }

    /// Refuses parameters that the operation does not have.
    pub fn allow_only(&self, known: &[&str]) -> Result<(), ApiError> {
        let unknown = self.parameters.iter().find(|(name, _)| !known.contains(&name.as_str()));
        let Some((name, _)) = unknown else { return Ok(()) };
        let echoed = shorten(name);
        let known = match known {
            [] => "takes no query parameters".to_owned(),
            known => format!("takes {}", known.join(", ")),
        };
        let message = format!("There is no query parameter {echoed:?} here: this path {known}.");
        Err(ApiError::parameter(echoed, message))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The name of the first parameter.
    pub fn first_name(&self) -> Option<&str> {
        self.parameters.first().map(|(name, _)| name.as_str())
    }

    /// The parameters as one text; equal for equal queries.
    pub fn canonical(&self) -> String {
        self.parameters.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
    }

    /// A whole number within bounds.
    pub fn number(
        &self,
        name: &str,
        bounds: std::ops::RangeInclusive<i64>,
    ) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse().ok().filter(|number| digits && bounds.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let (first, last) = bounds.into_inner();
                let message = format!("{name} must be a whole number from {first} to {last}.");
                Err(ApiError::parameter(name, message))
            }
        }
    }

    /// A day, such as `2026-03-31`.
    pub fn day(&self, name: &str) -> Result<Option<Date>, ApiError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        // Other forms of ISO 8601 are refused: `20260331`, or a day with a time.
        let plain = text.len() == 10 && text.split('-').map(str::len).eq([4, 2, 2]);
        match text.parse().ok().filter(|_| plain) {
            Some(day) => Ok(Some(day)),
            None => {
                let message = format!("{name} must be a day such as 2026-03-31.");
                Err(ApiError::parameter(name, message))
            }
        }
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        match self.get(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(ApiError::parameter(name, format!("{name} must be true or false."))),
        }
    }
}

/// Decodes a name or value; none if the percent-encoding is malformed or the result is not UTF-8.
fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let well_formed = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%').all(|(at, _)| {
        bytes.get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    });
    if !well_formed {
        return None;
    }
    let spaced: Vec<u8> =
        bytes.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    String::from_utf8(percent_decode(&spaced).collect()).ok()
}

fn malformed(name: &str) -> ApiError {
    let echoed = shorten(name);
    let message =
        format!("The query parameter {echoed:?} is not percent-encoded UTF-8: encode it.");
    ApiError::parameter(echoed, message)
}

fn shorten(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(MAX_ECHOED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, part: &str) {
        let error = match Query::parse(raw) {
            Err(error) => error,
            Ok(query) => query.allow_only(&["q", "limit"]).expect_err(raw),
        };
        assert!(error.message.contains(part), "{raw}: {}", error.message);
    }

    #[test]
    fn values_are_decoded() {
        let query = Query::parse("q=Dhaga+%26%20Sui&limit=5&flag=true").expect("well-formed");
        assert_eq!(query.get("q"), Some("Dhaga & Sui"));
        assert_eq!(query.number("limit", 1..=50).ok().flatten(), Some(5));
        assert_eq!(query.flag("flag").ok().flatten(), Some(true));
        assert_eq!(query.get("state"), None);
    }

    #[test]
    fn misspelled_repeated_and_malformed_parameters_are_refused() {
        check("quary=x", "no query parameter \"quary\"");
        check("q=a&q=b", "given twice");
        check("q=%zz", "percent-encoded");
        check("q=%e0", "percent-encoded");
        check("q=%4", "percent-encoded");
    }

    #[test]
    fn numbers_have_bounds() {
        let refused = |raw: &str| {
            let query = Query::parse(raw).expect("well-formed");
            query.number("limit", 1..=50).is_err()
        };
        for raw in [
            "limit=0",
            "limit=51",
            "limit=-1",
            "limit=+5",
            "limit=",
            "limit=1e1",
            "limit=99999999999999999999",
        ] {
            assert!(refused(raw), "{raw}");
        }
    }
}
