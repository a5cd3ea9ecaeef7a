public import EventCore
public import Projections

extension Transaction {
  /// Settles a conflict: writes its register once more, as somebody who has seen all that was written
  /// to it. It is settled everywhere that the event arrives.
  ///
  /// - Parameters:
  ///   - conflict: from ``Store/conflicts()``.
  ///   - write: one of its writes, whose value is to count.
  /// - Throws: ``StoreError`` `notFound` where the conflict is settled already, or has other writes by
  ///   now; as ``update(_:_:_:expecting:)`` and ``restore(_:_:)``, where rules stand against it.
  public func settle(_ conflict: Conflict, taking write: Conflict.Write) throws {
    guard conflict.writes.contains(write) else {
      throw StoreError(.other, "event \(write.event) is no part of the conflict")
    }
    try settle(conflict, write.value, isDeletion: write.isDeletion)
  }

  /// Settles a conflict about a field with a value of its own.
  public func settle(_ conflict: Conflict, with value: Value) throws {
    try settle(conflict, value, isDeletion: false)
  }

  private func settle(_ conflict: Conflict, _ value: Value, isDeletion: Bool) throws {
    guard let id = conflict.id else {
      var definition = Definition(collection: conflict.collection)
      if conflict.field.isEmpty {
        definition.attributes[conflict.attribute] = value
      } else {
        definition.fields = [.init(conflict.field, [conflict.attribute: value])]
      }
      return try rewrite(definition)
    }
    let isLive: Bool =
      conflict.field.isEmpty ? !isDeletion && value != .null : !isDeletion
    guard isLive else { return try deleteAgain(conflict.collection, id) }
    if conflict.field.isEmpty { return try restoreAgain(conflict.collection, id) }
    if try fetch(conflict.collection, id) == nil { try restore(conflict.collection, id) }
    try updateAgain(conflict.collection, id, [conflict.field: value])
  }
}
