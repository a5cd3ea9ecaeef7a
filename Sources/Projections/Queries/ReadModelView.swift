package import DaybookEventCore
package import GRDB

/// A read-only view of the internal tables in one snapshot: histories, states
/// of the past, conflicts.
package final class ReadModelView {
  let projector: Projector
  var index: EventIndex { projector.index }
  var sql: StatementCache { projector.sql }
  package var schema: StoreSchema { projector.schema }
  package var digest: StateDigest { projector.digest }
  package var opaqueCount: Int { projector.opaqueCount }
  package var localOpaqueCount: Int { projector.localOpaqueCount }
  /// The contiguous prefix of each shared origin, without private ones: peers may see it.
  package var vector: VersionVector { projector.vector }
  /// The contiguous prefix of each origin, private ones included.
  package var wholeVector: VersionVector { projector.wholeVector }
  package func chain(of origin: ReplicaID) -> Hash256 { projector.chain(of: origin) }

  /// The shared data of graph queries; made on first use.
  private var graphPlan: GraphPlan?

  /// Finalizes all prepared statements.
  package func close() {
    graphPlan = nil
    projector.close()
  }

  /// Returns a number that changes when another connection has written; then call ``reload()``.
  package func dataVersion() throws -> Int64 { try projector.dataVersion() }

  /// Reads definitions and origins again.
  package func reload() throws {
    let old = schema
    do { try projector.reload() } catch {
      graphPlan = nil
      throw error
    }
    // Most writes define nothing, so the prepared statements of graph queries stay valid.
    if schema == old { graphPlan?.endSnapshot() } else { graphPlan = nil }
  }

  /// Resets all running statements, which would keep their snapshot.
  package func resetStatements() { projector.sql.resetAll() }

  /// Makes a view on a connection. Cost: reads the definitions and the list of origins.
  package init(
    _ db: Database, source: any EventSource, limits: ReadModelLimits = .standard
  ) throws {
    guard let connection = db.sqliteConnection else {
      throw ProjectionError(.sqlite, "the read model is closed")
    }
    projector = try Projector(connection: connection, source: source, limits: limits)
  }

  /// Returns the error that there is no such collection, with the name that may be meant.
  func unknown(_ name: String) -> ProjectionError {
    var error = ProjectionError(
      .unknownName, "there is no collection \(name.quotedForMessage)",
      hint: NameSuggestion.hint(
        for: name, among: schema.sorted.map(\.name), none: "Nothing is defined yet"))
    error.collection = name
    return error
  }

  /// Returns the entity as it is known, live or not; nil if no write has reached it.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - isLocal: whether the local collection of that name is meant; nil for the
  ///     one that users mean.
  ///   - id: the entity's id.
  func record(_ collection: String, isLocal: Bool? = nil, _ id: String) throws -> EntityRecord? {
    guard let isLocal else {
      return try projector.knownTable(named: collection).flatMap { try record($0, id) }
    }
    return try record(identity: CollectionIdentity.of(collection, isLocal: isLocal), id)
  }

  func record(identity: String, _ id: String) throws -> EntityRecord? {
    guard let table = projector.knownTable(identity) else { return nil }
    return try record(table, id)
  }

  private func record(_ table: CollectionTable, _ id: String) throws -> EntityRecord? {
    let record = try projector.entities.load(table, id)
    return record.isStored ? record : nil
  }

  /// Returns a live entity; nil if there is none.
  package func entity(_ collection: String, isLocal: Bool? = nil, _ id: String) throws
    -> StoredEntity?
  {
    try record(collection, isLocal: isLocal, id).flatMap { try projector.entity($0) }
  }

  /// Makes a view of a transaction's state. The projector still belongs to the transaction: do not
  /// close the view.
  package init(within projector: Projector) { self.projector = projector }

  /// Returns the vector of an event and all that its author had seen.
  /// - Throws: ``ProjectionError/Code/unknownPosition`` if the event is not known here.
  package func vector(at event: EventID) throws -> VersionVector {
    guard let number = index.knownNumber(of: event.origin), event.sequence > 0,
      event.sequence <= index.origin(number).sequence
    else {
      throw ProjectionError(.unknownPosition, "event \(event) is not known here")
    }
    return try index.vector(at: number, event.sequence)
  }

  /// Returns a vector of shared events, completed with the private events whose authors had seen
  /// nothing beyond it. A vector that names a private origin is returned as it is.
  package func completed(_ vector: VersionVector) throws -> VersionVector {
    guard !vector.hasPrivate else { return vector }
    var completed = try index.privateEvents(within: vector)
    completed.formUnion(vector)
    return completed
  }

  /// Returns traversals over relationships.
  /// - Parameters:
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: the values that the fields of a relationship must hold for it to be followed.
  ///   - condition: what a relationship must meet, too; nil for nothing. Only with one collection.
  /// - Throws: ``ProjectionError`` `unknownName` if a name is no relationship's or field's,
  ///   `invalidQuery` if a value is not of the field's type.
  package func graph(
    via: [String]? = nil, where fields: [String: Value] = [:], _ condition: GraphCondition? = nil
  ) throws(ProjectionError) -> GraphQueries {
    GraphQueries(try plan.edges(via: via, where: fields, condition))
  }

  /// Returns the vertex that a text names: `COLLECTION/ID`, or an id that
  /// only one collection holds.
  /// - Throws: ``ProjectionError`` `unknownName`; `ambiguousID` with the choices.
  package func vertex(named text: String) throws(ProjectionError) -> GraphVertex {
    try plan.vertex(named: text)
  }

  private var plan: GraphPlan {
    if let graphPlan { return graphPlan }
    let plan = GraphPlan(schema, sql)
    graphPlan = plan
    return plan
  }

  /// Returns the number of an origin's events that no hub has stamped.
  package func unstamped(of origin: ReplicaID) throws -> UInt64 {
    guard let number = index.knownNumber(of: origin) else { return 0 }
    let query = try sql(
      """
      SELECT coalesce(sum(min(last, ?2) - first + 1), 0) FROM _daybook_stamps
      WHERE origin = ?1 AND first <= ?2
      """)
    try query.bind(1, number)
    try query.bind(2, Int64(bitPattern: index.origin(number).sequence))
    defer { query.reset() }
    let stamped = try query.step() ? UInt64(clamping: query.integer(0)) : 0
    return index.origin(number).sequence - min(index.origin(number).sequence, stamped)
  }

  /// Returns the reason why an origin's first unstamped event has no stamp: an unstamped event that
  /// its author had seen, whether it is here or not. Nil if there is no such event.
  package func unstampedCause(of origin: ReplicaID) throws -> EventID? {
    guard let number = index.knownNumber(of: origin) else { return nil }
    let first = try index.wholeStamped(number) + 1
    guard first <= index.origin(number).sequence else { return nil }
    for (other, sequence) in try index.vector(at: number, first).shared.entries
    where other != origin {
      guard let seen = index.knownNumber(of: other) else { return EventID(other, sequence) }
      guard !index.origin(seen).isHub else { continue }
      if try index.wholeStamped(seen) < sequence { return EventID(other, sequence) }
    }
    return nil
  }

  /// The hubs that have given stamps which do not count, as their times are far in the future.
  package var farStampers: [ReplicaID] {
    index.origins.filter(\.hasFarStamps).map(\.id).sorted()
  }

  /// The origins with events whose time is far in the future: see ``HybridTime/farFuture``.
  package var farOrigins: [ReplicaID] { index.origins.filter(\.isAhead).map(\.id).sorted() }

  /// Returns the origins with events that claim to be of `limit` or later, though not of the far
  /// future, and the latest such times.
  package func origins(from limit: HybridTime) -> [(origin: ReplicaID, time: HybridTime)] {
    index.origins.filter { $0.latestAuthored >= limit }.map { ($0.id, $0.latestAuthored) }
      .sorted { $0.0 < $1.0 }
  }

  /// Returns when an event was authored and, if it is stamped, when and by which hub; nil if the
  /// event is not known here.
  package func times(of event: EventID) throws -> EventTimes? {
    guard let number = index.knownNumber(of: event.origin), event.sequence > 0,
      event.sequence <= index.origin(number).sequence
    else { return nil }
    let stamp = try index.stamp(number, event.sequence)
    return EventTimes(
      authored: try index.authored(number, event.sequence), stamped: stamp?.time,
      hub: stamp.map { index.origin($0.hub).id })
  }
}
