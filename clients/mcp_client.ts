// Calls the tools with the official client of TypeScript, in both revisions of the protocol.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const address = new URL(`${process.env.PANJI_ADDRESS}/mcp`);
const headers = { Authorization: `Bearer ${process.env.PANJI_KEY}` };
const cin = "L17111MH1994PLC990011";
const tools: Record<string, Record<string, unknown>> = {
  find_company: { q: "kalpanik ind", limit: 2 },
  match_companies: { items: [{ name: "M/S KALPANIK INDS LTD", state: "MH" }], limit: 1 },
  company_profile: { cin },
  company_financials: { cin },
  company_findings: { cin },
  company_network: { cin, depth: 2 },
  director: { din: "99000101", companies: true },
  verify: { value: "27ZZACK4368A1ZQ" },
  watchlists: { action: "list" },
  watch_events: { limit: 10 },
  account: {},
};
// The service is started so that this call needs a confirmation.
const expensive = { items: Array.from({ length: 6 }, () => ({ cin })) };

interface Content {
  request_id: string;
  credits_charged: number;
}

async function run(mode: "auto" | "legacy", revision: string): Promise<void> {
  let asked = 0;
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler("elicitation/create", async (request) => {
    assert.match(request.params.message, /12 credits/);
    asked += 1;
    return { action: "accept", content: { confirm: true } };
  });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  const listed = (await client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(listed, Object.keys(tools));
  for (const [name, args] of Object.entries(tools)) {
    // The client validates the result against the schema of the tool.
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, JSON.stringify(result));
    assert.match((result.structuredContent as unknown as Content).request_id, /^req_/);
  }
  const refused = await client.callTool({ name: "company_profile", arguments: { cin: "U17111MH1994PTC999999" } });
  assert.ok(refused.isError);
  assert.match(JSON.stringify(refused.content), /company_not_found/);
  const read = await client.readResource({ uri: `panji://company/${cin}` });
  assert.match(JSON.stringify(read.contents), /Kalpanik Industries Limited/);
  const prompt = await client.getPrompt({ name: "kyb_check", arguments: { company: "Kalpanik" } });
  assert.match(JSON.stringify(prompt.messages), /Kalpanik/);
  const accepted = mode === "legacy" ? { max_credits: 12 } : {};
  const result = await client.callTool({ name: "match_companies", arguments: { ...expensive, ...accepted } });
  assert.equal((result.structuredContent as unknown as Content | undefined)?.credits_charged, 12, JSON.stringify(result));
  assert.equal(asked, mode === "legacy" ? 0 : 1);
  await client.close();
}

await run("auto", "2026-07-28");
await run("legacy", "2025-11-25");
console.log("@modelcontextprotocol/client: all calls succeeded");
