"""Measures how long the reading tools of `evtool mcp` take on a store of many entities.

    python3 Tools/agents/latency.py EVTOOL FOLDER [ENTITIES]

FOLDER is made, with a store of 100,000 entities unless said otherwise. Each line of output is a
JSON object with the median and the 99th percentile of a tool, in milliseconds.
"""

import json
import pathlib
import random
import subprocess
import sys
import time

evtool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
count = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000
calls = 2_000
folder.mkdir(parents=True)
words = ["oat", "milk", "bread", "soy", "tea", "salt", "rice", "plum", "corn", "leek"]
picks = random.Random(1)
with open(folder / "model.ndjson", "w") as file:
    def line(**members):
        print(json.dumps(members), file=file)

    line(op="define", collection="notes", fields=[
        {"name": "title", "type": "text", "search": True}, {"name": "rank", "type": "integer"}])
    line(op="define", collection="links", relationship=True, fields=[])
    for number in range(count):
        title = " ".join(picks.choice(words) for _ in range(4)) + f" {number}"
        line(op="insert", collection="notes", id=f"n{number}",
             fields={"title": title, "rank": number % 1000})
    for number in range(count):
        line(op="insert", collection="links", id=f"l{number}", source=f"n{number}",
             target=f"n{picks.randrange(count)}", fields={})
store = folder / "store"
subprocess.run([evtool, "init", store], check=True, stdout=subprocess.DEVNULL)
subprocess.run([evtool, "import", store, folder / "model.ndjson"], check=True,
               stdout=subprocess.DEVNULL)

server = subprocess.Popen([evtool, "mcp", store, "--actor", "bench"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
ids = iter(range(1, 10**9))


def request(method, **params):
    message = {"jsonrpc": "2.0", "id": next(ids), "method": method, "params": params}
    server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())


request("initialize", protocolVersion="2025-11-25", capabilities={},
        clientInfo={"name": "latency", "version": "1"})
server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
server.stdin.flush()


def anyone():
    return f"n{picks.randrange(count)}"


tools = {
    "schema": lambda: {},
    "get": lambda: {"collection": "notes", "id": anyone()},
    "query": lambda: {"sql": "SELECT title FROM notes WHERE id = ?", "parameters": [anyone()]},
    "gql": lambda: {"query": "MATCH (n:notes {id: $id})-[:links]->(m) RETURN m.title",
                    "parameters": {"id": anyone()}},
    "search": lambda: {"text": f"{picks.choice(words)} {picks.randrange(count)}", "limit": 20},
    "neighbors": lambda: {"entity": f"notes/{anyone()}"},
    "history": lambda: {"collection": "notes", "id": anyone()},
    "blame": lambda: {"collection": "notes", "id": anyone()},
    "conflicts": lambda: {},
}
for tool, arguments in tools.items():
    times = []
    for number in range(calls + 20):
        given = arguments()
        begin = time.perf_counter()
        answer = request("tools/call", name=tool, arguments=given)
        took = (time.perf_counter() - begin) * 1000
        assert not answer["result"].get("isError"), (tool, answer)
        if number >= 20:
            times.append(took)
    times.sort()
    print(json.dumps({
        "tool": tool, "entities": count, "median_ms": round(times[len(times) // 2], 3),
        "p99_ms": round(times[len(times) * 99 // 100], 3), "max_ms": round(times[-1], 3)}))
server.stdin.close()
server.wait()
