import DaybookEventCore
import DaybookProjections
import DaybookReferenceModel
import Foundation
import GRDB

/// A read model in memory with rows in every internal table, and a log that continues after it.
final class SampleReadModel {
  let queue: DatabaseQueue
  let source = SampleSource()
  /// The digest after the whole log is applied.
  private(set) var finalDigest = StateDigest()

  /// Number of events of each origin that the read model has applied; the others are only in the
  /// log.
  private static let shown: UInt64 = 135

  init() throws {
    queue = try DatabaseQueue()
    try write()
    try queue.writeWithoutTransaction { db in
      guard let connection = db.sqliteConnection else { return }
      let sql = StatementCache(connection)
      try ReadModelFormat.create(sql)
      sql.removeAll()
      source.limit = Self.shown
      try Self.catchUp(connection, source)
      source.limit = nil
      try db.execute(sql: "SAVEPOINT whole")
      finalDigest = try Self.catchUp(connection, source)
      try db.execute(sql: "ROLLBACK TO whole; RELEASE whole")
    }
  }

  @discardableResult
  private static func catchUp(_ connection: OpaquePointer, _ source: SampleSource) throws
    -> StateDigest
  {
    let projector = try Projector(connection: connection, source: source)
    defer { projector.close() }
    try projector.catchUp()
    return projector.digest
  }

  /// Returns the stored states of all entities.
  func states() throws -> [[UInt8]] {
    try queue.read { db in
      var states: [[UInt8]] = []
      try db.forEachRow("SELECT state FROM _daybook_entities") { states.append($0.blob(0)) }
      return states
    }
  }

  private func write() throws {
    let (ann, bob, hub) = (try identity(1), try identity(2), try identity(3))
    try source.append(
      hub, at: 0, kind: .identity, [.identity(try IdentityClaim(hub, certifiedBy: hub))])
    try writeFirst(ann)
    // Bob has not always seen what he edits, and not all of his edits fit.
    func edits(_ number: Int64) -> [DaybookEventCore.Operation] {
      guard number % 15 == 5 else { return [] }
      let script = TextLedger.script(of: [
        .retain(Int(number % 4) + 1), .insert(["x"]), .delete(Int(number % 2) + 1),
      ])
      return [
        .edit(
          TextEdit(
            collection: "notes", id: "t1", field: "title", base: EventID(ann.id, 2),
            baseOperation: 6, script: script))
      ]
    }
    for number in 0..<150 as Range<Int64> {
      // A clock runs backward once, and two authors mostly do not know of each other.
      let at = number == 70 ? 3 : 10 + number
      try source.append(
        ann, at: at,
        [.update(collection: "notes", id: "n1", fields: ["count": .integer(number)])]
          + edits(number))
      let seen = number % 40 == 0 ? VersionVector([(ann.id, UInt64(number + 1))]) : VersionVector()
      try source.append(
        bob, at: at, seen: seen,
        [
          .update(collection: "notes", id: "n1", fields: ["title": .text("from bob \(number)")]),
          .delete(collection: "notes", id: number % 2 == 0 ? "n3" : "n4"),
        ] + edits(number))
    }
    try source.append(bob, at: 5, [.erase(collection: "notes", id: "n2")])
    for (origin, range, at) in [
      (bob.id, 2...60, 400), (bob.id, 30...90, 300), (ann.id, 5...20, 500),
      (bob.id, 1...148, 350),
    ] as [(ReplicaID, ClosedRange<UInt64>, Int64)] {
      try source.append(
        hub, at: at, kind: .stamps,
        [
          .stamp(
            Stamp(
              origin: origin, from: range.lowerBound, through: range.upperBound, chain: .zero,
              time: HybridTime(milliseconds: at)))
        ])
    }
  }

  /// Entities of all kinds, in one event.
  private func writeFirst(_ ann: Identity) throws {
    try source.append(
      ann, at: 1,
      [
        .define(
          Definition(
            "notes",
            [
              .text("title").searchable(weight: 3),
              .integer("count").indexed(),
              .text("code").unique(),
              .json("tags").searchable(),
            ])),
        .insert(
          collection: "notes", id: "n1",
          fields: ["title": .text("Oat milk"), "count": .integer(1)]),
        // Misfits, an undeclared field, and an undeclared collection.
        .insert(
          collection: "notes", id: "n2",
          fields: ["title": .text("kept"), "count": .text("many"), "else": .real(0.5)]),
        .insert(collection: "notes", id: "n5", fields: ["code": .text("one")]),
        .insert(collection: "notes", id: "n6", fields: ["code": .text("one")]),
        .insert(collection: "plain", id: "p1", fields: ["a": .integer(1)]),
        .insert(collection: "notes", id: "t1", fields: ["title": .text("Text")]),
      ])
  }

  private func identity(_ seed: UInt8) throws -> Identity {
    try Identity(seed: [UInt8](repeating: seed, count: 32))
  }
}
