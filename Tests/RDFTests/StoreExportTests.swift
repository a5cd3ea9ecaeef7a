import Daybook
import DaybookRDF
import Foundation
import Testing

/// A store's tables and history as RDF, read back.
@Suite struct StoreExportTests {
  private static func tables(
    _ store: Store, _ export: RDFExport = RDFExport(), _ format: RDFFormat = .turtle
  ) async throws -> (text: String, lines: [String]) {
    let file = WrittenFile()
    let count = try await store.exportRDF(export, as: format) { file.write($0) }
    let lines = try Reading.lines(file.text, format)
    #expect(count == lines.count)
    return (file.text, lines)
  }

  private static func history(_ store: Store) async throws -> Set<String> {
    let file = WrittenFile()
    try await store.exportProvenance { file.write($0) }
    return Set(try Reading.lines(file.text))
  }

  private let xsd = "http://www.w3.org/2001/XMLSchema#"
  private let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  @Test("G25: each value is a literal of its type, NULL is none, and ids are escaped")
  func values() async throws {
    try await TestStores.with { stores in
      try await stores[0].write { tx in
        try tx.define(
          Definition(
            "things",
            [
              .text("t"), .integer("i"), .real("r"), .boolean("b"), .timestamp("m"), .blob("x"),
              .json("j"), .text("none"),
            ]))
        try tx.insert(
          "things", "a/é #1",
          [
            "t": "x\"\n\u{0}", "i": .integer(.min), "r": 1.5, "b": true,
            "m": .timestamp(1_763_717_400_125), "x": .blob([0, 255]), "j": .json(Array("[1]".utf8)),
          ])
        try tx.insert("things", "b", ["r": 1e300, "i": 0])
      }
      let (_, lines) = try await Self.tables(stores[0])
      let (a, b) = ("<urn:daybook:things/a%2F%C3%A9%20%231>", "<urn:daybook:things/b>")
      let p = "<urn:daybook:things-"
      #expect(
        lines == [
          "\(a) <\(rdf)type> <urn:daybook:things>", "\(a) \(p)t> \"x\\\"\\n\u{0}\"",
          "\(a) \(p)i> \"-9223372036854775808\"^^<\(xsd)integer>",
          "\(a) \(p)r> \"1.5e0\"^^<\(xsd)double>", "\(a) \(p)b> \"true\"^^<\(xsd)boolean>",
          "\(a) \(p)m> \"2025-11-21T09:30:00.125Z\"^^<\(xsd)dateTime>",
          "\(a) \(p)x> \"AP8=\"^^<\(xsd)base64Binary>", "\(a) \(p)j> \"[1]\"^^<\(rdf)JSON>",
          "\(b) <\(rdf)type> <urn:daybook:things>", "\(b) \(p)i> \"0\"^^<\(xsd)integer>",
          "\(b) \(p)r> \"1e+300\"^^<\(xsd)double>",
        ])
    }
  }

  @Test("references and relationships lead to entities")
  func links() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      try await store.write { tx in
        try tx.define(Definition("folders", [.text("name")]))
        try tx.define(Definition("notes", [.text("title"), .text("folder").references("folders")]))
        try tx.define(Definition("links", [.text("kind")]).relationship())
        try tx.insert("folders", "f", ["name": "F"])
        try tx.insert("folders", "n2", ["name": "N"])
        try tx.insert("notes", "n1", ["title": "A", "folder": "f"])
        try tx.insert("notes", "n2", ["title": "B", "folder": "gone"])
        try tx.insert("links", "l", ["source": "n1", "target": "n2", "kind": "cites"])
        try tx.insert("links", "m", ["source": "n1", "target": "nowhere"])
      }
      try await store.write { try $0.define(Definition("settings", [.text("theme")]).local()) }
      let base = try IRI("https://example.org/")
      let export = RDFExport(naming: RDFNaming(base: base))
      let (text, lines) = try await Self.tables(store, export)
      let e = { (name: String) in "<https://example.org/\(name)>" }
      #expect(lines.contains("\(e("notes/n1")) \(e("notes-folder")) \(e("folders/f"))"))
      #expect(lines.contains("\(e("notes/n2")) \(e("notes-folder")) \(e("folders/gone"))"))
      #expect(lines.contains("\(e("links/l")) \(e("links-target")) \(e("notes/n2"))"))
      #expect(lines.contains("\(e("links/l")) \(e("links-target")) \(e("folders/n2"))"))
      #expect(lines.contains("\(e("notes/n1")) \(e("links")) \(e("notes/n2"))"))
      #expect(lines.contains("\(e("links/m")) \(e("links-target")) \"nowhere\""))
      #expect(text.contains("notes:n1 a :notes ;\n  :notes-title \"A\" ;"))
      #expect(!text.contains("settings"))
      let other = try await Self.tables(store, export, .ntriples).lines
      #expect(other == lines)
      let some = RDFExport(collections: ["folders"], naming: export.naming)
      #expect(try await Self.tables(store, some).lines.count == 4)
    }
  }

  @Test("an event is an activity of its actor, and a version comes from what its author had seen")
  func provenance() async throws {
    try await TestStores.with(2) { stores in
      let (ann, bob) = (stores[0], stores[1])
      let first = try await ann.write(actor: "ann", label: "shop") { tx in
        try tx.define(Definition("notes", [.text("title")]))
        try tx.insert("notes", "n", ["title": "milk"])
        return tx.event
      }
      try await ann.syncOnce(with: StorePeer(bob))
      let second = try await ann.write(actor: "ann") {
        try $0.update("notes", "n", ["title": "oat milk"])
        return $0.event
      }
      let third = try await bob.write(actor: "bob & co") {
        try $0.update("notes", "n", ["title": "soy milk"])
        return $0.event
      }
      try await ann.syncOnce(with: StorePeer(bob))
      let fourth = try await ann.write {
        try $0.delete("notes", "n")
        return $0.event
      }
      let found = try await Self.history(ann)
      let prov = { (name: String) in "<http://www.w3.org/ns/prov#\(name)>" }
      let event = { (id: EventID) in "<urn:daybook:-/events/\(id.origin)/\(id.sequence)>" }
      let version = { (id: EventID) in "<urn:daybook:notes/n/\(id.origin)/\(id.sequence)>" }
      let bobs = "<urn:daybook:-/actors/bob%20%26%20co>"
      for line in [
        "\(event(first)) <\(rdf)type> \(prov("Activity"))",
        "\(event(first)) <http://www.w3.org/2000/01/rdf-schema#label> \"shop\"",
        "\(event(third)) \(prov("wasAssociatedWith")) \(bobs)",
        "\(bobs) <\(rdf)type> \(prov("Agent"))",
        "\(version(first)) \(prov("wasGeneratedBy")) \(event(first))",
        "\(version(first)) \(prov("specializationOf")) <urn:daybook:notes/n>",
        "\(version(second)) \(prov("wasDerivedFrom")) \(version(first))",
        "\(version(third)) \(prov("wasDerivedFrom")) \(version(first))",
        "\(version(fourth)) \(prov("wasDerivedFrom")) \(version(second))",
        "\(version(fourth)) \(prov("wasDerivedFrom")) \(version(third))",
        "\(version(second)) \(prov("wasInvalidatedBy")) \(event(fourth))",
        "\(version(third)) <urn:daybook:notes-title> \"soy milk\"",
      ] { #expect(found.contains(line), "\(line)") }
      #expect(!found.contains("\(version(third)) \(prov("wasDerivedFrom")) \(version(second))"))
      #expect(found.count { $0.contains("wasDerivedFrom") } == 4)
      // The same events in another order in another log say the same.
      try await ann.syncOnce(with: StorePeer(bob))
      #expect(try await Self.history(bob) == found)
    }
  }
}
