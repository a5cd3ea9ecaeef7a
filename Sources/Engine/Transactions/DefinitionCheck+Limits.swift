import DaybookEventCore
import DaybookProjections

/// Checks that a read model has room for a definition.
extension DefinitionCheck {
  /// Checks that the read model can show what the definition adds.
  ///
  /// The limits hold for local definitions. If a merge brings more, the first collections and
  /// fields are shown, and the others are listed.
  func requireRoom(_ missing: Definition, _ known: CollectionSchema?)
    throws(StoreError)
  {
    func refuse(_ what: String, _ limit: Int) -> StoreError {
      StoreError(
        .overLimit, "a read model shows no more than \(limit) \(what)",
        hint: "Keep what belongs together in one collection, and lists of values in a JSON field")
    }
    if known == nil, schema.collections.count >= limits.collections {
      throw refuse("collections", limits.collections)
    }
    let new = missing.fields.filter { known?[field: $0.name] == nil }
    let fields = (known?.fields.count ?? 0) + new.count
    guard fields <= limits.fields else {
      throw refuse("fields of a collection (\(missing.collection))", limits.fields)
    }
    var searched = Set(known?.searchable.map(\.identity) ?? [])
    for field in missing.fields {
      guard let search = field.attributes["search"] else { continue }
      if Self.weight(search) == nil {
        searched.remove(field.name)
      } else {
        searched.insert(field.name)
      }
    }
    guard searched.count <= limits.searchedFields else {
      throw refuse("searched fields of a collection (\(missing.collection))", limits.searchedFields)
    }
  }
}
