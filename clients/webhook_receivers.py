"""Runs the receivers of docs/webhooks.md, which use the public libraries of Standard Webhooks, and sends them messages: those of
the program are accepted, also during a rotation; one that was changed is refused.

PANJI_ADDRESS and PANJI_KEY name the program and a test key, NODE_DIRECTORY a folder with the npm package.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ADDRESS = os.environ["PANJI_ADDRESS"]
KEY = os.environ["PANJI_KEY"]
GUIDE = Path(__file__).resolve().parent.parent / "docs/webhooks.md"
START_SECONDS = 60


def call(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    request = urllib.request.Request(
        ADDRESS + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["data"]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def code(language: str) -> str:
    blocks = re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert len(blocks) == 1, language
    return blocks[0]


def wait_for(port: int, receiver: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert receiver.poll() is None, "the receiver ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert time.monotonic() < deadline, "the receiver does not listen"
            time.sleep(0.05)


def check(name: str, command: list[str], folder: Path | None) -> None:
    port = free_port()
    webhook = call("POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{port}/panji"})
    path = f"/v1/webhooks/{webhook['id']}"
    environment = os.environ | {"WEBHOOK_SECRET": webhook["secret"], "PORT": str(port)}
    receiver = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        wait_for(port, receiver)
        assert receiver.stdout
        attempt = call("POST", f"{path}/test")
        assert attempt["delivered"], attempt
        assert receiver.stdout.readline().split() == ["webhook.test", attempt["event_id"]]
        # The secret from before a rotation is still valid.
        call("POST", f"{path}/rotate")
        assert call("POST", f"{path}/test")["delivered"]
        forged = urllib.request.Request(
            f"http://127.0.0.1:{port}/panji",
            method="POST",
            data=b'{"type":"webhook.test","data":{"id":"evt_forged"}}',
            headers={
                "webhook-id": "evt_forged",
                "webhook-timestamp": str(int(time.time())),
                "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            },
        )
        try:
            urllib.request.urlopen(forged, timeout=60)
            raise AssertionError("a forged message was accepted")
        except urllib.error.HTTPError as error:
            assert error.code == 400, error.code
    finally:
        receiver.kill()
        receiver.wait()
        call("DELETE", path)
    print(f"{name}: messages are verified")


def main() -> None:
    node_directory = Path(os.environ["NODE_DIRECTORY"])
    check("Python", [sys.executable, "-c", code("python")], None)
    command = ["node", "--input-type=module", "--eval", code("js")]
    check("JavaScript", command, node_directory)


main()
