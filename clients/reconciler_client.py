"""Reconciles a column with the package reconciler against the running program."""

import os

import pandas
from reconciler import reconcile

SERVICE = os.environ["PANJI_ADDRESS"] + "/reconcile/" + os.environ["PANJI_TOKEN"]
CIN = "L17111MH1994PLC990011"

# More names than one batch has.
names = ["M/S KALPANIK INDS LTD", CIN, "Zyxwvut Qqqq Pvt Ltd"] + [f"Qqqq Zyxwvut {number}" for number in range(9)]
list_of_names = pandas.DataFrame({"name": names, "state": ["Maharashtra"] * len(names)})

found = reconcile(
    list_of_names["name"],
    type_id="company",
    top_res=1,
    property_mapping={"state": list_of_names["state"]},
    reconciliation_endpoint=SERVICE,
).set_index("input_value")
assert len(found) == len(names), found
for name in names[:2]:
    assert found.loc[name, "id"] == CIN and found.loc[name, "match"], found.loc[name]
    assert found.loc[name, "type"] == "Company" and 0 < found.loc[name, "score"] <= 100
for name in names[2:]:
    assert not found.loc[name, "match"] and pandas.isna(found.loc[name, "id"]), found.loc[name]
named = pandas.Series(["Kalpanik Industries Limited"])
everything = reconcile(named, top_res="all", reconciliation_endpoint=SERVICE)
assert everything["match"].sum() == 1 and everything["score"].is_monotonic_decreasing, everything
print(f"reconciler matched {found['match'].sum()} of {len(names)} names")
