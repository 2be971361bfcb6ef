//! Parses the body of a matching call.

use panji_ids::{CompanyId, Gstin, Pan};
use panji_search::state_name;

use super::body::{BodyPath, Fields, FromBody, Json};
use super::bulk_request::read_reference;
use super::wire::{MatchQuery, MatchRequest, MatchRequestItem};
use crate::http::error::ApiError;

/// The longest text of a field, in characters.
pub const MAX_TEXT: usize = 500;
/// The years of incorporation that are accepted.
pub const YEARS: std::ops::RangeInclusive<u16> = 1600..=9999;
/// The candidates of an item.
const LIMITS: std::ops::RangeInclusive<u16> = 1..=10;

const FIELDS: [&str; 12] = [
    "ref",
    "name",
    "cin",
    "pan",
    "gstin",
    "state",
    "city",
    "pincode",
    "address",
    "incorporated_on",
    "incorporated_year",
    "director",
];

impl FromBody for MatchRequest {
    fn from_body(body: Json<'_>) -> Result<MatchRequest, ApiError> {
        let mut fields = Fields::of(body, &BodyPath::Root, &["items", "limit"])?;
        Ok(MatchRequest {
            limit: fields.optional_whole("limit", LIMITS)?,
            items: fields.array("items", read_item)?,
        })
    }
}

fn read_item(json: Json<'_>, at: &BodyPath<'_>) -> Result<MatchRequestItem, ApiError> {
    let mut fields = Fields::of(json, at, &FIELDS)?;
    let reference = read_reference(&mut fields, at)?;
    let mut text = |name: &'static str| read_text(&mut fields, at, name);
    let item = MatchRequestItem {
        reference,
        name: text("name")?,
        cin: text("cin")?,
        pan: text("pan")?,
        gstin: text("gstin")?,
        state: text("state")?,
        city: text("city")?,
        pincode: text("pincode")?,
        address: text("address")?,
        incorporated_on: text("incorporated_on")?,
        director: text("director")?,
        incorporated_year: fields.optional_whole("incorporated_year", YEARS)?,
    };
    if let Some(date) = &item.incorporated_on
        && year_of(date).is_none()
    {
        return Err(BodyPath::Field(at, "incorporated_on").must_be("a date such as 1994-03-18"));
    }
    let named = [&item.name, &item.cin, &item.pan, &item.gstin];
    if named.iter().all(|text| text.is_none()) {
        let message = format!("{at} has no name: give a name, cin, pan or gstin.");
        return Err(ApiError::body(at.to_string(), message));
    }
    Ok(item)
}

/// A text without spaces around it; none if it is missing, null or empty.
fn read_text(
    fields: &mut Fields<'_, '_>,
    at: &BodyPath<'_>,
    name: &'static str,
) -> Result<Option<String>, ApiError> {
    let text = fields.optional_text(name)?.map(|text| text.trim().to_owned());
    match text {
        Some(text) if text.chars().count() > MAX_TEXT => {
            Err(BodyPath::Field(at, name).must_be(&format!("at most {MAX_TEXT} characters long")))
        }
        text => Ok(text.filter(|text| !text.is_empty())),
    }
}

/// The year of a date in the form `1994-03-18`.
pub fn year_of(date: &str) -> Option<u16> {
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let within = |part: &str, most: u32| {
        digits(part, 2) && part.parse::<u32>().is_ok_and(|number| (1..=most).contains(&number))
    };
    let is_date = digits(year, 4) && within(month, 12) && within(day, 31);
    year.parse().ok().filter(|_| is_date)
}

/// The year of incorporation that an item has.
pub fn year_of_item(item: &MatchRequestItem) -> Option<u16> {
    item.incorporated_year.or_else(|| year_of(item.incorporated_on.as_deref()?))
}

/// The item as it was read.
pub fn read_query(item: &MatchRequestItem, incorporated_year: Option<u16>) -> MatchQuery {
    let canonical = |text: &Option<String>, parse: fn(&str) -> Option<String>| {
        text.as_deref().map(|text| parse(text).unwrap_or_else(|| text.to_owned()))
    };
    MatchQuery {
        name: item.name.clone(),
        cin: canonical(&item.cin, |text| Some(CompanyId::parse(text).ok()?.as_str().to_owned())),
        pan: canonical(&item.pan, |text| Some(Pan::parse(text).ok()?.as_str().to_owned())),
        gstin: canonical(&item.gstin, |text| {
            Some(Gstin::parse_format(text).ok()?.as_str().to_owned())
        }),
        state: canonical(&item.state, |text| state_name(text).map(str::to_owned)),
        city: item.city.clone(),
        pincode: item.pincode.clone(),
        address: item.address.clone(),
        incorporated_year,
        director: item.director.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::parse;
    use super::*;

    #[test]
    fn the_error_of_a_body_names_the_problem_and_the_field() {
        let long = format!(r#"{{"items":[{{"name":"{}"}}]}}"#, "x".repeat(501));
        let cases = [
            ("{}", "items", "items is missing."),
            (
                r#"{"items":[],"more":1}"#,
                "more",
                "The body has no field \"more\": it takes items, limit.",
            ),
            (r#"{"items":{}}"#, "items", "items must be an array."),
            (
                r#"{"items":[{"name":"x"},{"state":"MH"}]}"#,
                "items[1]",
                "items[1] has no name: give a name, cin, pan or gstin.",
            ),
            (
                r#"{"items":[{"name":"  "}]}"#,
                "items[0]",
                "items[0] has no name: give a name, cin, pan or gstin.",
            ),
            (r#"{"items":[{"name":7}]}"#, "items[0].name", "items[0].name must be a string."),
            (long.as_str(), "items[0].name", "items[0].name must be at most 500 characters long."),
            (
                r#"{"items":[{"name":"x","incorporated_on":"18/03/1994"}]}"#,
                "items[0].incorporated_on",
                "items[0].incorporated_on must be a date such as 1994-03-18.",
            ),
            (
                r#"{"items":[{"name":"x","incorporated_year":94}]}"#,
                "items[0].incorporated_year",
                "items[0].incorporated_year must be a whole number from 1600 to 9999.",
            ),
            (
                r#"{"items":[{"name":"x"}],"limit":11}"#,
                "limit",
                "limit must be a whole number from 1 to 10.",
            ),
            (
                r#"{"items":[{"name":"x"}],"limit":"3"}"#,
                "limit",
                "limit must be a whole number from 1 to 10.",
            ),
        ];
        for (body, param, message) in cases {
            let error = parse::<MatchRequest>(body.as_bytes()).expect_err(body);
            assert_eq!(error.code.as_str(), "invalid_body", "{body}");
            assert_eq!((error.param.as_deref(), &*error.message), (Some(param), message), "{body}");
        }
    }

    #[test]
    fn an_item_is_read() {
        let body =
            r#"{"items":[{"name":" Namuna ","incorporated_year":1994,"pan":null}],"limit":1}"#;
        let request = parse::<MatchRequest>(body.as_bytes()).expect(body);
        assert_eq!((request.limit, request.items.len()), (Some(1), 1));
        assert_eq!(request.items[0].name.as_deref(), Some("Namuna"));
        assert_eq!(request.items[0].incorporated_year, Some(1994));
        assert_eq!(request.items[0].pan, None);
        assert_eq!(year_of("1994-03-18"), Some(1994));
    }
}
