"""Validates the exports of a network: BODS 0.4 by libcovebods, FollowTheMoney by its own model."""

import json
import os
import pathlib
import sys
import tempfile
import urllib.request

import libcovebods.additionalfields
import libcovebods.config
import libcovebods.data_reader
import libcovebods.jsonschemavalidate
import libcovebods.run_tasks
import libcovebods.schema
from followthemoney import model
from libcovebods.tasks.checks import legacy_checks, record_based_checks

# The library would download the list of schemes from org-id.guide. Ours is the only one that is used.
for checks in (legacy_checks, record_based_checks):
    checks.get_orgids_prefixes = lambda: ["IN-MCA"]

COMPANIES = ["L17111MH1994PLC990011", "ZZF-0093", "U72900KA2017PTC990462", "F99101"]


def network(cin: str, form: str) -> dict:
    address = f"{os.environ['PANJI_ADDRESS']}/v1/companies/{cin}/network?depth=3&format={form}"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {os.environ['PANJI_KEY']}"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]


def validate_bods(statements: list) -> list:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "network.json")
        file.write_text(json.dumps(statements))
        reader = libcovebods.data_reader.DataReader(str(file))
        config = libcovebods.config.LibCoveBODSConfig()
        schema = libcovebods.schema.SchemaBODS(reader, config)
        faults = [str(error.json()) for error in libcovebods.jsonschemavalidate.JSONSchemaValidator(schema).validate(reader)]
        checked = libcovebods.run_tasks.process_additional_checks(
            reader, config, schema, libcovebods.run_tasks.TASK_CLASSES
        )
        faults += [str(check) for check in checked["additional_checks"]]
        faults += [str(field) for field in libcovebods.additionalfields.AdditionalFields(schema).process(reader)]
        if schema.schema_version != "0.4":
            faults.append(f"the version is {schema.schema_version}")
        return faults


def validate_ftm(entities: list) -> list:
    faults = []
    ids = {entity["id"] for entity in entities}
    if len(ids) != len(entities):
        faults.append("an id is given twice")
    for given in entities:
        entity = model.get_proxy(given, cleaned=False)
        try:
            entity.schema.validate(entity.to_dict())
        except Exception as error:
            faults.append(f"{given['id']}: {error}")
        for name, values in given["properties"].items():
            if len(entity.get(name)) != len(values):
                faults.append(f"{given['id']}: {name} is not valid: {values}")
            if entity.schema.get(name).type.name == "entity" and not set(values) <= ids:
                faults.append(f"{given['id']}: {name} names no entity")
    return faults


def main() -> None:
    faults = []
    for cin in COMPANIES:
        statements = network(cin, "bods")["bods"]
        entities = network(cin, "ftm")["ftm"]
        assert statements and entities
        faults += [f"{cin} BODS: {fault}" for fault in validate_bods(statements)]
        faults += [f"{cin} FollowTheMoney: {fault}" for fault in validate_ftm(entities)]
        print(f"{cin}: {len(statements)} statements, {len(entities)} entities")
    if faults:
        sys.exit("\n".join(faults))


main()
