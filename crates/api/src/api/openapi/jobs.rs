//! What the description of jobs has besides JSON: the formats of lists and of results.

use serde_json::{Value, json};

use crate::api::jobs::results::XLSX;
use crate::config::operation::Operation;

pub fn complete(entry: &mut Value, operation: Operation) {
    match operation {
        Operation::CreateJob => {
            let content = &mut entry["requestBody"]["content"];
            content["application/x-ndjson"] = json!({
                "schema": {
                    "type": "string",
                    "description": "One row per line: an identifier as a JSON string, or an \
                     object.",
                },
                "example": "\"L17111MH1994PLC990011\"\n{\"value\":\"99000101\",\"type\":\"din\",\"ref\":\"row 2\"}\n",
            });
            content["text/csv"] = json!({
                "schema": { "type": "string", "description": "CSV, with or without a heading." },
                "example": "name,cin\nKalpanik,L17111MH1994PLC990011\n",
            });
            content[XLSX] = file("A spreadsheet; its first sheet with rows is read.");
        }
        Operation::GetJobResults => {
            let content = &mut entry["responses"]["200"]["content"];
            content["text/csv"] = json!({
                "schema": { "type": "string", "description": "With `format=csv`." },
            });
            content[XLSX] = file("With `format=xlsx`.");
        }
        _ => {}
    }
}

fn file(description: &str) -> Value {
    json!({
        "schema": { "type": "string", "format": "binary", "description": description },
    })
}
