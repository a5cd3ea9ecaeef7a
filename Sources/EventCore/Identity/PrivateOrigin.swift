/// Private origins, under which replicas write about their local collections.
///
/// They are never synced. Every replica has one besides its own origin. The id itself shows that an
/// origin is private, so events, vectors and contexts can be filtered without further state when
/// they leave the replica.
extension ReplicaID {
  /// “.private” in ASCII. The id of a public key ends with it with a probability of 2⁻⁶⁴.
  private static let privateLow: UInt64 = 0x2E70_7269_7661_7465
  private static let privateDomain = Array("daybook.private.1".utf8)

  /// Whether the origin is private: its events are never offered to other replicas.
  public var isPrivate: Bool { low == Self.privateLow }

  /// The origin under which this replica writes about its local collections.
  ///
  /// It is the first eight bytes of `SHA-256("daybook.private.1" ‖ replica id)`, then “.private”.
  public var privateOrigin: ReplicaID {
    let hash = Hash256.sha256(of: Self.privateDomain + bytes)
    let high = hash.withBytes {
      UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    }
    return ReplicaID(high: high, low: Self.privateLow)
  }
}

extension VersionVector {
  /// The entries that other replicas may see: those of private origins are left out.
  public var shared: VersionVector { filtered { !$0.isPrivate } }

  /// The entries of private origins alone.
  public var local: VersionVector { filtered(\.isPrivate) }

  /// Whether the vector names a private origin.
  public var hasPrivate: Bool { contains(where: \.isPrivate) }
}
