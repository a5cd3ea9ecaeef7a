/// A value that does not fit its column's type, or its row, and reads NULL.
struct ReferenceMisfit: Hashable, Comparable, Sendable, CustomStringConvertible {
  let collection: ReferenceName
  let id: ReferenceName
  let field: ReferenceName

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    return a.id != b.id ? a.id < b.id : a.field < b.field
  }

  var description: String { "\(collection)/\(id).\(field)" }
}
