//! Places of business: one line of text from the portal, separate parts from the API.

use panji_ids::{gst_state, state_code_by_name};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::values::json_fields::{self, Fields};

/// A place of business, stored as JSON text with the field names of the API.
#[derive(Default, Serialize)]
pub struct Place {
    address: Option<String>,
    city: Option<String>,
    district: Option<String>,
    state: Option<String>,
    pincode: Option<String>,
    nature: Vec<String>,
}

/// Reads a place; none if all its fields are empty. Telephone numbers and email addresses are not
/// read: most are personal.
pub fn read(place: &Value) -> Option<Place> {
    let place = place.as_object()?;
    let parts = place.get("addr").and_then(Value::as_object);
    let flat = Fields::new(place).text(&["adr", "addr"]);
    let mut read = match (parts, flat) {
        (Some(parts), _) => from_parts(parts),
        (None, Some(line)) => from_line(&line),
        (None, None) => Place::default(),
    };
    read.nature = words(place.get("ntr"));
    let is_empty = read.address.is_none() && read.state.is_none() && read.nature.is_empty();
    (!is_empty).then_some(read)
}

/// A list of texts that some relays send as one text with commas.
pub fn words(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(list)) => list.iter().filter_map(json_fields::text).collect(),
        Some(Value::String(text)) => text.split(',').filter_map(json_fields::clean).collect(),
        _ => Vec::new(),
    }
}

fn from_parts(parts: &Map<String, Value>) -> Place {
    let fields = Fields::new(parts);
    // If there is a field `locality`, `loc` is the city, town or village; in the older format it
    // may also be a quarter.
    let town = if parts.contains_key("locality") { fields.text(&["loc"]) } else { None };
    let quarter = if town.is_some() { None } else { fields.text(&["loc"]) };
    let line: Vec<String> = ["flno", "bno", "bnm", "st", "landMark", "locality"]
        .iter()
        .filter_map(|name| fields.text(&[name]))
        .chain(quarter)
        .collect();
    let state = fields.text(&["stcd"]);
    Place {
        address: (!line.is_empty()).then(|| line.join(", ")),
        city: fields.text(&["city"]).or(town),
        district: fields.text(&["dst"]),
        state: state.map(|state| gst_state(&state).map_or(state.clone(), str::to_owned)),
        pincode: fields.text(&["pncd"]).and_then(|pincode| json_fields::pincode(&pincode)),
        nature: Vec::new(),
    }
}

/// The portal's line ends with the district, the state and the PIN code. The part before them is
/// not always the city, so it is used as such only if it has the district's name.
fn from_line(line: &str) -> Place {
    let parts: Vec<String> = line.split(',').filter_map(json_fields::clean).collect();
    let address = (!parts.is_empty()).then(|| parts.join(", "));
    let mut rest = parts.as_slice();
    let pincode = rest.last().and_then(|last| json_fields::pincode(last));
    if pincode.is_some() {
        rest = &rest[..rest.len() - 1];
    }
    let state = rest.last().filter(|last| state_code_by_name(last).is_some()).cloned();
    let Some(state) = state else {
        return Place { address, pincode, ..Place::default() };
    };
    rest = &rest[..rest.len() - 1];
    let district = rest.last().cloned();
    let before = rest.len().checked_sub(2).and_then(|index| rest.get(index));
    let city = before
        .filter(|city| district.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(city)))
        .cloned();
    Place { address, city, district, state: Some(state), pincode, nature: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(place: Value, expected: Value) {
        let read = read(&place).map(|place| serde_json::to_value(place).expect("a place"));
        assert_eq!(read.unwrap_or_default(), expected, "{place}");
    }

    #[test]
    fn district_state_and_pin_code_are_read_from_the_end_of_a_line() {
        check(
            json!({"adr": "No.4, NA, Namuna Road,, CHENNAI, Chennai, Tamil Nadu, 600015"}),
            json!({"address": "No.4, Namuna Road, CHENNAI, Chennai, Tamil Nadu, 600015",
                "city": "CHENNAI", "district": "Chennai", "state": "Tamil Nadu",
                "pincode": "600015", "nature": []}),
        );
        check(
            json!({"adr": "Shop 1, Namuna Road, Pune, Maharashtra, 411001", "addr": null}),
            json!({"address": "Shop 1, Namuna Road, Pune, Maharashtra, 411001", "city": null,
                "district": "Pune", "state": "Maharashtra", "pincode": "411001", "nature": []}),
        );
        check(
            json!({"adr": "Somewhere, Far Away", "ntr": "Export, Import"}),
            json!({"address": "Somewhere, Far Away", "city": null, "district": null,
                "state": null, "pincode": null, "nature": ["Export", "Import"]}),
        );
    }

    #[test]
    fn parts_are_read_by_their_names() {
        check(
            json!({"addr": {"bnm": "Namuna House", "bno": "5", "flno": "", "st": "Long Road",
                "loc": "OLD QUARTER", "stcd": "27", "pncd": "400006"}, "ntr": ["Export"]}),
            json!({"address": "5, Namuna House, Long Road, OLD QUARTER", "city": null,
                "district": null, "state": "Maharashtra", "pincode": "400006",
                "nature": ["Export"]}),
        );
        check(
            json!({"addr": {"bno": "1", "loc": "SHAHAR", "locality": "", "dst": "Zila",
                "stcd": "Maharashtra", "pncd": 400006}}),
            json!({"address": "1", "city": "SHAHAR", "district": "Zila", "state": "Maharashtra",
                "pincode": "400006", "nature": []}),
        );
        check(json!({"addr": {"bno": "", "pncd": ""}, "ntr": ""}), Value::Null);
    }
}
