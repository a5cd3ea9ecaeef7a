#if Macros
  import Daybook
  import Testing

  /// Searches of nodes.
  extension KnowledgeTests {
    @Test("K8: name, content, tags and folder are searched, by the stems of words")
    func search() async throws {
      let store = try await Knowledge.store()
      try await store.write { tx in
        try tx.insert([
          Node(id: "name", name: "Running shoes"), Node(id: "content", content: "He runs"),
          Node(id: "tags", name: "x", tags: ["to run", "sport"]),
          Node(id: "folder", folder: "runs"), Node(id: "summary", summary: "a run"),
        ])
      }
      let hits = try await store.search(Node.self, for: "run")
      #expect(Set(hits.map(\.entity.id)) == ["name", "content", "tags", "folder"])
      try await store.write { _ = try $0.update(Node.ID("tags")) { $0.tags = ["sport"] } }
      #expect(try await store.search(Node.self, for: "run").count == 3)
      try await store.close()
    }

    @Test("K9: a word in the name counts more than in the content, the tags and the folder")
    func weights() async throws {
      let store = try await Knowledge.store()
      func node(_ place: Int) -> Node {
        let words = (0..<4).map { $0 == place ? "harbor" : "filler" }
        return Node(
          id: Node.ID("n\(place)"), name: words[0], content: words[1], folder: words[3],
          tags: [words[2]])
      }
      let nodes = (0..<4).map(node) + (5..<25).map(node)
      try await store.write { try $0.insert(nodes.reversed()) }
      let hits = try await store.search(Node.self, for: "harbor")
      #expect(hits.map(\.entity.id) == ["n0", "n1", "n2", "n3"])
      #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.score > $1.score })
      try await store.close()
    }

    @Test("K10: every word typed is a prefix, and no input is an error")
    func typed() async throws {
      let store = try await Knowledge.store()
      try await store.write { tx in
        try tx.insert([
          Node(id: "n1", name: "Programming", content: "in Swift"),
          Node(id: "n2", name: "Progress", content: "reports"),
        ])
      }
      func find(_ text: String) async throws -> Set<Node.ID> {
        Set(try await store.search(Node.self, for: text, matching: .beginnings).map(\.entity.id))
      }
      #expect(try await find("prog") == ["n1", "n2"])
      #expect(try await find("progr swi") == ["n1"])
      #expect(try await find("gramming").isEmpty)
      for text in [
        "", " ", "\"", "\"\"", "prog\"", "*", "**", "-", "(", "prog (", ")", "name:", ":", "NEAR(",
        "AND", "OR", "NOT prog", "\u{0}", "'; DROP TABLE nodes; --", "^", "{", "+", "😀", "prog*",
      ] {
        await #expect(throws: Never.self, "“\(text)”") { _ = try await find(text) }
      }
      try await store.close()
    }

    @Test("K11: a hit is the whole node, with its rank")
    func hits() async throws {
      let store = try await Knowledge.store()
      let node = Node(name: "Oats", content: "and milk", tags: ["food"], priority: 4)
      try await store.write { try $0.insert([node, Node(name: "Milk", content: "and oats")]) }
      let hits = try await store.search(Node.self, for: "oats")
      let whole = try await store.fetch(node.id)
      #expect(hits.count == 2 && hits.first?.entity == whole)
      #expect(hits.first?.entity.priority == 4 && hits[0].score > hits[1].score)
      #expect(hits[0].snippet == "[Oats]")
      try await store.close()
    }
  }
#endif
