"""The offline checks: the cases that the program's own tests read, and the program itself."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import RecordingClient, Service
from panji import ids, types

SHARED: dict[str, Any] = json.loads((Path(__file__).resolve().parents[3] / "crates/ids/tests/shared.json").read_text())
CASES: list[dict[str, Any]] = SHARED["cases"]
CHECKS: dict[str | None, Callable[[str], ids.Check]] = {
    "cin": ids.check_cin,
    "din": ids.check_din,
    "gstin": ids.check_gstin,
    "pan": ids.check_pan,
    None: ids.check,
}
# What people and scanners put into a number.
STRANGE = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabgosilz -.*'_é\u200b\u0915\u096b\u2013\x01\x7fß\U0001f600"
MUTATIONS = 2000


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['as']}-{case['text']!a}")
def test_a_shared_case_has_its_verdict(case: dict[str, Any]) -> None:
    year = {"this_year": SHARED["this_year"]} if case["as"] in ("cin", None) else {}
    found = CHECKS[case["as"]](case["text"], **year)
    assert found.type == case["type"]
    if "canonical" in case:
        assert (found.valid, found.canonical, found.reason) == (True, case["canonical"], None)
        assert found.parsed == case["parsed"]
    else:
        assert (found.valid, found.canonical, found.parsed) == (False, None, None)
        assert (found.fault, found.position, found.reason) == (case["fault"], case["position"], case["reason"])


def mutations() -> list[str]:
    chance = random.Random(20_26)
    texts: list[str] = []
    while len(texts) < MUTATIONS:
        text = list(chance.choice(CASES)["text"])
        for _ in range(chance.choice([0, 1, 1, 2, 3])):
            position = chance.randrange(len(text) + 1)
            what = chance.random()
            if what < 0.3 or not text:
                text.insert(position, chance.choice(STRANGE))
            elif what < 0.8:
                text[min(position, len(text) - 1)] = chance.choice(STRANGE)
            else:
                del text[min(position, len(text) - 1)]
        joined = "".join(text)
        # The program reads one text a line, and leaves blank lines out.
        if not set(joined) & set("\0\n\r") and joined.strip(ids.WHITE):
            texts.append(joined)
    return texts


@pytest.mark.parametrize("kind", CHECKS, ids=str)
def test_the_program_says_the_same_of_texts_with_mistakes(kind: str | None, service: Service) -> None:
    texts = mutations()
    command = [service.program, "check", "--json", *(["--type", kind] if kind else []), "-"]
    done = subprocess.run(command, input="\n".join(texts).encode(), capture_output=True, check=False)
    results = [json.loads(line) for line in done.stdout.decode().split("\n") if line]
    assert len(results) == len(texts)
    # The program recognizes LEIs too.
    compared = [(text, result) for text, result in zip(texts, results) if result["type"] != "lei"]
    for text, result in compared:
        found = CHECKS[kind](text)
        expected = (result["type"], result["valid"], result["canonical"], result["reason"])
        assert (found.type, found.valid, found.canonical, found.reason) == expected, repr(text)
    assert any(result["valid"] for _, result in compared)


def test_the_service_reads_the_same_parts(panji: RecordingClient) -> None:
    numbers = [f"U12345{code}2015{letters}000123" for code in SHARED["tables"]["cin_states"] for letters in ("PTC", "NPL")]
    numbers += [f"U12345XX2015{letters}000123" for letters in (*SHARED["tables"]["cin_classes"], "XYZ")]
    numbers += [f"AAA{letter}A0001A" for letter in SHARED["tables"]["holder_types"]]
    for state in SHARED["tables"]["gst_states"]:
        first = f"{state}AAPFU0939F1Z"
        numbers.append(first + (ids.gstin_check_digit(first) or ""))
    items: list[types.BulkVerifyItem] = [{"value": number} for number in numbers]
    for number, result in zip(numbers, panji.bulk.verify(items).data["results"], strict=True):
        verdict: dict[str, Any] = dict(result["result"] or {})
        assert ids.check(number).parsed == verdict["parsed"]


def test_a_verdict_does_not_print_the_number() -> None:
    assert "AAPPV1231K" not in repr(ids.check_pan("AAPPV1231K"))
