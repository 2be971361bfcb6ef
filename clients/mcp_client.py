"""Calls the tools with the official client of Python (mcp), in both revisions of the protocol, and with fastmcp."""

import asyncio
import json
import os

import fastmcp
import httpx2
import mcp
from fastmcp.client.transports import StreamableHttpTransport
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

ADDRESS = os.environ["PANJI_ADDRESS"] + "/mcp"
HEADERS = {"Authorization": f"Bearer {os.environ['PANJI_KEY']}"}
CIN = "L17111MH1994PLC990011"
UNKNOWN_CIN = "U17111MH1994PTC999999"
TOOLS = {
    "find_company": {"q": "kalpanik ind", "limit": 2},
    "match_companies": {"items": [{"name": "M/S KALPANIK INDS LTD", "state": "MH"}], "limit": 1},
    "company_profile": {"cin": CIN},
    "company_financials": {"cin": CIN},
    "company_findings": {"cin": CIN},
    "company_network": {"cin": CIN, "depth": 2},
    "director": {"din": "99000101", "companies": True},
    "verify": {"value": "27ZZACK4368A1ZQ"},
    "watchlists": {"action": "list"},
    "watch_events": {"limit": 10},
    "account": {},
}
# The service is started so that this call needs a confirmation.
EXPENSIVE = {"items": [{"cin": CIN}] * 6}
asked = []


async def confirm(_context, question):
    asked.append(question.message)
    return ElicitResult(action="accept", content={"confirm": True})


async def call_all(client, has_error):
    """Calls every tool; the client validates the results against the schemas of the tools."""
    for name, arguments in TOOLS.items():
        result = await client.call_tool(name, arguments)
        content = result.structured_content
        assert content["request_id"].startswith("req_"), content
        assert json.loads(result.content[0].text) == content, name
    refused = await has_error("company_profile", {"cin": UNKNOWN_CIN})
    assert refused.startswith("company_not_found: ") and "Nothing was charged" in refused, refused


async def with_mcp(mode, revision):
    http = httpx2.AsyncClient(headers=HEADERS, timeout=120)
    transport = streamable_http_client(ADDRESS, http_client=http)
    async with http, mcp.Client(transport, mode=mode, elicitation_callback=confirm) as client:
        assert client.protocol_version == revision, client.protocol_version
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == set(TOOLS), names

        async def has_error(name, arguments):
            result = await client.call_tool(name, arguments)
            assert result.is_error, result
            return result.content[0].text

        await call_all(client, has_error)
        read = await client.read_resource(f"panji://company/{CIN}")
        assert json.loads(read.contents[0].text)["data"]["cin"] == CIN
        prompt = await client.get_prompt("kyb_check", {"company": "Kalpanik"})
        assert "Kalpanik" in prompt.messages[0].content.text
        before = len(asked)
        if mode == "legacy":
            # Without a session the server cannot ask.
            refused = await has_error("match_companies", EXPENSIVE)
            assert refused.startswith("confirmation_required: "), refused
            result = await client.call_tool("match_companies", EXPENSIVE | {"max_credits": 12})
            assert len(asked) == before
        else:
            result = await client.call_tool("match_companies", EXPENSIVE)
            assert len(asked) == before + 1 and "12 credits" in asked[-1], asked
        assert result.structured_content["credits_charged"] == 12, result


async def with_fastmcp():
    transport = StreamableHttpTransport(ADDRESS, headers=HEADERS)
    async with fastmcp.Client(transport) as client:
        assert {tool.name for tool in await client.list_tools()} == set(TOOLS)

        async def has_error(name, arguments):
            try:
                await client.call_tool(name, arguments)
            except fastmcp.exceptions.ToolError as error:
                return str(error)
            raise AssertionError(f"{name} was not refused")

        await call_all(client, has_error)


async def without_key():
    http = httpx2.AsyncClient(timeout=120)
    try:
        async with http, mcp.Client(streamable_http_client(ADDRESS, http_client=http)):
            raise AssertionError("a client without a key was served")
    except AssertionError:
        raise
    except Exception as error:
        print(f"without a key: {type(error).__name__}")


asyncio.run(with_mcp("auto", "2026-07-28"))
asyncio.run(with_mcp("legacy", "2025-11-25"))
asyncio.run(with_fastmcp())
asyncio.run(without_key())
print("mcp and fastmcp: all calls succeeded")
