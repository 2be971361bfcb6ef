"""A client of Panji: Indian company, director, GST and PAN data.

    from panji import Panji
    panji = Panji("pk_test_…")
    print(panji.companies.get("L17111MH1994PLC990011").data["name"])
"""

from . import errors, ids, types, webhooks
from ._call import VERSION as __version__
from ._call import CallInfo, Response
from ._client import AsyncPanji, Panji
from ._errors import (
    APIError,
    AuthenticationError,
    ConflictError,
    CreditsError,
    InvalidRequestError,
    NotFoundError,
    PanjiConnectionError,
    PanjiError,
    PanjiTimeoutError,
    PermissionDeniedError,
    RateLimitError,
    ServerError,
    UnexpectedResponseError,
)

__all__ = [
    "APIError",
    "AsyncPanji",
    "AuthenticationError",
    "CallInfo",
    "ConflictError",
    "CreditsError",
    "InvalidRequestError",
    "NotFoundError",
    "Panji",
    "PanjiConnectionError",
    "PanjiError",
    "PanjiTimeoutError",
    "PermissionDeniedError",
    "RateLimitError",
    "Response",
    "ServerError",
    "UnexpectedResponseError",
    "__version__",
    "errors",
    "ids",
    "types",
    "webhooks",
]
