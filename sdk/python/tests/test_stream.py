"""The stream of events of the running program, through connections that break anywhere."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import httpx
import pytest
from conftest import AsyncRecordingClient, RecordingClient, Service, free_port

from panji import AuthenticationError, Panji, PanjiConnectionError, errors
from panji._stream import LONGEST_PAUSE_SECONDS, MAX_FAILURES, StreamState

CIN = "L17111MH1994PLC990011"
SEED = 7


class CutStream(httpx.SyncByteStream):
    """Breaks after some bytes."""

    def __init__(self, inner: Any, size: int) -> None:
        self.inner = inner
        self.size = size

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self.inner:
            yield chunk[: self.size]
            self.size -= len(chunk)
            if self.size <= 0:
                raise httpx.ReadError("cut")

    def close(self) -> None:
        self.inner.close()


class CuttingTransport(httpx.HTTPTransport):
    def __init__(self) -> None:
        super().__init__()
        self.random = random.Random(SEED)
        self.positions: list[str | None] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if request.url.path.endswith("/stream"):
            self.positions.append(request.headers.get("Last-Event-ID"))
            response.stream = CutStream(response.stream, self.random.randrange(1, 2500))
        return response


@pytest.fixture(scope="module")
def seqs(service: Service) -> list[int]:
    """The numbers of events that the account has."""
    with Panji(service.api_key, base_url=service.base_url) as panji:
        watchlist = panji.watchlists.create("streamed").data
        panji.watchlists.add_members(watchlist["id"], [CIN])
        for _ in range(3):
            panji.sandbox.simulate(cin=CIN)
        return [event["seq"] for event in panji.events.iter(limit=100)]


def test_a_stream_continues_without_gap_or_repeat_wherever_its_connection_breaks(
    service: Service, seqs: list[int]
) -> None:
    transport = CuttingTransport()
    with RecordingClient(service, httpx.Client(transport=transport)) as panji:
        received = [event["seq"] for event in islice(panji.events.stream(after=0), len(seqs))]
    assert received == seqs
    assert len(transport.positions) > 5
    assert transport.positions[0] is None
    assert len(panji.pauses) == len(transport.positions) - 1
    assert all(2.0 <= pause < 11.0 for pause in panji.pauses)


def test_a_stream_has_filters(panji: RecordingClient, seqs: list[int]) -> None:
    kinds = ["charge.created", "charge.satisfied"]
    found = list(islice(panji.events.stream(after=seqs[0], types=kinds), 4))
    assert [event["type"] for event in found] == [*kinds, *kinds]
    assert panji.pauses == []


def test_asyncio_reads_the_same_stream(service: Service, seqs: list[int]) -> None:
    async def read() -> list[int]:
        found: list[int] = []
        async with AsyncRecordingClient(service) as panji:
            async for event in panji.events.stream(after=0):
                found.append(event["seq"])
                if len(found) == len(seqs):
                    break
        return found

    assert asyncio.run(read()) == seqs


def test_a_place_without_an_event_is_kept() -> None:
    state = StreamState()
    assert state.headers() == {}
    assert list(state.feed(b"retry: 2000\nid: 41\n: begins after 41\n\nid: 42\nda")) == []
    assert state.headers() == {"Last-Event-ID": "41"}
    assert list(state.feed(b'id: 42\r\ndata: {"seq":42}\r\n\r\n')) == [{"seq": 42}]
    assert state.headers() == {"Last-Event-ID": "42"}


def test_refusals_are_raised_at_once(service: Service, panji: RecordingClient) -> None:
    with pytest.raises(errors.WatchlistNotFoundError):
        next(panji.events.stream(watchlist="wl_01ARZ3NDEKTSV4RRFFQ69G5FAV"))
    with pytest.raises(AuthenticationError):
        next(RecordingClient(Service(service.program, service.base_url, "pk_test_unknown")).events.stream())
    assert panji.pauses == []


def test_it_gives_up_after_a_limited_number_of_growing_pauses() -> None:
    panji = RecordingClient(Service("", f"http://127.0.0.1:{free_port()}", "pk_test_x"))
    with pytest.raises(PanjiConnectionError):
        next(panji.events.stream())
    assert len(panji.pauses) == MAX_FAILURES
    assert panji.pauses[0] < 3.0 < panji.pauses[9] < LONGEST_PAUSE_SECONDS
    assert 2400 < sum(panji.pauses) < 2 * 3600
