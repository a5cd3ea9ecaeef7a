public import EventCore

/// A live entity that its table does not show, because another has the same value in a unique field.
public struct ParkedEntity: Hashable, Sendable {
  public var collection: String
  public var id: String
  /// In which field; an entity that loses in several is listed for each.
  public var field: String
  public var value: Value
  /// The id of the entity that has the value, and was inserted first. It may be parked itself, for
  /// another field.
  public var owner: String

  public init(collection: String, id: String, field: String, value: Value, owner: String) {
    self.collection = collection
    self.id = id
    self.field = field
    self.value = value
    self.owner = owner
  }
}

extension ReadModelView {
  /// Every parked entity, in the order of collection, id and field. Cost: a look-up for each value of
  /// a unique field.
  package func parked() throws -> [ParkedEntity] {
    let query = try sql(
      "SELECT collection, id, field, value, owner FROM _daybook_parked ORDER BY 1, 2, 3")
    defer { query.reset() }
    var parked: [ParkedEntity] = []
    while try query.step() {
      let (collection, field) = (query.text(0), query.text(2))
      guard let declared = schema[collection]?[field: field],
        let value = declared.type.value(of: query.cell(3))
      else { throw ProjectionError.damaged("a value in a unique field") }
      parked.append(
        ParkedEntity(
          collection: collection, id: query.text(1), field: declared.name, value: value,
          owner: query.text(4)))
    }
    return parked
  }
}
