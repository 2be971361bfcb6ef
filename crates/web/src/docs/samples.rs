//! Programs that make the call of an operation's example, in four languages. A test runs them.

use axum::http::Method;
use serde_json::Value;

/// A program in one language.
pub struct Sample {
    /// For the id of its element.
    pub id: &'static str,
    pub label: &'static str,
    pub code: String,
    /// How to run it.
    pub run: &'static str,
}

/// The call of an example.
pub struct ExampleCall<'a> {
    pub method: Method,
    pub url: String,
    pub body: Option<&'a Value>,
    /// Whether the response is a file, which the program saves.
    pub is_file: bool,
}

/// The name under which a program saves a file.
const FILE: &str = "report.pdf";

impl ExampleCall<'_> {
    pub fn samples(&self) -> Vec<Sample> {
        let sample = |id, label, code, run| Sample { id, label, code, run };
        vec![
            sample("curl", "curl", self.curl(), "In a shell, with your test key in API_KEY."),
            sample("python", "Python", self.python(), "Standard library only: python3 sample.py"),
            sample(
                "javascript",
                "JavaScript",
                self.javascript(),
                "Node 18 or later: node sample.mjs",
            ),
            sample("go", "Go", self.go(), "Standard library only: go run sample.go"),
        ]
    }

    /// Whether the method must be stated: it is POST with a body, and GET without one, unless it is stated.
    fn states_method(&self) -> bool {
        let usual = if self.body.is_some() { Method::POST } else { Method::GET };
        self.method != usual
    }

    fn curl(&self) -> String {
        let method =
            if self.states_method() { format!(" -X {}", self.method) } else { String::new() };
        let mut lines = vec![
            format!("curl{method} \"{}\"", self.url),
            "  -H \"Authorization: Bearer $API_KEY\"".to_owned(),
        ];
        if let Some(body) = self.body {
            lines.push("  -H \"Content-Type: application/json\"".to_owned());
            lines.push(format!("  -d '{}'", body.to_string().replace('\'', "'\\''")));
        }
        if self.is_file {
            lines.push(format!("  -o {FILE}"));
        }
        lines.join(" \\\n")
    }

    fn python(&self) -> String {
        let mut arguments = vec![format!("    \"{}\",", self.url)];
        let mut headers =
            vec!["        \"Authorization\": \"Bearer \" + os.environ[\"API_KEY\"],".to_owned()];
        if let Some(body) = self.body {
            arguments.push(format!("    data=json.dumps({}).encode(),", python_value(body, 1)));
            headers.push("        \"Content-Type\": \"application/json\",".to_owned());
        }
        if self.states_method() {
            arguments.push(format!("    method=\"{}\",", self.method));
        }
        arguments.push(format!("    headers={{\n{}\n    }},", headers.join("\n")));
        if self.is_file {
            return format!(
                "import os\nimport urllib.request\n\nrequest = urllib.request.Request(\n{}\n)\n\
                 with urllib.request.urlopen(request) as response, open(\"{FILE}\", \"wb\") as file:\n    \
                 file.write(response.read())",
                arguments.join("\n")
            );
        }
        format!(
            "import json\nimport os\nimport urllib.request\n\nrequest = urllib.request.Request(\n{}\n)\n\
             with urllib.request.urlopen(request) as response:\n    body = json.load(response)\n\
             print(json.dumps(body[\"data\"], indent=2))",
            arguments.join("\n")
        )
    }

    fn javascript(&self) -> String {
        let mut options = Vec::new();
        if self.method != Method::GET {
            options.push(format!("  method: \"{}\",", self.method));
        }
        let mut headers = vec!["    Authorization: `Bearer ${process.env.API_KEY}`,".to_owned()];
        if self.body.is_some() {
            headers.push("    \"Content-Type\": \"application/json\",".to_owned());
        }
        options.push(format!("  headers: {{\n{}\n  }},", headers.join("\n")));
        if let Some(body) = self.body {
            options.push(format!("  body: JSON.stringify({}),", indented(body, 1)));
        }
        if self.is_file {
            return format!(
                "import {{ writeFile }} from \"node:fs/promises\";\n\n\
                 const response = await fetch(\"{}\", {{\n{}\n}});\n\
                 if (!response.ok) throw new Error(`HTTP ${{response.status}}`);\n\
                 await writeFile(\"{FILE}\", Buffer.from(await response.arrayBuffer()));",
                self.url,
                options.join("\n")
            );
        }
        format!(
            "const response = await fetch(\"{}\", {{\n{}\n}});\nconst body = await response.json();\n\
             if (!body.success) throw new Error(`${{body.error.code}}: ${{body.error.message}}`);\n\
             console.log(JSON.stringify(body.data, null, 2));",
            self.url,
            options.join("\n")
        )
    }

    fn go(&self) -> String {
        let (imports, body, content) = match self.body {
            Some(body) => (
                "\t\"fmt\"\n\t\"io\"\n\t\"net/http\"\n\t\"os\"\n\t\"strings\"",
                format!("strings.NewReader(`{body}`)"),
                "\trequest.Header.Set(\"Content-Type\", \"application/json\")\n",
            ),
            None if self.is_file => ("\t\"io\"\n\t\"net/http\"\n\t\"os\"", "nil".to_owned(), ""),
            None => ("\t\"fmt\"\n\t\"io\"\n\t\"net/http\"\n\t\"os\"", "nil".to_owned(), ""),
        };
        let last = match self.is_file {
            true => format!(
                "\tif err := os.WriteFile(\"{FILE}\", body, 0o644); err != nil {{\n\t\tpanic(err)\n\t}}\n"
            ),
            false => "\tfmt.Println(string(body))\n".to_owned(),
        };
        format!(
            "package main\n\nimport (\n{imports}\n)\n\nfunc main() {{\n\
             \trequest, err := http.NewRequest(\"{}\", \"{}\", {body})\n{GO_CHECK}\
             \trequest.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"API_KEY\"))\n{content}\
             \tresponse, err := http.DefaultClient.Do(request)\n{GO_CHECK}\
             \tdefer response.Body.Close()\n\tbody, err := io.ReadAll(response.Body)\n{GO_CHECK}\
             {last}}}",
            self.method, self.url
        )
    }
}

const GO_CHECK: &str = "\tif err != nil {\n\t\tpanic(err)\n\t}\n";

/// JSON over several lines, as the rest of a line that is indented to this depth.
fn indented(value: &Value, depth: usize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

/// A JSON value as a Python expression.
fn python_value(value: &Value, depth: usize) -> String {
    let (inner, outer) = ("    ".repeat(depth + 1), "    ".repeat(depth));
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(list) => {
            let items =
                list.iter().map(|item| format!("{inner}{},\n", python_value(item, depth + 1)));
            format!("[\n{}{outer}]", items.collect::<String>())
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| {
                format!(
                    "{inner}{}: {},\n",
                    Value::from(name.as_str()),
                    python_value(member, depth + 1)
                )
            });
            format!("{{\n{}{outer}}}", members.collect::<String>())
        }
        // Texts and numbers are written as in JSON.
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_body_is_written_in_the_language_of_the_sample() {
        let body = json!({ "all": true, "none": null, "text": "it's" });
        let call = ExampleCall {
            method: Method::POST,
            url: "http://x/y".into(),
            body: Some(&body),
            is_file: false,
        };
        let samples = call.samples();
        assert!(samples[0].code.contains("\"it'\\''s\""), "{}", samples[0].code);
        assert!(samples[1].code.contains("\"all\": True") && samples[1].code.contains(": None"));
        assert!(samples[2].code.contains("\"none\": null"), "{}", samples[2].code);
        assert!(
            samples[3].code.contains("strings.NewReader(`{\"all\":true"),
            "{}",
            samples[3].code
        );
    }

    #[test]
    fn a_post_without_a_body_states_its_method() {
        let (method, url) = (Method::POST, "http://x/y".into());
        let call = ExampleCall { method, url, body: None, is_file: false };
        let samples = call.samples();
        assert!(samples[0].code.starts_with("curl -X POST "), "{}", samples[0].code);
        assert!(samples[1].code.contains("method=\"POST\""), "{}", samples[1].code);
        assert!(samples[3].code.contains("\"POST\", \"http://x/y\", nil)"), "{}", samples[3].code);
    }
}
