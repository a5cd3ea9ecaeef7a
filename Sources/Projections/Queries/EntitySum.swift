import DaybookEventCore

/// A checksum over all entities of a collection in one read model: rows, states and histories. It
/// does not depend on the numbers that the read model assigns to origins and fields.
///
/// The order of rows differs between a read model that has grown and one that was rebuilt. A sum
/// does not depend on the order, and takes one pass over each. Two that differ have the same sum
/// once in 2⁶⁴.
struct EntitySum: Equatable {
  private(set) var count = 0
  private var sum: UInt64 = 0

  fileprivate mutating func add(_ hasher: consuming Hasher) {
    count += 1
    sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension ReadModelView {
  /// Returns whether both read models assign the same numbers to origins, and to the fields of a
  /// collection. If so, states of entities with a single insert can be compared as bytes.
  func hasNumbers(of other: ReadModelView, _ identity: String) -> Bool {
    index.origins.map(\.id) == other.index.origins.map(\.id)
      && projector.knownTable(identity)?.fieldNames
        == other.projector.knownTable(identity)?.fieldNames
  }

  /// Returns the checksum of a collection. Cost: a pass over its rows and states, and a look-up for
  /// each entity with a long history or a large value.
  /// - Parameters:
  ///   - identity: the collection's identity.
  ///   - comparesBytes: whether numbers mean the same as in the read model to compare with.
  func entitySum(of identity: String, comparesBytes: Bool) throws -> EntitySum {
    var sum = EntitySum()
    guard let table = projector.knownTable(identity) else { return sum }
    if table.isDeclared {
      let columns = table.columns.map { ", t.\(Names.quoted($0.schema.name))" }.joined()
      let query = try sql(
        """
        SELECT t._rowid_, t.id, e.state\(columns) FROM \(table.quotedName) t
        LEFT JOIN _daybook_entities e ON e.number = t._rowid_ ORDER BY t._rowid_
        """)
      defer { query.reset() }
      while try query.step() {
        sum.add(try hash(query, table, cells: table.columns.count, comparesBytes))
      }
    }
    let query = try sql("SELECT number, id, state FROM _daybook_entities WHERE collection = ?")
    try query.bind(1, table.number)
    defer { query.reset() }
    while try query.step() { sum.add(try hash(query, table, cells: 0, comparesBytes)) }
    return sum
  }

  /// - Parameter query: a statement at a row of number, id, state and cells.
  private func hash(
    _ query: Statement, _ table: CollectionTable, cells: Int, _ comparesBytes: Bool
  ) throws -> Hasher {
    var hasher = Hasher()
    query.withBytes(1) { hasher.combine(bytes: $0) }
    hasher.combine(cells)
    for column in 0..<Int32(clamping: cells) { query.combine(column + 3, into: &hasher) }
    guard !query.isNull(2) else { return hasher }
    let isDone = query.withBytes(2) { state in
      guard comparesBytes, EntityState.isPlainInsert(state) else { return false }
      hasher.combine(bytes: state)
      return true
    }
    if isDone { return hasher }
    let record = try projector.entities.record(
      table, query.text(1), number: query.integer(0), state: query.blob(2), row: nil)
    hasher.combine(try hash(record.state, table))
    hasher.combine(
      unordered(Array(record.values)) { field, value in
        var hasher = Hasher()
        hasher.combine(table.fieldNames[field])
        value.canonicalBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher
      })
    hasher.combine(
      try unordered(projector.entities.history.entries(of: record)) { entry in
        var hasher = Hasher()
        combine(entry.ref, into: &hasher)
        hasher.combine(entry.kind)
        for name in entry.fields.map({ table.fieldNames[$0] }).sorted(by: utf8Less) {
          hasher.combine(name)
        }
        if let base = entry.base { combine(base, into: &hasher) }
        return hasher
      })
    return hasher
  }

  private func hash(_ state: EntityState, _ table: CollectionTable) throws -> Int {
    var hasher = Hasher()
    hasher.combine(state.existence?.kind)
    for ref in [state.existence?.ref, state.insertion, state.firstInsertion, state.floor] {
      hasher.combine(ref == nil)
      if let ref { combine(ref, into: &hasher) }
    }
    hasher.combine(
      unordered(state.fields) { winner in
        var hasher = Hasher()
        hasher.combine(table.fieldNames[winner.field])
        combine(winner.ref, into: &hasher)
        return hasher
      })
    hasher.combine(
      unordered(state.texts) { text in
        var hasher = Hasher()
        hasher.combine(table.fieldNames[text.field])
        hasher.combine(text.merged)
        if let base = text.base { combine(base, into: &hasher) }
        return hasher
      })
    hasher.combine(state.undone?.turn)
    hasher.combine(state.undone?.runs)
    hasher.combine(
      unordered(state.undone?.last ?? []) { ref in
        var hasher = Hasher()
        combine(ref, into: &hasher)
        return hasher
      })
    hasher.combine(
      unordered(Array(state.lastWrites?.registers ?? [:])) { register, entries in
        var hasher = Hasher()
        hasher.combine(register < 0 ? "\(register)" : table.fieldNames[register])
        hasher.combine(
          unordered(entries) { entry in
            var hasher = Hasher()
            combine(entry.ref, into: &hasher)
            hasher.combine(entry.fingerprint)
            return hasher
          })
        return hasher
      })
    return hasher.finalize()
  }

  private func combine(_ ref: WriteRef, into hasher: inout Hasher) {
    hasher.combine(index.origin(ref.origin).id)
    hasher.combine(ref.sequence)
    hasher.combine(ref.operation)
  }

  private func unordered<T>(_ items: [T], _ hash: (T) throws -> Hasher) rethrows -> [Int] {
    var sum = 0
    for item in items { sum &+= try hash(item).finalize() }
    return [items.count, sum]
  }
}

extension Statement {
  /// Adds a column's type and all of its bytes to a hash.
  fileprivate func combine(_ column: Int32, into hasher: inout Hasher) {
    switch kind(of: column) {
    case .null: hasher.combine(0)
    case .integer:
      hasher.combine(1)
      hasher.combine(integer(column))
    case .real:
      hasher.combine(2)
      hasher.combine(real(column).bitPattern)
    case .text, .blob:
      hasher.combine(kind(of: column) == .text ? 3 : 4)
      withBytes(column) {
        hasher.combine($0.count)
        hasher.combine(bytes: $0)
      }
    }
  }
}
