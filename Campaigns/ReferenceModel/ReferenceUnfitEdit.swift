/// An edit of the text that a field shows which changes nothing.
struct ReferenceUnfitEdit: Hashable, Comparable, Sendable, CustomStringConvertible {
  let collection: ReferenceName
  let id: ReferenceName
  let field: ReferenceName
  let edit: OperationReference

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    if a.id != b.id { return a.id < b.id }
    return a.field != b.field ? a.field < b.field : a.edit < b.edit
  }

  var description: String { "\(collection)/\(id).\(field) by \(edit)" }
}
