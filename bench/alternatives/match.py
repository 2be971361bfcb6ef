"""Matches lists with rapidfuzz and Splink, and prints what each of them found as JSON.

The directory has `register.csv` (cin, name, state) and `lists.csv` (list, name, state, cin; the cin is
empty if the register has no such company). Both matchers get names in lower case, without punctuation
and with one spelling of the legal form.
"""

import csv
import json
import re
import sys
import time

import numpy
import pyarrow
import splink.comparison_library as cl
from rapidfuzz import fuzz, process
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

# From these scores on, a user would accept the best candidate.
RATIO = 90
PROBABILITY = 0.95
# Items whose ratios are in memory at the same time.
CHUNK = 256
FORMS = {"pvt": "private", "p": "private", "ltd": "limited"}


def clean(name):
    words = re.sub(r"[^a-z0-9]+", " ", name.lower()).split()
    return " ".join(FORMS.get(word, word) for word in words)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["name"] = clean(row["name"])
    return rows


def by_ratio(register, items):
    """The register's row with the best ratio, and the ratio, of each item."""
    names = [row["name"] for row in register]
    best = []
    for start in range(0, len(items), CHUNK):
        texts = [item["name"] for item in items[start : start + CHUNK]]
        ratios = process.cdist(texts, names, scorer=fuzz.ratio, dtype=numpy.uint8, workers=-1)
        best.extend((int(at), int(row[at])) for row, at in zip(ratios, ratios.argmax(axis=1)))
    return [(register[at]["cin"], ratio) for at, ratio in best]


def by_splink(register, items):
    """The register's CIN with the highest probability, and the probability, of each item."""

    def table(rows, prefix):
        words = [row["name"].split() for row in rows]
        return pyarrow.table(
            {
                "unique_id": [f"{prefix}{at}" for at in range(len(rows))],
                "name": [row["name"] for row in rows],
                "state": [row["state"] or None for row in rows],
                "first_word": [word[0] if word else None for word in words],
                "second_word": [word[1] if len(word) > 1 else None for word in words],
                "start": ["".join(word)[:6] or None for word in words],
            }
        )

    rules = [block_on("first_word"), block_on("second_word", "state"), block_on("start")]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[
            cl.JaroWinklerAtThresholds("name", [0.98, 0.95, 0.9, 0.8]),
            cl.ExactMatch("state"),
        ],
        blocking_rules_to_generate_predictions=rules,
    )
    database = DuckDBAPI()
    tables = [database.register(table(items, "i")), database.register(table(register, "r"))]
    linker = Linker(tables, settings)
    linker.training.estimate_probability_two_random_records_match([block_on("name")], recall=0.2)
    linker.training.estimate_u_using_random_sampling(max_pairs=5e6, seed=7)
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("start"))
    pairs = linker.inference.predict().as_dict()
    best = [("", 0.0)] * len(items)
    for left, right, probability in zip(
        pairs["unique_id_l"], pairs["unique_id_r"], pairs["match_probability"]
    ):
        item, row = (left, right) if left.startswith("i") else (right, left)
        at = int(item[1:])
        if probability > best[at][1]:
            best[at] = (register[int(row[1:])]["cin"], float(probability))
    return best


def main(directory):
    register, items = read(f"{directory}/register.csv"), read(f"{directory}/lists.csv")
    result = []
    for title, matcher, accepted in (
        ("rapidfuzz", by_ratio, RATIO),
        ("Splink", by_splink, PROBABILITY),
    ):
        started = time.process_time()
        best = matcher(register, items)
        seconds = time.process_time() - started
        lists = {}
        for item, (cin, score) in zip(items, best):
            counts = lists.setdefault(
                item["list"], {"items": 0, "first": 0, "accepted": 0, "right": 0}
            )
            right = cin == item["cin"] != ""
            counts["items"] += 1
            counts["first"] += right
            counts["accepted"] += score >= accepted
            counts["right"] += right and score >= accepted
        result.append({"title": title, "from": accepted, "seconds": seconds, "lists": lists})
    json.dump(result, sys.stdout)


main(sys.argv[1])
