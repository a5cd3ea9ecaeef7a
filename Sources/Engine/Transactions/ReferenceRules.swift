import DaybookEventCore
package import DaybookProjections

/// The fields with a rule for the deletion of what they refer to.
package struct ReferenceRules {
  private var fields: [String: [(collection: CollectionSchema, field: FieldSchema)]] =
    [:]

  /// - Parameters:
  ///   - schema: the collections of the store.
  ///   - types: the types of the app, whose rules count before those of the store.
  package init(_ schema: StoreSchema, _ types: AppTypes) {
    for collection in schema.sorted {
      for field in collection.fields.map({ types.ruled($0, of: collection) })
      where field.onDelete != .keep {
        guard let target = field.references else { continue }
        fields[target, default: []].append((collection, field))
      }
    }
  }

  /// Returns the fields that refer to a collection, sorted by their own.
  package func references(to collection: String) -> [(
    collection: CollectionSchema, field: FieldSchema
  )] {
    fields[collection] ?? []
  }
}
