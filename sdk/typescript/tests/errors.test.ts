// Errors and retries: the simulated errors of the sandbox, and connections that fail.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { MAX_RETRIES, secondsOf, waitBeforeRetry } from "../src/call.ts";
import * as sdk from "../src/index.ts";
import { RecordingClient, type Service, startService } from "./service.ts";

const CIN = "L17111MH1994PLC990011";
const ELSEWHERE = { baseUrl: "http://panji.invalid", apiKey: "pk_test_x" };
let service: Service;

before(async () => {
  service = await startService();
});
after(() => service.stop());

function simulated(number: number | string): string {
  return `U99999XX2000PTC000${number}`;
}

type ErrorClass<T extends Error> = new (...given: never[]) => T;

async function refused<T extends Error>(call: Promise<unknown>, kind: ErrorClass<T>): Promise<T> {
  const error: unknown = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof kind, `${String(error)} is no ${kind.name}`);
  return error;
}

test("an error that a retry cannot help is thrown at once", async () => {
  const cases = [
    [402, sdk.InsufficientCreditsError, sdk.CreditsError],
    [404, sdk.CompanyNotFoundError, sdk.NotFoundError],
  ] as const;
  for (const [number, ofCode, ofStatus] of cases) {
    const panji = new RecordingClient(service);
    const error = await refused(panji.companies.profile(simulated(number)), ofCode);
    assert.ok(error instanceof ofStatus);
    assert.equal(error.status, number);
    assert.equal(error.name, ofCode.name);
    assert.match(error.requestId, /^req_/);
    assert.ok(error.message.includes(error.requestId));
    assert.deepEqual(panji.pauses, []);
    assert.deepEqual(panji.lastCall, { requestId: error.requestId, creditsCharged: 0, creditsRemaining: error.creditsRemaining });
  }
});

test("an error that may pass is thrown after the retries", async () => {
  const cases = [
    [409, sdk.IdempotencyInProgressError, sdk.ConflictError, false],
    [429, sdk.RateLimitedError, sdk.RateLimitError, true],
    [500, sdk.InternalError, sdk.ServerError, false],
    [503, sdk.UnavailableError, sdk.ServerError, true],
    [529, sdk.OverloadedError, sdk.ServerError, true],
  ] as const;
  for (const [number, ofCode, ofStatus, saysWhen] of cases) {
    const panji = new RecordingClient(service);
    const error = await refused(panji.companies.get(simulated(number)), ofCode);
    assert.ok(error instanceof ofStatus);
    assert.equal(panji.pauses.length, MAX_RETRIES);
    if (saysWhen) assert.ok(error.retryAfter !== null && Math.min(...panji.pauses) >= error.retryAfter * 1000);
  }
});

test("a malformed identifier, an unknown key and a cap have classes of their own", async () => {
  const panji = new RecordingClient(service);
  const malformed = await refused(panji.companies.get("U12345KA2015PTC00012"), sdk.InvalidIdentifierError);
  assert.equal(malformed.param, "cin");
  await refused(new RecordingClient({ ...service, apiKey: "nobody" }).companies.get(CIN), sdk.InvalidApiKeyError);
  await refused(panji.companies.profile(CIN, {}, { maxCredits: 1 }), sdk.MaxCreditsExceededError);
});

test("a repeat with the same key is charged once", async () => {
  const panji = new RecordingClient(service);
  const first = await panji.companies.charges(CIN, {}, { idempotencyKey: "charges 1" });
  const again = await panji.companies.charges(CIN, {}, { idempotencyKey: "charges 1" });
  assert.deepEqual([first.replayed, again.replayed], [false, true]);
  assert.equal(again.creditsRemaining, first.creditsRemaining);
  assert.equal((await panji.companies.charges(CIN)).replayed, false);
});

/** Lets the service respond, and loses the first responses on the way back. */
function losing(losses: number): { fetch: typeof fetch; keys: (string | null)[] } {
  const keys: (string | null)[] = [];
  return {
    keys,
    fetch: async (input, init) => {
      keys.push(new Headers(init?.headers).get("Idempotency-Key"));
      const response = await fetch(input, init);
      if (keys.length > losses) return response;
      await response.arrayBuffer();
      throw new TypeError("lost");
    },
  };
}

test("a response that was lost is fetched again and charged once", async () => {
  const before = (await new RecordingClient(service).account.get()).data.credits_remaining;
  const { fetch, keys } = losing(2);
  const panji = new RecordingClient(service, { fetch });
  const response = await panji.bulk.verify([{ value: CIN }, { value: "ZZACK4368A" }]);
  assert.equal(response.replayed, true);
  assert.equal(response.creditsRemaining, before - 2);
  assert.equal(panji.pauses.length, 2);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  assert.ok(keys[0]);
});

test("free reads carry no key", async () => {
  const { fetch, keys } = losing(0);
  const panji = new RecordingClient(service, { fetch });
  await panji.account.get();
  await panji.companies.get(CIN);
  assert.equal(keys[0], null);
  assert.ok(keys[1]);
});

test("a service that cannot be reached is a connection error", async () => {
  const panji = new RecordingClient(ELSEWHERE, { fetch: () => Promise.reject(new TypeError("refused")) });
  const error = await refused(panji.companies.get(CIN), sdk.PanjiConnectionError);
  assert.match(error.message, /refused/);
  assert.equal(panji.pauses.length, MAX_RETRIES);
  assert.ok((panji.pauses[0] ?? 0) < (panji.pauses.at(-1) ?? 0));
});

/** Never responds. */
const silent: typeof fetch = (_, init) =>
  new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason as Error)));

test("a timeout has a class of its own", async () => {
  const panji = new RecordingClient(ELSEWHERE, { fetch: silent, maxRetries: 0 });
  await refused(panji.companies.get(CIN, {}, { timeoutMs: 1 }), sdk.PanjiTimeoutError);
});

test("the slow company of the sandbox times out", async () => {
  const panji = new RecordingClient(service, { maxRetries: 0 });
  await refused(panji.companies.get(simulated("010"), {}, { timeoutMs: 200 }), sdk.PanjiTimeoutError);
});

test("a redirect is not followed", async () => {
  const server = createServer((_, response) => response.writeHead(308, { Location: "http://127.0.0.1:1/" }).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const panji = new RecordingClient({ ...ELSEWHERE, baseUrl: `http://127.0.0.1:${port}` });
  const error = await refused(panji.companies.get(CIN), sdk.UnexpectedResponseError);
  assert.match(error.message, /308/);
  await new Promise((resolve) => server.close(resolve));
});

test("the caller's own abort ends the call without a retry", async () => {
  const panji = new RecordingClient(ELSEWHERE, { fetch: silent });
  const controller = new AbortController();
  const call = panji.companies.get(CIN, {}, { signal: controller.signal });
  controller.abort(new RangeError("enough"));
  await refused(call, RangeError);
  assert.deepEqual(panji.pauses, []);
});

test("another service at the address is told", async () => {
  const page = (status: number): typeof fetch => () =>
    Promise.resolve(new Response("<p>hello</p>", { status, headers: { "Content-Type": "text/html" } }));
  const other = new RecordingClient(ELSEWHERE, { fetch: page(200) });
  assert.match((await refused(other.companies.get(CIN), sdk.UnexpectedResponseError)).message, /check the address/);
  const proxy = new RecordingClient(ELSEWHERE, { fetch: page(502) });
  await refused(proxy.companies.get(CIN), sdk.ServerError);
  assert.equal(proxy.pauses.length, MAX_RETRIES);
});

test("a code that this version does not know has the class of its status", async () => {
  const body = JSON.stringify({ success: false, request_id: "req_1", data: null, error: { code: "constructor", message: "New." } });
  const panji = new RecordingClient(ELSEWHERE, { fetch: () => Promise.resolve(new Response(body, { status: 403 })) });
  assert.equal((await refused(panji.companies.get(CIN), sdk.PermissionDeniedError)).code, "constructor");
});

test("a long Retry-After is left to the caller", async () => {
  const fetch: typeof globalThis.fetch = () => Promise.resolve(new Response("", { status: 503, headers: { "Retry-After": "3600" } }));
  const panji = new RecordingClient(ELSEWHERE, { fetch });
  assert.equal((await refused(panji.companies.get(CIN), sdk.ServerError)).retryAfter, 3600);
  assert.deepEqual(panji.pauses, []);
});

test("Retry-After is a number or a date", () => {
  assert.equal(secondsOf("3", 0), 3);
  assert.equal(secondsOf("Thu, 01 Jan 1970 00:01:00 GMT", 50_000), 10);
  assert.equal(secondsOf("Thu, 01 Jan 1970 00:01:00 GMT", 70_000), 0);
  assert.equal(secondsOf("soon", 0), null);
  assert.equal(secondsOf(null, 0), null);
});

test("waits are bounded", () => {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const wait = waitBeforeRetry(new sdk.PanjiConnectionError("x"), attempt, 100);
    assert.ok(wait !== null && wait > 0 && wait <= 8_000);
  }
});

test("an empty identifier is not another path", async () => {
  const error = await refused(new RecordingClient(service).companies.get(" "), TypeError);
  assert.match(error.message, /cin is empty/);
});
