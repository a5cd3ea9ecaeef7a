import EventCore

/// Ends a deferral: what a transaction wants to know is in the log only.
package struct DeferralEnded: Error {
  package init() {}
}

/// Deferring: an empty read model is being filled, and will be made from the log in one go. Until then
/// definitions are applied, and of entities nothing is kept but that they are there.
///
/// Whatever needs more than that throws ``DeferralEnded``, before it has done anything: then the transaction is
/// to be taken back, the read model brought up to the log, and the operations that the log does not have yet
/// applied again.
extension Projector {
  /// So many ids are kept in mind: eight bytes each.
  static let deferredMax = 4 << 20

  /// Begins to defer, in a transaction that is never committed.
  /// - Returns: false where there is an entity already.
  package func beginDeferring() -> Bool {
    guard entities.nextNumber == 1 else { return false }
    deferral = Deferral()
    return true
  }

  package var isDeferring: Bool { deferral != nil }

  /// What only a read model knows is about to be asked.
  package func requireProjected() throws(DeferralEnded) {
    if isDeferring { throw DeferralEnded() }
  }

  /// Whether an entity is unknown, as far as it is known; else the deferral ends.
  func requireUnknown(_ table: CollectionTable, _ id: String) throws(DeferralEnded) {
    if deferral?.ids.contains(Deferral.key(table, id)) ?? false { try requireProjected() }
  }

  /// Notes an insert. Anything else ends the deferral.
  func `defer`(_ operation: Operation, _ table: CollectionTable, _ id: String)
    throws(DeferralEnded)
  {
    guard case .insert = operation, deferral?.ids.count ?? 0 < Self.deferredMax else {
      return try requireProjected()
    }
    deferral?.ids.insert(Deferral.key(table, id))
  }

  struct Deferral {
    /// Two ids may share a key: then the deferral ends too early, and nothing else happens.
    var ids: Set<UInt64> = []

    static func key(_ table: CollectionTable, _ id: String) -> UInt64 {
      var id = id
      return id.withUTF8 {
        BulkOperation.wideHash(collection: table.number, id: UnsafeRawBufferPointer($0))
      }
    }
  }
}
