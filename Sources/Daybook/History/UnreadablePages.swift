import DaybookEventCore
import DaybookProjections
import GRDB

/// The pages of a list of what a type's entities do not show.
struct UnreadablePages<Model: Entity> {
  let view: ReadModelView
  let db: Database

  /// The number of rows that are read at once.
  private static var rowsMax: Int { 2048 }

  /// Returns the values behind a key: those that the tables hide, then those that the type's
  /// properties cannot have.
  func part(after key: [Cell]?, limit: Int) throws -> ListReader<Store.HiddenValue>.Part {
    var found: [Listed<Store.HiddenValue>] = []
    let place = key.flatMap(Place.init)
    if place == nil {
      found = try view.hidden(in: Model.collection, after: key, limit: limit)
      guard found.count < limit else { return (found, false) }
    }
    let isAll = try unreadable(after: place, limit: limit, &found)
    return (found, isAll)
  }

  /// Adds the values that the properties cannot have, until there are enough.
  /// - Returns: whether all rows have been read.
  private func unreadable(
    after place: Place?, limit: Int, _ found: inout [Listed<Store.HiddenValue>]
  ) throws -> Bool {
    let layout = EntityLayout<Model>.shared
    var query = Model.all
    if let place { query = query.where { $0.id >= Model.ID(rawValue: place.id) } }
    query = query.order(by: \.id).limit(Self.rowsMax)
    while true {
      var rows = 0
      var last: Model.ID?
      try EntityRows<Model>(db, query.statement).read { model, _, fields in
        (rows, last) = (rows + 1, model.id)
        guard !fields.isEmpty, found.count < limit,
          let entity = try view.entity(Model.collection, model.id.rawValue)
        else { return }
        for field in fields where found.count < limit {
          let next = Place(id: model.id.rawValue, field: field)
          if let place, !place.isBefore(next) { continue }
          let name = layout.names[field]
          found.append(
            Listed(
              key: next.key,
              item: Store.HiddenValue(
                collection: Model.collection, id: model.id.rawValue, field: name,
                value: entity[identity: layout.identities[field]],
                reason: .unreadable(property: "\(Model.self).\(name)"))))
        }
      }
      guard found.count < limit else { return false }
      guard let last, rows == Self.rowsMax else { return true }
      query = Model.where { $0.id > last }.order(by: \.id).limit(Self.rowsMax)
    }
  }

  /// The place of a value that a property cannot have.
  private struct Place {
    var id: String
    /// The place of the field in the type's fields.
    var field: Int

    init(id: String, field: Int) { (self.id, self.field) = (id, field) }

    /// - Parameter key: the key of a value; nil is returned for one that the tables hide.
    init?(_ key: [Cell]) {
      guard key.count == 2, case .text(let id) = key[0], case .integer(let field) = key[1] else {
        return nil
      }
      self.init(id: id, field: Int(field))
    }

    var key: [Cell] { [.text(id), .integer(Int64(field))] }

    func isBefore(_ other: Place) -> Bool {
      id.utf8.elementsEqual(other.id.utf8) ? field < other.field : utf8Less(id, other.id)
    }
  }
}
