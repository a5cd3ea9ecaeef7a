import DaybookEventCore
import DaybookSimulation
import Foundation
import GRDB
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

/// Comparisons of a read model with a rebuilt one, which find any change that the projector did not
/// make.
@Suite struct ReadModelComparisonTests {
  private func probe(_ folder: ProjectionFolder) throws -> ReadModelProbe {
    var history = TestHistory()
    history.write(
      "ann", at: 1,
      .define(
        Definition(
          "notes",
          [
            .text("title").searchable(),
            .integer("count").indexed(),
            .text("code").unique(),
          ])))
    history.write("ann", at: 1, .insert("p1", ["code": "one"]), .insert("p2", ["code": "one"]))
    history.write("ann", at: 2, .insert("n1", ["title": "one", "count": .integer(1)]))
    history.write("ann", at: 3, .insert("n2", ["title": "two", "count": "a misfit"]))
    history.write("ann", at: 4, .insert("n3"), .delete("n3"))
    history.write("bob", at: 2, .update("n1", ["title": "uno"]))
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    return probe
  }

  @Test("an incremental read model equals a rebuilt one")
  func sound() throws {
    let folder = try ProjectionFolder()
    #expect(try probe(folder).differenceFromRebuilt(folder: folder.url) == nil)
  }

  // Found by a stranger: `verify` said “DIFFERS” on every replica that held such an event.
  @Test("what stands before an operation that cannot be decoded leaves no trace in a rebuild")
  func undecodable() throws {
    let folder = try ProjectionFolder()
    let nobody = ReplicaID(high: 6, low: 77)
    let edit = Operation.edit(
      TextEdit(
        collection: "notes", id: "n1", field: "title", base: EventID(nobody, 1), baseOperation: 0,
        script: ReferenceText.script(of: [.insert(Array("x".unicodeScalars))])))
    let named = Operation.insert(collection: "others", id: "o1", fields: ["title": "a"])
    let field = Operation.update(collection: "notes", id: "n1", fields: ["other": "b"])
    for before in [edit, named, field] {
      var history = TestHistory()
      history.write("ann", at: 1, .define(Definition("notes", [.text("title").merging()])))
      history.write("ann", at: 2, .insert("n1", ["title": "one"]))
      history.write(
        "bob", at: 3, before, .unknown(kind: OperationKind.insert, payload: [0xFF]))
      let source = ArrayEventSource(history)
      source.deliverAll()
      let probe = try ReadModelProbe(source, folder: folder.url)
      try probe.catchUp()
      #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil, "\(before)")
      let path = folder.url.appending(path: "rebuilt.sqlite").path
      _ = try Rebuild(source: source).run(into: path)
      let rebuilt = try DatabaseQueue(path: path)
      for query in [
        "SELECT hex(origin) FROM _daybook_origins", "SELECT name FROM _daybook_collections",
        "SELECT name FROM _daybook_fields",
      ] {
        let live = try probe.reading { try String.fetchSet($0, sql: query) }
        let fresh = try rebuilt.read { try String.fetchSet($0, sql: query) }
        #expect(live == fresh, "\(before)")
      }
      try rebuilt.close()
    }
  }

  @Test(
    "a change of a read model by another program is found and named",
    arguments: [
      ("UPDATE notes SET title = 'three' WHERE id = 'n2'", "notes", "n2"),
      ("UPDATE notes SET count = NULL WHERE id = 'n1'", "notes", "n1"),
      ("DELETE FROM notes WHERE id = 'n1'", "notes", "n1"),
      ("DELETE FROM notes WHERE id = 'n2'", "notes", "n2"),
      ("INSERT INTO notes(id) VALUES ('n0')", "notes", "n0"),
      ("INSERT INTO notes(id) VALUES ('n9')", "notes", "n9"),
      ("DROP INDEX _daybook_index_1_2", "notes", ""),
      ("CREATE INDEX _daybook_index_more ON notes(title)", "notes", ""),
      ("DELETE FROM _daybook_entities WHERE id = 'n3'", "notes", "n3"),
      ("INSERT INTO _daybook_history VALUES (77, 0, x'00')", "histories", ""),
      ("INSERT INTO _daybook_values VALUES (77, 0, x'00')", "values", ""),
      ("UPDATE _daybook_origins SET far = 1", "origins", ""),
      ("ALTER TABLE notes ADD COLUMN more TEXT", "notes", ""),
      ("CREATE TABLE more(id)", "more", ""),
      ("UPDATE _daybook_checkpoint SET digest = zeroblob(32)", "checkpoint", "1"),
      ("UPDATE _daybook_checkpoint SET opaque = 1", "checkpoint", "1"),
      ("DELETE FROM _daybook_misfits", "misfits", "notes/n2"),
      ("DELETE FROM _daybook_unique WHERE id = 'p1'", "parked", "notes/p2"),
      ("UPDATE _daybook_unique SET value = 'two' WHERE id = 'p2'", "parked", "notes/p2"),
      ("UPDATE _daybook_unique SET rank = x'00' WHERE id = 'p1'", "unique", ""),
      (
        "INSERT INTO notes(rowid, id) SELECT entity, id FROM _daybook_unique WHERE id = 'p2'",
        "notes", "p2"
      ),
    ])
  func damage(sql: String, place: String, id: String) throws {
    let folder = try ProjectionFolder()
    let probe = try probe(folder)
    try probe.damage(sql)
    let found = try #require(try probe.differenceFromRebuilt(folder: folder.url))
    #expect(found.place == place, "\(found)")
    #expect(found.id == id, "\(found)")
  }

  @Test(
    "the recomputed digest shows a change of rows, states and definitions",
    arguments: [
      "UPDATE notes SET title = 'three' WHERE id = 'n2'",
      "DELETE FROM notes WHERE id = 'n2'",
      "DELETE FROM _daybook_entities WHERE id = 'n3'",
      "DELETE FROM _daybook_definitions WHERE attribute = 'search'",
    ])
  func digest(sql: String) throws {
    let folder = try ProjectionFolder()
    let probe = try probe(folder)
    try probe.damage(sql)
    try probe.view { view, _ in
      let recomputed = try view.recomputedDigest()
      #expect(recomputed != view.digest)
    }
  }

  @Test("a state of any bytes is read or is an error, and never traps")
  func hostileStates() throws {
    let folder = try ProjectionFolder()
    let probe = try probe(folder)
    let states = try probe.view { _, db in
      try Data.fetchAll(db, sql: "SELECT state FROM _daybook_entities ORDER BY number")
    }
    var random = SplitMix64(seed: 1)
    for _ in 0..<600 {
      for (index, state) in states.enumerated() {
        var bytes = Array(state)
        for _ in 0..<random.pick(1...3) {
          bytes[random.pick(0...bytes.count - 1)] = random.bytes(1)[0]
        }
        if random.chance(10) { bytes = random.bytes(random.pick(0...40)) }
        let hex = Hex.encode(bytes)
        try probe.damage(
          "UPDATE _daybook_entities SET state = x'\(hex)' WHERE number = \(index + 1)")
      }
      try probe.view { view, _ in
        for id in ["n1", "n2", "n3"] {
          _ = try? view.entity("notes", id)
          _ = try? view.entity("notes", id, at: .time(3))
          _ = try? view.history(of: id, in: "notes")
        }
        _ = try? view.recomputedDigest()
        _ = try? view.conflicts()
      }
    }
  }
}
