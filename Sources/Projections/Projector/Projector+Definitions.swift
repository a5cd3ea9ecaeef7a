import DaybookEventCore

/// How definitions change the tables.
extension Projector {
  func applyDefinitions(_ writes: [DefinitionRegisters.Write]) throws {
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

  func insert(_ writes: [DefinitionRegisters.Write]) throws {
    for write in writes {
      let insert = try sql("INSERT INTO _daybook_definitions VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      try insert.bind(1, write.register.collection)
      try insert.bind(2, write.register.field)
      try insert.bind(3, write.register.attribute)
      try insert.bind(4, write.ref.origin)
      try insert.bind(5, Int64(bitPattern: write.ref.sequence))
      try insert.bind(6, Int64(write.ref.operation))
      try insert.bind(7, write.value.canonicalBytes)
      try insert.bind(8, write.migration)
      try insert.run()
    }
  }

  func note(_ changes: [DefinitionRegisters.Change], refused: Refused = .triedAgain) throws
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
  func adopt(_ steps: [SchemaFold.Step]) throws {
    if !steps.isEmpty { try writeCrowded() }
    var steps = steps[...]
    while let step = steps.popFirst() {
      try noteRenamed(step)
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

  /// Notes the names of the columns of fields that have been renamed, for readers that know a field
  /// by its first name.
  func noteRenamed(_ step: SchemaFold.Step) throws {
    let name = CollectionIdentity.name(step.identity)
    let delete = try sql("DELETE FROM _daybook_renamed WHERE collection = ?")
    try delete.bind(1, name)
    try delete.run()
    for field in step.new?.fields ?? [] where field.name != field.identity {
      let insert = try sql("INSERT INTO _daybook_renamed VALUES (?, ?, ?)")
      try insert.bind(1, name)
      try insert.bind(2, field.identity)
      try insert.bind(3, field.name)
      try insert.run()
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
}
