/// A live entity that is not shown, because another entity owns the value of its unique field.
struct ReferenceParked: Hashable, Comparable, Sendable, CustomStringConvertible {
  let collection: ReferenceName
  let id: ReferenceName
  let field: ReferenceName
  /// The entity that owns the value, which may be parked itself.
  let owner: ReferenceName

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    return a.id != b.id ? a.id < b.id : a.field < b.field
  }

  var description: String { "\(collection)/\(id).\(field) held by \(owner)" }
}
