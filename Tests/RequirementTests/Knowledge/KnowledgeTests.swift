#if Macros
  import Daybook
  import Foundation
  import GRDB
  import Testing

  /// An app for personal knowledge: what its types and its reads and writes need.
  @Suite(.timeLimit(.minutes(10))) struct KnowledgeTests {
    @Test("K1: a node of 30 columns comes back with every value")
    func columns() async throws {
      let store = try await Knowledge.store()
      let day = Date(timeIntervalSince1970: 1_800_000_000.25)
      var node = Node(
        nodeType: "event", name: "Concert", content: "Brahms", summary: "Two symphonies",
        latitude: 52.5, longitude: -13.4, locationName: "Hall", locationAddress: "Main Street 1",
        due: day, completed: day + 1, eventStart: day + 2, eventEnd: day + 3.5, folder: "music",
        tags: ["live", "a \"b\""], status: .done, isArchived: true, color: "red", priority: 3,
        importance: -2, sortOrder: 7, source: "calendar", sourceID: "c-1",
        sourceURL: URL(string: "https://example.org/c?d=1"), author: "ann", language: "de",
        metadata: ["seat": "12"])
      let written = node
      try await store.write { try $0.insert([written, Node(name: "empty")]) }
      let found = try #require(try await store.fetch(node.id))
      (node.created, node.modified, node.version) = (found.created, found.modified, 1)
      #expect(found == node)
      let empty = try #require(try await store.fetchOne(Node.where { $0.name == "empty" }))
      #expect(empty.due == nil && empty.tags.isEmpty && empty.status == nil && empty.priority == 0)
      let columns = try await store.read { db in try db.columns(in: Node.collection).count }
      #expect(columns == 30)
      try await store.close()
    }

    @Test("K2: no two nodes share source and source id, and nodes without one are not compared")
    func source() async throws {
      let store = try await Knowledge.store()
      try await store.write { tx in
        try tx.insert([
          Node(name: "a", source: "mail", sourceID: "1"),
          Node(name: "b", source: "mail", sourceID: "2"),
          Node(name: "c", source: "web", sourceID: "1"), Node(name: "d"), Node(name: "e"),
          Node(name: "f", sourceID: "1"), Node(name: "g", sourceID: "1"),
        ])
      }
      let code = try await refusal {
        try await store.write {
          try $0.insert(Node(name: "again", source: "mail", sourceID: "1"))
        }
      }
      #expect(code == .valueTaken)
      #expect(try await store.fetch(Node.all.count()) == 7)
      try await store.close()
    }

    @Test("K3: compound, descending and partial indexes are made, and queries use them")
    func indexes() async throws {
      let store = try await Knowledge.store()
      let sql = try await store.read { db in
        try String.fetchAll(
          db, sql: "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql <> ''")
      }
      #expect(sql.contains { $0.contains("priority") && $0.contains("DESC") })
      #expect(sql.contains { $0.contains("due") && $0.contains("WHERE") })
      func plan<E: Entity>(_ query: EntityQuery<E>) async throws -> String {
        try await store.explain(query).joined(separator: "; ")
      }
      let edges = try await plan(Edge.where { $0.from == "a" && $0.kind == .nest })
      #expect(edges.contains("USING INDEX") && edges.contains("source=? AND kind=?"))
      let first = try await plan(Node.all.order(by: \.priority, .descending).limit(10))
      #expect(first.contains("USING INDEX"))
      let due = try await plan(Node.where { $0.due < Date(timeIntervalSince1970: 1) })
      #expect(due.contains("USING INDEX") && due.contains("due<?"))
      try await store.close()
    }

    @Test("K4: an edge comes back with type, label, weight, sequence, channel, time and subject")
    func edges() async throws {
      let store = try await Knowledge.store()
      let (a, b) = (Node(name: "a"), Node(name: "b"))
      var edge = Edge(
        from: a.id, to: b.id, kind: .sequence, label: "then", weight: 0.25, isDirected: false,
        sequenceOrder: 3, channel: "mail", timestamp: Date(timeIntervalSince1970: 1_700_000_000),
        subject: "Re: oats")
      let written = edge
      try await store.write { tx in
        try tx.insert([a, b])
        try tx.insert(written)
      }
      let found = try #require(try await store.fetch(edge.id))
      edge.created = found.created
      #expect(found == edge && found.created > .distantPast)
      try await store.close()
    }

    @Test("K5: between two nodes there is one edge of each type, also if two devices make it")
    func oneEdge() async throws {
      let place = try Place()
      defer { place.remove() }
      let devices = try await [
        place.open("a", Knowledge.schema), place.open("b", Knowledge.schema),
      ]
      try await devices[0].write { try $0.insert([Node(id: "a"), Node(id: "b")]) }
      try await devices[1].meet(devices[0])
      for (device, label) in zip(devices, ["first", "second"]) {
        try await device.write { tx in
          try tx.insert(Edge(from: "a", to: "b", kind: .link, label: label))
        }
      }
      try await devices[0].write { try $0.insert(Edge(from: "a", to: "b", kind: .nest)) }
      try await devices[1].meet(devices[0])
      for device in devices {
        #expect(try await device.fetch(Edge.all).count == 2)
        let code = try await refusal {
          try await device.write { try $0.insert(Edge(from: "a", to: "b", kind: .link)) }
        }
        #expect(code == .entityExists)
      }
      try await devices.close()
    }

    @Test("K6: the edges of a node go with it, from and to it")
    func cascade() async throws {
      let store = try await Knowledge.store()
      try await store.write { tx in
        try tx.insert(["a", "b", "c"].map { Node(id: Node.ID($0)) })
        try tx.insert([
          Edge(from: "a", to: "b"), Edge(from: "b", to: "c"), Edge(from: "c", to: "a"),
        ])
        try tx.delete(Node.ID("a"))
      }
      let left = try await store.fetch(Edge.all)
      #expect(left.map(\.from) == ["b"] && left.map(\.to) == ["c"])
      try await store.close()
    }

    @Test("K7: facets are a tree with JSON, and a circle is refused")
    func facets() async throws {
      let store = try await Knowledge.store()
      let scale = Facet.Scale(unit: "day", steps: [1, 7, 30])
      let time = Facet(name: "Time", kind: .axis, metadata: scale)
      let day = Facet(name: "Day", kind: .value, parent: time.id)
      let hour = Facet(name: "Hour", kind: .value, parent: day.id)
      try await store.write { try $0.insert([time, day, hour]) }
      #expect(try await store.fetch(Facet.where { $0.parent == time.id }).map(\.name) == ["Day"])
      #expect(try await store.fetch(time.id)?.metadata == scale)
      let unit = try await store.read { db in
        try String.fetchOne(db, sql: "SELECT metadata ->> 'unit' FROM facets WHERE kind = 'axis'")
      }
      #expect(unit == "day")
      let code = try await refusal {
        try await store.write { _ = try $0.update(time.id) { $0.parent = hour.id } }
      }
      #expect(code == .wouldLoop)
      try await store.write { try $0.delete(day) }
      #expect(try await store.fetch(hour.id)?.parent == nil)
      try await store.close()
    }

    @Test("K13: a setting is a key with a value, and set on two devices it stays one")
    func settings() async throws {
      let place = try Place()
      defer { place.remove() }
      let devices = try await [
        place.open("a", Knowledge.schema), place.open("b", Knowledge.schema),
      ]
      for (device, theme) in zip(devices, ["light", "dark"]) {
        try await device.write {
          try $0.insertOrOverwrite(Preference(key: "theme", value: "grey"))
        }
        try await device.write { try $0.insertOrOverwrite(Preference(key: "theme", value: theme)) }
        #expect(try await device.fetch(Preference(key: "theme").id)?.value == theme)
      }
      try await devices[0].meet(devices[1])
      let shown = try await devices[0].fetch(Preference.all)
      #expect(shown.map(\.key) == ["theme"] && ["light", "dark"].contains(shown.first?.value))
      #expect(try await devices[1].fetch(Preference.all) == shown)
      try await devices.close()
    }

    @Test("K14: numbered migrations change data, in the order of their numbers, and once")
    func migrations() async throws {
      let place = try Place()
      defer { place.remove() }
      let old = try await place.open("a", Knowledge.schema)
      try await old.write { try $0.insert(Node(id: "n", name: "oats", priority: 2)) }
      try await old.close()
      let migrations = [
        Migration(2, "priorities count down") { tx in
          try tx.update(where: Node.all) { $0.priority = 10 - $0.priority }
        },
        Migration(1, "priorities are doubled") { tx in
          try tx.update(where: Node.all) { $0.priority *= 2 }
        },
      ]
      for _ in 1...2 {
        let store = try await place.open("a", Knowledge.schema, migrations: migrations)
        #expect(try await store.fetch(Node.ID("n"))?.priority == 6)
        try await store.close()
      }
    }

    @Test("K15: reads go on while a write is open, and see what was acknowledged before")
    func readsDuringWrite() async throws {
      let place = try Place()
      defer { place.remove() }
      let store = try await place.open("a", Knowledge.schema)
      try await store.write { try $0.insert(Node(id: "n", name: "before")) }
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let mayEnd = DispatchSemaphore(value: 0)
      async let write: Void = store.write { tx in
        try tx.update(Node.ID("n")) { $0.name = "after" }
        begin.yield()
        mayEnd.wait()
      }
      for await _ in begun { break }
      try await withThrowingTaskGroup(of: String?.self) { readers in
        for _ in 0..<8 { readers.addTask { try await store.fetch(Node.ID("n"))?.name } }
        for try await name in readers { #expect(name == "before") }
      }
      #expect(try await store.search(Node.self, for: "before").count == 1)
      mayEnd.signal()
      try await write
      #expect(try await store.fetch(Node.ID("n"))?.name == "after")
      let mode = try await store.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
      #expect(mode == "wal")
      try await store.close()
    }

    private struct FolderSize: Decodable, FetchableRecord, Equatable {
      var folder: String
      var size: Int
      var newest: Date
    }

    @Test("K22: rows of any SQL are decoded into a type of the app")
    func decodable() async throws {
      let store = try await Knowledge.store()
      try await store.write { tx in
        try tx.insert([Node(id: "a", folder: "x"), Node(folder: "x"), Node(folder: "y"), Node()])
      }
      let sql = """
        SELECT folder, count(*) AS size, max(modified) AS newest FROM nodes
        WHERE folder IS NOT ? GROUP BY folder ORDER BY size DESC
        """
      let sizes = try await store.read { db in
        try FolderSize.fetchAll(db, sql: sql, arguments: [nil])
      }
      let newest = try #require(try await store.fetch(Node.ID("a"))?.modified)
      #expect(sizes.map(\.folder) == ["x", "y"] && sizes.map(\.size) == [2, 1])
      #expect(sizes.first.map { abs($0.newest.timeIntervalSince(newest)) < 0.001 } == true)
      try await store.close()
    }

    @Test("K23: a node is made, read and changed as a value of its type")
    func typedWrites() async throws {
      let store = try await Knowledge.store()
      let node = Node(name: "Original")
      try await store.write { try $0.insert(node) }
      #expect(try await store.fetch(node.id)?.name == "Original")
      var changed = try #require(try await store.fetch(node.id))
      (changed.name, changed.content, changed.tags) = ("Updated", "New", ["x"])
      let written = changed
      try await store.write { try $0.overwrite(written) }
      let found = try await store.fetch(node.id)
      #expect(found?.name == "Updated" && found?.content == "New" && found?.tags == ["x"])
      #expect(
        try await store.history(of: node.id).last?.changes.map(\.field).sorted()
          == ["content", "name", "tags"])
      try await store.close()
    }

    @Test("K24: a deletion can be taken back, and an erasure cannot")
    func deletion() async throws {
      let store = try await Knowledge.store()
      let (soft, hard) = (Node(name: "soft"), Node(name: "hard"))
      try await store.write { try $0.insert([soft, hard]) }
      try await store.write { tx in
        try tx.delete(soft)
        try tx.erase(hard.id)
      }
      #expect(try await store.fetch(Node.all).isEmpty)
      #expect(try await store.deleted(in: Node.self).all().map(\.id) == [soft.id.rawValue])
      try await store.write { try $0.restore(soft.id) }
      #expect(try await store.fetch(soft.id)?.name == "soft")
      let code = try await refusal { try await store.write { try $0.restore(hard.id) } }
      #expect(code == .noSuchEntity)
      try await store.close()
    }

    @Test("K25: the nodes of a folder come last modified first, without the deleted ones")
    func folder() async throws {
      let store = try await Knowledge.store()
      let nodes = (0..<4).map { Node(id: Node.ID("n\($0)"), folder: $0 == 3 ? "y" : "x") }
      try await store.write { try $0.insert(nodes) }
      // Times are in milliseconds: a node is changed until its time is later than the other's.
      for (earlier, later) in [(nodes[0].id, nodes[2].id), (nodes[2].id, nodes[1].id)] {
        let time = try #require(try await store.fetch(earlier)?.modified)
        while try #require(try await store.fetch(later)?.modified) <= time {
          try await store.write { _ = try $0.update(later) { $0.importance += 1 } }
        }
      }
      let query = Node.where { $0.folder == "x" }.order(by: \.modified, .descending).limit(100)
      #expect(try await store.fetch(query).map(\.id) == ["n1", "n2", "n0"])
      try await store.write { try $0.delete(Node.ID("n2")) }
      #expect(try await store.fetch(query).map(\.id) == ["n1", "n0"])
      try await store.close()
    }

    @Test("K26: the store keeps when a node was made and changed, and its version")
    func kept() async throws {
      let store = try await Knowledge.store()
      var node = Node(name: "oats")
      (node.created, node.modified, node.version) = (.distantFuture, .distantFuture, 99)
      let written = node
      try await store.write { try $0.insert(written) }
      let first = try #require(try await store.fetch(node.id))
      #expect(first.version == 1 && first.created == first.modified)
      #expect(abs(first.created.timeIntervalSinceNow) < 3600)
      var version = 1
      while try #require(try await store.fetch(node.id)?.modified) == first.modified {
        try await store.write { _ = try $0.update(written.id) { $0.priority += 1 } }
        version += 1
      }
      let second = try #require(try await store.fetch(node.id))
      #expect(second.created == first.created && second.modified > first.modified)
      #expect(second.version == version)
      try await store.close()
    }

    @Test("K27: deleted nodes are listed with who deleted them, and a deletion is undone")
    func undoDeletion() async throws {
      let store = try await Knowledge.store()
      let (a, b) = (Node(name: "a", folder: "x"), Node(name: "b"))
      let created = try await store.write { tx in
        try tx.insert([a, b])
        try tx.insert(Edge(from: a.id, to: b.id))
        return tx.event
      }
      let deletion = try await store.write(actor: "ann") { tx in
        try tx.delete(a)
        return tx.event
      }
      let deleted = try await store.deleted(in: Node.self, by: "ann", matching: "X").all()
      #expect(deleted.map(\.id) == [a.id.rawValue] && deleted.first?["folder"] == "x")
      #expect(try await store.deleted(in: Node.self, by: "bob").all().isEmpty)
      let earlier = store.deleted(in: Node.self, until: .event(created))
      #expect(try await earlier.all().isEmpty)
      try await store.undo(deletion)
      #expect(try await store.fetch(a.id)?.folder == "x")
      // The edge that went with the node comes back with it.
      #expect(try await store.fetch(Edge.all).count == 1)
      #expect(try await store.deleted(in: Node.self).all().isEmpty)
      try await store.close()
    }

    @Test("K28: nodes, edges and their types are Codable, Identifiable and Sendable")
    func codable() throws {
      func copy<T: Codable & Identifiable & Sendable>(_ value: T) throws -> T {
        try JSONDecoder().decode(T.self, from: try JSONEncoder().encode(value))
      }
      let node = Node(name: "oats", due: Date(timeIntervalSince1970: 7), tags: ["a"], status: .open)
      let edge = Edge(from: node.id, to: "b", kind: .affinity, label: "x", weight: 0.5)
      #expect(try copy(node) == node)
      #expect(try copy(edge) == edge && copy(edge).id == edge.id)
      let kinds = [Edge.EdgeType.nest, .link]
      let json = try JSONEncoder().encode(kinds)
      #expect(String(decoding: json, as: UTF8.self) == #"["nest","link"]"#)
      #expect(try JSONDecoder().decode([Edge.EdgeType].self, from: json) == kinds)
    }

    @Test("K29: an error says what happened and what to do, as a LocalizedError")
    func errors() async throws {
      let store = try await Knowledge.store()
      try await store.write { try $0.insert(Node(id: "n")) }
      await #expect {
        try await store.write { try $0.insert(Node(id: "n")) }
      } throws: { error in
        guard let error = error as? any LocalizedError else { return false }
        return error.errorDescription?.contains("“n” is in nodes already") == true
          && error.recoverySuggestion?.isEmpty == false
          && (error as any Error).localizedDescription == error.errorDescription
      }
      try await store.close()
    }
  }
#endif
