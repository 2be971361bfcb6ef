"""The stream of events, which continues by itself after a lost connection."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, closing
from typing import Any

from . import types
from ._call import Operation, Query, wait_before_retry
from ._errors import PanjiConnectionError, PanjiError, UnexpectedResponseError
from ._resource import AsyncResource, Resource

STREAM_EVENTS = Operation("GET", "/v1/events/stream")
# The service sends something every 15 seconds.
SILENCE_SECONDS = 45.0
# Until the service says another.
PAUSE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 60.0
# Failures one after the other; with their pauses they take about an hour.
MAX_FAILURES = 400
# More than any event has.
MAX_LINE_BYTES = 8 * 1024 * 1024


class StreamState:
    """What was received, and when to connect again. It reads and sends nothing itself."""

    def __init__(self) -> None:
        self._last_id: str | None = None
        self._pause = PAUSE_SECONDS
        self._failures = 0
        self._begin()

    def _begin(self) -> None:
        self._rest = b""
        self._id = self._last_id
        self._data: list[str] = []

    def headers(self) -> dict[str, str]:
        """The headers of the next connection. An event of which only a part was received is sent again."""
        self._begin()
        return {} if self._last_id is None else {"Last-Event-ID": self._last_id}

    def feed(self, chunk: bytes) -> Iterator[Any]:
        """The events that are complete with these bytes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_LINE_BYTES:
            raise UnexpectedResponseError(f"a line of the stream has more than {MAX_LINE_BYTES} bytes")
        for line in lines:
            self._failures = 0
            yield from self._read(line.removesuffix(b"\r").decode())

    def _read(self, line: str) -> Iterator[Any]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and value.isdigit():
            self._pause = min(LONGEST_PAUSE_SECONDS, int(value) / 1000)
        elif line == "":
            self._last_id = self._id
            data, self._data = self._data, []
            if data:
                yield json.loads("\n".join(data))

    def pause(self, failure: PanjiError) -> float:
        """The seconds to wait before the next connection. Raises what another connection cannot help against."""
        wait = wait_before_retry(failure, self._failures, MAX_FAILURES)
        if wait is None:
            raise failure
        self._failures += 1
        return self._pause + wait


def _ended() -> PanjiError:
    return PanjiConnectionError("the service ended the stream")


class StreamEvents(Resource):
    def stream(
        self, *, after: int | None = None, watchlist: str | None = None, types: str | Sequence[str] | None = None
    ) -> Iterator[types.Event]:
        """The events of your watch lists as soon as they are recorded, without end.

        After a lost connection it connects again, with growing pauses, and continues without gap or repeat; after
        about an hour without success the last error is raised. To continue in another process, keep the `seq`
        of the last event that you have processed, and pass it as `after`.

        after: Only events with a higher `seq`. Without it, the stream begins with the next event.
        watchlist: Only events of the current members of this watch list.
        types: Only events of these types.
        """
        query: Query = {"after": after, "watchlist": watchlist, "types": types}
        state = StreamState()
        while True:
            failure = _ended()
            try:
                with closing(self._client.receive(STREAM_EVENTS, query, state.headers(), SILENCE_SECONDS)) as chunks:
                    for chunk in chunks:
                        yield from state.feed(chunk)
            except PanjiError as error:
                failure = error
            self._client.sleep(state.pause(failure))


class AsyncStreamEvents(AsyncResource):
    async def stream(
        self, *, after: int | None = None, watchlist: str | None = None, types: str | Sequence[str] | None = None
    ) -> AsyncIterator[types.Event]:
        """The events of your watch lists as soon as they are recorded, without end.

        After a lost connection it connects again, with growing pauses, and continues without gap or repeat; after
        about an hour without success the last error is raised. To continue in another process, keep the `seq`
        of the last event that you have processed, and pass it as `after`.

        after: Only events with a higher `seq`. Without it, the stream begins with the next event.
        watchlist: Only events of the current members of this watch list.
        types: Only events of these types.
        """
        query: Query = {"after": after, "watchlist": watchlist, "types": types}
        state = StreamState()
        while True:
            failure = _ended()
            try:
                connection = self._client.receive(STREAM_EVENTS, query, state.headers(), SILENCE_SECONDS)
                async with aclosing(connection) as chunks:
                    async for chunk in chunks:
                        for event in state.feed(chunk):
                            yield event
            except PanjiError as error:
                failure = error
            await self._client.sleep(state.pause(failure))
