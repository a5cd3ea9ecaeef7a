package import DaybookEventCore

/// The entities of an empty store that is being filled: hashes of their ids instead of rows.
///
/// The writes to them are in the log only. So nothing is known of an entity, except that it was
/// never written.
package struct UnprojectedEntities {
  /// The maximum number of ids, at eight bytes each.
  private static let countMax = 4 << 20

  /// If two ids have the same hash, the second is taken for known, which costs no more than time.
  private var hashes: Set<UInt64> = []

  package init() {}

  /// Returns the handle of an entity that was never written; nil if it may have been.
  /// - Throws: ``ProjectionError``.
  package func unknown(_ collection: CollectionSchema, _ id: String, _ projector: Projector) throws
    -> EntityHandle?
  {
    let handle = try projector.handle(ofUnknown: id, in: collection)
    return hashes.contains(Self.hash(handle.record)) ? nil : handle
  }

  /// Notes the insert of an entity.
  /// - Returns: false if the operation is no insert, or if there is no room for another id.
  package mutating func note(_ operation: Operation, _ handle: EntityHandle) -> Bool {
    guard case .insert = operation, hashes.count < Self.countMax else { return false }
    hashes.insert(Self.hash(handle.record))
    return true
  }

  private static func hash(_ record: EntityRecord) -> UInt64 {
    var id = record.id
    return id.withUTF8 {
      RebuildOperation.wideHash(
        collection: record.table.number, id: UnsafeRawBufferPointer($0))
    }
  }
}
