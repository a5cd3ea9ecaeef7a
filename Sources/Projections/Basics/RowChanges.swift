/// The rows that a transaction of the read model has changed.
package struct RowChanges: Sendable {
  /// The ids of the changed rows, by collection; nil if any row may have changed.
  ///
  /// Swift compares texts that Unicode regards as equivalent as equal, so an id may stand for
  /// several.
  package private(set) var collections: [String: Set<String>?] = [:]

  /// The most ids that are kept for a collection; with more, all rows count as changed.
  package static let idsMax = 256

  package init() {}

  /// The change of any rows of some collections.
  package init(anyRowsOf names: some Sequence<String>) {
    for name in names { collections[name] = .some(nil) }
  }

  package var isEmpty: Bool { collections.isEmpty }

  /// Adds a row; nil for any row of the collection.
  package mutating func insert(_ collection: String, _ id: String?) {
    guard let id, let known = collections[collection, default: []] else {
      collections[collection] = .some(nil)
      return
    }
    guard !known.contains(id) else { return }
    // Taken out first, so that the set is changed in place.
    collections[collection] = []
    var ids = known
    ids.insert(id)
    collections[collection] = ids.count > Self.idsMax ? .some(nil) : ids
  }

  package mutating func formUnion(_ other: RowChanges) {
    for (collection, ids) in other.collections {
      guard let ids else {
        insert(collection, nil)
        continue
      }
      for id in ids { insert(collection, id) }
    }
  }
}

/// Collects the rows that the current transaction of the read model has changed.
///
/// Most writes of a transaction are to one table, so that table's ids are collected apart.
final class ChangedRows {
  private var others = RowChanges()
  private var table: (number: Int, name: String)?
  private var ids: Set<String>? = []

  /// Adds a row; nil for any row of the table.
  func insert(_ table: CollectionTable, _ id: String?) {
    if table.number != self.table?.number {
      flush()
      self.table = (table.number, table.name)
    }
    guard let id else {
      ids = nil
      return
    }
    guard let count = ids?.count else { return }
    if count == RowChanges.idsMax { ids = nil } else { ids?.insert(id) }
  }

  private func flush() {
    defer { (table, ids) = (nil, []) }
    guard let table else { return }
    guard let ids else { return others.insert(table.name, nil) }
    for id in ids { others.insert(table.name, id) }
  }

  /// Returns the changes, and forgets them.
  func take() -> RowChanges {
    flush()
    defer { others = RowChanges() }
    return others
  }
}
