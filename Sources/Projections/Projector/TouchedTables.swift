/// The tables whose rows or columns a transaction of the read model has changed.
final class TouchedTables {
  private var tables: [Int: String] = [:]
  /// The number of the last table; most writes of a transaction are to one table.
  private var last = -1

  func insert(_ table: CollectionTable) {
    guard table.number != last else { return }
    last = table.number
    tables[table.number] = table.name
  }

  /// Returns the names, and forgets them.
  func take() -> Set<String> {
    defer { (tables, last) = ([:], -1) }
    return Set(tables.values)
  }
}
