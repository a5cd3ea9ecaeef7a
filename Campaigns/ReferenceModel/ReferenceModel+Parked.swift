import DaybookEventCore

extension ReferenceModel {
  /// Returns the parked entities of a collection, once for each field in which another entity owns
  /// the value. The owner is the live entity with the value whose first insert ranks lowest.
  static func clashes(
    _ collectionName: ReferenceName, _ collection: ReferenceSchema.Collection,
    _ live: [(key: ReferenceName, value: ReferenceEntity)]
  ) -> [ReferenceParked] {
    var parked: [ReferenceParked] = []
    for rule in collection.rules {
      let name = ReferenceName(rule.columns.map(\.identity.text).joined(separator: ","))
      var holders: [[ReferenceCell]: [(id: ReferenceName, first: OrderKey)]] = [:]
      for (id, entity) in live {
        let cells = rule.columns.map { rule.uniqueness.key($0.shown(entity), $0) }
        guard !cells.contains(.null), let first = entity.firstInsert else { continue }
        holders[cells, default: []].append((id, first))
      }
      for group in holders.values {
        guard let owner = group.min(by: { $0.first < $1.first }) else { continue }
        for loser in group where loser.id != owner.id {
          parked.append(
            ReferenceParked(
              collection: collectionName, id: loser.id, field: name, owner: owner.id))
        }
      }
    }
    return parked
  }
}
