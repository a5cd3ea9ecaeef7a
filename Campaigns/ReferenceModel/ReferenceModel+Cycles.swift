import DaybookEventCore

extension ReferenceModel {
  /// Returns, for each cycle of live entities, the reference whose winning write ranks highest.
  static func cuts(
    _ name: ReferenceName, _ collection: ReferenceSchema.Collection,
    _ live: [(key: ReferenceName, value: ReferenceEntity)]
  ) -> [ReferenceCycle] {
    var cuts: [ReferenceCycle] = []
    for column in collection.columns where column.isTree {
      var parents: [ReferenceName: (target: ReferenceName, key: OrderKey)] = [:]
      let ids = Set(live.map(\.key))
      for (id, entity) in live {
        guard let write = entity.fields[column.identity], case .text(let text) = write.value,
          ids.contains(ReferenceName(text))
        else { continue }
        parents[id] = (ReferenceName(text), write.key)
      }
      for start in parents.keys {
        // All ancestors. An entity that is its own ancestor is in a cycle.
        var above: [ReferenceName] = []
        var at = start
        while let next = parents[at]?.target, !above.contains(next) {
          above.append(next)
          at = next
        }
        guard above.contains(start) else { continue }
        let latest = above.compactMap { parents[$0]?.key }.max()
        guard let edge = parents[start], edge.key == latest else { continue }
        cuts.append(
          ReferenceCycle(collection: name, id: start, field: column.identity, target: edge.target))
      }
    }
    return cuts
  }
}
