/** Verifies the messages that Panji sends to webhooks (Standard Webhooks 1.0). */

/** How far the time of a message may be from the time of this machine, in seconds. */
export const TOLERANCE_SECONDS = 300;

/** The message was not sent by Panji, was changed, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** A message, in the shape that the Standard Webhooks specification recommends. */
export interface WebhookMessage {
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export interface VerifyOptions {
  toleranceSeconds?: number;
  /** The present, in seconds since 1970; for tests. */
  now?: number;
}

type Headers_ = Headers | Record<string, string | string[] | undefined>;

/**
 * The message, if one of its signatures is that of the secret.
 *
 * `body` is the body as it arrived, not parsed. `headers` are those of the request.
 */
export async function verify(
  body: string | Uint8Array,
  headers: Headers_,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() / 1000 }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = header(headers, "webhook-id");
  const timestamp = header(headers, "webhook-timestamp");
  const signatures = header(headers, "webhook-signature");
  if (!/^[0-9]+$/.test(timestamp)) {
    throw new WebhookVerificationError("The header webhook-timestamp is not a number.");
  }
  if (Math.abs(now - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError("The message is too old or from the future.");
  }
  const text = typeof body === "string" ? body : new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  const subtle = await subtleCrypto();
  const key = await subtle.importKey("raw", keyOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const part of signatures.split(" ")) {
    const signature = part.startsWith("v1,") ? fromBase64(part.slice(3)) : undefined;
    if (signature !== undefined && (await subtle.verify("HMAC", key, signature, signed))) {
      return JSON.parse(text) as WebhookMessage;
    }
  }
  throw new WebhookVerificationError("No signature is that of the secret.");
}

function header(headers: Headers_, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : ofRecord(headers, name);
  if (typeof value !== "string") {
    throw new WebhookVerificationError(`The header ${name} is missing.`);
  }
  return value;
}

function ofRecord(headers: Record<string, string | string[] | undefined>, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  const value = found?.[1];
  return Array.isArray(value) ? value[0] : value;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.replace(/^whsec_/, ""));
  if (key === undefined) {
    throw new TypeError("The secret of a webhook begins with whsec_ and continues in base64.");
  }
  return key;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Node 18 has it only in a module. */
async function subtleCrypto(): Promise<SubtleCrypto> {
  const present = (globalThis as { crypto?: Crypto }).crypto;
  if (present !== undefined) {
    return present.subtle;
  }
  const module = "node:crypto";
  const node = (await import(module)) as { webcrypto: Crypto };
  return node.webcrypto.subtle;
}
