"""Logs in to the console through an identity provider, npm's oidc-provider (see sso_provider.mjs): a new member, a changed
role, new keys of the provider, and people who must be refused.

PANJI_BIN is the program, DIRECTORY a folder for its data, NODE_DIRECTORY a folder with the npm package.
"""

from __future__ import annotations

import html
import http.cookiejar
import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIRECTORY = Path(os.environ["DIRECTORY"])
PEOPLE = DIRECTORY / "people.json"
START_SECONDS = 120
REFETCH_SECONDS = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


ISSUER = f"http://127.0.0.1:{free_port()}"
ADDRESS = f"http://127.0.0.1:{free_port()}"


def set_people(**people: dict[str, object]) -> None:
    PEOPLE.write_text(json.dumps(people))


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None and time.monotonic() < deadline, url
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            time.sleep(0.05)


def start_provider(algorithm: str) -> subprocess.Popen[bytes]:
    settings = {"ISSUER": ISSUER, "CALLBACK": f"{ADDRESS}/console/log-in/sso/callback"}
    settings |= {"PEOPLE": str(PEOPLE), "ALGORITHM": algorithm}
    with (DIRECTORY / "provider.log").open("ab") as log:
        command = ["node", str(HERE / "sso_provider.mjs")]
        process = subprocess.Popen(command, env=os.environ | settings, stdout=log, stderr=log)
    wait_for(f"{ISSUER}/.well-known/openid-configuration", process)
    return process


def start_program(**more: str) -> subprocess.Popen[bytes]:
    sso = {
        "ISSUER": ISSUER,
        "CLIENT_ID": "panji",
        "CLIENT_SECRET": "a secret: of the tests",
        "NAME": "Namuna Bank",
        "SCOPES": "openid email profile groups",
        "ACCOUNT": "demo@panji.example",
        "OWNER_GROUPS": "panji-admins",
        "DEVELOPER_GROUPS": "panji-developers; CN=Risk,OU=Systems",
    }
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PANJI_")}
    settings |= {f"PANJI_SSO__{name}": value for name, value in (sso | more).items()}
    command = [os.environ["PANJI_BIN"], "--data-dir", str(DIRECTORY / "data")]
    command += ["--listen", ADDRESS.removeprefix("http://")]
    with (DIRECTORY / "program.log").open("ab") as log:
        process = subprocess.Popen(command, env=settings, stdout=log, stderr=log)
    wait_for(f"{ADDRESS}/readyz", process)
    return process


class Browser:
    """Keeps cookies and follows redirects."""

    def __init__(self) -> None:
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def open(self, url: str, fields: dict[str, str] | None = None) -> tuple[int, str, str]:
        data = None if fields is None else urllib.parse.urlencode(fields).encode()
        try:
            with self.opener.open(url, data, timeout=60) as response:
                return response.status, response.url, html.unescape(response.read().decode())
        except urllib.error.HTTPError as error:
            return error.code, error.url, html.unescape(error.read().decode())

    def log_in(self, person: str) -> tuple[int, str, str]:
        """Presses the button of the log-in page, logs in at the provider, and consents if it asks."""
        _, _, page = self.open(f"{ADDRESS}/console/log-in?next=/console/account")
        button = re.search(r'href="([^"]+)">Continue with Namuna Bank<', page)
        assert button, page
        status, url, page = self.open(urllib.parse.urljoin(ADDRESS, button[1]))
        while url.startswith(f"{ISSUER}/interaction/"):
            action = re.search(r'action="([^"]+)"', page)
            prompt = re.search(r'name="prompt" value="([^"]+)"', page)
            assert action and prompt, page
            fields = {"prompt": prompt[1]}
            if prompt[1] == "login":
                fields |= {"login": person, "password": "any"}
            status, url, page = self.open(urllib.parse.urljoin(url, action[1]), fields)
        return status, url, page


def log_in(person: str) -> tuple[int, str, str]:
    return Browser().log_in(person)


def expect_member(person: str, role: str) -> Browser:
    browser = Browser()
    status, url, page = browser.log_in(person)
    assert (status, url) == (200, f"{ADDRESS}/console/account"), (status, url, page)
    assert f"<dt>Your role</dt><dd>{role}</dd>" in page, page
    assert "You logged in with Namuna Bank" in page
    return browser


def expect_refusal(person: str, words: str) -> None:
    status, url, page = log_in(person)
    assert status == 403 and words in page, (status, url, page)


def check_people() -> None:
    asha = {"email": "asha@bank.example", "email_verified": True, "name": "Asha"}
    set_people(
        asha=asha | {"groups": ["all-staff", "panji-developers"]},
        ravi={"email": "ravi@bank.example", "email_verified": True, "groups": ["all-staff"]},
        unverified={"email": "u@bank.example", "email_verified": False, "groups": ["panji-admins"]},
        imposter=asha | {"groups": ["panji-admins"]},
    )
    browser = expect_member("asha", "developer")
    expect_refusal("ravi", "not in a group")
    expect_refusal("unverified", "did not confirm an email address")
    # The same address, another person.
    expect_refusal("imposter", "belonged to another person")
    set_people(asha=asha | {"groups": ["panji-admins"]})
    expect_member("asha", "owner")
    # Without a group she is out in every browser.
    set_people(asha=asha | {"groups": []})
    expect_refusal("asha", "not in a group")
    assert "/console/log-in" in browser.open(f"{ADDRESS}/console/account")[1]
    set_people(asha=asha | {"groups": ["CN=Risk,OU=Systems"]})
    expect_member("asha", "developer")


def check_keys(provider: subprocess.Popen[bytes], algorithm: str) -> subprocess.Popen[bytes]:
    """The provider has new keys: the program reads them again."""
    provider.terminate()
    provider.wait()
    status, _, page = Browser().open(f"{ADDRESS}/console/log-in/sso/callback?code=a&state=b")
    assert status == 403 and "expired or was started in another browser" in page, page
    provider = start_provider(algorithm)
    # The program reads the keys again, but not more often than every 30 seconds.
    deadline = time.monotonic() + REFETCH_SECONDS
    while (response := log_in("asha"))[0] == 403 and time.monotonic() < deadline:
        assert "could not be verified" in response[2], response
        time.sleep(1)
    expect_member("asha", "developer")
    return provider


DIRECTORY.mkdir(parents=True)
set_people()
provider = start_provider("RS256")
program = start_program()
try:
    check_people()
    provider = check_keys(provider, "ES256")
finally:
    program.terminate()
    provider.terminate()
    program.wait()
    provider.wait()
print("single sign-on: members, roles, refusals and new keys of the provider")
