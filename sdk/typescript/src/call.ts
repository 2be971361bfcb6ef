// A request, what its response means, and when it is sent again.

import { BY_CODE } from "./codes.ts";
import { APIError, classOfStatus, PanjiConnectionError, PanjiError, UnexpectedResponseError } from "./errors.ts";

export const VERSION = "0.1.0";
export const DEFAULT_BASE_URL = "http://127.0.0.1:8080";
export const MAX_RETRIES = 3;
// More than the service takes at most: 10 seconds, and 60 for lists.
const TIMEOUT_MS = 20_000;
const SLOW_TIMEOUT_MS = 75_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
// A longer Retry-After is thrown to the caller.
const LONGEST_RETRY_AFTER_SECONDS = 60;
const RETRIED_STATUSES = new Set([429, 500, 502, 503, 504]);
// Our own first try may still be running.
const RETRIED_CODES = new Set(["idempotency_in_progress"]);

/** What is always the same about an operation. */
export interface Operation {
  method: string;
  path: string;
  keyed?: boolean;
  slow?: boolean;
  items?: string;
  cursor?: string;
}

/** What a caller may choose for a call that is free. */
export interface FreeOptions {
  /** The milliseconds to wait for the response. */
  timeoutMs?: number | undefined;
  /** Aborts the call and its retries. */
  signal?: AbortSignal | undefined;
}

/** What a caller may choose for the pages of a list. */
export interface PageOptions extends FreeOptions {
  /** A call that costs more is refused with a MaxCreditsExceededError. */
  maxCredits?: number | undefined;
}

/** What a caller may choose for one call. */
export interface CallOptions extends PageOptions {
  /** A repeat with the same key is charged once. Each call has a key of its own if this is left out. */
  idempotencyKey?: string | undefined;
}

export type Query = Readonly<Record<string, unknown>>;
export type Body = { json: Readonly<Record<string, unknown>> } | { content: Uint8Array | string; contentType: string } | null;

/** The account of one call. */
export interface CallInfo {
  requestId: string;
  creditsCharged: number;
  creditsRemaining: number | null;
}

/** The response of a successful call. */
export class Response<T> {
  readonly data: T;
  readonly requestId: string;
  /** For this call. */
  readonly creditsCharged: number;
  /** The balance after this call. */
  readonly creditsRemaining: number;
  readonly headers: Headers;

  constructor(envelope: Envelope<T>, headers: Headers) {
    this.data = envelope.data;
    this.requestId = envelope.request_id;
    this.creditsCharged = envelope.credits_charged;
    this.creditsRemaining = envelope.credits_remaining;
    this.headers = headers;
  }

  /** What an empty list in `data` means: `full`, `partial` or `none`; null for responses without it. */
  get coverage(): string | null {
    return (this.data as { coverage?: string }).coverage ?? null;
  }

  /** `test` or `live`. */
  get mode(): string | null {
    return this.headers.get("Panji-Mode");
  }

  /** Free calls left today, on `companies.search` and `companies.get`. */
  get freeRemaining(): number | null {
    const value = this.headers.get("Panji-Free-Remaining");
    return value === null ? null : Number(value);
  }

  /** Whether this is the response of an earlier call with the same idempotency key. It was not charged again. */
  get replayed(): boolean {
    return this.headers.get("Idempotent-Replayed") === "true";
  }
}

interface Envelope<T> {
  success: true;
  request_id: string;
  credits_charged: number;
  credits_remaining: number;
  data: T;
}

interface Failure {
  request_id: string;
  credits_remaining?: number | null;
  error?: { code?: string; message?: string; param?: string | null; docs_url?: string };
}

/** A request that is sent as it is, once or more. */
export interface Prepared {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | string | null;
  timeoutMs: number;
}

/** The request of a call. Its idempotency key is made here, so that every try has the same one. */
export function prepare(
  operation: Operation,
  path: Readonly<Record<string, string>>,
  query: Query,
  body: Body,
  options: CallOptions,
  timeoutMs: number | undefined,
): Prepared {
  let url = operation.path;
  for (const [name, value] of Object.entries(path)) {
    if (value.trim() === "") throw new TypeError(`${name} is empty`);
    url = url.replace(`{${name}}`, encodeURIComponent(value));
  }
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const headers: Record<string, string> = {};
  if (options.maxCredits !== undefined) headers["Panji-Max-Credits"] = String(options.maxCredits);
  const key = options.idempotencyKey ?? (operation.keyed ? randomKey() : undefined);
  if (key !== undefined) headers["Idempotency-Key"] = key;
  let content: Uint8Array | string | null = null;
  if (body !== null && "json" in body) {
    headers["Content-Type"] = "application/json";
    content = JSON.stringify(body.json);
  } else if (body !== null) {
    headers["Content-Type"] = body.contentType;
    content = body.content;
  }
  return {
    url: search === "" ? url : `${url}?${search}`,
    method: operation.method,
    headers,
    body: content,
    timeoutMs: options.timeoutMs ?? timeoutMs ?? (operation.slow ? SLOW_TIMEOUT_MS : TIMEOUT_MS),
  };
}

/** 128 random bits in hexadecimal. `crypto` is no global in Node 18. */
function randomKey(): string {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto !== undefined) globalThis.crypto.getRandomValues(bytes);
  else bytes.forEach((_, index) => (bytes[index] = Math.floor(Math.random() * 256)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The envelope of a response, or the error in it. */
export async function read<T>(response: globalThis.Response): Promise<Response<T> | PanjiError> {
  const text = await response.text();
  let envelope: (Envelope<T> | Failure) | null = null;
  try {
    envelope = JSON.parse(text) as Envelope<T> | Failure;
  } catch {
    return unexpected(response);
  }
  if (typeof envelope !== "object" || envelope === null || typeof envelope.request_id !== "string") return unexpected(response);
  if (response.ok && "success" in envelope && envelope.success === true) return new Response(envelope, response.headers);
  const { error = {}, request_id: requestId, credits_remaining: creditsRemaining = null } = envelope as Failure;
  const code = error.code ?? "unknown";
  const Class = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return new (Class ?? classOfStatus(response.status))(error.message ?? response.statusText, {
    status: response.status,
    code,
    requestId,
    param: error.param ?? null,
    docsUrl: error.docs_url ?? null,
    creditsRemaining,
    retryAfter: secondsOf(response.headers.get("Retry-After"), Date.now()),
  });
}

/** The bytes of a response that is a file, or the error in it. */
export async function readFile(response: globalThis.Response): Promise<Uint8Array | PanjiError> {
  if (response.ok) return new Uint8Array(await response.arrayBuffer());
  return readRefusal(response);
}

/** The error in a response that is not a success. */
export async function readRefusal(response: globalThis.Response): Promise<PanjiError> {
  const error = await read(response);
  return error instanceof PanjiError ? error : unexpected(response);
}

/** The error of a response without an envelope. A proxy's 502, 503 or 504 is one of the service. */
function unexpected(response: globalThis.Response): PanjiError {
  if (RETRIED_STATUSES.has(response.status)) {
    return new (classOfStatus(response.status))(`HTTP ${response.status}, not a response of Panji`, {
      status: response.status,
      code: "unknown",
      requestId: response.headers.get("Request-Id") ?? "",
      param: null,
      docsUrl: null,
      creditsRemaining: null,
      retryAfter: secondsOf(response.headers.get("Retry-After"), Date.now()),
    });
  }
  const kind = response.headers.get("Content-Type") ?? "no content type";
  return new UnexpectedResponseError(`HTTP ${response.status} with ${kind} is not a response of Panji: check the address`);
}

/** The seconds that a Retry-After header asks for: a number, or a date. */
export function secondsOf(retryAfter: string | null, now: number): number | null {
  if (retryAfter === null) return null;
  const seconds = Number(retryAfter);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const instant = Date.parse(retryAfter);
  return Number.isNaN(instant) ? null : Math.max(0, (instant - now) / 1000);
}

/** The milliseconds to wait before the next try; null if there is none. `attempt` counts from 0. */
export function waitBeforeRetry(error: PanjiError, attempt: number, maxRetries: number): number | null {
  if (attempt >= maxRetries) return null;
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
  // Callers that failed together do not come back together.
  const jittered = backoff * (0.5 + Math.random() / 2);
  if (error instanceof PanjiConnectionError) return jittered;
  if (!(error instanceof APIError)) return null;
  if (!RETRIED_STATUSES.has(error.status) && !RETRIED_CODES.has(error.code)) return null;
  if (error.retryAfter === null) return jittered;
  if (error.retryAfter > LONGEST_RETRY_AFTER_SECONDS) return null;
  return error.retryAfter * 1000 + (backoff * Math.random()) / 2;
}

/** The page or the cursor after this one; null after the last. */
export function nextPage(operation: Operation, response: Response<Record<string, unknown>>, current: unknown): unknown {
  const { data } = response;
  const items = data[operation.items ?? ""] as unknown[];
  if (items.length === 0) return null;
  if (operation.cursor !== "page") return data[`next_${operation.cursor}`] ?? null;
  const link = response.headers.get("Link");
  // Without either, the page after the last one is empty.
  const more = "has_more" in data ? data["has_more"] === true : link === null || link.includes('rel="next"');
  return more ? (current as number) + 1 : null;
}
