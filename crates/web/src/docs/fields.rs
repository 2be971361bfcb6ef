//! Schemas of the OpenAPI description as tables of fields: one table per component, each once on a page.

use serde_json::{Map, Value};

use super::inline::inline;

/// Components of one response; the largest has about 50.
const MAX_SECTIONS: usize = 100;
/// Words of an enumeration that are shown without a click.
const MAX_WORDS_SHOWN: usize = 8;

/// A table of fields.
pub struct Section {
    pub name: String,
    /// HTML.
    pub meaning: String,
    pub fields: Vec<Field>,
    /// The components of which the value is one, if it is no object.
    pub choices: Vec<Part>,
}

pub struct Field {
    pub name: String,
    pub kind: Kind,
    pub required: bool,
    /// HTML.
    pub meaning: String,
    pub since: Option<String>,
}

/// The type of a value, in words.
#[derive(Default)]
pub struct Kind {
    pub parts: Vec<Part>,
    pub nullable: bool,
    /// The words of an enumeration.
    pub words: Vec<String>,
}

/// A part of a type's name; a component is a link.
pub struct Part {
    pub text: String,
    pub component: bool,
}

impl Kind {
    /// The values that a form offers, and whether each is the chosen one.
    pub fn options(&self, chosen: &str) -> Vec<(&str, bool)> {
        let is_boolean = self.parts.iter().any(|part| part.text == "boolean");
        let words: Vec<&str> = match is_boolean {
            true => vec!["true", "false"],
            false => self.words.iter().map(String::as_str).collect(),
        };
        words.into_iter().map(|word| (word, word == chosen)).collect()
    }

    pub fn has_many_words(&self) -> bool {
        self.words.len() > MAX_WORDS_SHOWN
    }

    fn plain(text: &str) -> Kind {
        Kind { parts: vec![Part { text: text.to_owned(), component: false }], ..Kind::default() }
    }
}

/// A schema with the document that its references lead to.
#[derive(Clone, Copy)]
pub struct Schema<'a> {
    pub document: &'a Value,
    pub value: &'a Value,
}

impl<'a> Schema<'a> {
    fn at(self, value: &'a Value) -> Schema<'a> {
        Schema { value, ..self }
    }

    /// The name of the referenced component.
    fn name(self) -> Option<&'a str> {
        self.value["$ref"].as_str()?.rsplit('/').next()
    }

    /// The referenced component, or the schema itself.
    fn resolved(self) -> Schema<'a> {
        match self.name() {
            Some(name) => self.at(&self.document["components"]["schemas"][name]),
            None => self,
        }
    }

    fn properties(self) -> Option<&'a Map<String, Value>> {
        self.value["properties"].as_object()
    }

    /// The choices of the value except null, and whether null is one.
    fn choices(self) -> (Vec<Schema<'a>>, bool) {
        let all = self.value["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_null = |schema: &&Value| schema["type"] == "null";
        let others = all.iter().filter(|schema| !is_null(schema)).map(|schema| self.at(schema));
        (others.collect(), all.iter().any(|schema| is_null(&schema)))
    }

    /// The words of an enumeration.
    fn words(self) -> Vec<String> {
        let own = self.value["enum"].as_array();
        let words = own.or_else(|| self.value["anyOf"][0]["enum"].as_array());
        let words = words.into_iter().flatten();
        words.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    }

    /// The text of its own description, or of the one choice or component.
    fn description(self) -> &'a str {
        let own = self.value["description"].as_str();
        let chosen = || self.value["oneOf"][0]["description"].as_str();
        let component = || self.resolved().value["description"].as_str();
        own.or_else(chosen).or_else(component).unwrap_or_default()
    }

    /// Whether a component has a table of its own.
    fn has_table(self) -> bool {
        self.properties().is_some() || !self.choices().0.is_empty()
    }

    pub fn kind(self) -> Kind {
        if let Some(name) = self.name() {
            let component = self.resolved();
            if component.has_table() {
                let part = Part { text: name.to_owned(), component: true };
                return Kind { parts: vec![part], ..Kind::default() };
            }
            return component.kind();
        }
        let (choices, nullable) = self.choices();
        if !choices.is_empty() {
            return joined(&choices, nullable);
        }
        let words = self.words();
        if !words.is_empty() {
            return Kind { words, ..Kind::plain("string") };
        }
        self.plain_kind()
    }

    fn plain_kind(self) -> Kind {
        let types: Vec<&str> = match &self.value["type"] {
            Value::String(one) => vec![one.as_str()],
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => vec!["any"],
        };
        let nullable = types.contains(&"null");
        let name = types.into_iter().find(|name| *name != "null").unwrap_or("null");
        let mut kind = match (name, self.value["format"].as_str()) {
            _ if !self.value["const"].is_null() => Kind::plain(&self.value["const"].to_string()),
            ("array", _) => {
                let items = self.at(&self.value["items"]).kind();
                let mut kind = Kind::plain("list of ");
                kind.parts.extend(items.parts);
                Kind { words: items.words, ..kind }
            }
            ("string", Some("date")) => Kind::plain("date"),
            ("string", Some("date-time")) => Kind::plain("time"),
            (name, _) => Kind::plain(name),
        };
        kind.nullable = nullable;
        kind
    }

    fn field(self, name: &str, required: bool) -> Field {
        Field {
            name: name.to_owned(),
            kind: self.kind(),
            required,
            meaning: inline(self.description()),
            since: self.value["x-since"].as_str().map(str::to_owned),
        }
    }

    /// The components that a value of this schema contains directly, each with its example.
    fn contained(self, example: Option<&'a Value>) -> Vec<(Schema<'a>, Option<&'a Value>)> {
        if self.name().is_some() {
            return vec![(self, example)];
        }
        let (choices, _) = self.choices();
        let mut found: Vec<_> =
            choices.into_iter().flat_map(|choice| choice.contained(example)).collect();
        if self.value["items"].is_object() {
            let first = example.and_then(|list| list.get(0));
            found.extend(self.at(&self.value["items"]).contained(first));
        }
        found
    }
}

fn joined(choices: &[Schema<'_>], nullable: bool) -> Kind {
    let mut all = Kind { nullable, ..Kind::default() };
    for (at, choice) in choices.iter().enumerate() {
        if at > 0 {
            all.parts.push(Part { text: " or ".to_owned(), component: false });
        }
        let kind = choice.kind();
        all.nullable |= kind.nullable;
        all.parts.extend(kind.parts);
        all.words.extend(kind.words);
    }
    all
}

/// The tables of a schema: its own fields first, then those of each component in it.
pub fn sections(schema: Schema<'_>, example: Option<&Value>) -> Vec<Section> {
    let mut waiting = schema.contained(example);
    let mut sections: Vec<Section> = Vec::new();
    let mut at = 0;
    while at < waiting.len() && sections.len() < MAX_SECTIONS {
        let (reference, example) = waiting[at];
        at += 1;
        let (Some(name), component) = (reference.name(), reference.resolved()) else { continue };
        if !component.has_table() || sections.iter().any(|known| known.name == name) {
            continue;
        }
        let (section, further) = section(name, component, example);
        sections.push(section);
        waiting.extend(further);
    }
    sections
}

type Waiting<'a> = Vec<(Schema<'a>, Option<&'a Value>)>;

fn section<'a>(
    name: &str,
    component: Schema<'a>,
    example: Option<&'a Value>,
) -> (Section, Waiting<'a>) {
    let mut section = Section {
        name: name.to_owned(),
        meaning: inline(component.value["description"].as_str().unwrap_or_default()),
        fields: Vec::new(),
        choices: Vec::new(),
    };
    let Some(properties) = component.properties() else {
        section.choices = component.kind_of_choices();
        return (section, component.contained(example));
    };
    let required = component.value["required"].as_array();
    let mut further = Vec::new();
    for (name, property) in in_order(properties, example) {
        let property = component.at(property);
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        section.fields.push(property.field(name, is_required));
        further.extend(property.contained(example.and_then(|example| example.get(name))));
    }
    (section, further)
}

impl Schema<'_> {
    fn kind_of_choices(self) -> Vec<Part> {
        joined(&self.choices().0, false).parts
    }
}

/// The properties in the order of the example; the description sorts them by name.
fn in_order<'a>(
    properties: &'a Map<String, Value>,
    example: Option<&Value>,
) -> Vec<(&'a String, &'a Value)> {
    let place = |name: &str| {
        let names = example.and_then(Value::as_object).map(Map::keys);
        names.and_then(|mut names| names.position(|known| known == name)).unwrap_or(usize::MAX)
    };
    let mut ordered: Vec<_> = properties.iter().collect();
    ordered.sort_by_key(|(name, _)| place(name));
    ordered
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words_of(kind: &Kind) -> String {
        kind.parts.iter().map(|part| part.text.as_str()).collect()
    }

    #[test]
    fn a_schema_is_a_table_per_component_in_the_order_of_the_example() {
        let document = json!({ "components": { "schemas": {
            "Board": { "type": "object", "description": "The `board`.", "required": ["seats"], "properties": {
                "as_of": { "type": ["string", "null"], "format": "date" },
                "seats": { "type": "array", "items": { "$ref": "#/components/schemas/Seat" } },
            } },
            "Seat": { "type": "object", "properties": {
                "next": { "oneOf": [{ "$ref": "#/components/schemas/Seat" }, { "type": "null" }] },
                "role": { "$ref": "#/components/schemas/Role" },
            } },
            "Role": { "anyOf": [{ "type": "string", "enum": ["a", "b"] }, { "type": "string" }] },
        } } });
        let root = json!({ "$ref": "#/components/schemas/Board" });
        let example = json!({ "seats": [{ "role": "a" }], "as_of": null });
        let schema = Schema { document: &document, value: &root };
        let tables = sections(schema, Some(&example));
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["Board", "Seat"]);
        let board = &tables[0].fields;
        assert_eq!((&*board[0].name, &*words_of(&board[0].kind)), ("seats", "list of Seat"));
        assert!(board[0].required && !board[1].required);
        assert!(board[1].kind.nullable && words_of(&board[1].kind) == "date");
        assert_eq!(tables[1].fields[0].name, "role");
        assert_eq!(tables[1].fields[0].kind.words, ["a", "b"]);
        assert!(tables[1].fields[1].kind.nullable);
    }
}
