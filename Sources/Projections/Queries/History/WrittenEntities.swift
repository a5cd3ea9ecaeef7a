package import DaybookEventCore

extension ReadModelView {
  /// An entity by the names of its collection and id.
  package struct WrittenEntity: Hashable {
    package var collection: String
    package var isLocal: Bool
    /// Compared by its bytes.
    package var id: [UInt8]
  }

  /// Returns the entities to which events outside of a selection have written, each once.
  ///
  /// Cost: reads the events that are outside. For a selection by time also the times of those of
  /// which its bounds do not tell.
  package func entities(writtenOutside selection: Selection) throws -> Set<WrittenEntity> {
    let bounds = try SelectionBounds(selection, self)
    var found: Set<WrittenEntity> = []
    for (origin, last) in wholeVector.entries where last > 0 {
      var first = bounds.certain(of: origin) + 1
      if case .vector(let vector) = selection { first = vector[origin] + 1 }
      guard first <= last, bounds.holds(origin, first...last) != true else { continue }
      try projector.source.forEachEvent(of: origin, in: first...last) { sequence, view in
        let id = EventID(origin, sequence)
        if let times = try times(of: id), selection.contains(id, times) { return }
        guard let event = try? Event(id: id, decoding: view.encoded) else { return }
        for operation in event.body?.operations ?? [] {
          guard let (collection, entity) = operation.entity else { continue }
          found.insert(
            WrittenEntity(
              collection: collection, isLocal: origin.isPrivate, id: Array(entity.utf8)))
        }
      }
    }
    return found
  }
}
