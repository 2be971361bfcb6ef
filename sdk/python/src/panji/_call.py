"""What both clients share: a request, what its response means, and when it is sent again."""

from __future__ import annotations

import email.utils
import random
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Generic, TypeVar, Union, cast
from urllib.parse import quote

import httpx

from ._codes import BY_CODE
from ._errors import (
    APIError,
    PanjiConnectionError,
    PanjiError,
    PanjiTimeoutError,
    UnexpectedResponseError,
    class_of_status,
)

T = TypeVar("T")

VERSION = "0.1.0"
DEFAULT_BASE_URL = "http://127.0.0.1:8080"
# More than the service takes at most: 10 seconds, and 60 for lists.
TIMEOUT_SECONDS = 20.0
SLOW_TIMEOUT_SECONDS = 75.0
MAX_RETRIES = 3
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 8.0
# A longer Retry-After is raised to the caller.
LONGEST_RETRY_AFTER_SECONDS = 60.0
RETRIED_STATUSES = frozenset({429, 500, 502, 503, 504})
# Our own first try may still be running.
RETRIED_CODES = frozenset({"idempotency_in_progress"})

Query = Mapping[str, Any]
Body = Union[Mapping[str, Any], tuple[bytes, str], None]


@dataclass(frozen=True)
class Operation:
    """What is always the same about an operation."""

    method: str
    path: str
    keyed: bool = False
    slow: bool = False
    items: str = ""
    cursor: str = ""


@dataclass(frozen=True)
class Options:
    """What a caller may choose for one call."""

    max_credits: int | None = None
    idempotency_key: str | None = None
    timeout: float | None = None


@dataclass(frozen=True)
class CallInfo:
    """The account of one call."""

    request_id: str
    credits_charged: int
    credits_remaining: int | None


@dataclass(frozen=True)
class Response(Generic[T]):
    """The response of a successful call."""

    data: T
    request_id: str
    credits_charged: int
    """For this call."""
    credits_remaining: int
    """The balance after this call."""
    headers: httpx.Headers

    @property
    def coverage(self) -> str | None:
        """What an empty list in `data` means: `full`, `partial` or `none`; None for responses without it."""
        data: object = self.data
        return cast("dict[str, Any]", data).get("coverage") if isinstance(data, dict) else None

    @property
    def mode(self) -> str | None:
        """`test` or `live`."""
        mode: str | None = self.headers.get("Panji-Mode")
        return mode

    @property
    def free_remaining(self) -> int | None:
        """Free calls left today, on `companies.search` and `companies.get`."""
        value = self.headers.get("Panji-Free-Remaining")
        return int(value) if value is not None else None

    @property
    def replayed(self) -> bool:
        """Whether this is the response of an earlier call with the same idempotency key. It was not charged again."""
        return bool(self.headers.get("Idempotent-Replayed") == "true")


@dataclass(frozen=True)
class Prepared:
    """A request that is sent as it is, once or more."""

    method: str
    url: str
    params: dict[str, str]
    headers: dict[str, str]
    json: Any
    content: bytes | None
    timeout: float

    def arguments(self) -> dict[str, Any]:
        """The arguments of httpx for it."""
        found: dict[str, Any] = {"params": self.params, "headers": self.headers, "timeout": self.timeout}
        if self.content is not None:
            found["content"] = self.content
        elif self.json is not None:
            found["json"] = self.json
        return found


def prepare(
    operation: Operation, path: Mapping[str, str], query: Query, body: Body, options: Options, timeout: float | None
) -> Prepared:
    """The request of a call. Its idempotency key is made here, so that every try has the same one."""
    url = operation.path
    for name, value in path.items():
        if not value.strip():
            raise ValueError(f"{name} is empty")
        url = url.replace(f"{{{name}}}", quote(value, safe=""))
    headers: dict[str, str] = {}
    if options.max_credits is not None:
        headers["Panji-Max-Credits"] = str(options.max_credits)
    if options.idempotency_key is not None:
        headers["Idempotency-Key"] = options.idempotency_key
    elif operation.keyed:
        headers["Idempotency-Key"] = str(uuid.uuid4())
    content = None
    json = None
    if isinstance(body, tuple):
        content, headers["Content-Type"] = body
    elif body is not None:
        json = {name: value for name, value in body.items() if value is not None}
    usual = SLOW_TIMEOUT_SECONDS if operation.slow else TIMEOUT_SECONDS
    return Prepared(
        method=operation.method,
        url=url,
        params={name: text_of(value) for name, value in query.items() if value is not None},
        headers=headers,
        json=json,
        content=content,
        timeout=options.timeout or timeout or usual,
    )


def text_of(value: Any) -> str:
    """A value as a query has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in cast("list[Any]", value))
    return str(value)


def read(response: httpx.Response) -> Response[Any] | PanjiError:
    """The envelope of a response, or the error in it."""
    try:
        envelope = response.json()
    except ValueError:
        return unexpected(response)
    if not isinstance(envelope, dict) or "request_id" not in envelope:
        return unexpected(response)
    fields = cast("dict[str, Any]", envelope)
    if response.is_success and fields.get("success") is True:
        return Response(
            data=fields["data"],
            request_id=fields["request_id"],
            credits_charged=fields["credits_charged"],
            credits_remaining=fields["credits_remaining"],
            headers=response.headers,
        )
    error: dict[str, Any] = fields.get("error") or {}
    code = str(error.get("code", "unknown"))
    return BY_CODE.get(code, class_of_status(response.status_code))(
        str(error.get("message", response.reason_phrase)),
        status=response.status_code,
        code=code,
        request_id=str(fields["request_id"]),
        param=error.get("param"),
        docs_url=error.get("docs_url"),
        credits_remaining=fields.get("credits_remaining"),
        retry_after=seconds_of(response.headers.get("Retry-After"), time.time()),
    )


def read_file(response: httpx.Response) -> bytes | PanjiError:
    """The bytes of a response that is a file, or the error in it."""
    if response.is_success:
        return response.content
    return read_refusal(response)


def read_refusal(response: httpx.Response) -> PanjiError:
    """The error in a response that is not a success."""
    error = read(response)
    return error if isinstance(error, PanjiError) else unexpected(response)


def unexpected(response: httpx.Response) -> PanjiError:
    """The error of a response without an envelope. A proxy's 502, 503 or 504 is one of the service."""
    if response.status_code in RETRIED_STATUSES:
        return class_of_status(response.status_code)(
            f"HTTP {response.status_code}, not a response of Panji",
            status=response.status_code,
            code="unknown",
            request_id=response.headers.get("Request-Id", ""),
            retry_after=seconds_of(response.headers.get("Retry-After"), time.time()),
        )
    kind = response.headers.get("Content-Type", "no content type")
    text = f"HTTP {response.status_code} with {kind} is not a response of Panji: check the address"
    return UnexpectedResponseError(text)


def transport_error(error: httpx.TransportError) -> PanjiConnectionError:
    """The error of a call that got no response."""
    text = str(error) or type(error).__name__
    return PanjiTimeoutError(text) if isinstance(error, httpx.TimeoutException) else PanjiConnectionError(text)


def seconds_of(retry_after: str | None, now: float) -> float | None:
    """The seconds that a Retry-After header asks for: a number, or a date."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - now)
    except ValueError:
        return None


def wait_before_retry(error: PanjiError, attempt: int, max_retries: int) -> float | None:
    """The seconds to wait before the next try; None if there is none. `attempt` counts from 0."""
    if attempt >= max_retries:
        return None
    backoff = min(LONGEST_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2.0**attempt)
    # Callers that failed together do not come back together.
    if isinstance(error, PanjiConnectionError):
        return backoff * random.uniform(0.5, 1.0)
    if isinstance(error, APIError) and (error.status in RETRIED_STATUSES or error.code in RETRIED_CODES):
        if error.retry_after is None:
            return backoff * random.uniform(0.5, 1.0)
        if error.retry_after <= LONGEST_RETRY_AFTER_SECONDS:
            return error.retry_after + backoff * random.uniform(0.0, 0.5)
    return None


def next_page(operation: Operation, response: Response[Any], current: Any) -> Any:
    """The page or the cursor after this one; None after the last."""
    data: dict[str, Any] = response.data
    if not data[operation.items]:
        return None
    if operation.cursor != "page":
        return data.get(f"next_{operation.cursor}")
    link = response.headers.get("Link")
    if "has_more" in data:
        more = bool(data["has_more"])
    else:
        # Without either, the page after the last one is empty.
        more = link is None or 'rel="next"' in link
    return current + 1 if more else None
