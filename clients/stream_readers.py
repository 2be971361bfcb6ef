"""Reads the stream of events while the program is killed again and again: each event arrives once, in order.

    stream_readers.py eventsource     with npm's eventsource
    stream_readers.py guide           with the programs of docs/watch.md, which use the SDKs

PANJI_BIN is the program, DIRECTORY a folder for its data, NODE_DIRECTORY a folder with the npm packages. The Python
that runs this has the SDK.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GUIDE = HERE.parent / "docs/watch.md"
CIN = "L17111MH1994PLC990011"
KILLS = 5
# Between two calls that make events.
PAUSE_SECONDS = 0.05
# Events that a reader has received before the next kill.
EVENTS_BETWEEN_KILLS = 25
TIMEOUT_SECONDS = 120


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Program:
    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True)
        self.directory = directory
        self.address = f"http://127.0.0.1:{free_port()}"
        self.key = self.start(r"pk_test_[0-9A-Za-z]+(?= )")

    def start(self, expected: str = "log in") -> str:
        """Serves until it prints this."""
        settings = {name: value for name, value in os.environ.items() if not name.startswith("PANJI_")}
        settings |= {"PANJI_RATE_LIMIT__PER_SECOND": "1000000", "PANJI_RATE_LIMIT__BURST": "1000000", "RUST_LOG": "warn"}
        command = [os.environ["PANJI_BIN"], "--data-dir", str(self.directory / "data")]
        command += ["--listen", self.address.removeprefix("http://")]
        with (self.directory / "banner").open("wb") as out, (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=out, stderr=log, env=settings)
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (found := re.search(expected, (self.directory / "banner").read_text())):
            assert self.process.poll() is None and time.monotonic() < deadline, (self.directory / "log").read_text()
            time.sleep(0.02)
        return found.group()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        request = urllib.request.Request(
            self.address + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["data"]

    def events(self) -> list[int]:
        found: list[int] = []
        after, more = 0, True
        while more:
            page = self.call("GET", f"/v1/events?limit=100&after={after}")
            found += [event["seq"] for event in page["events"]]
            after, more = page["next_after"], page["has_more"]
        return found


def make_events(program: Program, stop: threading.Event) -> None:
    """Makes events until it is stopped, also while the program is being killed."""
    while not stop.wait(PAUSE_SECONDS):
        try:
            program.call("POST", "/v1/sandbox/simulate", {"cin": CIN, "types": ["company.status_changed", "charge.created"]})
        except (OSError, http.client.HTTPException):
            pass  # The program did not survive the call.


def check(name: str, directory: Path, command: list[str], folder: Path, environment: dict[str, str]) -> None:
    program = Program(directory)
    watchlist = program.call("POST", "/v1/watchlists", {"name": "streamed"})
    program.call("POST", f"/v1/watchlists/{watchlist['id']}/members", {"members": [CIN]})
    environment = os.environ | environment | {"PANJI_BASE_URL": program.address, "PANJI_API_KEY": program.key}
    reader = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    stop = threading.Event()
    maker = threading.Thread(target=make_events, args=(program, stop))
    maker.start()
    received: list[int] = []
    # A reader that receives nothing more is killed, so that reading ends.
    watchdog = threading.Timer(TIMEOUT_SECONDS * (KILLS + 1), reader.kill)
    watchdog.start()
    try:
        assert reader.stdout
        for _ in range(KILLS):
            received += [int(reader.stdout.readline().split()[0]) for _ in range(EVENTS_BETWEEN_KILLS)]
            program.kill()
            program.start()
        stop.set()
        maker.join()
        expected = program.events()
        received += [int(reader.stdout.readline().split()[0]) for _ in range(len(expected) - len(received))]
        assert received == expected, (received, expected)
        # What follows is not a repeat.
        program.call("POST", "/v1/sandbox/simulate", {"cin": CIN, "types": ["charge.created"]})
        assert int(reader.stdout.readline().split()[0]) == program.events()[-1]
    finally:
        watchdog.cancel()
        stop.set()
        reader.kill()
        reader.wait()
        program.kill()
        maker.join()
    print(f"{name}: {len(received)} events, each once and in order, across {KILLS} kills")


def code(language: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert len(blocks) == 1, language
    return blocks[0]


def main() -> None:
    directory, node_directory = Path(os.environ["DIRECTORY"]), Path(os.environ["NODE_DIRECTORY"])
    if sys.argv[1:] == ["eventsource"]:
        types = {"EVENT_TYPES": "company.status_changed,charge.created"}
        # Node looks for packages beside the program.
        script = node_directory / "eventsource_reader.mjs"
        script.write_text((HERE / script.name).read_text())
        check("eventsource", directory / "eventsource", ["node", str(script)], node_directory, types)
    else:
        for language, command, folder in [
            ("python", [sys.executable, "-c"], directory),
            ("js", ["node", "--input-type=module", "--eval"], node_directory),
        ]:
            (folder / "last-event").unlink(missing_ok=True)
            check(f"guide, {language}", directory / language, [*command, code(language)], folder, {})


main()
