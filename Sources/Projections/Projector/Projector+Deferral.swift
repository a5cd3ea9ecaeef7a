import EventCore

/// The error that ends a deferral: a transaction needs data that was not projected.
package struct DeferralEnded: Error {
  package init() {}
}

/// Deferral: while an empty store is being filled, its writes go to the log only, and the read
/// model is rebuilt from the log at the end. Until then definitions are applied, and of entities
/// only hashes of their ids are kept.
///
/// A call that needs more throws ``DeferralEnded`` before it changes anything. Then the caller
/// rolls the transaction back, brings the read model up to the log, and applies again the
/// operations that are not yet in the log.
extension Projector {
  /// The maximum number of ids to remember, at eight bytes each.
  static let deferredMax = 4 << 20

  /// Begins a deferral, in a transaction that is never committed.
  /// - Returns: false if the read model already has an entity.
  package func beginDeferring() -> Bool {
    guard entities.nextNumber == 1 else { return false }
    deferral = Deferral()
    return true
  }

  package var isDeferring: Bool { deferral != nil }

  /// Ends the deferral, if there is one: the caller is about to read what only a read model knows.
  /// - Throws: ``DeferralEnded`` while deferring.
  package func requireProjected() throws(DeferralEnded) {
    if isDeferring { throw DeferralEnded() }
  }

  /// Ends the deferral if the entity may be known already.
  /// - Throws: ``DeferralEnded`` if it may be.
  func requireUnknown(_ table: CollectionTable, _ id: String) throws(DeferralEnded) {
    if deferral?.ids.contains(Deferral.key(table, id)) ?? false { try requireProjected() }
  }

  /// Notes an insert. Any other operation, and an insert beyond the limit, ends the deferral.
  /// - Throws: ``DeferralEnded``.
  func `defer`(_ operation: Operation, _ table: CollectionTable, _ id: String)
    throws(DeferralEnded)
  {
    guard case .insert = operation, deferral?.ids.count ?? 0 < Self.deferredMax else {
      return try requireProjected()
    }
    deferral?.ids.insert(Deferral.key(table, id))
  }

  struct Deferral {
    /// Hashes of ids. If two ids collide, the deferral ends earlier than it
    /// must, without other effect.
    var ids: Set<UInt64> = []

    static func key(_ table: CollectionTable, _ id: String) -> UInt64 {
      var id = id
      return id.withUTF8 {
        RebuildOperation.wideHash(collection: table.number, id: UnsafeRawBufferPointer($0))
      }
    }
  }
}
