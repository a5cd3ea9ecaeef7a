public import DaybookEngine
import DaybookEventCore
public import DaybookProjections

/// Conflicts about the entities of a type.
extension Conflict {
  /// Returns the id of the entity; nil if the conflict is about another type's entity, or about a
  /// definition.
  public func id<E: Entity>(of type: E.Type) -> EntityID<E>? {
    guard E.collection == collection else { return nil }
    return id.map { EntityID(rawValue: $0) }
  }

  /// Returns what each of the writes gave a property, in their order; nil if the conflict is not
  /// about this property.
  ///
  /// ```swift
  /// for try await conflict in store.conflicts(in: Note.self) {
  ///   guard let titles = conflict.values(of: \Note.title) else { continue }
  ///   for (write, title) in titles { print(write.author.actor, title ?? "deleted") }
  /// }
  /// ```
  /// The value is nil if the write was a deletion. A property shows its default for a value that it
  /// cannot hold, such as an unknown case.
  public func values<E: Entity, V>(of property: KeyPath<E, V>) -> [(write: Write, value: V?)]? {
    let layout = EntityLayout<E>.shared
    guard let place = place(of: property) else { return nil }
    return writes.map { write in
      (write, write.isDeletion ? nil : layout.shown(write.value, at: place, property))
    }
  }

  /// Returns the place of a property's field; nil if the conflict is not about it.
  private func place<E: Entity>(of property: PartialKeyPath<E>) -> Int? {
    let layout = EntityLayout<E>.shared
    guard E.collection == collection, id != nil, let place = layout.place(of: property),
      layout.identities[place] == field
    else { return nil }
    return place
  }

  /// Returns a property's value as a field holds it.
  /// - Throws: ``StoreError`` `invalidQuery` if the conflict is not about the property; `wrongType`
  ///   if the value cannot be encoded.
  fileprivate func stored<E: Entity, V>(_ value: V, of property: WritableKeyPath<E, V>) throws
    -> Value
  {
    guard let place = place(of: property) else {
      let about = [collection, field, attribute].filter { !$0.isEmpty }.joined(separator: ".")
      throw StoreError(
        .invalidQuery, "the conflict is about \(about), and not about \(property)",
        hint: "`values(of:)` returns nil for a conflict about another property")
    }
    var model = E()
    model[keyPath: property] = value
    return try EntityLayout<E>.shared.value(at: place, model)
  }
}

extension WriteTransaction {
  /// Settles a conflict about a property with a value that none of its writes need have.
  /// - Parameters:
  ///   - conflict: a conflict from ``Store/conflicts(in:id:by:)->Listing<Conflict>``.
  ///   - property: the property.
  ///   - value: what the property is to show.
  /// - Throws: what ``settle(_:with:)`` throws; ``StoreError`` `invalidQuery` if the conflict is
  ///   about something else.
  public func settle<E: Entity, V>(
    _ conflict: Conflict, _ property: WritableKeyPath<E, V>, with value: V
  ) throws {
    try settle(conflict, with: try call { try conflict.stored(value, of: property) })
  }
}
