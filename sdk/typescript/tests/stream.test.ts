// The stream of events of the running program, through connections that break anywhere.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { AuthenticationError, PanjiConnectionError, WatchlistNotFoundError } from "../src/index.ts";
import { RecordingClient, type Service, startService } from "./service.ts";

const CIN = "L17111MH1994PLC990011";
let service: Service;
let panji: RecordingClient;
let seqs: number[];

before(async () => {
  service = await startService();
  panji = new RecordingClient(service);
  const { data: watchlist } = await panji.watchlists.create("streamed");
  await panji.watchlists.addMembers(watchlist.id, [CIN]);
  for (let count = 0; count < 3; count += 1) await panji.sandbox.simulate({ cin: CIN });
  seqs = [];
  for await (const event of panji.events.iter({ limit: 100 })) seqs.push(event.seq);
});
after(() => service.stop());

/** A `fetch` whose streams break after some bytes, and the places at which they began. */
function cuttingFetch(): { fetch: typeof globalThis.fetch; positions: (string | null)[] } {
  const positions: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await globalThis.fetch(input, init);
    if (!String(input).includes("/stream") || response.body === null) return response;
    positions.push(new Headers(init?.headers).get("Last-Event-ID"));
    let left = 1 + ((positions.length * 937) % 2500);
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.slice(0, left));
        left -= chunk.length;
        // The end of the stream, in the middle of an event.
        if (left <= 0) controller.terminate();
      },
    });
    return new globalThis.Response(response.body.pipeThrough(cut), { status: response.status, headers: response.headers });
  };
  return { fetch, positions };
}

test("a stream continues without gap or repeat wherever its connection breaks", async () => {
  const { fetch, positions } = cuttingFetch();
  const client = new RecordingClient(service, { fetch });
  const received: number[] = [];
  for await (const event of client.events.stream({ after: 0 })) {
    received.push(event.seq);
    if (received.length === seqs.length) break;
  }
  assert.deepEqual(received, seqs);
  assert.ok(positions.length > 5);
  assert.equal(positions[0], null);
  assert.equal(client.pauses.length, positions.length - 1);
  assert.ok(client.pauses.every((pause) => pause >= 2000 && pause < 11_000));
});

test("a stream has filters", async () => {
  const types = ["charge.created", "charge.satisfied"];
  const found: string[] = [];
  for await (const event of panji.events.stream({ after: seqs[0], types })) {
    found.push(event.type);
    if (found.length === 4) break;
  }
  assert.deepEqual(found, [...types, ...types]);
});

test("a signal stops a stream that waits", async () => {
  const stop = new AbortController();
  const events = panji.events.stream({ after: seqs.at(-2) }, { signal: stop.signal });
  assert.equal((await events.next()).value?.seq, seqs.at(-1));
  const waiting = events.next();
  stop.abort();
  await assert.rejects(waiting, { name: "AbortError" });
});

test("refusals are thrown at once", async () => {
  const client = new RecordingClient(service);
  const unknown = client.events.stream({ watchlist: "wl_01ARZ3NDEKTSV4RRFFQ69G5FAV" });
  await assert.rejects(unknown.next(), WatchlistNotFoundError);
  const stranger = new RecordingClient({ baseUrl: service.baseUrl, apiKey: "pk_test_unknown" });
  await assert.rejects(stranger.events.stream().next(), AuthenticationError);
  assert.deepEqual([client.pauses, stranger.pauses], [[], []]);
});

test("it gives up after a limited number of growing pauses", async () => {
  const fetch = (): Promise<never> => Promise.reject(new TypeError("fetch failed"));
  const client = new RecordingClient(service, { fetch });
  await assert.rejects(client.events.stream().next(), PanjiConnectionError);
  assert.equal(client.pauses.length, 400);
  const [first = 0, tenth = 0] = [client.pauses[0], client.pauses[9]];
  assert.ok(first < 3000 && tenth > 3000 && tenth < 11_000);
});
