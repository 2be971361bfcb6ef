//! From a response of the API to the result of a tool: the envelope's fields, the data with its sources
//! and dates, and in sentences what is not known.

use rmcp::model::{CallToolResult, ContentBlock, ErrorData, MetaObject};
use serde_json::{Map, Value, json};

use super::calls::ApiResponse;

/// The key of an error's fields in the metadata of a result.
const ERROR_META: &str = "panji/error";
/// The most notes of one result.
const MAX_NOTES: usize = 20;

/// Words of the API's errors and what the tools call it.
const HTTP_WORDS: [(&str, &str); 3] = [
    ("Panji-Max-Credits", "max_credits"),
    ("Idempotency-Key", "idempotency_key"),
    (" in the path", ""),
];
/// The records whose unknown fields are named.
const RECORDS: [&str; 4] = ["company", "director", "capital", "pan"];

/// What a tool returns without calling the API, or what the API refused.
pub struct ToolFailure {
    pub code: String,
    pub message: String,
    pub param: Option<String>,
    pub docs_url: Option<String>,
    pub request_id: String,
}

impl ToolFailure {
    /// The failure that a response of the API describes, in the words of the tools.
    fn of(response: &ApiResponse) -> ToolFailure {
        let error = &response.envelope["error"];
        let text = |value: &Value| {
            let text = value.as_str()?;
            let in_words = HTTP_WORDS
                .iter()
                .fold(text.to_owned(), |text, (http, own)| text.replace(http, own));
            Some(in_words)
        };
        ToolFailure {
            code: text(&error["code"]).unwrap_or_default(),
            message: text(&error["message"]).unwrap_or_default(),
            param: text(&error["param"]),
            docs_url: text(&error["docs_url"]),
            request_id: text(&response.envelope["request_id"]).unwrap_or_default(),
        }
    }

    fn fields(&self) -> Value {
        json!({
            "code": self.code,
            "message": self.message,
            "param": self.param,
            "docs_url": self.docs_url,
            "request_id": self.request_id,
        })
    }

    /// A tool error: a sentence for the model, and the fields for programs.
    pub fn into_result(self) -> CallToolResult {
        let param = self.param.as_ref().map(|param| format!(" Argument: {param}."));
        let docs = self.docs_url.as_ref().map(|url| format!(" See {url}"));
        let said = self.message.contains("Nothing was charged");
        let text = format!(
            "{}: {}{}{} Request {}.{}",
            self.code,
            self.message,
            param.unwrap_or_default(),
            if said { "" } else { " Nothing was charged." },
            self.request_id,
            docs.unwrap_or_default(),
        );
        let mut meta = Map::new();
        meta.insert(ERROR_META.to_owned(), self.fields());
        let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
        result.meta = Some(MetaObject(meta));
        result
    }
}

/// The result of a tool that called the API.
pub fn tool_result(response: ApiResponse, subject: &str) -> CallToolResult {
    match content(response, subject) {
        Ok(content) => CallToolResult::structured(content),
        Err(failure) => failure.into_result(),
    }
}

/// The content of a resource.
pub fn resource_text(response: ApiResponse, subject: &str) -> Result<String, ErrorData> {
    let not_found = response.status == 404;
    match content(response, subject) {
        Ok(content) => Ok(content.to_string()),
        Err(failure) => {
            let (message, fields) = (failure.message.clone(), Some(failure.fields()));
            Err(match not_found {
                true => ErrorData::resource_not_found(message, fields),
                false => ErrorData::invalid_request(message, fields),
            })
        }
    }
}

/// The structured content of a response with data.
fn content(response: ApiResponse, subject: &str) -> Result<Value, ToolFailure> {
    if response.envelope["success"] != true {
        return Err(ToolFailure::of(&response));
    }
    let ApiResponse { headers, mut envelope, .. } = response;
    let data = envelope["data"].take();
    let mut notes = notes(&data, subject);
    if headers.contains_key("panji-index") {
        notes.push("The search index is being built: companies may be missing.".to_owned());
    }
    if headers.contains_key("idempotent-replayed") {
        notes.push(
            "This is the first response to this idempotency_key again. It was not charged again."
                .to_owned(),
        );
    }
    Ok(json!({
        "notes": notes,
        "request_id": envelope["request_id"],
        "credits_charged": envelope["credits_charged"],
        "credits_remaining": envelope["credits_remaining"],
        "data": data,
    }))
}

/// What is not known, in sentences.
fn notes(data: &Value, subject: &str) -> Vec<String> {
    let mut notes = Vec::new();
    add_section_notes(data, subject, &mut notes);
    notes.extend(data["reason"].as_str().map(str::to_owned));
    for rule in data["not_checked"].as_array().into_iter().flatten() {
        let (code, reason) = (rule["code"].as_str(), rule["reason"].as_str());
        notes.extend(
            code.zip(reason).map(|(code, reason)| format!("{code}: not checked. {reason}")),
        );
    }
    let well_formed = data["format_valid"] == true && data["check_digit_valid"] != false;
    if data["found"] == false && well_formed {
        let reason = "It is not in the register of this service. That does not prove that it does not exist.";
        notes.push(reason.to_owned());
    }
    notes.truncate(MAX_NOTES);
    notes
}

/// The notes of a section and the sections in it. The records of a list are not described.
fn add_section_notes(section: &Value, name: &str, notes: &mut Vec<String>) {
    let Some(fields) = section.as_object() else { return };
    if RECORDS.contains(&name) {
        let unknown = unknown_fields(fields, "");
        if !unknown.is_empty() {
            notes.push(format!("{name}: not known: {}.", unknown.join(", ")));
        }
    }
    // The record of a director is complete, but the companies that it counts may not be.
    let listed = if fields.contains_key("directorships") { "directorships" } else { name };
    match fields.get("coverage").and_then(Value::as_str) {
        Some("none") => notes.push(format!(
            "{listed}: no source of this kind was imported, so nothing is known. This does not mean that \
             there is nothing."
        )),
        Some("partial") => {
            notes.push(format!("{listed}: only a part is known; there may be more."));
        }
        _ => {}
    }
    for (inner, value) in fields {
        add_section_notes(value, inner, notes);
    }
}

/// The fields of a record whose value is unknown, with those of objects in it that are no records of
/// their own. The words of the source are not listed apart from what they stand for.
fn unknown_fields(fields: &Map<String, Value>, prefix: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    for (name, value) in fields {
        match value {
            Value::Null if !name.ends_with("_text") => unknown.push(format!("{prefix}{name}")),
            Value::Object(inner) if !inner.contains_key("source") && prefix.is_empty() => {
                unknown.extend(unknown_fields(inner, &format!("{name}.")));
            }
            _ => {}
        }
    }
    unknown
}
