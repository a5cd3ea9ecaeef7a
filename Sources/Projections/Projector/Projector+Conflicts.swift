import DaybookEventCore

/// Records which registers are in conflict.
extension Projector {
  /// Records the registers of an entity whose frontier holds different values.
  func updateConflicts(_ record: EntityRecord) throws {
    let delete = try sql("DELETE FROM _daybook_conflicts WHERE collection = ? AND id = ?")
    try delete.bind(1, record.table.identity)
    try delete.bind(2, record.id)
    try delete.run()
    guard let last = record.state.lastWrites else { return }
    for register in last.registers.keys.sorted() where register != LastWrites.absence {
      let entries =
        register == LastWrites.existence
        ? last.registers[register] ?? [] : last.fieldEntries(register)
      guard let frontier = try conflictingFrontier(entries) else { continue }
      let name =
        register == LastWrites.existence ? "" : record.table.fieldNames[register]
      try insertConflict(record.table.identity, record.id, name, "", frontier)
    }
  }

  /// Returns the frontier if it holds different values; nil otherwise.
  func conflictingFrontier(_ entries: [LastWrites.Entry]) throws -> [WriteRef]? {
    guard let first = entries.first,
      entries.contains(where: { $0.fingerprint != first.fingerprint })
    else { return nil }
    let unseen = try index.unseen(
      among: Dictionary(entries.map { ($0.ref.origin, $0.ref.sequence) }) { $1 })
    let frontier = entries.filter { unseen.contains($0.ref.origin) }
    guard let one = frontier.first,
      frontier.contains(where: { $0.fingerprint != one.fingerprint })
    else { return nil }
    return frontier.map(\.ref)
  }

  func insertConflict(
    _ collection: String, _ id: String?, _ field: String, _ attribute: String,
    _ writes: [WriteRef]
  ) throws {
    var writer = ByteWriter()
    for ref in writes { ref.encode(to: &writer) }
    let insert = try sql("INSERT INTO _daybook_conflicts VALUES (?, ?, ?, ?, ?)")
    try insert.bind(1, collection)
    if let id { try insert.bind(2, id) } else { try insert.bindNull(2) }
    try insert.bind(3, field)
    try insert.bind(4, attribute)
    try insert.bind(5, writer.bytes)
    try insert.run()
  }

  func updateDefinitionConflicts(_ registers: [DefinitionRegisters.Register]) throws {
    for register in registers {
      let delete = try sql(
        """
        DELETE FROM _daybook_conflicts
        WHERE collection = ? AND id IS NULL AND field = ? AND attribute = ?
        """)
      try delete.bind(1, register.collection)
      try delete.bind(2, register.field)
      try delete.bind(3, register.attribute)
      try delete.run()
      let writes = definitions.writes(to: register)
      guard writes.count > 1 else { continue }
      var last = LastWrites()
      for write in writes {
        last.note(0, .init(ref: write.ref, fingerprint: LastWrites.fingerprint(write.value)))
      }
      guard let frontier = try conflictingFrontier(last.registers[0] ?? []) else { continue }
      try insertConflict(register.collection, nil, register.field, register.attribute, frontier)
    }
  }
}
