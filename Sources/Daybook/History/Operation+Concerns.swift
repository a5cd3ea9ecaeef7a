import DaybookEventCore

extension Operation {
  /// Returns whether the operation concerns a collection or, if an id is given, that entity of it.
  public func concerns(_ name: String, _ entity: String?) -> Bool {
    switch self {
    case .define(let definition): return definition.collection == name && entity == nil
    case .drop(let collection, _): return collection == name && entity == nil
    default:
      guard let own = self.entity else { return false }
      return own.collection == name && (entity.map { $0.utf8.elementsEqual(own.id.utf8) } ?? true)
    }
  }
}
