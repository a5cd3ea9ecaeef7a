import EventCore

extension ReferenceModel {
  /// Returns the parked entities of a collection, once for each field in which another entity owns
  /// the value. The owner is the live entity with the value whose first insert ranks lowest.
  static func clashes(
    _ name: ReferenceName, _ collection: ReferenceSchema.Collection,
    _ live: [(key: ReferenceName, value: ReferenceEntity)]
  ) -> [ReferenceParked] {
    var parked: [ReferenceParked] = []
    for column in collection.columns where column.isUnique {
      var holders: [ReferenceCell: [(id: ReferenceName, first: OrderKey)]] = [:]
      for (id, entity) in live {
        let value = entity.fields[column.identity]?.value ?? .null
        guard let cell = ReferenceCell(value, type: column.type), cell != .null,
          let first = entity.firstInsert
        else { continue }
        holders[cell, default: []].append((id, first))
      }
      for group in holders.values {
        guard let owner = group.min(by: { $0.first < $1.first }) else { continue }
        for loser in group where loser.id != owner.id {
          parked.append(
            ReferenceParked(
              collection: name, id: loser.id, field: column.identity, owner: owner.id))
        }
      }
    }
    return parked
  }
}
