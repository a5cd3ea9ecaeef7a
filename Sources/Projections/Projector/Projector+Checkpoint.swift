import DaybookEventCore

/// How the state of the read model is loaded and saved.
extension Projector {
  func load() throws(ProjectionError) {
    currentWrites = [:]
    lowered = []
    localOrigins = []
    staleTexts = [:]
    receivedEdits = [:]
    receivedBytes = 0
    crowded = [:]
    replaceInDigest(nil, nil)
    try loadCheckpoint()
    let version = NamesVersion(
      rebuilds: try rebuilds(), definitions: definitionsVersion)
    guard version != loadedNames || !unsaved.tables.isEmpty else { return }
    loadedNames = nil
    try loadNames()
    fold = SchemaFold(limits)
    try loadRefused()
    try loadDefinitions()
    for collection in schema.sorted { try table(collection.identity).setSchema(collection) }
    loadedNames = version
  }

  func integer(_ text: String) throws(ProjectionError) -> Int64 {
    let query = try sql(text)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : 0
  }

  func loadNames() throws(ProjectionError) {
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

  func loadRefused() throws(ProjectionError) {
    let query = try sql("SELECT collection, reason FROM _daybook_refused")
    defer { query.reset() }
    while try query.step() { _ = fold.setRefused(query.text(0), query.text(1)) }
  }

  /// - Throws: ``ProjectionError``; `newerFormat` if a process of another version has made the read
  ///   model again since this one opened it, and so gave it tables that this one does not know.
  func loadCheckpoint() throws(ProjectionError) {
    let query = try sql(
      """
      SELECT digest, opaque, opaque_local, definitions, format, rules FROM _daybook_checkpoint
      """)
    defer { query.reset() }
    guard try query.step() else { throw .damaged("it has no checkpoint") }
    guard query.integer(4) == ReadModelFormat.version, query.integer(5) == StateDigest.rules else {
      throw ProjectionError(
        .newerFormat, "another version of Daybook has made the read model again",
        hint: "Close the store, and open it with that version")
    }
    let bytes = query.blob(0)
    guard bytes.count == 32 else { throw .damaged("its digest has \(bytes.count) bytes") }
    digest = StateDigest(sum: bytes.withUnsafeBytes { Hash256(bytes: $0) })
    opaqueCount = query.int(1)
    localOpaqueCount = query.int(2)
    definitionsVersion = query.integer(3)
  }

  func loadDefinitions() throws(ProjectionError) {
    definitions = DefinitionRegisters()
    let query = try sql(
      """
      SELECT collection, field, attribute, origin, sequence, operation, value, migration
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
          value: value, ref: ref, migration: query.integer(7)))
    }
    query.reset()
    _ = try definitions.append(writes, by: orderKey)
    _ = fold.update(Set(writes.map(\.register.collection)), definitions.attributes)
  }

  /// Saves the checkpoint, the event index and new field numbers, in the caller's transaction.
  package func save() throws {
    try applyReceivedEdits()
    try writeCrowded()
    if index.hasFarMoved { try refold(index.takeFarMoved(), keepPlaces: false) }
    try mergeStaleTexts()
    if entities.search.backlog.isLarge { try indexChangedRows(limit: SearchBacklog.stepBytes) }
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
    try keepStatistics()
  }
}
