// Calls of the running program.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { NotFoundError, Panji, PanjiError, type types } from "../src/index.ts";
import { RecordingClient, type Service, startService } from "./service.ts";

const CIN = "L17111MH1994PLC990011";
const LONG_LIST = "L27100OR1986PLC990021";
let service: Service;
let panji: RecordingClient;

before(async () => {
  service = await startService();
  panji = new RecordingClient(service);
});
after(() => service.stop());

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("a response has data, credits and a request id", async () => {
  const client = new RecordingClient(service);
  assert.equal(client.creditsRemaining, null);
  const response = await client.companies.pan(CIN);
  const data: types.CompanyPan = response.data;
  assert.equal(data.pan, "ZZDCK9534Q");
  assert.equal(response.coverage, "full");
  assert.equal(response.creditsCharged, 3);
  assert.match(response.requestId, /^req_/);
  assert.equal(response.mode, "test");
  assert.equal(response.replayed, false);
  assert.deepEqual(client.lastCall, { requestId: response.requestId, creditsCharged: 3, creditsRemaining: response.creditsRemaining });
  assert.equal(client.creditsRemaining, response.creditsRemaining);
  assert.ok(((await client.companies.get(CIN)).freeRemaining ?? -1) >= 0);
});

test("every operation is callable under its group", async () => {
  const board = await panji.companies.directors(CIN);
  const din = board.data.current[0]?.din ?? "";
  const responses = [
    await panji.companies.profile(CIN),
    await panji.companies.financials(CIN),
    await panji.companies.charges(CIN),
    await panji.companies.compliance(CIN),
    await panji.directors.get(din),
    await panji.directors.companies(din),
    await panji.gst.get("27ZZACK4368A1ZP"),
    await panji.gst.byPan("ZZACK4368A"),
    await panji.verify.cin(CIN),
    await panji.verify.din(din),
    await panji.verify.gstin("27ZZACK4368A1ZP"),
    await panji.verify.pan("ZZACK4368A"),
    await panji.account.usage({ group_by: "operation" }),
  ];
  assert.ok(responses.every((response) => response.requestId.startsWith("req_")));
  assert.equal((await panji.account.get()).data.prices.getCompanyPan, 3);
  const request = await panji.account.request(responses[0]?.requestId ?? "");
  assert.equal(request.data.operation, "getCompanyProfile");
});

test("optional parameters are sent as the service wants them", async () => {
  const found = await panji.companies.search("kalpanik", { listed: true, class: "public", state: "MH", limit: 1 });
  assert.equal(found.data.companies[0]?.cin, CIN);
  assert.equal((await panji.companies.get(` ${CIN.toLowerCase()} `)).data.cin, CIN);
});

test("pages are iterated to the end", async () => {
  const first = await panji.companies.documents(LONG_LIST);
  const total = first.data.total_documents ?? 0;
  assert.ok(total > 2 * first.data.documents.length);
  const documents = await collect(panji.companies.iterDocuments(LONG_LIST));
  assert.equal(documents.length, total);
  assert.deepEqual(documents.slice(0, first.data.documents.length), first.data.documents);
  const companies = await collect(panji.companies.iterSearch("kalpanik", { limit: 3 }));
  assert.ok(companies.length > 3);
  assert.equal(new Set(companies.map((company) => company.cin)).size, companies.length);
});

test("pages are fetched and charged when they are needed", async () => {
  const start = (await panji.account.get()).data.credits_remaining;
  for await (const document of panji.companies.iterDocuments(LONG_LIST)) {
    assert.ok(document.file_name);
    break;
  }
  assert.equal((await panji.account.get()).data.credits_remaining, start - 2);
});

test("bulk calls have a price, and results that are told by their type", async () => {
  const items: types.BulkVerifyItem[] = [{ type: "gstin", value: "27ZZACK4368A1ZP", ref: "a" }, { value: CIN }];
  assert.equal((await panji.bulk.verifyPrice(items)).data.credits, 2);
  const response = await panji.bulk.verify(items);
  assert.equal(response.creditsCharged, 2);
  const [first] = response.data.results;
  assert.ok(first?.type === "gstin" && first.result.check_digit_valid);
  const enriched = await panji.bulk.enrich([CIN], ["company.name", "pan"]);
  assert.equal(enriched.data.results[0]?.company?.name, "Kalpanik Industries Limited");
  const matched = await panji.companies.match([{ name: "Kalpanik Industries Ltd", state: "Maharashtra" }], { limit: 1 });
  assert.equal(matched.data.results[0]?.decision, "match");
});

test("a job is created, approved, awaited and read", async () => {
  const { data: job } = await panji.jobs.create("bulkVerify", [CIN, { value: "99000101", type: "din" }], { name: "two" });
  assert.equal(job.status, "awaiting_approval");
  assert.equal((await panji.jobs.wait(job.id)).data.status, "awaiting_approval");
  await panji.jobs.approve(job.id);
  const { data: done } = await panji.jobs.wait(job.id);
  assert.deepEqual([done.status, done.credits_charged], ["done", 2]);
  const rows = await collect(panji.jobs.iterResults(job.id, { limit: 1 }));
  assert.deepEqual(rows.map((row) => row.row), [1, 2]);
  const csv = new TextDecoder().decode(await panji.jobs.downloadResults(job.id, "csv"));
  assert.ok(csv.startsWith("value,"));
  assert.equal((await panji.jobs.downloadResults(job.id, "xlsx"))[0], 0x50);
  const listed = await collect(panji.jobs.iter({ limit: 1 }));
  assert.ok(listed.some(({ id }) => id === job.id));
  await assert.rejects(panji.jobs.downloadResults("job_01ARZ3NDEKTSV4RRFFQ69G5FAV", "csv"), NotFoundError);
});

test("a file becomes a job", async () => {
  const params = { operation: "bulkEnrich", fields: "company.name", auto_approve: true, max_credits: 5 };
  const { data: job } = await panji.jobs.createFromFile(new TextEncoder().encode(`cin\n${CIN}\n`), "text/csv", params);
  assert.equal((await panji.jobs.wait(job.id)).data.status, "done");
  const { data: other } = await panji.jobs.create("bulkVerify", [CIN]);
  assert.equal((await panji.jobs.cancel(other.id)).data.status, "cancelled");
});

test("a client without a key says where to put it", () => {
  const key = process.env["PANJI_API_KEY"];
  delete process.env["PANJI_API_KEY"];
  assert.throws(() => new Panji(), (error) => error instanceof PanjiError && error.message.includes("PANJI_API_KEY"));
  if (key !== undefined) process.env["PANJI_API_KEY"] = key;
});

test("address and key come from the environment", async () => {
  process.env["PANJI_API_KEY"] = service.apiKey;
  process.env["PANJI_BASE_URL"] = `${service.baseUrl}/`;
  try {
    assert.equal((await new Panji().companies.get(CIN)).data.cin, CIN);
  } finally {
    delete process.env["PANJI_API_KEY"];
    delete process.env["PANJI_BASE_URL"];
  }
});
