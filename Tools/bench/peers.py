#!/usr/bin/env python3
"""Loads WordNet as a graph into other graph databases on SQLite, to compare with `bench daybook gql`.

    Tools/wordnet/convert > wordnet.ndjson
    python3 -m venv peers && peers/bin/pip install graphqlite oxilite
    peers/bin/python Tools/bench/peers.py wordnet.ndjson FOLDER [graphqlite|oxilite|oxilite-cypher]...

Each line of output is a JSON object. GraphQLite is an extension of SQLite, so Python's sqlite3 has
to load extensions; Debian's does.
"""

import json
import os
import sys
import time


def wordnet(path):
    """Returns the nodes (id, properties) and relationships (source, target, kind)."""
    nodes, relationships = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            one = json.loads(line)
            if one["op"] != "insert":
                continue
            if "source" in one:
                relationships.append((one["source"], one["target"], one["fields"]["kind"]))
            else:
                nodes.append((one["id"], one["fields"]))
    return nodes, relationships


def graphqlite(nodes, relationships, path):
    """Its bulk calls, which write SQL and no Cypher; one transaction each."""
    from graphqlite import graph

    g = graph(path)
    ids = g.insert_nodes_bulk([(key, fields, "Synset") for key, fields in nodes])
    g.insert_edges_bulk([(a, b, {"kind": kind}, "POINTER") for a, b, kind in relationships], ids)


def oxilite(nodes, relationships, path):
    """Its bulk load of the same graph as N-Triples; a relationship is one triple of its kind."""
    from oxilite import Store

    def iri(name):
        return f"<http://example.org/{name}>"

    triples = path + ".nt"
    with open(triples, "w", encoding="utf-8") as file:
        for key, fields in nodes:
            for name, value in fields.items():
                file.write(f"{iri(key)} {iri(name)} {json.dumps(value)} .\n")
        for a, b, kind in relationships:
            file.write(f"{iri(a)} {iri(kind)} {iri(b)} .\n")
    begin = time.perf_counter()
    Store(path).bulk_load(path=triples, format="application/n-triples")
    return time.perf_counter() - begin


def oxilite_cypher(nodes, relationships, path):
    """The statements that `bench daybook gql` runs, 5,000 rows each."""
    from oxilite import Store

    store = Store(path)
    for start in range(0, len(nodes), 5000):
        rows = [{"key": key, **fields} for key, fields in nodes[start : start + 5000]]
        store.cypher("UNWIND $rows AS row CREATE (n:Synset) SET n = row", {"rows": rows})
    for start in range(0, len(relationships), 5000):
        rows = [
            {"source": a, "target": b, "kind": kind}
            for a, b, kind in relationships[start : start + 5000]
        ]
        store.cypher(
            "UNWIND $rows AS row MATCH (a:Synset {key: row.source}) "
            "MATCH (b:Synset {key: row.target}) CREATE (a)-[:POINTER {kind: row.kind}]->(b)",
            {"rows": rows},
        )


PEERS = {"graphqlite": graphqlite, "oxilite": oxilite, "oxilite-cypher": oxilite_cypher}


def main():
    if len(sys.argv) < 3 or any(name not in PEERS for name in sys.argv[3:]):
        sys.exit(__doc__)
    nodes, relationships = wordnet(sys.argv[1])
    os.makedirs(sys.argv[2], exist_ok=True)
    for name in sys.argv[3:] or ["graphqlite", "oxilite"]:
        path = os.path.join(sys.argv[2], f"{name}.sqlite")
        if os.path.exists(path):
            sys.exit(f"{path} is there already: remove it, or name another folder")
        begin = time.perf_counter()
        seconds = PEERS[name](nodes, relationships, path)
        seconds = seconds or time.perf_counter() - begin
        line = {
            "peer": name,
            "nodes": len(nodes),
            "relationships": len(relationships),
            "seconds": round(seconds, 2),
            "bytes": os.path.getsize(path),
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
