"""The two clients."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

import httpx

from ._call import (
    DEFAULT_BASE_URL,
    MAX_RETRIES,
    VERSION,
    Body,
    CallInfo,
    Operation,
    Options,
    Prepared,
    Query,
    Response,
    next_page,
    prepare,
    read,
    read_file,
    read_refusal,
    transport_error,
    wait_before_retry,
)
from ._errors import APIError, PanjiError
from ._groups import AsyncGroups, Groups

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class _Settings:
    """What both clients keep."""

    def __init__(self, api_key: str | None, base_url: str | None, timeout: float | None, max_retries: int) -> None:
        key = api_key or os.environ.get("PANJI_API_KEY")
        if not key:
            raise PanjiError("no API key: pass one, or set PANJI_API_KEY")
        self.base_url = (base_url or os.environ.get("PANJI_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")
        self.timeout = timeout
        self.max_retries = max_retries
        self.last_call: CallInfo | None = None
        """The request id and the credits of the last call, a failed one included."""
        self._headers = {"Authorization": f"Bearer {key}", "User-Agent": f"panji-python/{VERSION}"}

    @property
    def credits_remaining(self) -> int | None:
        """The balance after the last call; None before the first."""
        return self.last_call.credits_remaining if self.last_call else None

    def _arguments(self, prepared: Prepared) -> dict[str, Any]:
        found = prepared.arguments()
        found["headers"] = {**self._headers, **prepared.headers}
        return found

    def _note(self, result: object) -> None:
        if isinstance(result, Response):
            response = cast("Response[object]", result)
            self.last_call = CallInfo(response.request_id, response.credits_charged, response.credits_remaining)
        elif isinstance(result, APIError):
            self.last_call = CallInfo(result.request_id, 0, result.credits_remaining)


class Panji(_Settings, Groups):
    """A client that blocks. It can be used by several threads.

        panji = Panji("pk_test_…")
        print(panji.companies.get("L17111MH1994PLC990011").data["name"])

    api_key: Your key; the environment variable PANJI_API_KEY if left out.
    base_url: The address of your Panji; PANJI_BASE_URL, or http://127.0.0.1:8080, if left out.
    timeout: The seconds to wait for a response, for every call; 20 if left out, and 75 for lists and files.
    max_retries: How often a call is repeated if that can help. A repeat is never charged twice.
    http_client: Your own `httpx.Client`, for proxies or certificates.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int = MAX_RETRIES,
        http_client: httpx.Client | None = None,
    ) -> None:
        _Settings.__init__(self, api_key, base_url, timeout, max_retries)
        Groups.__init__(self, self)
        self._http = http_client or httpx.Client()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def sleep(self, seconds: float) -> None:
        """Waits between two tries."""
        time.sleep(seconds)

    def _send(self, prepared: Prepared) -> httpx.Response | PanjiError:
        try:
            return self._http.request(prepared.method, self.base_url + prepared.url, **self._arguments(prepared))
        except httpx.TransportError as error:
            return transport_error(error)

    def _repeat(self, prepared: Prepared, read_response: Callable[[httpx.Response], T | PanjiError]) -> T:
        """Sends a request, and again where that can help."""
        attempt = 0
        while True:
            response = self._send(prepared)
            result = response if isinstance(response, PanjiError) else read_response(response)
            self._note(result)
            if not isinstance(result, PanjiError):
                return result
            pause = wait_before_retry(result, attempt, self.max_retries)
            if pause is None:
                raise result
            self.sleep(pause)
            attempt += 1

    def call(
        self, operation: Operation, path: Mapping[str, str], query: Query, body: Body, options: Options
    ) -> Response[Any]:
        """Sends a call."""
        return self._repeat(prepare(operation, path, query, body, options, self.timeout), read)

    def download(
        self, operation: Operation, path: Mapping[str, str], query: Query, accept: str | None, options: Options
    ) -> bytes:
        """Sends a call whose response is a file."""
        prepared = prepare(operation, path, query, None, options, self.timeout)
        if accept:
            prepared.headers["Accept"] = accept
        return self._repeat(prepared, read_file)

    def receive(
        self, operation: Operation, query: Query, headers: Mapping[str, str], silence: float
    ) -> Generator[bytes, None, None]:
        """The bytes of a response as they arrive."""
        prepared = prepare(operation, {}, query, None, Options(timeout=silence), None)
        prepared.headers.update(headers)
        url = self.base_url + prepared.url
        try:
            with self._http.stream(prepared.method, url, **self._arguments(prepared)) as response:
                if not response.is_success:
                    response.read()
                    error = read_refusal(response)
                    self._note(error)
                    raise error
                yield from response.iter_bytes()
        except httpx.TransportError as error:
            raise transport_error(error) from error

    def iterate(
        self, operation: Operation, path: Mapping[str, str], query: Query, options: Options
    ) -> Iterator[Any]:
        """The items of all pages."""
        current: Any = 1 if operation.cursor == "page" else None
        while True:
            response = self.call(operation, path, {**query, operation.cursor: current}, None, options)
            yield from response.data[operation.items]
            current = next_page(operation, response, current)
            if current is None:
                return


class AsyncPanji(_Settings, AsyncGroups):
    """A client for asyncio, with the same operations as `Panji`.

        async with AsyncPanji("pk_test_…") as panji:
            print((await panji.companies.get("L17111MH1994PLC990011")).data["name"])

    The arguments are those of `Panji`; `http_client` is an `httpx.AsyncClient`.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int = MAX_RETRIES,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        _Settings.__init__(self, api_key, base_url, timeout, max_retries)
        AsyncGroups.__init__(self, self)
        self._http = http_client or httpx.AsyncClient()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def sleep(self, seconds: float) -> None:
        """Waits between two tries."""
        await asyncio.sleep(seconds)

    async def _send(self, prepared: Prepared) -> httpx.Response | PanjiError:
        url = self.base_url + prepared.url
        try:
            return await self._http.request(prepared.method, url, **self._arguments(prepared))
        except httpx.TransportError as error:
            return transport_error(error)

    async def _repeat(self, prepared: Prepared, read_response: Callable[[httpx.Response], T | PanjiError]) -> T:
        """Sends a request, and again where that can help."""
        attempt = 0
        while True:
            response = await self._send(prepared)
            result = response if isinstance(response, PanjiError) else read_response(response)
            self._note(result)
            if not isinstance(result, PanjiError):
                return result
            pause = wait_before_retry(result, attempt, self.max_retries)
            if pause is None:
                raise result
            await self.sleep(pause)
            attempt += 1

    async def call(
        self, operation: Operation, path: Mapping[str, str], query: Query, body: Body, options: Options
    ) -> Response[Any]:
        """Sends a call."""
        return await self._repeat(prepare(operation, path, query, body, options, self.timeout), read)

    async def download(
        self, operation: Operation, path: Mapping[str, str], query: Query, accept: str | None, options: Options
    ) -> bytes:
        """Sends a call whose response is a file."""
        prepared = prepare(operation, path, query, None, options, self.timeout)
        if accept:
            prepared.headers["Accept"] = accept
        return await self._repeat(prepared, read_file)

    async def receive(
        self, operation: Operation, query: Query, headers: Mapping[str, str], silence: float
    ) -> AsyncGenerator[bytes, None]:
        """The bytes of a response as they arrive."""
        prepared = prepare(operation, {}, query, None, Options(timeout=silence), None)
        prepared.headers.update(headers)
        url = self.base_url + prepared.url
        try:
            async with self._http.stream(prepared.method, url, **self._arguments(prepared)) as response:
                if not response.is_success:
                    await response.aread()
                    error = read_refusal(response)
                    self._note(error)
                    raise error
                async for chunk in response.aiter_bytes():
                    yield chunk
        except httpx.TransportError as error:
            raise transport_error(error) from error

    async def iterate(
        self, operation: Operation, path: Mapping[str, str], query: Query, options: Options
    ) -> AsyncIterator[Any]:
        """The items of all pages."""
        current: Any = 1 if operation.cursor == "page" else None
        while True:
            response = await self.call(operation, path, {**query, operation.cursor: current}, None, options)
            for item in response.data[operation.items]:
                yield item
            current = next_page(operation, response, current)
            if current is None:
                return
