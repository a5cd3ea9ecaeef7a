"""Calls every tool of `evtool mcp` with the installed client: drive.py EVTOOL STORE."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def part(value, *names):
    """Returns the first attribute that a version of the client has."""
    return next(getattr(value, name) for name in names if hasattr(value, name))


async def drive(mark, list_tools, call_tool):
    one, two = mark + "1", mark + "2"
    driven = set()

    async def call(tool, **arguments):
        driven.add(tool)
        result = await call_tool(tool, arguments)
        assert not part(result, "is_error", "isError"), (tool, result)
        return part(result, "structured_content", "structuredContent")

    tools = {tool.name for tool in (await list_tools()).tools}
    await call("schema")
    await call("schema", collection="notes")
    first = await call(
        "insert", collection="notes", id=one, fields={"title": "Oat milk", "body": "one two"})
    await call("insert", collection="notes", id=two, fields={"title": "Bread"})
    await call("link", collection="links", **{"from": "notes/" + one, "to": "notes/" + two})
    entity = (await call("get", collection="notes", id=one))["entity"]
    assert entity["fields"]["title"] == "Oat milk", entity
    rows = (await call("gql", query="MATCH (n:notes) RETURN count(n) AS count"))["rows"]
    assert rows[0][0] > 0
    rows = (await call("query", sql="SELECT id FROM notes WHERE title = ?", parameters=["Bread"]))
    assert rows["rows"] == [[two]], rows
    assert (await call("search", text="oat"))["hits"]
    assert len((await call("neighbors", entity="notes/" + one))["relationships"]) == 1
    assert (await call("path", **{"from": "notes/" + one, "to": "notes/" + two}))["path"]["cost"] == 1
    await call("update", collection="notes", id=one, fields={"title": "Oats"})
    text = await call(
        "edit_text", collection="notes", id=one, field="body", find="two", replace="three")
    assert text["text"] == "one three", text
    assert len((await call("history", collection="notes", id=one))["writes"]) == 3
    assert (await call("blame", collection="notes", id=one))["parts"]
    assert (await call("blame", collection="notes", id=one, field="body"))["parts"]
    past = await call("at", position=first["event"], collection="notes", id=one)
    assert past["entity"]["fields"]["title"] == "Oat milk", past
    assert (await call("changes", **{"from": first["event"]}))["changes"]
    assert (await call("conflicts"))["conflicts"] == []
    refused = await call_tool("settle", {
        "collection": "notes", "id": one, "field": "title", "take": "shown"})
    assert part(refused, "is_error", "isError"), refused
    driven.add("settle")
    deleted = await call("delete", collection="notes", id=two)
    await call("undo", event=deleted["event"])
    await call("undo_all_of_actor")
    assert (await call("query", sql="SELECT * FROM notes"))["rows"] == []
    assert tools == driven, tools ^ driven
    print(f"  {len(driven)} tools")


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", sys.argv[2]])
    try:
        from mcp.client.client import Client
    except ImportError:
        async with stdio_client(server) as (reader, writer):
            async with ClientSession(reader, writer) as session:
                print(" ", (await session.initialize()).protocolVersion)
                await drive("s", session.list_tools, session.call_tool)
        return
    for mode in ("auto", "legacy"):
        async with Client(stdio_client(server), mode=mode) as client:
            print(" ", client.protocol_version)
            await drive(mode, client.list_tools, client.call_tool)
            await client.read_resource("daybook://schema")


asyncio.run(main())
