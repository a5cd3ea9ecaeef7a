public import EventCore
package import GRDB

/// What the internal tables say in one snapshot: histories, states of the past, conflicts. Reads
/// only.
package final class ReadModelView {
  let projector: Projector
  var index: EventIndex { projector.index }
  var sql: StatementCache { projector.sql }
  package var schema: Schema { projector.schema }
  package var digest: StateDigest { projector.digest }
  package var opaqueCount: Int { projector.opaqueCount }
  package var localOpaqueCount: Int { projector.localOpaqueCount }
  /// What may be told to others.
  package var vector: VersionVector { projector.vector }
  /// The same with private origins.
  package var wholeVector: VersionVector { projector.wholeVector }
  package func chain(of origin: ReplicaID) -> Hash256 { projector.chain(of: origin) }

  /// Made when a graph is first asked for.
  private var graphPlan: GraphPlan?

  /// Lets go of all prepared statements.
  package func close() {
    graphPlan = nil
    projector.close()
  }

  /// Changes when another connection has written: then ``reload()``.
  package func dataVersion() throws -> Int64 { try projector.dataVersion() }

  /// Reads definitions and origins again.
  package func reload() throws {
    let old = schema
    do { try projector.reload() } catch {
      graphPlan = nil
      throw error
    }
    // Most writes define nothing, and leave what graph queries have prepared as it is.
    if schema == old { graphPlan?.endSnapshot() } else { graphPlan = nil }
  }

  /// Ends whatever a statement is in the middle of, which would keep its snapshot.
  package func resetStatements() { projector.sql.resetAll() }

  /// Cost: reads the definitions and the list of origins.
  package init(
    _ db: Database, source: any EventSource, limits: ReadModelLimits = .standard
  ) throws {
    guard let connection = db.sqliteConnection else {
      throw ProjectionError(.sqlite, "the read model is closed")
    }
    projector = try Projector(connection: connection, source: source, limits: limits)
  }

  /// The entity as it is known, live or not; nil for one that no write has reached.
  /// - Parameter isLocal: which one where a shared and a local collection may have that name; nil for
  ///   the one that users mean.
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

  /// A live entity.
  package func entity(_ collection: String, isLocal: Bool? = nil, _ id: String) throws -> Entity? {
    try record(collection, isLocal: isLocal, id).flatMap { try projector.entity($0) }
  }

  /// What a transaction sees. The projector stays the transaction's: the view is not to be closed.
  package init(within projector: Projector) { self.projector = projector }

  /// An event together with all that its author had seen.
  /// - Throws: ``ProjectionError/Code/unknownPosition`` for an event that is not known here.
  package func vector(at event: EventID) throws -> VersionVector {
    guard let number = index.knownNumber(of: event.origin), event.sequence > 0,
      event.sequence <= index.origin(number).sequence
    else {
      throw ProjectionError(.unknownPosition, "event \(event) is not known here")
    }
    return try index.vector(at: number, event.sequence)
  }

  /// A vector of shared events together with the private ones whose authors had seen nothing beyond
  /// it; one that names a private origin says itself which.
  package func completed(_ vector: VersionVector) throws -> VersionVector {
    guard !vector.hasPrivate else { return vector }
    var completed = try index.privateEvents(within: vector)
    completed.formUnion(vector)
    return completed
  }

  /// Traversals over relationships.
  /// - Parameters:
  ///   - via: the relationship collections to follow; nil for all.
  ///   - fields: what the fields of a relationship must hold for it to be followed.
  /// - Throws: ``ProjectionError`` `unknownName` for a name that is no relationship's or field's,
  ///   `invalidQuery` for a value that is not of the field's type.
  package func graph(via: [String]? = nil, where fields: [String: Value] = [:])
    throws(ProjectionError) -> GraphQueries
  {
    GraphQueries(try plan.edges(via: via, where: fields))
  }

  /// The vertex that a text names: `COLLECTION/ID`, or an id alone where one collection holds it.
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

  /// How many of an origin's events no hub has stamped.
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

  /// Why an origin's first event without a stamp has none: an event that its author had seen, which has none
  /// either, whether it is here or not. Nil if there is no such event.
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

  /// The origins with events that claim to be far in the future: see ``HybridTime/farFuture``.
  package var farOrigins: [ReplicaID] { index.farOrigins.map { index.origin($0).id }.sorted() }

  /// When an event was authored and, where it is stamped, by which hub and when.
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

/// When an event happened.
public struct EventTimes: Hashable, Sendable {
  /// By its author's clock.
  public var authored: HybridTime
  /// By the hub's; nil while pending.
  public var stamped: HybridTime?
  public var hub: ReplicaID?

  public init(authored: HybridTime, stamped: HybridTime? = nil, hub: ReplicaID? = nil) {
    self.authored = authored
    self.stamped = stamped
    self.hub = hub
  }
}
