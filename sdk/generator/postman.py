"""Writes the Postman collection (format 2.1), which Bruno and other tools import too."""

import json

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
# The order in which the calls of a job can be run one after the other.
JOBS = ["createJob", "approveJob", "getJob", "getJobResults", "listJobs", "cancelJob"]
# Values that an earlier response has, as variables of the collection.
VARIABLES = {"getRequest": {"request_id": "{{requestId}}"}, **{name: {"id": "{{jobId}}"} for name in JOBS}}
SIMULATED = [
    ("U99999XX2000PTC000402", 402, "insufficient_credits"),
    ("U99999XX2000PTC000404", 404, "company_not_found"),
    ("U99999XX2000PTC000409", 409, "idempotency_in_progress"),
    ("U99999XX2000PTC000429", 429, "rate_limited"),
    ("U99999XX2000PTC000500", 500, "internal_error"),
    ("U99999XX2000PTC000503", 503, "unavailable"),
    ("U99999XX2000PTC000529", 503, "overloaded"),
]
# Every response has an envelope; a later request of the collection uses what it has.
ENVELOPE = """const body = pm.response.json();
pm.test("the response has an envelope", () => {
  pm.expect(body).to.include.keys("success", "request_id", "credits_charged", "credits_remaining", "data");
});
if (body.success) pm.collectionVariables.set("requestId", body.request_id);
if (body.data?.id?.startsWith("job_")) pm.collectionVariables.set("jobId", body.data.id);"""


def script(text):
    return [{"listen": "test", "script": {"type": "text/javascript", "exec": text.splitlines()}}]


def expectation(statuses):
    wanted = " or ".join(map(str, statuses))
    return script(f'pm.test("HTTP {wanted}", () => pm.expect(pm.response.code).to.be.oneOf({json.dumps(statuses)}));')


def address(path, query=(), variables=()):
    raw = "{{baseUrl}}" + path.replace("{", ":").replace("}", "")
    shown = [pair for pair in query if not pair.get("disabled")]
    raw += "?" + "&".join(f"{pair['key']}={pair['value']}" for pair in shown) if shown else ""
    found = {"raw": raw, "host": ["{{baseUrl}}"], "path": raw.split("?")[0].split("/")[1:]}
    if query:
        found["query"] = list(query)
    if variables:
        found["variable"] = list(variables)
    return found


def pair(param, value, **more):
    described = {"description": " ".join(param.text.split())} if param.text else {}
    return {"key": param.name, "value": str(value if value is not None else ""), **described, **more}


def request(operation):
    examples = {**operation.example["parameters"], **VARIABLES.get(operation.id, {})}
    query = [] if operation.body and operation.uploads else operation.query
    pairs = [pair(param, examples.get(param.name), **({} if param.required else {"disabled": True})) for param in query]
    variables = [pair(param, examples.get(param.name)) for param in operation.path_params]
    found = {
        "method": operation.method,
        "header": [],
        "url": address(operation.path, pairs, variables),
        "description": operation.text,
    }
    if operation.body:
        found["header"] = [{"key": "Content-Type", "value": "application/json"}]
        text = json.dumps(operation.example["body"], indent=2, ensure_ascii=False)
        found["body"] = {"mode": "raw", "raw": text, "options": {"raw": {"language": "json"}}}
    statuses = [200]
    if operation.id == "cancelJob":
        # It may have ended before.
        statuses = [200, 409]
    elif "{id}" in operation.path and operation.id not in JOBS:
        # The id of the example is one that the account does not have.
        statuses = [200, 404]
    return {"name": f"{operation.id}: {operation.summary}", "request": found, "event": expectation(statuses)}


def simulated(cin, status, code):
    url = address("/v1/companies/{cin}", variables=[{"key": "cin", "value": cin}])
    return {
        "name": f"{status} {code}",
        "request": {"method": "GET", "header": [], "url": url, "description": "With a test key only."},
        "event": expectation([status]),
    }


def collection(document):
    folders = []
    for tag in document.document["tags"]:
        operations = [operation for operation in document.operations if operation.example["tag"] == tag["name"]]
        operations.sort(key=lambda operation: JOBS.index(operation.id) if operation.id in JOBS else 0)
        items = [request(operation) for operation in operations if operation.data]
        folders.append({"name": tag["name"], "description": tag.get("description", ""), "item": items})
    errors = [simulated(*error) for error in SIMULATED]
    folders.append({"name": "Simulated errors", "description": "Errors that a test key can provoke.", "item": errors})
    return {
        "info": {
            "name": "Panji",
            "description": document.document["info"]["description"] + "\n\nSet `apiKey` to your key, and `baseUrl` to your Panji.",
            "schema": SCHEMA,
        },
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{apiKey}}", "type": "string"}]},
        "variable": [
            {"key": "baseUrl", "value": "http://127.0.0.1:8080"},
            {"key": "apiKey", "value": ""},
            {"key": "requestId", "value": ""},
            {"key": "jobId", "value": ""},
        ],
        "event": script(ENVELOPE),
        "item": folders,
    }


def files(document):
    return {"docs/panji.postman_collection.json": json.dumps(collection(document), indent=1, ensure_ascii=False) + "\n"}
