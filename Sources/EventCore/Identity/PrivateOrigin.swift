/// Private origins: what a replica writes about its local collections, and tells nobody.
///
/// Every replica has one beside its own. Whoever holds an origin's id can tell that it is private, so
/// nothing has to be remembered where events, vectors and contexts leave the replica.
extension ReplicaID {
  /// “.private” in ASCII. An id made from a key ends so with a probability of 2⁻⁶⁴.
  private static let privateLow: UInt64 = 0x2E70_7269_7661_7465
  private static let privateDomain = Array("daybook.private.1".utf8)

  /// Whether events of this origin are never offered to others.
  public var isPrivate: Bool { low == Self.privateLow }

  /// The origin of what this replica writes about its local collections: the first eight bytes of
  /// `SHA-256("daybook.private.1" ‖ replica id)`, then “.private”.
  public var privateOrigin: ReplicaID {
    let hash = Hash256.sha256(of: Self.privateDomain + bytes)
    let high = hash.withBytes {
      UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    }
    return ReplicaID(high: high, low: Self.privateLow)
  }
}

extension VersionVector {
  /// Without private origins: what may be told to others.
  public var shared: VersionVector { filtered { !$0.isPrivate } }

  /// Private origins alone.
  public var local: VersionVector { filtered(\.isPrivate) }

  /// Whether it names a private origin.
  public var hasPrivate: Bool { contains(where: \.isPrivate) }
}
