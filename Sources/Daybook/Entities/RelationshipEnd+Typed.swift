import DaybookEngine

extension RelationshipEnd {
  /// Returns the ends of a relationship.
  /// - Throws: ``StoreError`` `wrongType` if it has not both.
  static func ends<R: Relationship>(of relationship: R) throws(StoreError) -> [RelationshipEnd] {
    let ends = [
      RelationshipEnd(
        relationship: R.collection, field: "source", collection: R.From.collection,
        id: relationship.from.rawValue),
      RelationshipEnd(
        relationship: R.collection, field: "target", collection: R.To.collection,
        id: relationship.to.rawValue),
    ]
    for end in ends where end.id.isEmpty {
      throw FieldCheck.missingEnd(end.field, of: end.relationship)
    }
    return ends
  }
}
