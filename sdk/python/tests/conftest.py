"""The program that PANJI_BIN names, on a data directory of its own. Without it, only the tests that need none can run."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from panji import AsyncPanji, Panji

STARTS = 5
START_SECONDS = 120.0


@dataclass
class Service:
    program: str
    base_url: str
    api_key: str


class RecordingClient(Panji):
    """Records the pauses between two tries instead of waiting."""

    def __init__(self, service: Service, http_client: httpx.Client | None = None) -> None:
        super().__init__(service.api_key, base_url=service.base_url, http_client=http_client)
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


class AsyncRecordingClient(AsyncPanji):
    def __init__(self, service: Service) -> None:
        super().__init__(service.api_key, base_url=service.base_url)
        self.pauses: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(program: str, directory: Path) -> tuple[subprocess.Popen[bytes], Service] | None:
    """Serves until it prints a key; None if it ends before, as it does if another program took the port."""
    base_url = f"http://127.0.0.1:{free_port()}"
    banner = directory / "banner"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PANJI_")}
    environment |= {"PANJI_FREE_QUOTA__CALLS_PER_DAY": "1000", "RUST_LOG": "warn"}
    # Rates that no test reaches: the refusals are simulated.
    for limit in ("RATE_LIMIT", "BULK_RATE_LIMIT"):
        environment |= {f"PANJI_{limit}__PER_SECOND": "1000000", f"PANJI_{limit}__BURST": "1000000"}
    with banner.open("wb") as out, (directory / "log").open("wb") as log:
        arguments = [program, "--data-dir", str(directory / "data"), "--listen", base_url.removeprefix("http://")]
        process = subprocess.Popen(arguments, stdout=out, stderr=log, env=environment)
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        key = re.search(r"pk_test_[0-9A-Za-z]+", banner.read_text())
        if key:
            return process, Service(program, base_url, key.group())
        time.sleep(0.05)
    process.kill()
    process.wait()
    return None


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    program = os.environ.get("PANJI_BIN")
    if not program:
        pytest.fail("PANJI_BIN names no program")
    log = ""
    for _ in range(STARTS):
        directory = tmp_path_factory.mktemp("panji")
        started = start(program, directory)
        if started:
            process, found = started
            yield found
            process.terminate()
            process.wait()
            return
        log = (directory / "log").read_text()
    pytest.fail(f"{program} does not start: {log}")


@pytest.fixture
def panji(service: Service) -> Iterator[RecordingClient]:
    with RecordingClient(service) as client:
        yield client
