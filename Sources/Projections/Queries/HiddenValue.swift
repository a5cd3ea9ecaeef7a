public import EventCore

/// A value of a live entity that its table does not show, and the reason.
public struct HiddenValue: Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    /// The value is not of the field's type, and reads NULL.
    case misfit(declared: FieldType)
    /// The row has no room for the value, which reads NULL: an entity's row holds
    /// this number of bytes.
    case tooLarge(rowBytes: Int)
    /// The field is unique, and an entity that was inserted earlier has the same value. The whole
    /// entity is *parked*, out of its table. The owner may be parked itself, for another field.
    case parked(owner: String)
    /// The field is a tree, and this reference ranks highest of those that make a
    /// cycle: it reads NULL.
    case cycle
  }

  public var collection: String
  public var id: String
  /// The field's current name.
  public var field: String
  public var value: Value
  public var reason: Reason

  public init(
    collection: String, id: String, field: String, value: Value, reason: Reason
  ) {
    self.collection = collection
    self.id = id
    self.field = field
    self.value = value
    self.reason = reason
  }
}

extension ReadModelView {
  /// Returns every hidden value, sorted by collection, id and field. Cost: a look-up for each value
  /// of a unique field, and memory for the hidden values.
  package func hidden() throws -> [HiddenValue] {
    let hidden = try misfits() + parked() + cutReferences()
    return hidden.sorted {
      if $0.collection != $1.collection { return utf8Less($0.collection, $1.collection) }
      // By bytes: texts that Unicode holds to be equivalent are different ids.
      if !$0.id.utf8.elementsEqual($1.id.utf8) { return utf8Less($0.id, $1.id) }
      return utf8Less($0.field, $1.field)
    }
  }

  private func misfits() throws -> [HiddenValue] {
    let query = try sql("SELECT collection, id, field, value FROM _daybook_misfits")
    defer { query.reset() }
    var found: [HiddenValue] = []
    while try query.step() {
      let value = try? query.blob(3).withUnsafeBytes { try Value(canonicalBytes: $0) }
      guard let value, let field = schema[identity: query.text(0)]?[field: query.text(2)] else {
        throw ProjectionError.damaged("a misfit")
      }
      found.append(
        HiddenValue(
          collection: CollectionIdentity.name(query.text(0)), id: query.text(1), field: field.name,
          value: value,
          reason: field.type.cell(for: value) == nil
            ? .misfit(declared: field.type) : .tooLarge(rowBytes: projector.limits.rowBytes)))
    }
    return found
  }

  private func parked() throws -> [HiddenValue] {
    let query = try sql("SELECT collection, id, field, value, owner FROM _daybook_parked")
    defer { query.reset() }
    var found: [HiddenValue] = []
    while try query.step() {
      guard let collection = schema[identity: query.text(0)],
        let (field, value) = Self.claim(query.text(2), query.cell(3), in: collection)
      else { throw ProjectionError.damaged("a value in a unique field") }
      found.append(
        HiddenValue(
          collection: collection.name, id: query.text(1), field: field, value: value,
          reason: .parked(owner: query.text(4))))
    }
    return found
  }

  /// Returns the name and the value of a unique field, or those of several fields that are unique
  /// together, between commas; nil if the cell holds no such value.
  /// - Parameters:
  ///   - fields: the field's identity, or several between commas.
  ///   - cell: the claimed value.
  private static func claim(_ fields: String, _ cell: Cell, in collection: CollectionSchema)
    -> (name: String, value: Value)?
  {
    if let field = collection.fields.first(where: { $0.identity == fields }) {
      return field.type.value(of: cell).map { (field.name, $0) }
    }
    guard case .blob(let bytes) = cell, let cells = try? UniqueIndex.cells(of: bytes) else {
      return nil
    }
    let identities = fields.parts(between: ",").map(String.init)
    let shown = zip(identities, cells).map { identity, cell in
      (collection[field: identity]?.name ?? identity, cell.shown)
    }
    return (
      shown.map(\.0).joined(separator: ", "), .text(shown.map(\.1).joined(separator: ", "))
    )
  }

  private func cutReferences() throws -> [HiddenValue] {
    let query = try sql("SELECT collection, id, field, target FROM _daybook_cycles")
    defer { query.reset() }
    var found: [HiddenValue] = []
    while try query.step() {
      guard let field = schema[identity: query.text(0)]?[field: query.text(2)] else {
        throw ProjectionError.damaged("a cycle")
      }
      found.append(
        HiddenValue(
          collection: CollectionIdentity.name(query.text(0)), id: query.text(1), field: field.name,
          value: .text(query.text(3)), reason: .cycle))
    }
    return found
  }
}
