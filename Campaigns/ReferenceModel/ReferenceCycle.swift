/// A tree reference that reads NULL, because it ranks highest of those that make a cycle.
struct ReferenceCycle: Hashable, Comparable, Sendable, CustomStringConvertible {
  let collection: ReferenceName
  let id: ReferenceName
  let field: ReferenceName
  /// The id to which it refers.
  let target: ReferenceName

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    return a.id != b.id ? a.id < b.id : a.field < b.field
  }

  var description: String { "\(collection)/\(id).\(field) to \(target)" }
}
