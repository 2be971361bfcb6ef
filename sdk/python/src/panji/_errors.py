"""Errors of a call. Every one is a `PanjiError`."""

from __future__ import annotations


class PanjiError(Exception):
    """The base of all errors of this package."""


class PanjiConnectionError(PanjiError):
    """No response arrived: the address, the network or the service is at fault. Nothing is known about the call."""


class PanjiTimeoutError(PanjiConnectionError):
    """No response arrived in time. Repeat the call with the same idempotency key, and it is charged once."""


class UnexpectedResponseError(PanjiError):
    """The response is not from Panji: the address may be that of another service, or of a proxy."""


class APIError(PanjiError):
    """The service refused or failed the call. It cost nothing.

    The class depends on the code: `CompanyNotFoundError` is a `NotFoundError` is an `APIError`.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str,
        param: str | None = None,
        docs_url: str | None = None,
        credits_remaining: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{message} ({code}, {request_id})")
        self.message = message
        """One sentence: what was wrong and what to do. Its wording may change."""
        self.status = status
        """The HTTP status."""
        self.code = code
        """The stable word for the error."""
        self.request_id = request_id
        """Name it when you ask the operator about the call."""
        self.param = param
        """The parameter, header or field at fault, such as `items[3].value`."""
        self.docs_url = docs_url
        self.credits_remaining = credits_remaining
        """The balance; None if the key is unknown."""
        self.retry_after = retry_after
        """The seconds to wait before the next try, if the service says so."""


class InvalidRequestError(APIError):
    """HTTP 400, 405, 413, 415 or 422: the request must be corrected."""


class AuthenticationError(APIError):
    """HTTP 401: the key is missing, unknown, revoked or expired."""


class CreditsError(APIError):
    """HTTP 402: the balance, the key's cap or `max_credits` does not cover the call."""


class PermissionDeniedError(APIError):
    """HTTP 403: the key may not do this from here."""


class NotFoundError(APIError):
    """HTTP 404: not in this register."""


class ConflictError(APIError):
    """HTTP 409."""


class RateLimitError(APIError):
    """HTTP 429: too many requests, also after the retries."""


class ServerError(APIError):
    """HTTP 5xx, also after the retries."""


def class_of_status(status: int) -> type[APIError]:
    """The class of an error whose code this version does not know."""
    classes: dict[int, type[APIError]] = {
        401: AuthenticationError,
        402: CreditsError,
        403: PermissionDeniedError,
        404: NotFoundError,
        409: ConflictError,
        410: NotFoundError,
        429: RateLimitError,
    }
    return classes.get(status) or (ServerError if status >= 500 else InvalidRequestError)
