/// A register on which authors disagree who had not seen each other's writes.
struct ReferenceConflict: Hashable, Comparable, Sendable, CustomStringConvertible {
  let collection: ReferenceName
  /// Nil for a definition.
  let id: ReferenceName?
  /// Empty for an entity's existence, and for a collection's attribute.
  let field: ReferenceName
  /// Empty unless it is a definition.
  let attribute: ReferenceName
  /// The writes that nobody had seen, ascending.
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
