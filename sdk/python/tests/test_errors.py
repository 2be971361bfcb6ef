"""Errors and retries: the simulated errors of the sandbox, and connections that fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx
import pytest

from conftest import AsyncRecordingClient, RecordingClient, Service
from panji import (
    APIError,
    CreditsError,
    NotFoundError,
    Panji,
    PanjiConnectionError,
    PanjiTimeoutError,
    RateLimitError,
    ServerError,
    UnexpectedResponseError,
    errors,
)
from panji._call import MAX_RETRIES, seconds_of, wait_before_retry

CIN = "L17111MH1994PLC990011"
SIMULATED = "U99999XX2000PTC000{}"


def simulated(error: int | str) -> str:
    return SIMULATED.format(error)


@pytest.mark.parametrize(
    ("number", "of_code", "of_status"),
    [
        (402, errors.InsufficientCreditsError, CreditsError),
        (404, errors.CompanyNotFoundError, NotFoundError),
    ],
)
def test_an_error_that_a_retry_cannot_help_is_raised_at_once(
    panji: RecordingClient, number: int, of_code: type[APIError], of_status: type[APIError]
) -> None:
    with pytest.raises(of_code) as raised:
        panji.companies.profile(simulated(number))
    error = raised.value
    assert isinstance(error, of_status)
    assert error.status == number
    assert error.request_id.startswith("req_")
    assert error.request_id in str(error)
    assert error.docs_url is not None
    assert error.credits_remaining is not None
    assert panji.pauses == []
    assert panji.last_call is not None
    assert (panji.last_call.request_id, panji.last_call.credits_charged) == (error.request_id, 0)


@pytest.mark.parametrize(
    ("number", "of_code", "of_status"),
    [
        (409, errors.IdempotencyInProgressError, errors.ConflictError),
        (429, errors.RateLimitedError, RateLimitError),
        (500, errors.InternalError, ServerError),
        (503, errors.UnavailableError, ServerError),
        (529, errors.OverloadedError, ServerError),
    ],
)
def test_an_error_that_may_pass_is_raised_after_the_retries(
    panji: RecordingClient, number: int, of_code: type[APIError], of_status: type[APIError]
) -> None:
    with pytest.raises(of_code) as raised:
        panji.companies.get(simulated(number))
    assert isinstance(raised.value, of_status)
    assert len(panji.pauses) == MAX_RETRIES
    if raised.value.retry_after is not None:
        assert min(panji.pauses) >= raised.value.retry_after
    if number in (429, 503, 529):
        assert raised.value.retry_after is not None


def test_the_async_client_retries_too(service: Service) -> None:
    async def run() -> None:
        async with AsyncRecordingClient(service) as panji:
            with pytest.raises(errors.RateLimitedError):
                await panji.companies.get(simulated(429))
            assert len(panji.pauses) == MAX_RETRIES

    asyncio.run(run())


def test_a_malformed_identifier_and_an_unknown_key_have_classes_of_their_own(panji: RecordingClient, service: Service) -> None:
    with pytest.raises(errors.InvalidIdentifierError) as raised:
        panji.companies.get("U12345KA2015PTC00012")
    assert raised.value.param == "cin"
    with pytest.raises(errors.InvalidApiKeyError), Panji("nobody", base_url=service.base_url) as stranger:
        stranger.companies.get(CIN)
    with pytest.raises(errors.MaxCreditsExceededError):
        panji.companies.profile(CIN, max_credits=1)
    with pytest.raises(errors.JobNotFoundError):
        panji.jobs.download_results("job_01ARZ3NDEKTSV4RRFFQ69G5FAV", "csv")


def test_a_repeat_with_the_same_key_is_charged_once(panji: RecordingClient) -> None:
    first = panji.companies.charges(CIN, idempotency_key="charges 1")
    again = panji.companies.charges(CIN, idempotency_key="charges 1")
    assert not first.replayed
    assert again.replayed
    assert again.credits_remaining == first.credits_remaining
    assert again.data == first.data
    other = panji.companies.charges(CIN)
    assert not other.replayed


class Broken(httpx.BaseTransport):
    """Lets the service respond, and loses the first responses on the way back."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.inner = httpx.HTTPTransport()
        self.keys: list[str | None] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("Idempotency-Key"))
        response = self.inner.handle_request(request)
        if len(self.keys) > self.losses:
            return response
        response.read()
        raise httpx.ReadTimeout("lost")


def test_a_response_that_was_lost_is_fetched_again_and_charged_once(service: Service) -> None:
    transport = Broken(2)
    with RecordingClient(service) as other:
        before = other.account.get().data["credits_remaining"]
    with RecordingClient(service, http_client=httpx.Client(transport=transport)) as panji:
        response = panji.bulk.verify([{"value": CIN}, {"value": "ZZACK4368A"}])
    assert response.replayed
    assert response.credits_remaining == before - 2
    assert len(panji.pauses) == 2
    assert len(transport.keys) == 3
    assert len(set(transport.keys)) == 1
    assert transport.keys[0]


def test_free_reads_carry_no_key(service: Service) -> None:
    transport = Broken(0)
    with RecordingClient(service, http_client=httpx.Client(transport=transport)) as panji:
        panji.account.get()
        panji.companies.get(CIN)
    assert transport.keys[0] is None
    assert transport.keys[1] is not None


def mock(respond: Callable[[httpx.Request], httpx.Response]) -> RecordingClient:
    service = Service("", "http://panji.invalid", "pk_test_x")
    return RecordingClient(service, http_client=httpx.Client(transport=httpx.MockTransport(respond)))


def test_a_service_that_cannot_be_reached_is_a_connection_error() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    panji = mock(refuse)
    with pytest.raises(PanjiConnectionError, match="refused"):
        panji.companies.get(CIN)
    assert len(panji.pauses) == MAX_RETRIES
    assert panji.pauses[0] < panji.pauses[-1]


def test_a_timeout_has_a_class_of_its_own() -> None:
    seen: list[object] = []

    def wait(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"]["read"])
        raise httpx.ReadTimeout("slow", request=request)

    panji = mock(wait)
    panji.max_retries = 0
    with pytest.raises(PanjiTimeoutError):
        panji.companies.get(CIN, timeout=0.25)
    assert seen == [0.25]


def test_the_slow_company_of_the_sandbox_times_out(panji: RecordingClient) -> None:
    panji.max_retries = 0
    with pytest.raises(PanjiTimeoutError):
        panji.companies.get(simulated("010"), timeout=0.2)


def test_a_redirect_is_not_followed() -> None:
    panji = mock(lambda _: httpx.Response(308, headers={"Location": "https://elsewhere.invalid/"}))
    with pytest.raises(UnexpectedResponseError, match="308"):
        panji.companies.get(CIN)


def test_another_service_at_the_address_is_told() -> None:
    panji = mock(lambda _: httpx.Response(200, html="<p>hello</p>"))
    with pytest.raises(UnexpectedResponseError, match="check the address"):
        panji.companies.get(CIN)
    proxy = mock(lambda _: httpx.Response(502, html="<p>bad gateway</p>"))
    with pytest.raises(ServerError):
        proxy.companies.get(CIN)
    assert len(proxy.pauses) == MAX_RETRIES


def test_a_code_that_this_version_does_not_know_has_the_class_of_its_status() -> None:
    body = {
        "success": False,
        "request_id": "req_1",
        "credits_charged": 0,
        "credits_remaining": None,
        "data": None,
        "error": {"code": "new_code", "message": "New.", "param": None, "docs_url": "x"},
    }
    panji = mock(lambda _: httpx.Response(403, json=body))
    with pytest.raises(errors.PermissionDeniedError) as raised:
        panji.companies.get(CIN)
    assert raised.value.code == "new_code"


def test_a_long_retry_after_is_left_to_the_caller() -> None:
    panji = mock(lambda _: httpx.Response(503, headers={"Retry-After": "3600"}))
    with pytest.raises(ServerError) as raised:
        panji.companies.get(CIN)
    assert raised.value.retry_after == 3600
    assert panji.pauses == []


def test_retry_after_is_a_number_or_a_date() -> None:
    assert seconds_of("3", 0) == 3
    assert seconds_of("Thu, 01 Jan 1970 00:01:00 GMT", 50) == 10
    assert seconds_of("Thu, 01 Jan 1970 00:01:00 GMT", 70) == 0
    assert seconds_of("soon", 0) is None
    assert seconds_of(None, 0) is None


def test_waits_are_bounded() -> None:
    waits = [wait_before_retry(PanjiConnectionError("x"), attempt, 100) for attempt in range(100)]
    assert all(wait is not None and 0 < wait <= 8 for wait in waits)


def test_an_empty_identifier_is_not_another_path(panji: RecordingClient) -> None:
    with pytest.raises(ValueError, match="cin is empty"):
        panji.companies.get(" ")
