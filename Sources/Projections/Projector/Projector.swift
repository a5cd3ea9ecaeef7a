package import EventCore
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
  private var tables: [String: CollectionTable] = [:]
  private var tablesByNumber: [CollectionTable] = []
  private(set) var definitions = DefinitionRegisters()
  private var fold: SchemaFold
  package var schema: StoreSchema { fold.schema }
  package let limits: ReadModelLimits
  /// The checkpoint's count of changes to definitions and to numbers of names.
  private var definitionsVersion: Int64 = 0
  private var loadedNames: NamesVersion?
  private let unsaved = UnsavedFields()
  /// Origins of events that were applied while being written: the log may not have them yet.
  private var localOrigins: Set<Int> = []
  package private(set) var digest = StateDigest()
  /// The number of shared events and operations that this version cannot interpret.
  package private(set) var opaqueCount = 0
  /// The number of events and operations of private origins that this version cannot interpret.
  /// They do not make the digest incomplete.
  package private(set) var localOpaqueCount = 0

  /// The deferral, while the store is being filled and the read model is made later; otherwise nil.
  var deferral: Deferral?

  /// Called before a collection's tables are made, changed or removed. GRDB records all
  /// that is compiled on a connection until it compiles a statement itself, at a cost that
  /// grows with the records.
  package var willChangeTables: () -> Void = {}

  /// The writes of the event being applied, which may not be in the log yet.
  var currentWrites: [WriteRef: EntityWrite] = [:]
  var bodies = RecentBodies()
  /// Ranges of events whose order has changed while the current event was applied.
  private var sunk: [EventIndex.Sunk] = []
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
    self.limits = limits
    fold = SchemaFold(limits)
    index = try EventIndex(sql)
    entities = try EntityStore(sql, index, limits, touched)
    try load()
  }

  /// Drops the state in memory and loads it again: after a rollback, and after
  /// another process has written.
  package func reload() throws(ProjectionError) {
    deferral = nil
    _ = touched.take()
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
  private struct NamesVersion: Equatable {
    /// SQLite's schema version, which also changes when a new read model replaces the old one.
    var schema: Int64
    /// The checkpoint's count of changes to definitions and numbers.
    var definitions: Int64
  }

  private func load() throws(ProjectionError) {
    currentWrites = [:]
    sunk = []
    localOrigins = []
    try loadCheckpoint()
    let version = NamesVersion(
      schema: try integer("PRAGMA schema_version"), definitions: definitionsVersion)
    guard version != loadedNames || !unsaved.tables.isEmpty else { return }
    loadedNames = nil
    try loadNames()
    fold = SchemaFold(limits)
    try loadRefused()
    try loadDefinitions()
    for collection in schema.sorted { try table(collection.identity).setSchema(collection) }
    loadedNames = version
  }

  private func integer(_ text: String) throws(ProjectionError) -> Int64 {
    let query = try sql(text)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : 0
  }

  private func loadNames() throws(ProjectionError) {
    tables = [:]
    tablesByNumber = []
    var fields: [Int: [String]] = [:]
    let query = try sql(
      "SELECT collection, number, name FROM _daybook_fields ORDER BY collection, number")
    while try query.step() {
      guard fields[query.int(0), default: []].count == query.int(1) else {
        query.reset()
        throw .damaged("field numbers")
      }
      fields[query.int(0), default: []].append(query.text(2))
    }
    query.reset()
    let collections = try sql("SELECT number, name FROM _daybook_collections ORDER BY number")
    defer { collections.reset() }
    while try collections.step() {
      let (number, name) = (collections.int(0), collections.text(1))
      guard number == tablesByNumber.count + 1 else { throw .damaged("collection numbers") }
      let table = CollectionTable(
        number: number, identity: name, fieldNames: fields[number] ?? [], unsaved)
      tables[name] = table
      tablesByNumber.append(table)
    }
    unsaved.tables = []
  }

  private func loadRefused() throws(ProjectionError) {
    let query = try sql("SELECT collection, reason FROM _daybook_refused")
    defer { query.reset() }
    while try query.step() { _ = fold.setRefused(query.text(0), query.text(1)) }
  }

  private func loadCheckpoint() throws(ProjectionError) {
    let query = try sql(
      "SELECT digest, opaque, opaque_local, definitions FROM _daybook_checkpoint")
    defer { query.reset() }
    guard try query.step() else { throw .damaged("it has no checkpoint") }
    let bytes = query.blob(0)
    guard bytes.count == 32 else { throw .damaged("its digest has \(bytes.count) bytes") }
    digest = StateDigest(sum: bytes.withUnsafeBytes { Hash256(bytes: $0) })
    opaqueCount = query.int(1)
    localOpaqueCount = query.int(2)
    definitionsVersion = query.integer(3)
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
    _ = try definitions.append(writes, by: orderKey)
    _ = fold.update(Set(writes.map(\.register.collection)), definitions.attributes)
  }

  private func orderKey(_ ref: WriteRef) throws(ProjectionError) -> OrderKey { try index.key(ref) }

  /// Saves the checkpoint, the event index and new field numbers, in the caller's transaction.
  package func save() throws {
    if index.hasFarMoved { try refold(index.takeFarMoved(), keepPlaces: false) }
    try index.save()
    for table in unsaved.tables.sorted().compactMap({ table(number: $0) }) {
      for field in table.unsavedFields {
        let insert = try sql("INSERT INTO _daybook_fields VALUES (?, ?, ?)")
        try insert.bind(1, table.number)
        try insert.bind(2, field)
        try insert.bind(3, table.fieldNames[field])
        try insert.run()
      }
      table.markFieldsSaved()
    }
    if !unsaved.tables.isEmpty { noteNames() }
    unsaved.tables = []
    let update = try sql(
      """
      UPDATE _daybook_checkpoint
      SET digest = ?, opaque = ?, opaque_local = ?, definitions = ?
      """)
    try update.bind(1, digest.sum.bytes)
    try update.bind(2, opaqueCount)
    try update.bind(3, localOpaqueCount)
    try update.bind(4, definitionsVersion)
    try update.run()
  }

  /// Notes that definitions or numbers have changed: other connections have to read them again.
  func noteNames() {
    definitionsVersion += 1
    // Until it is saved, the state in memory is not that of any version of the database.
    loadedNames = nil
  }

  /// Returns the value that an attribute of a collection or field was given; nil if none.
  /// - Parameters:
  ///   - collection: the collection's name.
  ///   - isLocal: whether the local collection of that name is meant.
  ///   - field: the field's first name; empty for the collection itself.
  ///   - attribute: the attribute's name.
  package func definition(
    _ collection: String, isLocal: Bool, field: String, _ attribute: String
  ) -> Value? {
    definitions.winners[
      .init(
        collection: CollectionIdentity.of(collection, isLocal: isLocal), field: field,
        attribute: attribute)]?.value
  }

  // MARK: - Applied events

  /// The contiguous prefix of each shared origin that the read model shows. Private origins are
  /// left out, so peers may see it.
  package var vector: VersionVector { wholeVector.shared }

  /// The contiguous prefix of each origin that the read model shows, private origins included.
  package var wholeVector: VersionVector { index.wholeVector }

  /// The latest authored time applied, which the next event's must exceed.
  package var latestTime: HybridTime { index.latestTime }

  package func context(of origin: ReplicaID) throws(ProjectionError) -> CausalContext {
    try index.context(of: index.number(of: origin))
  }

  /// Returns whether an origin has been certified as a hub.
  package func isHub(_ origin: ReplicaID) -> Bool {
    index.knownNumber(of: origin).map { index.origin($0).isHub } ?? false
  }

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

  // MARK: - Events

  /// Applies the next event of its origin. The contents of an event never make it fail: what cannot
  /// be understood is counted and left for a later version.
  /// - Throws: what SQLite or the log throw; ``ProjectionError/Code/missingEvent`` if `id` is not
  ///   the origin's next event.
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
    func ref(_ position: Int) -> WriteRef {
      WriteRef(
        origin: number, sequence: id.sequence, operation: UInt32(truncatingIfNeeded: position))
    }
    if envelope.kind == .transaction {
      // All at once: an event may define thousands of collections.
      try applyDefinitions(
        body.operations.enumerated().flatMap { position, operation in
          DefinitionRegisters.writes(
            of: operation, ref: ref(position), isLocal: isPrivate(number))
        })
    }
    for (position, operation) in body.operations.enumerated() {
      try apply(operation, kind: envelope.kind, ref(position))
    }
    try finishEvent()
  }

  static func body(of event: EventView, _ envelope: Envelope) -> Body? {
    guard !event.bodyIsHash else { return nil }
    if case .unknown = envelope.kind { return nil }
    return try? Body(decoding: event.body, codec: envelope.bodyCodec)
  }

  /// Begins an event that this replica is writing. Its operations follow, then ``finishEvent()``.
  package func beginLocalEvent(_ id: EventID, _ envelope: Envelope) throws(ProjectionError) {
    let number = index.number(of: id.origin)
    localOrigins.insert(number)
    _ = try index.record(
      number, sequence: id.sequence, authored: envelope.authored, delta: envelope.context)
    if envelope.kind == .transaction { index.markWriter(number) }
  }

  package func applyLocal(_ operation: Operation, id: EventID, index position: Int) throws {
    let ref = WriteRef(
      origin: index.number(of: id.origin), sequence: id.sequence, operation: UInt32(position))
    switch operation {
    case .define, .drop:
      try applyDefinitions(
        DefinitionRegisters.writes(of: operation, ref: ref, isLocal: isPrivate(ref.origin)))
    case .identity: try apply(operation, kind: .identity, ref)
    default: try apply(operation, kind: .transaction, ref)
    }
  }

  func countOpaque(_ count: Int, of origin: Int) {
    if isPrivate(origin) { localOpaqueCount += count } else { opaqueCount += count }
  }

  private func isPrivate(_ origin: Int) -> Bool { index.origin(origin).id.isPrivate }

  /// Returns the identity of the collection that an event of the origin means by a name.
  func identity(of name: String, origin: Int) -> String {
    CollectionIdentity.of(name, isLocal: isPrivate(origin))
  }

  func addToDigest(_ other: StateDigest) { digest.add(other.sum) }
  func setDigest(_ other: StateDigest) { digest = other }
  func forgetSunk() { sunk = [] }

  /// Applies an operation; definitions and drops are applied elsewhere and ignored here.
  func apply(_ operation: Operation, kind: Envelope.Kind, _ ref: WriteRef) throws {
    switch (operation, kind) {
    case (.unknown, _): countOpaque(1, of: ref.origin)
    case (.stamp(let stamp), .stamps):
      // Local events are never stamped, since they never leave the replica.
      guard index.origin(ref.origin).isHub, !stamp.origin.isPrivate else { return }
      sunk += try index.add(stamp, hub: ref.origin, sequence: ref.sequence)
    case (.identity(let claim), .identity):
      guard ref.sequence == 1, ref.operation == 0 else { return }
      if claim.certifiesHub(index.origin(ref.origin).id) { index.markHub(ref.origin) }
    case (_, .transaction):
      guard let (write, name, id) = try entityWrite(operation, ref) else { return }
      var record = try entities.load(try table(name), id)
      try apply(write, to: &record)
    default: break
    }
  }

  package func finishEvent() throws {
    if !sunk.isEmpty { try refoldSunk() }
    currentWrites = [:]
  }

  /// Returns the write that an operation makes, with its fields numbered; nil if it is not about an
  /// entity. The collection is given by its identity.
  func entityWrite(_ operation: Operation, _ ref: WriteRef) throws(ProjectionError)
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
    let table = try table(identity)
    var values: [Int: Value] = [:]
    for field in fields.keys.sorted(by: utf8Less) {
      values[table.number(ofField: field)] = fields[field]
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

  func replaceInDigest(_ old: Hash256?, _ new: Hash256?) {
    if let old { digest.remove(old) }
    if let new { digest.add(new) }
  }

  private func applyDefinitions(_ writes: [DefinitionRegisters.Write]) throws {
    guard !writes.isEmpty else { return }
    try adopt(try note(writes))
  }

  /// The effect of a new definition on a collection whose table SQLite has refused to make.
  enum Refused { case triedAgain, kept }

  /// Records writes to definitions, without changing the tables.
  /// - Parameters:
  ///   - writes: the writes.
  ///   - refused: whether to try refused tables again.
  /// - Returns: the changes of the tables that have to follow.
  func note(_ writes: [DefinitionRegisters.Write], refused: Refused = .triedAgain) throws
    -> [SchemaFold.Step]
  {
    try insert(writes)
    return try note(try definitions.append(writes, by: orderKey), refused: refused)
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

  private func note(_ changes: [DefinitionRegisters.Change], refused: Refused = .triedAgain) throws
    -> [SchemaFold.Step]
  {
    guard !changes.isEmpty else { return [] }
    noteNames()
    func contribution(_ write: DefinitionRegisters.Write) -> Hash256? {
      DefinitionRegisters.contribution(write) { index.origin($0).id }
    }
    for change in changes {
      replaceInDigest(change.old.flatMap(contribution), contribution(change.new))
    }
    try updateDefinitionConflicts(changes.map(\.register))
    let collections = Set(changes.map(\.register.collection))
    var steps = fold.update(collections, definitions.attributes)
    guard refused == .triedAgain else { return steps }
    // SQLite may accept the table under the new definition.
    for collection in collections.sorted(by: utf8Less) where fold.refused[collection] != nil {
      steps += try setRefused(collection, nil)
    }
    return steps
  }

  /// Changes the tables. A collection whose table SQLite refuses to make is set aside and all
  /// others go on, so that a peer's definition cannot stop this replica.
  private func adopt(_ steps: [SchemaFold.Step]) throws {
    var steps = steps[...]
    while let step = steps.popFirst() {
      let table = try table(step.identity)
      try sql.execute("SAVEPOINT _daybook_schema")
      let old = table.schema
      do {
        try SchemaChange(projector: self, table: table, to: step.new).run()
      } catch let error as ProjectionError where error.isRefusal && step.new != nil {
        try sql.execute("ROLLBACK TO _daybook_schema")
        table.setSchema(old)
        steps += try setRefused(step.identity, error.message)
      }
      try sql.execute("RELEASE _daybook_schema")
    }
  }

  /// Sets a collection aside after SQLite has refused to store its rows: drops its table, and keeps
  /// its data as an undeclared collection's. Call it in a transaction of its own.
  /// - Parameter refusal: the error, with its ``ProjectionError/collection``.
  /// - Throws: `refusal`, if it names no collection or if that one is already set aside.
  package func setAside(after refusal: ProjectionError) throws {
    guard let collection = refusal.collection, fold.refused[collection] == nil else {
      throw refusal
    }
    try adopt(try setRefused(collection, refusal.message))
    try save()
  }

  /// Returns SQLite's message if it has refused to make the table of a collection; nil otherwise.
  package func refusal(of collection: String, isLocal: Bool) -> String? {
    fold.refused[CollectionIdentity.of(collection, isLocal: isLocal)]
  }

  /// Records or clears SQLite's refusal to make a collection's table.
  /// - Parameters:
  ///   - identity: the collection's identity.
  ///   - reason: SQLite's message; nil to try again.
  /// - Returns: the changes of the tables that have to follow.
  func setRefused(_ identity: String, _ reason: String?) throws -> [SchemaFold.Step] {
    noteNames()
    let delete = try sql("DELETE FROM _daybook_refused WHERE collection = ?")
    try delete.bind(1, identity)
    try delete.run()
    if let reason {
      let insert = try sql("INSERT INTO _daybook_refused VALUES (?, ?)")
      try insert.bind(1, identity)
      try insert.bind(2, reason)
      try insert.run()
    }
    return fold.setRefused(identity, reason)
  }

  // MARK: - Stamps

  /// Refolds what newly stamped events wrote, if their place in the order has changed.
  private func refoldSunk() throws {
    let keepPlaces = try index.keepTheirPlaces(sunk)
    let pieces = sunk.map { (origin: $0.origin, range: $0.range) }
    sunk = []
    // Unique values store ranks, and cuts in trees depend on them, so such collections go on.
    if keepPlaces, !tablesByNumber.contains(where: \.hasRules) { return }
    try refold(pieces, keepPlaces: keepPlaces)
  }

  /// Refolds what some events have written, because their order may have changed.
  /// - Parameters:
  ///   - pieces: the ranges of events, by the origin's number.
  ///   - keepPlaces: whether all events keep their places, and only the ranks have changed.
  private func refold(_ pieces: [(origin: Int, range: ClosedRange<UInt64>)], keepPlaces: Bool)
    throws
  {
    // Ids as bytes: texts that Unicode holds to be equivalent are different ids.
    var affected: [String: Set<[UInt8]>] = [:]
    var defined: Set<String> = []
    let readable = try source.wholeVector
    for piece in pieces {
      let origin = index.origin(piece.origin)
      // An event being written now has seen everything, and so already has its place.
      let last = localOrigins.contains(piece.origin) ? readable[origin.id] : origin.sequence
      guard piece.range.lowerBound <= last else { continue }
      let known = piece.range.lowerBound...min(piece.range.upperBound, last)
      try source.forEachEvent(of: origin.id, in: known) { _, event in
        guard let envelope = try? Envelope(decoding: event.envelope),
          envelope.kind == .transaction, let body = Self.body(of: event, envelope)
        else { return }
        for operation in body.operations {
          switch operation {
          case .define(let definition):
            defined.insert(identity(of: definition.collection, origin: piece.origin))
          case .drop(let collection, _):
            defined.insert(identity(of: collection, origin: piece.origin))
          case .insert(let collection, let id, _), .update(let collection, let id, _),
            .delete(let collection, let id), .restore(let collection, let id),
            .erase(let collection, let id):
            affected[identity(of: collection, origin: piece.origin), default: []]
              .insert(Array(id.utf8))
          case .stamp, .identity, .unknown: break
          }
        }
      }
    }
    if !keepPlaces { try adopt(try note(try definitions.refold(defined, by: orderKey))) }
    for (name, ids) in affected.sorted(by: { utf8Less($0.key, $1.key) }) {
      for id in ids.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let text = String(decoding: id, as: UTF8.self)
        var record = try entities.load(try table(name), text)
        guard record.isStored else { continue }
        let isOnlyWrite = record.state.recent.count == 1 && record.state.chunkCount == 0
        if keepPlaces || isOnlyWrite {
          // The winners are the same, but rank differently among the writes to other entities.
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
