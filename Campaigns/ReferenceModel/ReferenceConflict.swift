/// A register to which authors wrote different values without having seen each other's writes.
struct ReferenceConflict: Hashable, Comparable, Sendable, CustomStringConvertible {
  let collection: ReferenceName
  /// The entity's id; nil for a definition.
  let id: ReferenceName?
  /// The field; empty for an entity's existence, and for a collection's attribute.
  let field: ReferenceName
  /// The attribute, for a definition; otherwise empty.
  let attribute: ReferenceName
  /// The writes that no other write's author had seen, ascending.
  let frontier: [OperationReference]

  static func < (a: Self, b: Self) -> Bool {
    if a.collection != b.collection { return a.collection < b.collection }
    if a.id != b.id { return (a.id?.bytes ?? []).lexicographicallyPrecedes(b.id?.bytes ?? []) }
    return a.field != b.field ? a.field < b.field : a.attribute < b.attribute
  }

  var description: String {
    let register =
      id.map { "\(collection)/\($0).\(field.text.isEmpty ? "existence" : field.description)" }
      ?? "definition of \(collection).\(field).\(attribute)"
    return "\(register): \(frontier.map(\.description).joined(separator: " | "))"
  }
}
