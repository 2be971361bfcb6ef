"""Reconciles a list with OpenRefine against the running program, over OpenRefine's own interface.

OpenRefine is started without a display, on a free port, with a workspace of its own. What its pages do by clicks is
done by the same commands: create a project, guess the type, reconcile, judge a cell, add columns, export.
"""

import csv
import http.client
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

SERVICE = os.environ["PANJI_ADDRESS"] + "/reconcile/" + os.environ["PANJI_TOKEN"]
# On a busy machine Java starts slowly.
DEADLINE_SECONDS = 300
ENGINE = json.dumps({"facets": [], "mode": "row-based"})

KALPANIK = "L17111MH1994PLC990011"
STEEL = "L27100OR1986PLC990021"
ROWS = [
    ("M/S KALPANIK INDS LTD", "MH", KALPANIK),
    ("Kalpanik Industries Limited.", "Maharashtra", KALPANIK),
    ("M/s Namuna Ispat Ltd.", "Odisha", STEEL),
    (KALPANIK, "", KALPANIK),
    ("Zyxwvut Qqqq Pvt Ltd", "", None),
    ("Smt. Chaya Namuna", "", None),
    ("", "MH", None),
    # For review: the best candidate is chosen by hand.
    ("Shri Lakshmi Manorath Jewelers", "", "U36911RJ2003PTC990127"),
]
REVIEWED = [7]
# More rows than one batch has.
ROWS += [(f"Qqqq Zyxwvut {number} Ltd", "", None) for number in range(12)]


def wait_for(what, condition):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {DEADLINE_SECONDS} seconds: {what}")


class OpenRefine:
    def __init__(self, workspace):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self.log = os.path.join(workspace, "log")
        command = ["openrefine", "-i", "127.0.0.1", "-p", str(port), "-d", workspace, "-m", "512M"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command + ["-x", "refine.headless=true"], stdout=log, stderr=log, start_new_session=True
            )

    def stop(self):
        # The command starts Java as a process of its own.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def responds(self):
        if self.process.poll() is not None:
            with open(self.log, errors="replace") as log:
                raise AssertionError(f"OpenRefine ended: {log.read()}")
        try:
            return self.get("get-version")["version"]
        except (urllib.error.URLError, ConnectionError, http.client.HTTPException, ValueError):
            return None

    def open(self, command, parameters=None, data=None, headers=None):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        request = urllib.request.Request(f"{self.address}/command/core/{command}{query}", data, headers or {})
        return urllib.request.urlopen(request, timeout=DEADLINE_SECONDS)

    def get(self, command, **parameters):
        with self.open(command, parameters) as response:
            return json.load(response)

    def post(self, command, **parameters):
        token = self.get("get-csrf-token")["token"]
        data = urllib.parse.urlencode({**parameters, "csrf_token": token}).encode()
        with self.open(command, None, data) as response:
            response = json.load(response)
        assert response.get("code") != "error", (command, response)
        return response

    def create_project(self, text):
        token = self.get("get-csrf-token")["token"]
        boundary = uuid.uuid4().hex
        file = 'Content-Disposition: form-data; name="project-file"; filename="list.csv"\r\nContent-Type: text/csv'
        name = 'Content-Disposition: form-data; name="project-name"'
        parts = [f"--{boundary}\r\n{file}\r\n\r\n{text}", f"--{boundary}\r\n{name}\r\n\r\nlist", f"--{boundary}--\r\n"]
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        options = json.dumps({"separator": ",", "headerLines": 1, "storeBlankRows": True})
        parameters = {"csrf_token": token, "format": "text/line-based/*sv", "options": options}
        data = "\r\n".join(parts).encode()
        with self.open("create-project-from-upload", parameters, data, headers) as response:
            project = urllib.parse.parse_qs(urllib.parse.urlparse(response.url).query)["project"]
        return project[0]

    def wait_for_processes(self, project):
        wait_for("the process ends", lambda: not self.get("get-processes", project=project)["processes"])

    def cells(self, project):
        rows = self.get("get-rows", project=project, start=0, limit=1000)
        recons = rows["pool"]["recons"] if "pool" in rows else {}
        columns = self.get("get-models", project=project)["columnModel"]["columns"]
        index = next(column["cellIndex"] for column in columns if column["name"] == "Name")
        for row in rows["rows"]:
            cell = row["cells"][index] or {}
            recon = cell.get("r")
            yield recon if isinstance(recon, dict) else recons.get(str(recon))

    def export(self, project, columns):
        options = json.dumps({"format": "csv", "separator": ",", "outputColumnHeaders": True, "columns": columns})
        data = urllib.parse.urlencode({"project": project, "engine": ENGINE, "format": "csv", "options": options})
        with self.open("export-rows/list.csv", None, data.encode()) as response:
            return list(csv.DictReader(io.StringIO(response.read().decode())))


def manifest():
    """As the page does it when a service is added: from the browser, with the origin of the page."""
    request = urllib.request.Request(SERVICE, headers={"Origin": "http://127.0.0.1:3333"})
    with urllib.request.urlopen(request, timeout=DEADLINE_SECONDS) as response:
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        return json.load(response)


def reconcile(refine, project, service):
    guessed = refine.post("guess-types-of-column", project=project, columnName="Name", service=SERVICE)
    assert guessed["types"][0]["id"] == "company", guessed
    config = {
        "mode": "standard-service",
        "service": SERVICE,
        "identifierSpace": service["identifierSpace"],
        "schemaSpace": service["schemaSpace"],
        "type": service["defaultTypes"][0],
        "autoMatch": True,
        "columnDetails": [{"column": "State", "propertyName": "State", "propertyID": "state"}],
        "limit": 0,
    }
    refine.post("reconcile", project=project, columnName="Name", engine=ENGINE, config=json.dumps(config))
    refine.wait_for_processes(project)


def check_judgments(refine, project):
    for number, ((name, _, expected), recon) in enumerate(zip(ROWS, refine.cells(project), strict=True)):
        if not name:
            assert recon is None, recon
        elif expected is None:
            assert recon["j"] == "none" and not recon.get("c"), (name, recon)
        elif number in REVIEWED:
            assert recon["j"] == "none" and recon["c"][0]["id"] == expected, (name, recon)
        else:
            assert recon["j"] == "matched" and recon["m"]["id"] == expected, (name, recon)


def judge_the_rest(refine, project):
    refine.post("recon-match-best-candidates", project=project, columnName="Name", engine=ENGINE)
    refine.wait_for_processes(project)


def extend(refine, project, service):
    properties = [
        {"id": "company.name", "name": "Legal name"},
        {"id": "charges.open_amount", "name": "Amount of open charges"},
    ]
    extension = json.dumps({"properties": properties})
    preview = refine.post(
        "preview-extend-data",
        project=project,
        columnName="Name",
        endpoint=SERVICE,
        identifierSpace=service["identifierSpace"],
        schemaSpace=service["schemaSpace"],
        rowIndices="[0, 4]",
        extension=extension,
    )
    assert preview["rows"][0][-2] == "Kalpanik Industries Limited", preview
    refine.post(
        "extend-data",
        project=project,
        engine=ENGINE,
        baseColumnName="Name",
        endpoint=SERVICE,
        identifierSpace=service["identifierSpace"],
        schemaSpace=service["schemaSpace"],
        extension=extension,
        columnInsertIndex="1",
    )
    refine.wait_for_processes(project)


def check_export(refine, project):
    columns = refine.get("get-models", project=project)["columnModel"]["columns"]
    names = [column["name"] for column in columns]
    assert len(names) == 4 and names[0] == "Name" and names[3] == "State", names
    wanted = [{"name": "Name", "reconSettings": {"output": "entity-id", "blankUnmatchedCells": True}}]
    wanted += [{"name": name} for name in names[1:]]
    rows = refine.export(project, wanted)
    assert len(rows) == len(ROWS), rows
    for (_, _, expected), row in zip(ROWS, rows, strict=True):
        assert row["Name"] == (expected or ""), row
        assert bool(row[names[1]]) == bool(row[names[2]]) == bool(expected), row
        # The open charges of one company are more than 32 bits can hold.
        if expected == STEEL:
            assert float(row[names[2]]) > 2**31, row


def main():
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["Name", "State"])
    writer.writerows(row[:2] for row in ROWS)
    workspace = tempfile.mkdtemp(prefix="openrefine")
    refine = OpenRefine(workspace)
    try:
        version = wait_for("OpenRefine responds", refine.responds)
        service = manifest()
        project = refine.create_project(text.getvalue())
        reconcile(refine, project, service)
        check_judgments(refine, project)
        judge_the_rest(refine, project)
        extend(refine, project, service)
        check_export(refine, project)
        print(f"OpenRefine {version} reconciled {len(ROWS)} rows")
    finally:
        refine.stop()
        shutil.rmtree(workspace, ignore_errors=True)


if __name__ == "__main__":
    main()
