"""Verifies the messages that Panji sends to webhooks (Standard Webhooks 1.0).

    from panji import webhooks
    message = webhooks.verify(body, headers, "whsec_…")
    print(message["type"], message["data"])
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, cast

__all__ = ["TOLERANCE_SECONDS", "WebhookVerificationError", "verify"]

TOLERANCE_SECONDS = 300
"""How far the time of a message may be from the time of this machine."""


class WebhookVerificationError(Exception):
    """The message was not sent by Panji, was changed, or is too old."""


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance_seconds: int = TOLERANCE_SECONDS,
    now: float | None = None,
) -> dict[str, Any]:
    """The message, if one of its signatures is that of the secret.

    ``body`` is the body as it arrived, not parsed. ``headers`` are those of the request, in any case of letters.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        message_id = lower["webhook-id"]
        timestamp = lower["webhook-timestamp"]
        signatures = lower["webhook-signature"]
    except KeyError as error:
        raise WebhookVerificationError(f"The header {error.args[0]} is missing.") from None
    _check_time(timestamp, tolerance_seconds, time.time() if now is None else now)
    content = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{timestamp}.".encode() + content
    expected = hmac.new(_key(secret), signed, hashlib.sha256).digest()
    if not any(_matches(part, expected) for part in signatures.split(" ")):
        raise WebhookVerificationError("No signature is that of the secret.")
    return cast("dict[str, Any]", json.loads(content))


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("The secret of a webhook begins with whsec_ and continues in base64.") from None


def _check_time(timestamp: str, tolerance_seconds: int, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise WebhookVerificationError("The header webhook-timestamp is not a number.")
    if abs(now - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("The message is too old or from the future.")


def _matches(part: str, expected: bytes) -> bool:
    version, _, signature = part.partition(",")
    if version != "v1":
        return False
    try:
        return hmac.compare_digest(base64.b64decode(signature, validate=True), expected)
    except binascii.Error:
        return False
