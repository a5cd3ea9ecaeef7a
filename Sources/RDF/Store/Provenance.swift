import Daybook
import DaybookEventCore
import DaybookProjections
import Foundation
import GRDB

/// A store's history as statements of PROV-O, event by event.
///
/// An event is an activity, who wrote it an agent, and what an entity was after it a version, which
/// was derived from the latest versions that its author had seen. A log may have an event before
/// another that its author had seen, so the log is read twice. Versions are kept in a temporary
/// database, so memory does not grow with the log.
final class Provenance {
  private let naming: RDFNaming
  private let schema: StoreSchema
  private let vector: (EventID) throws -> VersionVector
  private let versions: DatabaseQueue
  private var actors: Set<String> = []
  private var replicas: Set<ReplicaID> = []

  /// - Parameter vector: returns an event with all that its author had seen.
  init(
    _ naming: RDFNaming, _ schema: StoreSchema,
    _ vector: @escaping (EventID) throws -> VersionVector
  ) throws {
    self.naming = naming
    self.schema = schema
    self.vector = vector
    // SQLite keeps a database without a name in a temporary file.
    versions = try DatabaseQueue(path: "")
    try versions.write {
      try $0.execute(
        sql: """
          CREATE TABLE version (
            collection TEXT NOT NULL, id TEXT NOT NULL, origin TEXT NOT NULL,
            sequence INTEGER NOT NULL, PRIMARY KEY (collection, id, origin, sequence)
          ) WITHOUT ROWID
          """)
    }
  }

  /// Notes which versions an event made. To be called with all events before the first is written.
  func note(_ logged: LoggedEvent) throws {
    guard let operations = logged.event.body?.operations else { return }
    try versions.write { db in
      for (collection, id) in entities(operations) {
        try db.execute(
          sql: "INSERT OR IGNORE INTO version VALUES (?, CAST(? AS TEXT), ?, ?)",
          arguments: [
            // GRDB binds a text only up to a NUL.
            collection, Data(id.utf8), logged.id.origin.description,
            Int64(clamping: logged.id.sequence),
          ])
      }
    }
  }

  /// The entities that operations are about, each once, under the names of their collections.
  private func entities(_ operations: [DaybookEventCore.Operation]) -> [(String, String)] {
    var done: Set<RDFText> = []
    return operations.compactMap { operation in
      guard let (collection, id) = operation.entity else { return nil }
      let name = schema[collection]?.name ?? collection
      return done.insert(RDFText("\(name)/\(id)")).inserted ? (name, id) : nil
    }
  }

  /// Calls `body` with what an event says.
  func write(_ logged: LoggedEvent, _ body: (RDFStatement) throws -> Void) throws {
    let operations = logged.event.body?.operations ?? []
    guard case .transaction = logged.event.envelope.kind else { return }
    try writeActivity(logged, body)
    let seen = try vector(logged.id)
    try versions.read { db in
      for entity in entities(operations) {
        try writeVersion(of: entity, logged, seen, operations, db, body)
      }
    }
  }

  private func writeActivity(_ logged: LoggedEvent, _ body: (RDFStatement) throws -> Void) throws {
    let activity = RDFSubject.iri(naming.event(logged.id))
    let time = RDFLiteral(moment: logged.times.authored.milliseconds)
    try body(RDFStatement(activity, .rdfType, .iri(PROV.activity)))
    try body(RDFStatement(activity, PROV.endedAtTime, .literal(time)))
    if !logged.label.isEmpty {
      try body(RDFStatement(activity, .rdfsLabel, .literal(RDFLiteral(logged.label))))
    }
    let origin = logged.id.origin
    let replica = naming.replica(origin)
    try body(RDFStatement(activity, PROV.wasAssociatedWith, .iri(replica)))
    let actor = naming.actor(logged.actor)
    if !logged.actor.isEmpty {
      try body(RDFStatement(activity, PROV.wasAssociatedWith, .iri(actor)))
    }
    if replicas.insert(origin).inserted {
      try body(RDFStatement(.iri(replica), .rdfType, .iri(PROV.softwareAgent)))
    }
    if !logged.actor.isEmpty, actors.insert(logged.actor).inserted {
      try body(RDFStatement(.iri(actor), .rdfType, .iri(PROV.agent)))
      try body(RDFStatement(.iri(actor), .rdfsLabel, .literal(RDFLiteral(logged.actor))))
    }
  }

  // MARK: - Versions

  private func writeVersion(
    of entity: (collection: String, id: String), _ logged: LoggedEvent, _ seen: VersionVector,
    _ operations: [DaybookEventCore.Operation], _ db: Database,
    _ body: (RDFStatement) throws -> Void
  ) throws {
    let own = operations.filter {
      guard let other = $0.entity else { return false }
      let name = schema[other.collection]?.name ?? other.collection
      return name == entity.collection && other.id.isSame(as: entity.id)
    }
    let earlier = try earlier(than: logged.id, of: entity, seen, db)
    let activity = naming.event(logged.id)
    let time = RDFTerm.literal(RDFLiteral(moment: logged.times.authored.milliseconds))
    let version = naming.version(entity.collection, entity.id, logged.id)
    let thing = naming.entity(entity.collection, entity.id)
    try body(RDFStatement(.iri(version), .rdfType, .iri(PROV.entity)))
    try body(RDFStatement(.iri(version), PROV.specializationOf, .iri(thing)))
    try body(RDFStatement(.iri(version), PROV.wasGeneratedBy, .iri(activity)))
    try body(RDFStatement(.iri(version), PROV.generatedAtTime, time))
    for other in earlier {
      let source = naming.version(entity.collection, entity.id, other)
      try body(RDFStatement(.iri(version), PROV.wasDerivedFrom, .iri(source)))
    }
    try writeValues(own, version, entity.collection, body)
    guard own.last.map(Self.isDeletion) ?? false else { return }
    for other in earlier {
      let source = RDFSubject.iri(naming.version(entity.collection, entity.id, other))
      try body(RDFStatement(source, PROV.wasInvalidatedBy, .iri(activity)))
      try body(RDFStatement(source, PROV.invalidatedAtTime, time))
    }
  }

  private static func isDeletion(_ operation: DaybookEventCore.Operation) -> Bool {
    switch operation {
    case .delete, .erase: true
    default: false
    }
  }

  /// Says the values that the event gave to fields.
  private func writeValues(
    _ operations: [DaybookEventCore.Operation], _ version: IRI, _ collection: String,
    _ body: (RDFStatement) throws -> Void
  ) throws {
    var written: [String: Value] = [:]
    for operation in operations {
      switch operation {
      case .insert(_, _, let fields), .update(_, _, let fields):
        written.merge(fields) { $1 }
      default: break
      }
    }
    for (identity, value) in written.sorted(by: { utf8Less($0.key, $1.key) }) {
      let field = schema[collection]?.fields.first { $0.identity == identity }
      let predicate = naming.field(field?.name ?? identity, of: collection)
      if let target = field?.references, case .text(let id) = value {
        try body(RDFStatement(.iri(version), predicate, .iri(naming.entity(target, id))))
      } else if let literal = RDFLiteral(value) {
        try body(RDFStatement(.iri(version), predicate, .literal(literal)))
      }
    }
  }

  /// Returns the latest versions that an event's author had seen.
  private func earlier(
    than event: EventID, of entity: (collection: String, id: String), _ seen: VersionVector,
    _ db: Database
  ) throws -> [EventID] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT sequence FROM version
        WHERE collection = ? AND id = CAST(? AS TEXT) AND origin = ? AND sequence <= ?
        ORDER BY sequence DESC LIMIT 1
        """)
    let found = try seen.entries.compactMap { origin, sequence -> EventID? in
      let last = origin == event.origin ? event.sequence - 1 : sequence
      let latest = try Int64.fetchOne(
        statement,
        arguments: [
          entity.collection, Data(entity.id.utf8), origin.description, Int64(clamping: last),
        ])
      return latest.map { EventID(origin, UInt64(clamping: $0)) }
    }
    guard found.count > 1 else { return found }
    let vectors = try found.map { try vector($0) }
    return found.enumerated().filter { index, version in
      !vectors.enumerated().contains { $0.offset != index && $0.element.contains(version) }
    }.map(\.element)
  }
}
