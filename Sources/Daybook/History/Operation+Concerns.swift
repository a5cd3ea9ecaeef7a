public import EventCore

extension Operation {
  /// Returns whether the operation concerns a collection or, if an id is given, that entity of it.
  public func concerns(_ name: String, _ entity: String?) -> Bool {
    switch self {
    case .define(let definition): return definition.collection == name && entity == nil
    case .drop(let collection, _): return collection == name && entity == nil
    case .insert(let collection, let id, _), .update(let collection, let id, _),
      .delete(let collection, let id), .restore(let collection, let id),
      .erase(let collection, let id):
      return collection == name && (entity.map { $0.utf8.elementsEqual(id.utf8) } ?? true)
    case .stamp, .identity, .unknown: return false
    }
  }
}
