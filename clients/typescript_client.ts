// Calls the program through openapi-fetch, with the types that openapi-typescript made of its description.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { env: Record<string, string | undefined> };

const CIN = "L17111MH1994PLC990011";
const UNKNOWN_CIN = "U17111MH1994PTC999999";

type Results = components["schemas"]["BulkVerifyResults"];
type Price = components["schemas"]["BulkPrice"];
type Failure = components["schemas"]["ErrorEnvelope"];

const client = createClient<paths>({
  baseUrl: process.env["PANJI_ADDRESS"] ?? "",
  headers: { Authorization: `Bearer ${process.env["PANJI_KEY"] ?? ""}` },
});

function expect(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(`not as described: ${JSON.stringify(what)}`);
}

/** The body of a call that must have succeeded. */
function succeeded<T>(call: { data?: T; error?: Failure; response: Response }): T {
  expect(call.data !== undefined, call.error);
  expect(call.response.headers.has("Request-Id"), "the header Request-Id");
  return call.data;
}

async function search(): Promise<void> {
  const query = { q: "kalpanik ind", limit: 2, status: "active" } as const;
  const found = succeeded(await client.GET("/v1/companies/search", { params: { query } }));
  const success: true = found.success;
  const [first] = found.data.companies;
  expect(success && found.data.total >= 1 && first !== undefined, found);
  const score: number = first.score;
  expect(first.status === "active" && score <= 1, first);
}

async function company(): Promise<void> {
  const params = { path: { cin: CIN }, header: { "Idempotency-Key": "typescript 1" } };
  const { data } = succeeded(await client.GET("/v1/companies/{cin}", { params }));
  const incorporated: string | null = data.incorporated_on;
  expect(data.cin === CIN && incorporated !== null, data);
  expect(data.registered_office.state === "Maharashtra", data);
}

async function verdict(): Promise<void> {
  const params = { path: { pan: "ZZACK4368A" } };
  const checked = succeeded(await client.GET("/v1/verify/pan/{pan}", { params }));
  expect(checked.credits_charged === 1 && checked.data.valid, checked);
  expect(checked.data.parsed?.holder_type === "company", checked);
}

async function verdicts(): Promise<void> {
  const body: components["schemas"]["BulkVerifyRequest"] = {
    items: [{ type: "gstin", value: "27ZZACK4368A1ZP", ref: "first" }, { value: CIN }, { value: "what is this" }],
  };
  const dryRun = { params: { query: { dry_run: true } }, body };
  const price: Results | Price = succeeded(await client.POST("/v1/bulk/verify", dryRun)).data;
  expect("credits" in price && price.credits === 2, price);
  const { data } = succeeded(await client.POST("/v1/bulk/verify", { body }));
  expect("results" in data, data);
  const [gstin, cin, unknown] = data.results;
  // Each is told by its type.
  expect(gstin?.type === "gstin" && gstin.result.check_digit_valid && gstin.ref === "first", gstin);
  expect(cin?.type === "cin" && cin.result.legal_name !== null, cin);
  expect(unknown?.type === null && unknown.error.code === "invalid_identifier", unknown);
}

async function sections(): Promise<void> {
  const body: components["schemas"]["BulkEnrichRequest"] = {
    cins: [CIN, UNKNOWN_CIN],
    fields: ["company.name", "pan", "capital", "directors", "charges", "financials", "compliance", "documents"],
  };
  const { data } = succeeded(await client.POST("/v1/bulk/enrich", { body }));
  expect("results" in data, data);
  const [found, unknown] = data.results;
  expect(found !== undefined && found.company?.name !== undefined, found);
  expect(found.company.status === undefined && found.capital?.currency === "INR", found);
  const din: string | undefined = found.directors?.current?.[0]?.din;
  const margin: number | null | undefined = found.financials?.years?.[0]?.ratios.net_margin;
  expect(din !== undefined && margin !== undefined, found);
  expect(found.charges?.open !== undefined && found.compliance?.epfo !== undefined, found);
  expect(found.documents?.documents !== undefined && found.pan?.pan !== undefined, found);
  expect(unknown?.company === null && unknown.error?.code === "company_not_found", unknown);
}

async function error(): Promise<void> {
  const call = await client.GET("/v1/companies/{cin}", { params: { path: { cin: UNKNOWN_CIN } } });
  expect(call.response.status === 404 && call.error !== undefined, call.data);
  const failure: Failure = call.error;
  const success: false = failure.success;
  expect(!success && failure.data === null && failure.error.code === "company_not_found", failure);
}

for (const call of [search, company, verdict, verdicts, sections, error]) {
  await call();
  console.log(`${call.name}: as described`);
}
