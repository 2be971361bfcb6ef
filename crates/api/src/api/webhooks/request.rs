//! Parses the bodies of the operations of webhooks.

use crate::api::body::{BodyPath, Fields, FromBody, Json, read_text};
use crate::api::wire::{CreateWebhookRequest, ReplayRequest, UpdateWebhookRequest, event_types};
use crate::http::error::ApiError;

/// Characters of a description.
pub const MAX_DESCRIPTION: usize = 200;
/// Types of events of a webhook.
const MAX_TYPES: usize = 50;

impl FromBody for CreateWebhookRequest {
    fn from_body(body: Json<'_>) -> Result<CreateWebhookRequest, ApiError> {
        let known = ["url", "description", "watchlist", "types"];
        let mut fields = Fields::of(body, &BodyPath::Root, &known)?;
        Ok(CreateWebhookRequest {
            url: fields.text("url")?.trim().to_owned(),
            description: read_description(&mut fields)?,
            watchlist: fields.optional_text("watchlist")?,
            types: read_types(&mut fields)?,
        })
    }
}

impl FromBody for UpdateWebhookRequest {
    fn from_body(body: Json<'_>) -> Result<UpdateWebhookRequest, ApiError> {
        let known = ["url", "description", "watchlist", "types", "status"];
        let mut fields = Fields::of(body, &BodyPath::Root, &known)?;
        let has_description = fields.has("description");
        let has_watchlist = fields.has("watchlist");
        let has_types = fields.has("types");
        let url = fields.optional_text("url")?.map(|url| url.trim().to_owned());
        let description = read_description(&mut fields)?;
        let watchlist = fields.optional_text("watchlist")?;
        let types = read_types(&mut fields)?;
        Ok(UpdateWebhookRequest {
            url,
            description: has_description.then_some(description),
            watchlist: has_watchlist.then_some(watchlist),
            types: has_types.then(|| types.unwrap_or_default()),
            status: fields.optional_word("status", &[("enabled", true), ("disabled", false)])?,
        })
    }
}

impl FromBody for ReplayRequest {
    fn from_body(body: Json<'_>) -> Result<ReplayRequest, ApiError> {
        let mut fields = Fields::of(body, &BodyPath::Root, &["event_id", "from_seq"])?;
        let request = ReplayRequest {
            event_id: fields.optional_text("event_id")?,
            from_seq: fields.optional_number("from_seq", 1..=i64::MAX)?,
        };
        match request.event_id.is_some() == request.from_seq.is_some() {
            true => Err(ApiError::body("body", "Give either event_id or from_seq.")),
            false => Ok(request),
        }
    }
}

fn read_description(fields: &mut Fields<'_, '_>) -> Result<Option<String>, ApiError> {
    let text = fields.optional_text("description")?.map(|text| text.trim().to_owned());
    let is_plain = |text: &String| {
        text.chars().count() <= MAX_DESCRIPTION && !text.chars().any(char::is_control)
    };
    match text.as_ref().is_none_or(is_plain) {
        true => Ok(text.filter(|text| !text.is_empty())),
        false => {
            let what = format!("at most {MAX_DESCRIPTION} characters without control characters");
            Err(BodyPath::Field(&BodyPath::Root, "description").must_be(&what))
        }
    }
}

fn read_types(fields: &mut Fields<'_, '_>) -> Result<Option<Vec<String>>, ApiError> {
    let at = BodyPath::Field(&BodyPath::Root, "types");
    let types = fields.optional_array("types", |json, at| {
        let word = read_text(json, at)?;
        match event_types().contains(&word.as_str()) {
            true => Ok(word),
            false => Err(at.must_be(&format!("one of {}", event_types().join(", ")))),
        }
    })?;
    let Some(mut types) = types else { return Ok(None) };
    if types.len() > MAX_TYPES {
        return Err(at.must_be(&format!("an array of at most {MAX_TYPES} types")));
    }
    types.sort();
    types.dedup();
    Ok(Some(types))
}
