// The stream of events, which continues by itself after a lost connection.

import { type Operation, waitBeforeRetry } from "./call.ts";
import { PanjiConnectionError, PanjiError, UnexpectedResponseError } from "./errors.ts";
import { Resource } from "./resource.ts";
import type { Event } from "./types.ts";

const STREAM_EVENTS: Operation = { method: "GET", path: "/v1/events/stream" };
// The service sends something every 15 seconds.
const SILENCE_MS = 45_000;
// Until the service says another.
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
// Failures one after the other; with their pauses they take about an hour.
const MAX_FAILURES = 400;
// More than any event has.
const MAX_LINE_LENGTH = 8 * 1024 * 1024;

/** What was received, and when to connect again. It reads and sends nothing itself. */
class StreamState {
  #lastId: string | null = null;
  #pauseMs = PAUSE_MS;
  #failures = 0;
  #decoder = new TextDecoder();
  #rest = "";
  #id: string | null = null;
  #data: string[] = [];

  /** The headers of the next connection. An event of which only a part was received is sent again. */
  headers(): Record<string, string> {
    this.#decoder = new TextDecoder();
    this.#rest = "";
    this.#id = this.#lastId;
    this.#data = [];
    return this.#lastId === null ? {} : { "Last-Event-ID": this.#lastId };
  }

  /** The events that are complete with these bytes. */
  *feed(chunk: Uint8Array): Generator<Event, void, undefined> {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > MAX_LINE_LENGTH) {
      throw new UnexpectedResponseError(`a line of the stream has more than ${MAX_LINE_LENGTH} characters`);
    }
    for (const line of lines) {
      this.#failures = 0;
      const event = this.#read(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (event !== null) yield event;
    }
  }

  #read(line: string): Event | null {
    const [name = "", ...rest] = line.split(":");
    const value = rest.join(":").replace(/^ /, "");
    if (name === "id") this.#id = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "retry" && /^[0-9]+$/.test(value)) this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Number(value));
    if (line !== "") return null;
    this.#lastId = this.#id;
    const data = this.#data;
    this.#data = [];
    return data.length === 0 ? null : (JSON.parse(data.join("\n")) as Event);
  }

  /** The milliseconds to wait before the next connection. Throws what another connection cannot help against. */
  pause(failure: PanjiError): number {
    const wait = waitBeforeRetry(failure, this.#failures, MAX_FAILURES);
    if (wait === null) throw failure;
    this.#failures += 1;
    return this.#pauseMs + wait;
  }
}

export interface StreamParams {
  /** Only events with a higher `seq`. Without it, the stream begins with the next event. */
  after?: number | undefined;
  /** Only events of the current members of this watch list. */
  watchlist?: string | undefined;
  /** Only events of these types. */
  types?: string | readonly string[] | undefined;
}

export class StreamEvents extends Resource {
  /**
   * The events of your watch lists as soon as they are recorded, without end; `signal` stops it.
   *
   * After a lost connection it connects again, with growing pauses, and continues without gap or repeat; after about an
   * hour without success the last error is thrown. To continue in another process, keep the `seq` of the last event
   * that you have processed, and pass it as `after`.
   */
  async *stream(params: StreamParams = {}, options: { signal?: AbortSignal } = {}): AsyncGenerator<Event, void, undefined> {
    const state = new StreamState();
    for (;;) {
      let failure: PanjiError = new PanjiConnectionError("the service ended the stream");
      try {
        const chunks = this.caller.receive(STREAM_EVENTS, { ...params }, state.headers(), SILENCE_MS, options.signal);
        for await (const chunk of chunks) yield* state.feed(chunk);
      } catch (error) {
        if (!(error instanceof PanjiError)) throw error;
        failure = error;
      }
      await this.caller.sleep(state.pause(failure), options.signal);
    }
  }
}
