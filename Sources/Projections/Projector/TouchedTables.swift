/// The tables whose rows or columns a transaction of the read model has changed.
final class TouchedTables {
  private(set) var names: Set<String> = []

  func insert(_ table: CollectionTable) { names.insert(table.name) }

  /// Returns the names, and forgets them.
  func take() -> Set<String> {
    defer { names = [] }
    return names
  }
}
