import Daybook
import DaybookEventCore
import DaybookProjections
import GRDB

/// A store's history as statements of PROV-O, event by event.
///
/// An event is an activity, who wrote it an agent, and what an entity was after it a version, which
/// was derived from the versions that its author had seen. The latest versions of each entity are
/// kept in a temporary database, so memory does not grow with the log.
final class Provenance {
  private let naming: RDFNaming
  private let schema: StoreSchema
  private let vector: (EventID) throws -> VersionVector
  private let latest: DatabaseQueue
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
    latest = try DatabaseQueue(path: "")
    try latest.write {
      try $0.execute(
        sql: """
          CREATE TABLE latest (
            collection TEXT NOT NULL, id TEXT NOT NULL, origin TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (collection, id, origin, sequence)) WITHOUT ROWID
          """)
    }
  }

  /// Calls `body` with what an event says.
  func write(_ logged: LoggedEvent, _ body: (RDFStatement) throws -> Void) throws {
    let operations = logged.event.body?.operations ?? []
    guard case .transaction = logged.event.envelope.kind else { return }
    try writeActivity(logged, body)
    let seen = try vector(logged.id)
    var done: Set<String> = []
    try latest.write { db in
      for operation in operations {
        guard let (collection, id) = operation.entity else { continue }
        let name = schema[collection]?.name ?? collection
        if done.insert("\(name)/\(id)").inserted {
          try writeVersion(of: (name, id), logged, seen, operations, db, body)
        }
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

  // MARK: Versions

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
    let (earlier, later) = try neighbors(of: entity, logged.id, seen, db)
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
    for other in later {
      let derived = naming.version(entity.collection, entity.id, other)
      try body(RDFStatement(.iri(derived), PROV.wasDerivedFrom, .iri(version)))
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

  /// Returns the versions that an event's author had seen and, if the log has them earlier, those
  /// whose authors had seen this event. Makes this one a latest version.
  private func neighbors(
    of entity: (collection: String, id: String), _ event: EventID, _ seen: VersionVector,
    _ db: Database
  ) throws -> (earlier: [EventID], later: [EventID]) {
    let rows = try Row.fetchAll(
      db, sql: "SELECT origin, sequence FROM latest WHERE collection = ? AND id = ?",
      arguments: [entity.collection, entity.id])
    var (earlier, later): ([EventID], [EventID]) = ([], [])
    for row in rows {
      guard let origin = ReplicaID(row[0] as String) else { continue }
      let other = EventID(origin, UInt64(bitPattern: row[1] as Int64))
      if seen.contains(other) {
        earlier.append(other)
      } else if try vector(other).contains(event) {
        later.append(other)
      }
    }
    for other in earlier {
      try db.execute(
        sql: """
          DELETE FROM latest WHERE collection = ? AND id = ? AND origin = ? AND sequence = ?
          """, arguments: Self.key(entity, other))
    }
    if later.isEmpty {
      try db.execute(
        sql: "INSERT OR IGNORE INTO latest VALUES (?, ?, ?, ?)",
        arguments: Self.key(entity, event))
    }
    return (earlier.sorted(), later.sorted())
  }

  private static func key(_ entity: (collection: String, id: String), _ event: EventID)
    -> StatementArguments
  {
    [
      entity.collection, entity.id, event.origin.description,
      Int64(bitPattern: event.sequence),
    ]
  }
}
