package import DaybookEventCore
import GRDBSQLite

/// Applies events to the read model, one after another, within the caller's transaction.
///
/// State is the maximum per register by order key. So nothing depends on the order in which events
/// arrive, as long as each origin's arrive in sequence. After a rollback, call ``reload()``.
package final class Projector {
  let sql: StatementCache
  let source: any EventSource
  private(set) var index: EventIndex
  private(set) var entities: EntityStore
  var tables: [String: CollectionTable] = [:]
  var tablesByNumber: [CollectionTable] = []
  var definitions = DefinitionRegisters()
  var fold: SchemaFold
  package var schema: StoreSchema { fold.schema }
  package let limits: ReadModelLimits
  /// The checkpoint's count of changes to definitions and to numbers of names.
  package internal(set) var definitionsVersion: Int64 = 0
  var loadedNames: NamesVersion?
  let unsaved = UnsavedFields()
  /// Origins of events that were applied while being written: the log may not have them yet.
  var localOrigins: Set<Int> = []
  package internal(set) var digest = StateDigest()
  /// The number of shared events and operations that this version cannot interpret.
  package internal(set) var opaqueCount = 0
  /// The number of events and operations of private origins that this version cannot interpret.
  /// They do not make the digest incomplete.
  package internal(set) var localOpaqueCount = 0

  /// Called before a collection's tables are made, changed or removed. GRDB records all
  /// that is compiled on a connection until it compiles a statement itself, at a cost that
  /// grows with the records.
  package var willChangeTables: () -> Void = {}

  /// The writes of the event being applied, which may not be in the log yet.
  var currentWrites: [WriteRef: EntityWrite] = [:]
  let earlier: EarlierEvents
  /// Texts whose edits have to be merged before the next checkpoint.
  var staleTexts: [StaleText: Set<Int>] = [:]
  /// Edits that were received, and that have to be applied before the next checkpoint.
  var receivedEdits: [StaleText: [EntityWrite]] = [:]
  /// Entities with many authors, whose latest state is in memory until the next checkpoint.
  var crowded: [StaleText: Crowded] = [:]
  /// The bytes of the scripts of received edits.
  var receivedBytes = 0
  /// What the entity that was written last adds to the digest: often it is written again, and its
  /// texts may be long. Nil if it may have changed since.
  private var lastContribution: (table: Int, number: Int64, hash: Hash256?)?
  /// Ranges of events whose order has changed while the current event was applied.
  var lowered: [EventIndex.Lowered] = []
  let touched = ChangedRows()

  /// Loads the state of the read model.
  /// - Parameters:
  ///   - connection: the read model's writing connection, with the internal tables in place.
  ///   - source: the events of the log.
  ///   - limits: limits on what is shown; they must be the same for all users of this read model.
  /// - Throws: ``ProjectionError`` if the internal tables cannot be read.
  package init(
    connection: OpaquePointer, source: any EventSource, limits: ReadModelLimits = .standard
  ) throws(ProjectionError) {
    try SearchTokenizer.register(connection)
    sql = StatementCache(connection)
    self.source = source
    earlier = EarlierEvents(source)
    self.limits = limits
    fold = SchemaFold(limits)
    index = try EventIndex(sql)
    entities = try EntityStore(sql, index, limits, touched)
    try load()
  }

  /// Drops the state in memory and loads it again: after a rollback, and after
  /// another process has written.
  package func reload() throws(ProjectionError) {
    _ = touched.take()
    earlier.removeAll()
    index = try EventIndex(sql)
    entities = try EntityStore(sql, index, limits, touched)
    try load()
  }

  /// Returns a number that changes when tables are made, changed or removed by any connection.
  package func schemaVersion() throws(ProjectionError) -> Int64 {
    try integer("PRAGMA schema_version")
  }

  /// Returns the rows that were changed since the last call, or since a rollback.
  ///
  /// GRDB does not see the projector's statements, so its observers have to be told.
  package func takeChanges() -> RowChanges { touched.take() }

  /// Returns a number that changes when another connection has written; then call ``reload()``.
  package func dataVersion() throws(ProjectionError) -> Int64 {
    let query = try sql("PRAGMA data_version")
    defer { query.reset() }
    return try query.step() ? query.integer(0) : 0
  }

  /// Finalizes all prepared statements.
  package func close() { sql.removeAll() }

  /// The version of the names. Equal versions mean equal definitions, and equal numbers of
  /// collections and fields. Most writes change neither, and there may be thousands of names.
  struct NamesVersion: Equatable {
    /// The number of rebuilds: another read model has other numbers.
    var rebuilds: Int64
    /// The checkpoint's count of changes to definitions and numbers.
    var definitions: Int64
  }

  func orderKey(_ ref: WriteRef) throws(ProjectionError) -> OrderKey { try index.key(ref) }

  /// Notes that definitions or numbers have changed: other connections have to read them again.
  func noteNames() {
    definitionsVersion += 1
    // Until it is saved, the state in memory is not that of any version of the database.
    loadedNames = nil
  }

  /// Returns the value that an attribute of a collection or field shows, and the number of the
  /// migration that gave it, or 0; nil if nobody gave it one.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - isLocal: whether the local collection of that name is meant.
  ///   - field: the field's first name; empty for the collection itself.
  ///   - attribute: the attribute's name.
  package func definition(
    _ collection: String, isLocal: Bool, field: String, _ attribute: String
  ) -> (value: Value, migration: Int64)? {
    let register = DefinitionRegisters.Register(
      collection: CollectionIdentity.of(collection, isLocal: isLocal), field: field,
      attribute: attribute)
    return definitions.winners[register].map { ($0.value, $0.migration) }
  }

  // MARK: - Applied events

  /// Returns whether the author of an event had seen another event, or wrote it itself before.
  package func hasSeen(_ event: EventID, _ other: EventID) throws -> Bool {
    if event.origin == other.origin { return other.sequence <= event.sequence }
    return try index.hasSeen(
      index.number(of: event.origin), at: event.sequence,
      event: (index.number(of: other.origin), other.sequence))
  }

  /// The contiguous prefix of each shared origin that the read model shows. Private origins are
  /// left out, so peers may see it.
  package var vector: VersionVector { wholeVector.shared }

  /// The contiguous prefix of each origin that the read model shows, private origins included.
  package var wholeVector: VersionVector { index.wholeVector }

  /// For each origin, the latest authored time applied that is not far in the future.
  package var latestTimes: [HybridTime] { index.latestTimes }

  package func context(of origin: ReplicaID) throws(ProjectionError) -> CausalContext {
    try index.context(of: index.number(of: origin))
  }

  /// Returns whether an origin has been certified as a hub.
  package func isHub(_ origin: ReplicaID) -> Bool {
    index.knownNumber(of: origin).map { index.origin($0).isHub } ?? false
  }

  /// Whether no entity was ever written.
  package var isEmpty: Bool { entities.nextNumber == 1 }

  /// Returns the sequence of the last event applied of an origin; 0 if there is none.
  package func sequence(of origin: ReplicaID) -> UInt64 {
    index.knownNumber(of: origin).map { index.origin($0).sequence } ?? 0
  }

  /// Returns the chain value after the last event applied of an origin.
  package func chain(of origin: ReplicaID) -> Hash256 {
    index.knownNumber(of: origin).map { index.origin($0).chain } ?? Chain(origin: origin).value
  }

  package func setChain(of origin: ReplicaID, _ chain: Hash256) {
    index.setChain(index.number(of: origin), chain)
  }

  // MARK: - Operations

  /// Has events looked up that have ended and that the log does not have yet.
  /// - Parameter body: returns the body of such an event; nil for others.
  package func lookUpUnlogged(
    _ body: @escaping (EventID) -> (body: [UInt8], codec: Envelope.BodyCodec)?
  ) {
    earlier.unlogged = body
  }

  func countOpaque(_ count: Int, of origin: Int) {
    if isPrivate(origin) { localOpaqueCount += count } else { opaqueCount += count }
  }

  func isPrivate(_ origin: Int) -> Bool { index.origin(origin).id.isPrivate }

  /// Returns the identity of the collection that an event of the origin means by a name.
  func identity(of name: String, origin: Int) -> String {
    CollectionIdentity.of(name, isLocal: isPrivate(origin))
  }

  func addToDigest(_ other: StateDigest) { digest.add(other.sum) }
  func setDigest(_ other: StateDigest) { digest = other }
  func forgetLowered() { lowered = [] }

  /// Applies an operation; definitions and drops are applied elsewhere and ignored here.
  func apply(_ operation: Operation, kind: Envelope.Kind, _ ref: WriteRef) throws {
    switch (operation, kind) {
    case (.unknown, _): countOpaque(1, of: ref.origin)
    case (.stamp(let stamp), .stamps):
      // Local events are never stamped, since they never leave the replica.
      guard index.origin(ref.origin).isHub, !stamp.origin.isPrivate else { return }
      lowered += try index.add(stamp, hub: ref.origin, sequence: ref.sequence)
    case (.identity(let claim), .identity):
      guard ref.sequence == 1, ref.operation == 0 else { return }
      if claim.certifiesHub(index.origin(ref.origin).id) { index.markHub(ref.origin) }
    case (_, .transaction):
      guard let (write, name, id) = try entityWrite(operation, ref) else { return }
      let table = try table(name)
      if write.edit != nil { return try receive(write, of: table, id) }
      try applyReceivedEdits(of: table, id)
      try applyReceived(write, to: table, id)
    default: break
    }
  }

  /// Returns the write that an operation makes, with its fields numbered; nil if it is not about an
  /// entity. The collection is given by its identity.
  func entityWrite(_ operation: Operation, _ ref: WriteRef) throws(ProjectionError)
    -> (write: EntityWrite, collection: String, id: String)?
  {
    let (kind, name, id, fields): (UInt64, String, String, [String: Value])
    switch operation {
    case .edit(let edit):
      let identity = identity(of: edit.collection, origin: ref.origin)
      return (
        EntityWrite(
          ref: ref, kind: OperationKind.edit, values: [:],
          edit: .init(
            field: try table(identity).number(ofField: edit.field),
            base: WriteRef(
              origin: index.number(of: edit.base.origin), sequence: edit.base.sequence,
              operation: edit.baseOperation), script: edit.script,
            isComparison: edit.isComparison)), identity, edit.id
      )
    case .undo(let undo):
      let identity = identity(of: undo.collection, origin: ref.origin)
      return (
        EntityWrite(ref: ref, kind: OperationKind.undo, values: [:], undo: undo), identity, undo.id
      )
    case .insert(let collection, let entity, let values):
      (kind, name, id, fields) = (OperationKind.insert, collection, entity, values)
    case .update(let collection, let entity, let values):
      (kind, name, id, fields) = (OperationKind.update, collection, entity, values)
    case .delete(let collection, let entity):
      (kind, name, id, fields) = (OperationKind.delete, collection, entity, [:])
    case .restore(let collection, let entity):
      (kind, name, id, fields) = (OperationKind.restore, collection, entity, [:])
    case .erase(let collection, let entity):
      (kind, name, id, fields) = (OperationKind.erase, collection, entity, [:])
    default: return nil
    }
    let identity = identity(of: name, origin: ref.origin)
    let table = try table(identity)
    var values: [Int: Value] = Dictionary(minimumCapacity: fields.count)
    for (field, value) in fields {
      guard let number = table.knownNumber(ofField: field) else { break }
      values[number] = value
    }
    if values.count < fields.count {
      // New fields get their numbers in the order of their names.
      for field in fields.keys.sorted(by: utf8Less) {
        values[table.number(ofField: field)] = fields[field]
      }
    }
    return (EntityWrite(ref: ref, kind: kind, values: values), identity, id)
  }

  // MARK: - Collections

  /// Returns the collection of an identity; assigns the next number to a new collection.
  func table(_ identity: String) throws(ProjectionError) -> CollectionTable {
    if let table = tables[identity] { return table }
    let table = CollectionTable(
      number: tablesByNumber.count + 1, identity: identity, fieldNames: [], unsaved)
    let insert = try sql("INSERT INTO _daybook_collections VALUES (?, ?)")
    try insert.bind(1, table.number)
    try insert.bind(2, identity)
    try insert.run()
    tables[identity] = table
    tablesByNumber.append(table)
    noteNames()
    return table
  }

  func table(number: Int) -> CollectionTable? {
    number >= 1 && number <= tablesByNumber.count ? tablesByNumber[number - 1] : nil
  }

  func knownTable(_ identity: String) -> CollectionTable? { tables[identity] }

  /// Returns the collection that users mean by a name: the one that is shown; if none is, a shared
  /// collection before a local one that was dropped.
  func knownTable(named name: String) -> CollectionTable? {
    if let shown = schema[name] { return tables[shown.identity] }
    return tables[name] ?? tables[CollectionIdentity.of(name, isLocal: true)]
  }

  // MARK: - Digest and definitions

  /// Returns what an entity adds to the digest before a write; nil if it is not stored.
  func contribution(of record: EntityRecord) -> Hash256? {
    guard record.isStored else { return nil }
    if let last = lastContribution, last.table == record.table.number, last.number == record.number
    {
      return last.hash
    }
    return record.contribution(index)
  }

  /// Replaces what an entity added to the digest by what it adds after a write.
  func replaceInDigest(_ old: Hash256?, by record: EntityRecord) {
    let new = record.contribution(index)
    replaceInDigest(old, new)
    lastContribution = (record.table.number, record.number, new)
  }

  func replaceInDigest(_ old: Hash256?, _ new: Hash256?) {
    lastContribution = nil
    if let old { digest.remove(old) }
    if let new { digest.add(new) }
  }
}
