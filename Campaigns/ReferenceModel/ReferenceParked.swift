/// A live entity that is not shown, because another holds the value of its unique field.
struct ReferenceParked: Hashable, Comparable, Sendable, CustomStringConvertible {
  let collection: ReferenceName
  let id: ReferenceName
  let field: ReferenceName
  /// Who holds the value: parked itself or not.
  let owner: ReferenceName

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    return a.id != b.id ? a.id < b.id : a.field < b.field
  }

  var description: String { "\(collection)/\(id).\(field) held by \(owner)" }
}
