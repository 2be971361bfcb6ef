"""Runs the protocol's conformance suite for one revision and compares each failed check with those expected.

    mcp_conformance.py REVISION ADDRESS OUTPUT COMMAND...

clients/mcp_expected_failures.txt lists the expected ones with their reasons. A failure that is not listed is an error,
and so is a listed check that does not fail.
"""

import json
import pathlib
import re
import subprocess
import sys

revision, address, output, *command = sys.argv[1:]
directory = pathlib.Path(output) / revision
listed = pathlib.Path(__file__).with_name("mcp_expected_failures.txt")

# The suite's own verdict counts every check; ours counts those that are not expected to fail.
subprocess.run(
    [*command, "server", "--url", address, "--requirements", revision, "--output-dir", str(directory)],
    stdout=subprocess.DEVNULL,
    check=False,
)
passed, failed = set(), {}
for file in sorted(directory.glob("*/checks.json")):
    scenario = re.fullmatch(r"server-(.+)-\d{4}-\d\d-\d\dT[0-9-]+Z", file.parent.name).group(1)
    for check in json.loads(file.read_text()):
        name = f"{revision} {scenario} {check['id']}"
        if check["status"] == "FAILURE":
            failed[name] = check.get("errorMessage", "")
        elif check["status"] == "SUCCESS":
            passed.add(name)

lines = [line for line in listed.read_text().splitlines() if line.startswith(revision)]
expected = {" ".join(line.split()[:3]) for line in lines}
for name in sorted(failed.keys() - expected):
    print(f"failed: {name}: {failed[name]}", file=sys.stderr)
for name in sorted(expected - failed.keys()):
    print(f"did not fail, remove it from the list: {name}", file=sys.stderr)
print(f"{revision}: {len(passed)} checks passed, {len(failed)} failed, {len(expected)} of them as listed")
sys.exit(failed.keys() != expected or not passed)
