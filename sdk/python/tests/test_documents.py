"""The documents for people and programs that write clients."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


def test_all_places_state_the_same_version() -> None:
    package = json.loads((ROOT / "sdk/typescript/package.json").read_text())["version"]
    assert f'VERSION = "{package}"' in (ROOT / "sdk/typescript/src/call.ts").read_text()
    assert f'VERSION = "{package}"' in (ROOT / "sdk/python/src/panji/_call.py").read_text()


def test_the_collection_has_every_operation() -> None:
    document: dict[str, Any] = json.loads((ROOT / "openapi.json").read_text())
    collection: dict[str, Any] = json.loads((ROOT / "docs/panji.postman_collection.json").read_text())
    names = {item["name"].split(":")[0] for folder in collection["item"] for item in folder["item"]}
    for methods in document["paths"].values():
        for operation in methods.values():
            contents = operation["responses"]["200"].get("content", {})
            assert operation["operationId"] in names or "application/json" not in contents


def test_the_first_call_of_the_page_is_that_of_the_readmes() -> None:
    page = (ROOT / "docs/sdk.md").read_text()
    for language, readme in (("python", "sdk/python/README.md"), ("ts", "sdk/typescript/README.md")):
        found = re.search(rf"```{language}\n(.*?)```", (ROOT / readme).read_text(), re.DOTALL)
        assert found
        assert found.group() in page
