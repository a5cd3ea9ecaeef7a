package import EventCore
import GRDBSQLite

/// Posts events to the read model, one after another, within a transaction that someone else holds.
///
/// State is the maximum per register by order key, so nothing depends on the order in which events
/// come, as long as each origin's come in sequence. After a rollback, call ``reload()``.
package final class Projector {
  let sql: StatementCache
  let source: any EventSource
  private(set) var index: EventIndex
  private(set) var entities: EntityStore
  private var tables: [String: CollectionTable] = [:]
  private var tablesByNumber: [CollectionTable] = []
  private(set) var definitions = DefinitionRegisters()
  package private(set) var schema = Schema()
  package private(set) var digest = StateDigest()
  /// Events and operations that this version cannot interpret.
  package private(set) var opaqueCount = 0
  /// Likewise of private origins, of which the digest does not speak.
  package private(set) var localOpaqueCount = 0

  /// While the read model is to be made from the log later.
  var deferral: Deferral?

  /// The writes of the event being applied, which may not be in the log yet.
  var currentWrites: [WriteRef: EntityWrite] = [:]
  /// Ranges of events whose order has changed while the current event was applied.
  private var sunk: [EventIndex.Sunk] = []

  /// - Parameter connection: the read model's writer, with the internal tables in place.
  /// - Throws: ``ProjectionError`` where the internal tables cannot be read.
  package init(connection: OpaquePointer, source: any EventSource) throws(ProjectionError) {
    sql = StatementCache(connection)
    self.source = source
    index = try EventIndex(sql)
    entities = try EntityStore(sql, index)
    try load()
  }

  /// Forgets what is in memory and reads it again: after a rollback, and when another process has
  /// written.
  package func reload() throws(ProjectionError) {
    deferral = nil
    index = try EventIndex(sql)
    entities = try EntityStore(sql, index)
    try load()
  }

  /// Changes when another connection has written: then ``reload()``.
  package func dataVersion() throws(ProjectionError) -> Int64 {
    let query = try sql("PRAGMA data_version")
    defer { query.reset() }
    return try query.step() ? query.integer(0) : 0
  }

  /// Lets go of all prepared statements.
  package func close() { sql.removeAll() }

  private func load() throws(ProjectionError) {
    currentWrites = [:]
    sunk = []
    try loadCheckpoint()
    tables = [:]
    tablesByNumber = []
    let collections = try sql("SELECT number, name FROM _daybook_collections ORDER BY number")
    var names: [(Int, String)] = []
    while try collections.step() { names.append((collections.int(0), collections.text(1))) }
    collections.reset()
    for (number, name) in names {
      let fields = try sql("SELECT name FROM _daybook_fields WHERE collection = ? ORDER BY number")
      try fields.bind(1, number)
      var fieldNames: [String] = []
      while try fields.step() { fieldNames.append(fields.text(0)) }
      fields.reset()
      guard number == tablesByNumber.count + 1 else { throw .damaged("collection numbers") }
      let table = CollectionTable(number: number, identity: name, fieldNames: fieldNames)
      tables[name] = table
      tablesByNumber.append(table)
    }
    try loadDefinitions()
    schema = definitions.schema
    for collection in schema.sorted { try table(collection.identity).setSchema(collection) }
  }

  private func loadCheckpoint() throws(ProjectionError) {
    let query = try sql("SELECT digest, opaque, opaque_local FROM _daybook_checkpoint")
    defer { query.reset() }
    guard try query.step() else { throw .damaged("it has no checkpoint") }
    let bytes = query.blob(0)
    guard bytes.count == 32 else { throw .damaged("its digest has \(bytes.count) bytes") }
    digest = StateDigest(sum: bytes.withUnsafeBytes { Hash256(bytes: $0) })
    opaqueCount = query.int(1)
    localOpaqueCount = query.int(2)
  }

  private func loadDefinitions() throws(ProjectionError) {
    definitions = DefinitionRegisters()
    let query = try sql(
      """
      SELECT collection, field, attribute, origin, sequence, operation, value
      FROM _daybook_definitions
      """)
    var writes: [DefinitionRegisters.Write] = []
    while try query.step() {
      let ref = WriteRef(
        origin: query.int(3), sequence: UInt64(bitPattern: query.integer(4)),
        operation: UInt32(truncatingIfNeeded: query.integer(5)))
      guard index.isKnown(ref),
        let value = try? query.blob(6).withUnsafeBytes({ try Value(canonicalBytes: $0) })
      else { throw .damaged("a definition") }
      writes.append(
        .init(
          register: .init(
            collection: query.text(0), field: query.text(1), attribute: query.text(2)),
          value: value, ref: ref))
    }
    query.reset()
    definitions.append(writes)
    try foldDefinitions()
  }

  /// Writes checkpoint and event index: rows and checkpoint are in one transaction.
  package func save() throws(ProjectionError) {
    try index.save()
    for table in tables.values where !table.unsavedFields.isEmpty {
      for field in table.unsavedFields {
        let insert = try sql("INSERT INTO _daybook_fields VALUES (?, ?, ?)")
        try insert.bind(1, table.number)
        try insert.bind(2, field)
        try insert.bind(3, table.fieldNames[field])
        try insert.run()
      }
      table.markFieldsSaved()
    }
    let update = try sql("UPDATE _daybook_checkpoint SET digest = ?, opaque = ?, opaque_local = ?")
    try update.bind(1, digest.sum.bytes)
    try update.bind(2, opaqueCount)
    try update.bind(3, localOpaqueCount)
    try update.run()
  }

  /// What an attribute of a collection, or of its field, has been given; nil where nothing.
  package func definition(
    _ collection: String, isLocal: Bool, field: String, _ attribute: String
  ) -> Value? {
    definitions.winners[
      .init(
        collection: CollectionIdentity.of(collection, isLocal: isLocal), field: field,
        attribute: attribute)]?.value
  }

  // MARK: What was applied

  /// The contiguous prefix of each origin that the read model shows, but for private ones: what may
  /// be told to others.
  package var vector: VersionVector { wholeVector.shared }

  /// The same with private origins.
  package var wholeVector: VersionVector { index.wholeVector }

  /// The latest authored time applied: what the next event's must exceed.
  package var latestTime: HybridTime { index.latestTime }

  package func context(of origin: ReplicaID) throws(ProjectionError) -> CausalContext {
    try index.context(of: index.number(of: origin))
  }

  /// Whether an origin has been certified as a hub.
  package func isHub(_ origin: ReplicaID) -> Bool {
    index.knownNumber(of: origin).map { index.origin($0).isHub } ?? false
  }

  /// The last event applied of an origin; 0 where none was.
  package func sequence(of origin: ReplicaID) -> UInt64 {
    index.knownNumber(of: origin).map { index.origin($0).sequence } ?? 0
  }

  /// The chain value after the last event applied of an origin.
  package func chain(of origin: ReplicaID) -> Hash256 {
    index.knownNumber(of: origin).map { index.origin($0).chain } ?? Chain(origin: origin).value
  }

  package func setChain(of origin: ReplicaID, _ chain: Hash256) {
    index.setChain(index.number(of: origin), chain)
  }

  // MARK: Events

  /// Applies the next event of its origin. Never fails for what the event says: what cannot be
  /// understood is counted and left for a later version.
  /// - Throws: what SQLite or the log throw; ``ProjectionError/Code/missingEvent`` where `id` is
  ///   not the origin's next event.
  package func apply(_ event: EventView, id: EventID) throws {
    let number = index.number(of: id.origin)
    let envelope = try? Envelope(decoding: event.envelope)
    let isOrdered = try index.record(
      number, sequence: id.sequence, authored: envelope?.authored, delta: envelope?.context)
    if isOrdered, envelope?.kind == .transaction, !event.bodyIsHash { index.markWriter(number) }
    guard isOrdered, let envelope, let body = Self.body(of: event, envelope) else {
      countOpaque(1, of: number)
      return
    }
    for (position, operation) in body.operations.enumerated() {
      let ref = WriteRef(
        origin: number, sequence: id.sequence, operation: UInt32(truncatingIfNeeded: position))
      try apply(operation, kind: envelope.kind, ref)
    }
    try finishEvent()
  }

  static func body(of event: EventView, _ envelope: Envelope) -> Body? {
    guard !event.bodyIsHash else { return nil }
    if case .unknown = envelope.kind { return nil }
    return try? Body(decoding: event.body, codec: envelope.bodyCodec)
  }

  /// Begins an event that this replica is writing; operations follow, then ``finishEvent()``.
  package func beginLocalEvent(_ id: EventID, _ envelope: Envelope) throws(ProjectionError) {
    let number = index.number(of: id.origin)
    _ = try index.record(
      number, sequence: id.sequence, authored: envelope.authored, delta: envelope.context)
    if envelope.kind == .transaction { index.markWriter(number) }
  }

  package func applyLocal(_ operation: Operation, id: EventID, index position: Int) throws {
    let ref = WriteRef(
      origin: index.number(of: id.origin), sequence: id.sequence, operation: UInt32(position))
    let isIdentity = if case .identity = operation { true } else { false }
    try apply(operation, kind: isIdentity ? .identity : .transaction, ref)
  }

  func countOpaque(_ count: Int, of origin: Int) {
    if isPrivate(origin) { localOpaqueCount += count } else { opaqueCount += count }
  }

  private func isPrivate(_ origin: Int) -> Bool { index.origin(origin).id.isPrivate }

  /// Which of the collections that may have one name an event of that origin speaks of.
  func identity(of name: String, origin: Int) -> String {
    CollectionIdentity.of(name, isLocal: isPrivate(origin))
  }

  func addToDigest(_ other: StateDigest) { digest.add(other.sum) }
  func setDigest(_ other: StateDigest) { digest = other }
  func forgetSunk() { sunk = [] }

  func apply(_ operation: Operation, kind: Envelope.Kind, _ ref: WriteRef) throws {
    switch (operation, kind) {
    case (.unknown, _): countOpaque(1, of: ref.origin)
    case (.define, .transaction), (.drop, .transaction): try applyDefinition(operation, ref)
    case (.stamp(let stamp), .stamps):
      // Local events are never stamped: they are nobody else's business.
      guard index.origin(ref.origin).isHub, !stamp.origin.isPrivate else { return }
      sunk += try index.add(stamp, hub: ref.origin, sequence: ref.sequence)
    case (.identity(let claim), .identity):
      guard ref.sequence == 1, ref.operation == 0 else { return }
      if claim.certifiesHub(index.origin(ref.origin).id) { index.markHub(ref.origin) }
    case (_, .transaction):
      guard let (write, name, id) = entityWrite(operation, ref) else { return }
      var record = try entities.load(try table(name), id)
      try apply(write, to: &record)
    default: break
    }
  }

  package func finishEvent() throws {
    if !sunk.isEmpty { try refoldSunk() }
    currentWrites = [:]
  }

  /// An operation with its fields numbered; nil where it is not about an entity. The collection is
  /// given by its identity.
  func entityWrite(_ operation: Operation, _ ref: WriteRef)
    -> (write: EntityWrite, collection: String, id: String)?
  {
    let (kind, name, id, fields): (UInt64, String, String, [String: Value])
    switch operation {
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
    guard let table = try? table(identity) else { return nil }
    var values: [Int: Value] = [:]
    for field in fields.keys.sorted(by: utf8Less) {
      values[table.number(ofField: field)] = fields[field]
    }
    return (EntityWrite(ref: ref, kind: kind, values: values), identity, id)
  }

  // MARK: Collections

  /// The collection of that identity; it gets a number at first sight.
  func table(_ identity: String) throws(ProjectionError) -> CollectionTable {
    if let table = tables[identity] { return table }
    let table = CollectionTable(number: tablesByNumber.count + 1, identity: identity)
    let insert = try sql("INSERT INTO _daybook_collections VALUES (?, ?)")
    try insert.bind(1, table.number)
    try insert.bind(2, identity)
    try insert.run()
    tables[identity] = table
    tablesByNumber.append(table)
    return table
  }

  func table(number: Int) -> CollectionTable? {
    number >= 1 && number <= tablesByNumber.count ? tablesByNumber[number - 1] : nil
  }

  func knownTable(_ identity: String) -> CollectionTable? { tables[identity] }

  /// The collection that users mean by a name: the one that is shown; where none is, a shared one
  /// before a local one that was dropped.
  func knownTable(named name: String) -> CollectionTable? {
    if let shown = schema[name] { return tables[shown.identity] }
    return tables[name] ?? tables[CollectionIdentity.of(name, isLocal: true)]
  }

  // MARK: Digest and definitions

  func replaceInDigest(_ old: Hash256?, _ new: Hash256?) {
    if let old { digest.remove(old) }
    if let new { digest.add(new) }
  }

  private func applyDefinition(_ operation: Operation, _ ref: WriteRef) throws {
    try refoldDefinitions(
      appending: DefinitionRegisters.writes(
        of: operation, ref: ref, isLocal: isPrivate(ref.origin)), adopting: adopt)
  }

  private func insert(_ writes: [DefinitionRegisters.Write]) throws {
    for write in writes {
      let insert = try sql("INSERT INTO _daybook_definitions VALUES (?, ?, ?, ?, ?, ?, ?)")
      try insert.bind(1, write.register.collection)
      try insert.bind(2, write.register.field)
      try insert.bind(3, write.register.attribute)
      try insert.bind(4, write.ref.origin)
      try insert.bind(5, Int64(bitPattern: write.ref.sequence))
      try insert.bind(6, Int64(write.ref.operation))
      try insert.bind(7, write.value.canonicalBytes)
      try insert.run()
    }
  }

  /// Changes the definitions, and everything that follows from them.
  func refoldDefinitions(
    appending writes: [DefinitionRegisters.Write], adopting adopt: (Schema) throws -> Void
  ) throws {
    for hash in definitionContributions { digest.remove(hash) }
    try insert(writes)
    definitions.append(writes)
    try foldDefinitions()
    for hash in definitionContributions { digest.add(hash) }
    try updateDefinitionConflicts()
    try adopt(definitions.schema)
    schema = definitions.schema
  }

  private func foldDefinitions() throws(ProjectionError) {
    try definitions.fold { ref throws(ProjectionError) in try self.index.key(ref) }
  }

  private var definitionContributions: [Hash256] {
    definitions.contributions { index.origin($0).id }
  }

  private func adopt(_ new: Schema) throws {
    let old = schema
    let names = Set(old.collections.keys).union(new.collections.keys)
    let changed = names.sorted(by: utf8Less).filter { old[$0] != new[$0] }
    // What goes makes room first: the next holder of its name may differ in case only.
    for name in changed {
      guard let gone = old[name], new[identity: gone.identity] == nil else { continue }
      try SchemaChange(projector: self, table: try table(gone.identity), to: nil).run()
    }
    for name in changed {
      if let next = new[name] {
        try SchemaChange(projector: self, table: try table(next.identity), to: next).run()
      }
    }
  }

  // MARK: Stamps

  /// Events that have got stamps: looks again at what they wrote, where that stands elsewhere now.
  private func refoldSunk() throws {
    let keepPlaces = try index.keepTheirPlaces(sunk)
    // Who has a unique value, or is cut from a tree, is told by ranks that are written down.
    if keepPlaces, !tablesByNumber.contains(where: \.hasRules) {
      sunk = []
      return
    }
    // Ids as bytes: texts that Unicode holds to be equivalent are different ids.
    var affected: [String: Set<[UInt8]>] = [:]
    var touchesDefinitions = false
    for piece in sunk {
      let origin = index.origin(piece.origin)
      guard piece.range.lowerBound <= origin.sequence else { continue }
      let known = piece.range.lowerBound...min(piece.range.upperBound, origin.sequence)
      try source.forEachEvent(of: origin.id, in: known) { _, event in
        guard let envelope = try? Envelope(decoding: event.envelope),
          envelope.kind == .transaction, let body = Self.body(of: event, envelope)
        else { return }
        for operation in body.operations {
          switch operation {
          case .define, .drop: touchesDefinitions = true
          case .insert(let collection, let id, _), .update(let collection, let id, _),
            .delete(let collection, let id), .restore(let collection, let id),
            .erase(let collection, let id):
            affected[collection, default: []].insert(Array(id.utf8))
          case .stamp, .identity, .unknown: break
          }
        }
      }
    }
    sunk = []
    if touchesDefinitions, !keepPlaces { try refoldDefinitions(appending: [], adopting: adopt) }
    for (name, ids) in affected.sorted(by: { utf8Less($0.key, $1.key) }) {
      for id in ids.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let text = String(decoding: id, as: UTF8.self)
        var record = try entities.load(try table(name), text)
        guard record.isStored else { continue }
        let isOnlyWrite = record.state.recent.count == 1 && record.state.chunkCount == 0
        if keepPlaces || isOnlyWrite {
          // What won wins as before, but has another rank among the writes of others.
          if record.table.hasRules { try entities.save(&record, isReordered: true) }
          continue
        }
        let old = record.contribution(index)
        try refold(&record)
        replaceInDigest(old, record.contribution(index))
        try entities.save(&record, isReordered: true)
      }
    }
  }
}
