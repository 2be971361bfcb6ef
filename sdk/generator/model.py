"""Reads the OpenAPI document into what the writers of both SDKs need: schemas, operations with their names, error codes."""

import keyword
import re
from dataclasses import dataclass, field

# Where the rule of `name_of` would give a name that a caller would not look for.
NAMES = {
    "getUsage": ("account", "usage"),
    "getRequest": ("account", "request"),
    "searchByPan": ("gst", "by_pan"),
    "addWatchMembers": ("watchlists", "add_members"),
    "removeWatchMembers": ("watchlists", "remove_members"),
}
# Statuses of codes that no single operation returns.
GENERAL_CODES = {"route_not_found": 404, "method_not_allowed": 405}
FILE_WORDS = {
    "text/csv": "csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/pdf": "pdf",
}
JSON = "application/json"
LONGEST_INLINE_ENUM = 8
# Groups with more methods than those of their operations.
WRITTEN_BY_HAND = {"events": "StreamEvents", "jobs": "WaitForJobs"}
# A stream has no envelope and no end: it needs a client of its own.
STREAM = "text/event-stream"


@dataclass(frozen=True)
class Param:
    name: str
    schema: dict
    required: bool
    text: str


@dataclass(frozen=True)
class Operation:
    id: str
    group: str
    name: str
    method: str
    path: str
    summary: str
    text: str
    path_params: list[Param]
    query: list[Param]
    # The members of a JSON body.
    body: list[Param]
    # Media types of a body that is a file.
    uploads: list[str]
    # Media types of a response that is a file.
    downloads: list[str]
    # The schema of `data`; none if there is no JSON.
    data: dict | None
    # The schema of the price that `dry_run` returns.
    price: dict | None
    # The member of `data` with the items of a page, their schema, and the parameter that selects a page.
    items: str | None
    item: dict | None
    cursor: str | None
    charged: bool
    keyed: bool
    example: dict = field(default_factory=dict)

    @property
    def slow(self):
        """Whether the service allows more time for it: lists and files."""
        return bool(self.body or self.uploads or self.downloads)

    @property
    def constant(self):
        return snake(self.id).upper()


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def camel(name):
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def pascal(name):
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def python_name(name):
    return f"{name}_" if keyword.iskeyword(name) else name


def ref_name(schema):
    reference = schema.get("$ref")
    return reference.rsplit("/", 1)[1] if reference else None


def name_of(operation_id, method, path):
    """The group and the name of an operation, from its path: `/v1/companies/{cin}/charges` is `companies.charges`."""
    if operation_id in NAMES:
        return NAMES[operation_id]
    group, *rest = path.removeprefix("/v1/").split("/")
    words = [part for part in rest if not part.startswith("{")]
    if words and (method == "GET" or snake(operation_id).startswith("_".join(words))):
        return group, "_".join(words).replace("-", "_")
    if words and rest[0].startswith("{"):
        # A change of something below one object: the name without that of the object.
        singular = group.removesuffix("ies") + "y" if group.endswith("ies") else group.removesuffix("s")
        return group, snake(operation_id).replace(f"{singular}_", "", 1)
    if words:
        return group, "_".join(words).replace("-", "_")
    if rest:
        verbs = {"GET": "get", "DELETE": "delete", "PATCH": "update", "PUT": "update", "POST": "post"}
    else:
        verbs = {"GET": "list" if operation_id.startswith("list") else "get", "POST": "create"}
    return group, verbs[method]


class Document:
    def __init__(self, document):
        self.document = document
        self.all_schemas = dict(document["components"]["schemas"])
        self.hoist_inline_objects()
        self.operations = [
            self.read(path, method.upper(), operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if "operationId" in operation and not self.is_stream(operation)
        ]
        names = [(operation.group, operation.name) for operation in self.operations]
        doubled = {name for name in names if names.count(name) > 1}
        if doubled:
            raise SystemExit(f"two operations are named {doubled}: add one to NAMES in sdk/generator/model.py")
        self.groups = sorted({operation.group for operation in self.operations})

    @property
    def schemas(self):
        """The schemas that callers see: without the envelopes, whose members the core reads."""
        hidden = {"Envelope", "ErrorEnvelope", "Error"}
        return {name: schema for name, schema in self.all_schemas.items() if name not in hidden and "allOf" not in schema}

    @property
    def codes(self):
        """Every error code with its HTTP status."""
        found = dict(GENERAL_CODES)
        for methods in self.document["paths"].values():
            for operation in methods.values():
                for status, response in operation.get("responses", {}).items():
                    for code in re.findall(r"^`([a-z_]+)`:", response.get("description", ""), re.MULTILINE):
                        found[code] = int(status)
        known = self.all_schemas["ErrorCode"]["anyOf"][0]["enum"]
        unknown = [code for code in known if code not in found]
        if unknown:
            raise SystemExit(f"no operation returns {unknown}: add their status to GENERAL_CODES in sdk/generator/model.py")
        return {code: found[code] for code in known}

    def is_stream(self, operation):
        return STREAM in operation["responses"].get("200", {}).get("content", {})

    def hoist_inline_objects(self):
        """Gives a name to every object, and every long list of words, that is described inside a schema."""

        def visit(schema, name):
            for key, member in list(schema.get("properties", {}).items()):
                schema["properties"][key] = named(member, name + pascal(key))
            for keyword in ("items", "additionalProperties"):
                if isinstance(schema.get(keyword), dict):
                    schema[keyword] = named(schema[keyword], f"{name}Item")
            for keyword in ("anyOf", "oneOf"):
                if keyword in schema:
                    schema[keyword] = [named(part, f"{name}{number}") for number, part in enumerate(schema[keyword], 1)]

        def named(schema, name):
            visit(schema, name)
            return self.named(schema, name) if "properties" in schema else self.named_words(schema, name)

        for name, schema in list(self.all_schemas.items()):
            if "allOf" not in schema:
                visit(schema, name)

    def named(self, schema, name):
        self.all_schemas[name] = schema
        return {"$ref": f"#/components/schemas/{name}", "description": schema.get("description", "")}

    def named_words(self, schema, name):
        is_long = len(schema.get("enum", [])) > LONGEST_INLINE_ENUM and "title" not in schema
        return self.named(schema, name) if is_long else schema

    def data_of(self, schema):
        """The schema of `data` in an envelope."""
        for part in self.all_schemas[ref_name(schema)]["allOf"]:
            if "data" in part.get("properties", {}):
                return part["properties"]["data"]
        raise SystemExit(f"{schema} has no data")

    def read(self, path, method, operation):
        group, name = name_of(operation["operationId"], method, path)
        parameters = operation.get("parameters", [])
        headers = {parameter["name"] for parameter in parameters if parameter["in"] == "header"}
        query = self.parameters(parameters, "query", pascal(operation["operationId"]))
        contents = operation.get("requestBody", {}).get("content", {})
        response = operation["responses"]["200"].get("content", {})
        data, price = self.data_and_price(response)
        items, item, cursor = self.paging(query, data)
        charged = "402" in operation["responses"]
        return Operation(
            id=operation["operationId"],
            group=group,
            name=name,
            method=method,
            path=path,
            summary=operation["summary"],
            text=operation.get("description", ""),
            path_params=self.parameters(parameters, "path"),
            query=[param for param in query if not (price and param.name == "dry_run")],
            body=self.members(contents[JSON]["schema"]) if JSON in contents else [],
            uploads=[media for media in contents if media != JSON],
            downloads=[media for media in response if media in FILE_WORDS],
            data=data,
            price=price,
            items=items,
            item=item,
            cursor=cursor,
            charged=charged,
            keyed="Idempotency-Key" in headers and (charged or method == "POST"),
            example={
                "body": contents.get(JSON, {}).get("example"),
                "tag": operation["tags"][0],
                "parameters": {param["name"]: param.get("example") for param in parameters},
            },
        )

    def parameters(self, parameters, location, owner=""):
        return [
            Param(
                found["name"],
                self.named_words(found["schema"], owner + pascal(found["name"])),
                found.get("required", False),
                found.get("description", ""),
            )
            for found in parameters
            if found["in"] == location
        ]

    def members(self, schema):
        resolved = self.all_schemas[ref_name(schema)] if "$ref" in schema else schema
        required = resolved.get("required", [])
        members = resolved.get("properties", {})
        names = [*required, *(name for name in members if name not in required)]
        return [Param(name, members[name], name in required, members[name].get("description", "")) for name in names]

    def data_and_price(self, response):
        if JSON not in response:
            return None, None
        schema = response[JSON]["schema"]
        if "oneOf" in schema:
            data, price = schema["oneOf"]
            return self.data_of(data), self.data_of(price)
        return self.data_of(schema), None

    def paging(self, query, data):
        """The list of a page and the parameter that selects it: `page`, or a cursor that `data` has the next value of."""
        name = ref_name(data) if data else None
        if name is None:
            return None, None, None
        members = self.all_schemas[name].get("properties", {})
        lists = [key for key, member in members.items() if member.get("type") == "array"]
        names = {param.name for param in query}
        cursor = next((word for word in ("after", "before", "cursor") if word in names and f"next_{word}" in members), None)
        cursor = "page" if "page" in names else cursor
        if cursor is None or len(lists) != 1:
            return None, None, None
        return lists[0], members[lists[0]]["items"], cursor
