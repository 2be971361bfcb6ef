import {
  type Body,
  type CallInfo,
  type CallOptions,
  DEFAULT_BASE_URL,
  MAX_RETRIES,
  nextPage,
  type Operation,
  type PageOptions,
  prepare,
  type Prepared,
  type Query,
  read,
  readFile,
  readRefusal,
  Response,
  VERSION,
  waitBeforeRetry,
} from "./call.ts";
import { APIError, PanjiConnectionError, PanjiError, PanjiTimeoutError } from "./errors.ts";
import type { Path } from "./resource.ts";
import { Groups } from "./resources.ts";

export interface PanjiOptions {
  /** Your key; the environment variable PANJI_API_KEY if left out. */
  apiKey?: string | undefined;
  /** The address of your Panji; PANJI_BASE_URL, or http://127.0.0.1:8080, if left out. */
  baseUrl?: string | undefined;
  /** The milliseconds to wait for a response, for every call; 20,000 if left out, and 75,000 for lists and files. */
  timeoutMs?: number | undefined;
  /** How often a call is repeated if that can help, 3 if left out. A repeat is never charged twice. */
  maxRetries?: number | undefined;
  /** Your own `fetch`, for proxies or certificates. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** A variable of the environment in Node, Deno and Bun; a browser has none. */
function environment(name: string): string | undefined {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return host.process?.env?.[name];
  } catch {
    // Deno asks for a permission to read it.
    return undefined;
  }
}

/**
 * A client of Panji.
 *
 *     const panji = new Panji("pk_test_…");
 *     console.log((await panji.companies.get("L17111MH1994PLC990011")).data.name);
 */
export class Panji extends Groups {
  readonly baseUrl: string;
  /** The request id and the credits of the last call, a failed one included. */
  lastCall: CallInfo | null = null;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number | undefined;
  readonly #maxRetries: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor(options: string | PanjiOptions = {}) {
    const settings = typeof options === "string" ? { apiKey: options } : options;
    super();
    const key = settings.apiKey ?? environment("PANJI_API_KEY");
    if (!key) throw new PanjiError("no API key: pass one, or set PANJI_API_KEY");
    this.baseUrl = (settings.baseUrl ?? environment("PANJI_BASE_URL") ?? DEFAULT_BASE_URL).replace(/\/+$/, "");
    this.#headers = { Authorization: `Bearer ${key}` };
    // Browsers do not let a page set it.
    if (typeof document === "undefined") this.#headers["User-Agent"] = `panji-typescript/${VERSION}`;
    this.#timeoutMs = settings.timeoutMs;
    this.#maxRetries = settings.maxRetries ?? MAX_RETRIES;
    this.#fetch = settings.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** The balance after the last call; null before the first. */
  get creditsRemaining(): number | null {
    return this.lastCall?.creditsRemaining ?? null;
  }

  /** Sends a call. */
  override async call<T>(operation: Operation, path: Path, query: Query, body: Body, options: CallOptions): Promise<Response<T>> {
    const prepared = prepare(operation, path, query, body, options, this.#timeoutMs);
    return this.#repeat(prepared, options.signal, (response) => read<T>(response));
  }

  /** Sends a call whose response is a file. */
  override async download(operation: Operation, path: Path, query: Query, accept: string | null, options: CallOptions): Promise<Uint8Array> {
    const prepared = prepare(operation, path, query, null, options, this.#timeoutMs);
    if (accept !== null) prepared.headers["Accept"] = accept;
    return this.#repeat(prepared, options.signal, readFile);
  }

  /** The items of all pages. */
  override async *iterate<T>(operation: Operation, path: Path, query: Query, options: PageOptions): AsyncGenerator<T, void, undefined> {
    const { items = "", cursor = "" } = operation;
    let current: unknown = cursor === "page" ? 1 : null;
    do {
      const page = await this.call<Record<string, unknown>>(operation, path, { ...query, [cursor]: current }, null, options);
      yield* page.data[items] as T[];
      current = nextPage(operation, page, current);
    } while (current !== null);
  }

  /** The bytes of a response as they arrive. */
  override async *receive(
    operation: Operation,
    query: Query,
    headers: Readonly<Record<string, string>>,
    silenceMs: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const prepared = prepare(operation, {}, query, null, { timeoutMs: silenceMs }, undefined);
    const limit = new TimeLimit(silenceMs, signal);
    try {
      const response = await this.#fetch(this.baseUrl + prepared.url, {
        headers: { ...this.#headers, ...headers },
        redirect: "manual",
        signal: limit.signal,
      });
      if (!response.ok || response.body === null) {
        const error = await readRefusal(response);
        this.#note(error);
        throw error;
      }
      const reader = response.body.getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        limit.restart();
        yield part.value;
      }
    } catch (error) {
      throw error instanceof PanjiError ? error : limit.reason(error);
    } finally {
      // The connection is closed, also if the caller stops before the end.
      limit.cancel();
    }
  }

  /** Waits between two tries. */
  override sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, milliseconds);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }

  /** Sends a request, and again where that can help. */
  async #repeat<T>(
    prepared: Prepared,
    signal: AbortSignal | undefined,
    readResponse: (response: globalThis.Response) => Promise<T | PanjiError>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      const result = await this.#send(prepared, signal, readResponse);
      this.#note(result);
      if (!(result instanceof PanjiError)) return result;
      const pause = waitBeforeRetry(result, attempt, this.#maxRetries);
      if (pause === null) throw result;
      await this.sleep(pause, signal);
    }
  }

  async #send<T>(
    prepared: Prepared,
    signal: AbortSignal | undefined,
    readResponse: (response: globalThis.Response) => Promise<T | PanjiError>,
  ): Promise<T | PanjiError> {
    const limit = new TimeLimit(prepared.timeoutMs, signal);
    try {
      const response = await this.#fetch(this.baseUrl + prepared.url, {
        method: prepared.method,
        headers: { ...this.#headers, ...prepared.headers },
        body: prepared.body as BodyInit | null,
        // A redirect would lose the body or the key: the address is wrong then.
        redirect: "manual",
        signal: limit.signal,
      });
      return await readResponse(response);
    } catch (error) {
      return limit.reason(error);
    } finally {
      limit.end();
    }
  }

  #note(result: unknown): void {
    if (result instanceof Response) {
      const { requestId, creditsCharged, creditsRemaining } = result;
      this.lastCall = { requestId, creditsCharged, creditsRemaining };
    } else if (result instanceof APIError) {
      this.lastCall = { requestId: result.requestId, creditsCharged: 0, creditsRemaining: result.creditsRemaining };
    }
  }
}

/** Aborts a request after a time, or when its caller does. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #caller: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);
  #late = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, caller: AbortSignal | undefined) {
    caller?.throwIfAborted();
    this.#milliseconds = milliseconds;
    this.#caller = caller;
    caller?.addEventListener("abort", this.#abort, { once: true });
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#late = true;
      this.#controller.abort();
    }, this.#milliseconds);
  }

  /** The error of a request that failed. The caller's own abort is thrown: it is no error of the request. */
  reason(error: unknown): PanjiConnectionError {
    this.#caller?.throwIfAborted();
    if (this.#late) return new PanjiTimeoutError(`no response within ${this.#milliseconds} ms`);
    return new PanjiConnectionError(reasonOf(error), { cause: error });
  }

  cancel(): void {
    this.end();
    this.#controller.abort();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }
}

/** What went wrong: `fetch failed` says less than its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
