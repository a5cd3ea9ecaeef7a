import DaybookEventCore

/// The index of unique values: which live entities, parked or not, have which value, lowest rank
/// first. The first entity of a group owns the value; the others are parked.
struct UniqueIndex {
  let sql: StatementCache

  /// An entity's value in one unique field, and its rank among the entities that have the value.
  struct Claim: Hashable {
    /// The field's number.
    var field: Int
    var value: Cell
    /// The rank as bytes that compare as order keys do.
    var rank: [UInt8]

    func isSameGroup(as other: Claim) -> Bool { field == other.field && value == other.value }
  }

  /// Returns the value that an entity claims with these cells; nil if one of them is NULL, so that
  /// it claims none.
  ///
  /// Values that a rule holds to be equal are claimed as one: see ``EqualityKey``.
  /// - Parameters:
  ///   - cells: what the entity shows in the columns of the rule.
  ///   - rule: the rule.
  static func value(of cells: [Cell], by rule: CollectionTable.UniqueRule) -> Cell? {
    guard !cells.contains(.null) else { return nil }
    return value(
      of: zip(cells, rule.isFolded).map { cell, isFolded in
        guard isFolded, case .text(let text) = cell else { return cell }
        return .text(EqualityKey.key(of: text))
      })
  }

  private static func value(of cells: [Cell]) -> Cell? {
    guard let first = cells.first else { return nil }
    guard cells.count > 1 else { return first }
    var writer = ByteWriter()
    for cell in cells {
      switch cell {
      case .null: writer.byte(0)
      case .integer(let value):
        writer.byte(1)
        writer.signedVarint(value)
      case .real(let value):
        writer.byte(2)
        writer.integer((value == 0 ? 0 : value).bitPattern)
      case .text(let text):
        writer.byte(3)
        writer.text(text)
      case .blob(let bytes):
        writer.byte(4)
        writer.counted(bytes)
      }
    }
    return .blob(writer.bytes)
  }

  /// Returns the cells of a value that several columns claim together.
  /// - Throws: `EventError` if the bytes are not such a value.
  static func cells(of bytes: [UInt8]) throws(EventError) -> [Cell] {
    try bytes.withRawBytes { raw throws(EventError) in
      var reader = ByteReader(raw)
      var cells: [Cell] = []
      while !reader.isAtEnd {
        switch try reader.byte() {
        case 1: cells.append(.integer(try reader.signedVarint()))
        case 2: cells.append(.real(Double(bitPattern: try reader.integer(UInt64.self))))
        case 3: cells.append(.text(try reader.text()))
        case 4: cells.append(.blob(Array(try reader.counted())))
        default: throw EventError(.malformed, "a cell of an unknown kind")
        }
      }
      return cells
    }
  }

  /// Returns the claims of an entity. Cost: one look-up.
  func claims(of entity: Int64, in table: CollectionTable) throws(ProjectionError) -> [Claim] {
    let query = try sql(
      """
      SELECT field, value, rank FROM _daybook_unique WHERE collection = ? AND entity = ?
      """)
    try query.bind(1, table.number)
    try query.bind(2, entity)
    defer { query.reset() }
    var claims: [Claim] = []
    while try query.step() {
      claims.append(Claim(field: query.int(0), value: query.cell(1), rank: query.blob(2)))
    }
    return claims
  }

  /// Returns the number of the entity that owns the claimed value; nil if no entity has it. Cost:
  /// one look-up.
  func owner(of claim: Claim, in table: CollectionTable) throws(ProjectionError) -> Int64? {
    let query = try sql(
      """
      SELECT entity FROM _daybook_unique WHERE collection = ? AND field = ? AND value = ?
      ORDER BY rank LIMIT 1
      """)
    try query.bind(1, table.number)
    try query.bind(2, claim.field)
    try query.bind(3, claim.value)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }

  /// Returns the number of the first entity other than `entity` with the value; nil if there is
  /// none.
  func holder(of value: Cell, field: Int, in table: CollectionTable, except entity: Int64)
    throws(ProjectionError) -> Int64?
  {
    let query = try sql(
      """
      SELECT entity FROM _daybook_unique
      WHERE collection = ? AND field = ? AND value = ? AND entity IS NOT ? ORDER BY rank LIMIT 1
      """)
    try query.bind(1, table.number)
    try query.bind(2, field)
    try query.bind(3, value)
    try query.bind(4, entity)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }

  func insert(_ claim: Claim, by entity: Int64, id: String, in table: CollectionTable)
    throws(ProjectionError)
  {
    let insert = try sql("INSERT OR REPLACE INTO _daybook_unique VALUES (?, ?, ?, ?, ?, ?)")
    try insert.bind(1, table.number)
    try insert.bind(2, claim.field)
    try insert.bind(3, claim.value)
    try insert.bind(4, claim.rank)
    try insert.bind(5, entity)
    try insert.bind(6, id)
    try insert.run()
  }

  func remove(_ claim: Claim, in table: CollectionTable) throws(ProjectionError) {
    let delete = try sql(
      """
      DELETE FROM _daybook_unique WHERE collection = ? AND field = ? AND value = ? AND rank = ?
      """)
    try delete.bind(1, table.number)
    try delete.bind(2, claim.field)
    try delete.bind(3, claim.value)
    try delete.bind(4, claim.rank)
    try delete.run()
  }

  func removeAll(of table: CollectionTable) throws(ProjectionError) {
    let delete = try sql("DELETE FROM _daybook_unique WHERE collection = ?")
    try delete.bind(1, table.number)
    try delete.run()
  }
}

extension OrderKey {
  /// The key as bytes that SQLite compares as the keys compare.
  var sortableBytes: [UInt8] {
    var bytes: [UInt8] = [event.isPending ? 1 : 0]
    bytes.reserveCapacity(61)
    func append(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    append(event.time.rawValue)
    if event.isPending, event.time.isFar { append(event.claimed.rawValue) }
    bytes += event.hub?.bytes ?? []
    bytes += event.id.origin.bytes
    append(event.id.sequence)
    append(operation)
    return bytes
  }
}
