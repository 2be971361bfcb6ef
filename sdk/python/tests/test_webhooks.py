"""Messages of webhooks are verified; the case is that of the Standard Webhooks specification."""

from __future__ import annotations

import pytest

from panji import webhooks

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
SENT_AT = 1614265330
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def headers(signature: str = SIGNATURE) -> dict[str, str]:
    return {
        "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "Webhook-Timestamp": str(SENT_AT),
        "Webhook-Signature": signature,
    }


def test_a_message_is_returned_if_one_signature_is_that_of_the_secret() -> None:
    assert webhooks.verify(BODY, headers(), SECRET, now=SENT_AT) == {"test": 2432232314}
    assert webhooks.verify(BODY.decode(), headers(), SECRET, now=SENT_AT + 299) == {"test": 2432232314}
    several = f"v1,AAAA v1a,{SIGNATURE[3:]} {SIGNATURE} v2,what"
    assert webhooks.verify(BODY, headers(several), SECRET, now=SENT_AT) == {"test": 2432232314}


@pytest.mark.parametrize(
    ("body", "signature", "now"),
    [
        (BODY + b" ", SIGNATURE, SENT_AT),
        (BODY, "v1,AAAA", SENT_AT),
        (BODY, "v1,!", SENT_AT),
        (BODY, "", SENT_AT),
        (BODY, SIGNATURE.replace("v1,", "v1a,"), SENT_AT),
        (BODY, SIGNATURE, SENT_AT + 301),
        (BODY, SIGNATURE, SENT_AT - 301),
    ],
)
def test_other_messages_are_refused(body: bytes, signature: str, now: float) -> None:
    with pytest.raises(webhooks.WebhookVerificationError):
        webhooks.verify(body, headers(signature), SECRET, now=now)


def test_a_missing_header_and_a_wrong_secret_are_named() -> None:
    with pytest.raises(webhooks.WebhookVerificationError, match="webhook-id"):
        webhooks.verify(BODY, {}, SECRET, now=SENT_AT)
    with pytest.raises(ValueError, match="whsec_"):
        webhooks.verify(BODY, headers(), "pk_test_!", now=SENT_AT)
