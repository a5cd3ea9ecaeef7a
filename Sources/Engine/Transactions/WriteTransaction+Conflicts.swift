public import DaybookEventCore
public import DaybookProjections

extension WriteTransaction {
  /// Returns the open conflicts of an entity, as this transaction sees them, in the order of their
  /// fields.
  ///
  /// Cost: reads each event that is part of a conflict from the log, once.
  /// - Throws: ``StoreError`` `unknownName`.
  public func conflicts(_ collection: String, _ id: String) throws -> [Conflict] {
    try call {
      let known = try self.collection(collection)
      return try conflicts(known.name, isLocal: known.isLocal, id: id)
    }
  }

  /// Settles a conflict with the value of one of its writes.
  ///
  /// The register is written once more, by an event whose author has seen all the writes. This
  /// settles the conflict on every replica that the event arrives at.
  /// - Parameters:
  ///   - conflict: a conflict from ``Store/conflicts(in:id:field:by:)`` or ``conflicts(_:_:)``.
  ///   - write: the one of its writes whose value is to count.
  /// - Throws: ``StoreError`` `staleConflict` if the conflict is settled already, or has other
  ///   writes by now; ``StoreError/conflict`` is the current one. If a rule forbids the value: what
  ///   ``update(_:_:_:expecting:)``, ``restore(_:_:withReferrers:)`` and
  ///   ``define(_:)-(Definition)`` throw.
  public func settle(_ conflict: Conflict, taking write: Conflict.Write) throws {
    guard conflict.writes.contains(where: { $0.isSame(as: write) }) else {
      throw StoreError(
        .staleConflict, "event \(write.event) is no part of the conflict",
        hint: "Take one of the conflict's own writes")
    }
    try settle(conflict, write.value, isDeletion: write.isDeletion)
  }

  /// Settles a conflict about a field with a value that none of its writes has.
  /// - Throws: what ``settle(_:taking:)`` throws; ``StoreError`` `wrongType` if the conflict is
  ///   about whether an entity exists.
  public func settle(_ conflict: Conflict, with value: Value) throws {
    guard conflict.id == nil || !conflict.field.isEmpty else {
      throw StoreError(
        .wrongType, "whether an entity exists has no value of its own",
        hint: "Take one of the conflict's writes")
    }
    try settle(conflict, value, isDeletion: false)
  }

  private func settle(_ conflict: Conflict, _ value: Value, isDeletion: Bool) throws {
    try call {
      try requireCurrent(conflict)
      guard let id = conflict.id else { return try settleDefinition(conflict, value) }
      let isLive = conflict.field.isEmpty ? !isDeletion && value != .null : !isDeletion
      guard isLive else { return try deleteAgain(conflict.collection, id) }
      if conflict.field.isEmpty { return try restoreAgain(conflict.collection, id) }
      if try fetch(conflict.collection, id) == nil { try restore(conflict.collection, id) }
      try updateAgain(conflict.collection, id, [conflict.field: value])
    }
  }

  /// Checks that the conflict still has the writes that the caller has seen.
  ///
  /// The transaction has the commit lock, so nothing is written between this check and the event.
  private func requireCurrent(_ conflict: Conflict) throws {
    let current = try conflicts(conflict.collection, isLocal: conflict.isLocal, id: conflict.id)
      .first { $0.field == conflict.field && $0.attribute == conflict.attribute }
    let place = conflict.place
    guard let current else {
      throw StoreError(
        .staleConflict, "the conflict about \(place) is settled already",
        hint: "List the conflicts again")
    }
    let isSame =
      current.writes.count == conflict.writes.count
      && current.writes.allSatisfy { write in
        conflict.writes.contains { $0.isSame(as: write) }
      }
    guard !isSame else { return }
    var error = StoreError(
      .staleConflict,
      "the conflict about \(place) has other writes by now: "
        + current.writes.map { "\($0.event) with \($0.shown)" }.joined(separator: ", "),
      hint: "Look at them, and settle the conflict as it is now")
    error.conflict = current
    throw error
  }

  private func conflicts(_ collection: String, isLocal: Bool, id: String?) throws -> [Conflict] {
    try ReadModelView(within: projected()).conflicts(collection, isLocal: isLocal, id: id)
  }

  private func settleDefinition(_ conflict: Conflict, _ value: Value) throws {
    try defineAgain(
      (conflict.attribute, value), of: conflict.collection, conflict.field,
      isLocal: conflict.isLocal)
  }
}

extension Conflict {
  /// The subject of the conflict, for error messages.
  fileprivate var place: String {
    let register = [field, attribute].filter { !$0.isEmpty }.joined(separator: ".")
    guard let id else { return "the definition of \(collection) (\(register))" }
    return field.isEmpty
      ? "whether “\(id)” of \(collection) exists" : "\(collection).\(field) of “\(id)”"
  }
}

extension Conflict.Write {
  fileprivate func isSame(as other: Conflict.Write) -> Bool {
    event == other.event && operation == other.operation
  }

  fileprivate var shown: String { isDeletion ? "a deletion" : value.shown }
}
