"""Calls of the running program."""

from __future__ import annotations

import asyncio
import datetime
import json
import re
from pathlib import Path
from typing import Any, cast, get_type_hints

import pytest

from conftest import AsyncRecordingClient, RecordingClient, Service
from panji import Panji, PanjiError, Response, types

CIN = "L17111MH1994PLC990011"
ROOT = Path(__file__).resolve().parents[3]


def test_the_first_call_of_the_readme_works(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "sdk/python/README.md").read_text()
    found = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert found
    lines = found.group(1).strip().splitlines()
    assert len(lines) == 3
    code = "\n".join(lines).replace('Panji("pk_test_…")', f"Panji({service.api_key!r}, base_url={service.base_url!r})")
    exec(code, {})
    assert capsys.readouterr().out == "Kalpanik Industries Limited\n"


def test_a_response_has_data_credits_and_request_id(panji: RecordingClient) -> None:
    assert panji.credits_remaining is None
    response = panji.companies.pan(CIN)
    data: types.CompanyPan = response.data
    assert data["pan"] == "ZZDCK9534Q"
    assert response.coverage == "full"
    assert response.credits_charged == 3
    assert response.request_id.startswith("req_")
    assert response.mode == "test"
    assert not response.replayed
    assert panji.last_call is not None
    assert panji.last_call.request_id == response.request_id
    assert panji.last_call.credits_charged == 3
    assert panji.credits_remaining == response.credits_remaining
    assert panji.companies.get(CIN).free_remaining is not None


def test_every_operation_is_callable_under_its_group(panji: RecordingClient) -> None:
    director = panji.companies.directors(CIN).data["current"][0]["din"] or ""
    responses: list[Response[Any]] = [
        panji.companies.profile(CIN),
        panji.companies.financials(CIN),
        panji.companies.charges(CIN),
        panji.companies.compliance(CIN),
        panji.directors.get(director),
        panji.directors.companies(director),
        panji.gst.get("27ZZACK4368A1ZP"),
        panji.gst.by_pan("ZZACK4368A"),
        panji.verify.cin(CIN),
        panji.verify.din(director),
        panji.verify.gstin("27ZZACK4368A1ZP"),
        panji.verify.pan("ZZACK4368A"),
        panji.account.usage(group_by="operation"),
    ]
    assert all(response.request_id for response in responses)
    account = panji.account.get().data
    assert account["prices"]["getCompanyPan"] == 3
    request = panji.account.request(responses[0].request_id).data
    assert request["operation"] == "getCompanyProfile"


def test_responses_have_the_members_that_their_types_declare(panji: RecordingClient) -> None:
    response = panji.companies.get(CIN)
    assert set(get_type_hints(types.Company)) == set(response.data)
    assert set(get_type_hints(types.RegisteredOffice)) == set(response.data["registered_office"])


def test_optional_arguments_are_sent_as_the_service_wants_them(panji: RecordingClient) -> None:
    found = panji.companies.search(
        "kalpanik", listed=True, class_="public", state="MH", incorporated_from=datetime.date(1994, 1, 1), limit=1
    )
    assert found.data["companies"][0]["cin"] == CIN
    assert panji.companies.get(f" {CIN.lower()} ").data["cin"] == CIN


def test_pages_are_iterated_to_the_end(panji: RecordingClient) -> None:
    cin = "L27100OR1986PLC990021"
    first = panji.companies.documents(cin)
    total = first.data["total_documents"]
    assert total is not None
    assert total > 2 * len(first.data["documents"])
    documents = list(panji.companies.iter_documents(cin))
    assert len(documents) == total
    assert documents[: len(first.data["documents"])] == first.data["documents"]
    companies = list(panji.companies.iter_search("kalpanik", limit=3))
    assert len(companies) > 3
    assert len({company["cin"] for company in companies}) == len(companies)


def test_pages_are_fetched_and_charged_when_they_are_needed(panji: RecordingClient) -> None:
    before = panji.account.get().data["credits_remaining"]
    documents = panji.companies.iter_documents("L27100OR1986PLC990021")
    next(documents)
    assert panji.account.get().data["credits_remaining"] == before - 2


def test_bulk_calls_have_a_price_and_results_by_type(panji: RecordingClient) -> None:
    items: list[types.BulkVerifyItem] = [{"type": "gstin", "value": "27ZZACK4368A1ZP", "ref": "a"}, {"value": CIN}]
    assert panji.bulk.verify_price(items).data["credits"] == 2
    response = panji.bulk.verify(items)
    assert response.credits_charged == 2
    first = cast("types.BulkVerifyGstinResult", response.data["results"][0])
    assert first["type"] == "gstin"
    assert first["result"]["check_digit_valid"]
    enriched = panji.bulk.enrich([CIN], ["company.name", "pan"]).data["results"][0]
    assert "company" in enriched
    assert enriched["company"] is not None
    assert enriched["company"].get("name") == "Kalpanik Industries Limited"
    matched = panji.companies.match([{"name": "Kalpanik Industries Ltd", "state": "Maharashtra"}])
    assert matched.data["results"][0]["decision"] == "match"


def test_a_job_is_created_approved_awaited_and_read(panji: RecordingClient) -> None:
    job = panji.jobs.create("bulkVerify", [CIN, {"value": "99000101", "type": "din"}], name="two").data
    assert job["status"] == "awaiting_approval"
    assert panji.jobs.wait(job["id"]).data["status"] == "awaiting_approval"
    panji.jobs.approve(job["id"])
    done = panji.jobs.wait(job["id"]).data
    assert (done["status"], done["credits_charged"]) == ("done", 2)
    rows = list(panji.jobs.iter_results(job["id"], limit=1))
    assert [row["row"] for row in rows] == [1, 2]
    assert panji.jobs.download_results(job["id"], "csv").startswith(b"value,")
    assert panji.jobs.download_results(job["id"], "xlsx").startswith(b"PK")
    assert job["id"] in [listed["id"] for listed in panji.jobs.iter(limit=1)]


def test_a_file_becomes_a_job(panji: RecordingClient) -> None:
    job = panji.jobs.create_from_file(
        f"cin\n{CIN}\n".encode(), "text/csv", operation="bulkEnrich", fields="company.name", auto_approve=True, max_credits=5
    ).data
    assert panji.jobs.wait(job["id"]).data["status"] == "done"
    cancelled = panji.jobs.create("bulkVerify", [CIN]).data
    assert panji.jobs.cancel(cancelled["id"]).data["status"] == "cancelled"


def test_the_async_client_does_the_same(service: Service) -> None:
    async def run() -> None:
        async with AsyncRecordingClient(service) as panji:
            company = await panji.companies.get(CIN)
            assert company.data["name"] == "Kalpanik Industries Limited"
            assert panji.last_call is not None
            documents = [document async for document in panji.companies.iter_documents("L27100OR1986PLC990021")]
            assert len(documents) == 439
            job = (await panji.jobs.create("bulkVerify", [CIN], auto_approve=True, max_credits=1)).data
            assert (await panji.jobs.wait(job["id"])).data["status"] == "done"
            assert (await panji.jobs.download_results(job["id"], "csv")).startswith(b"value,")

    asyncio.run(run())


def test_a_client_without_a_key_says_where_to_put_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PANJI_API_KEY", raising=False)
    with pytest.raises(PanjiError, match="PANJI_API_KEY"):
        Panji()


def test_address_and_key_come_from_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANJI_API_KEY", service.api_key)
    monkeypatch.setenv("PANJI_BASE_URL", service.base_url + "/")
    with Panji() as panji:
        assert panji.companies.get(CIN).data["cin"] == CIN


def test_every_operation_of_the_document_has_a_method(panji: RecordingClient) -> None:
    document = json.loads((ROOT / "openapi.json").read_text())
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    streams = [operation for operation in operations if "text/event-stream" in operation["responses"]["200"]["content"]]
    text = (ROOT / "sdk/python/src/panji/_resources.py").read_text()
    assert len(re.findall(r"^_[A-Z_]+ = Operation\(", text, re.MULTILINE)) == len(operations) - len(streams)
