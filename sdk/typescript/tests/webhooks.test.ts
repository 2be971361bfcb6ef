/** Messages of webhooks are verified; the case is that of the Standard Webhooks specification. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { webhooks } from "../src/index.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = '{"test": 2432232314}';
const sentAt = 1614265330;
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

function headers(signature: string): Record<string, string> {
  return {
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": String(sentAt),
    "Webhook-Signature": signature,
  };
}

test("a message is returned if one signature is that of the secret", async () => {
  const now = sentAt;
  assert.deepEqual(await webhooks.verify(body, headers(signature), secret, { now }), { test: 2432232314 });
  const bytes = new TextEncoder().encode(body);
  const several = `v1,AAAA v1a,${signature.slice(3)} ${signature} v2,what`;
  assert.deepEqual(await webhooks.verify(bytes, new Headers(headers(several)), secret, { now }), { test: 2432232314 });
});

test("other messages are refused", async () => {
  const cases: [string, string, number][] = [
    [`${body} `, signature, sentAt],
    [body, "v1,AAAA", sentAt],
    [body, "v1,!", sentAt],
    [body, "", sentAt],
    [body, signature.replace("v1,", "v1a,"), sentAt],
    [body, signature, sentAt + 301],
    [body, signature, sentAt - 301],
  ];
  for (const [content, signed, now] of cases) {
    await assert.rejects(webhooks.verify(content, headers(signed), secret, { now }), webhooks.WebhookVerificationError);
  }
});

test("a missing header and a wrong secret are named", async () => {
  await assert.rejects(webhooks.verify(body, {}, secret, { now: sentAt }), /webhook-id/);
  await assert.rejects(webhooks.verify(body, headers(signature), "pk_test_!", { now: sentAt }), /whsec_/);
});
