"""What a group of operations needs of a client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from typing import Any, Protocol

from ._call import Body, Operation, Options, Query, Response


class Caller(Protocol):
    """A client that blocks."""

    def call(
        self, operation: Operation, path: Mapping[str, str], query: Query, body: Body, options: Options
    ) -> Response[Any]: ...

    def iterate(
        self, operation: Operation, path: Mapping[str, str], query: Query, options: Options
    ) -> Iterator[Any]: ...

    def download(
        self, operation: Operation, path: Mapping[str, str], query: Query, accept: str | None, options: Options
    ) -> bytes: ...

    def receive(
        self, operation: Operation, query: Query, headers: Mapping[str, str], silence: float
    ) -> Generator[bytes, None, None]: ...

    def sleep(self, seconds: float) -> None: ...


class AsyncCaller(Protocol):
    """A client for asyncio."""

    async def call(
        self, operation: Operation, path: Mapping[str, str], query: Query, body: Body, options: Options
    ) -> Response[Any]: ...

    def iterate(
        self, operation: Operation, path: Mapping[str, str], query: Query, options: Options
    ) -> AsyncIterator[Any]: ...

    async def download(
        self, operation: Operation, path: Mapping[str, str], query: Query, accept: str | None, options: Options
    ) -> bytes: ...

    def receive(
        self, operation: Operation, query: Query, headers: Mapping[str, str], silence: float
    ) -> AsyncGenerator[bytes, None]: ...

    async def sleep(self, seconds: float) -> None: ...


class Resource:
    """A group of operations."""

    def __init__(self, client: Caller) -> None:
        self._client = client


class AsyncResource:
    """A group of operations."""

    def __init__(self, client: AsyncCaller) -> None:
        self._client = client
