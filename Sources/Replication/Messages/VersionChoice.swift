/// Which version of the sync protocol to speak with a peer: the newest that both know.
///
/// It takes no hello of its own. What is said first is said in the newest version that is known; who does
/// not know that one refuses it and says which ones it knows, and the same is said once more in one that
/// both do. Answers are of the version of what they answer.
public struct VersionChoice: Hashable, Sendable {
  /// From the oldest to the newest.
  public let known: ClosedRange<UInt8>
  /// What to speak.
  public private(set) var version: UInt8

  public init(known: ClosedRange<UInt8> = SyncProtocol.versions) {
    self.known = known
    version = known.upperBound
  }

  /// The peer has refused ``version``, and says which ones it knows.
  /// - Throws: ``SyncError`` `otherVersion` where both know none in common; `badMessage` where it says
  ///   that it knows what it has refused.
  public mutating func refused(by peer: ClosedRange<UInt8>) throws(SyncError) {
    guard known.overlaps(peer) else {
      let isOld = known.upperBound < peer.lowerBound
      throw SyncError(
        .otherVersion,
        "the peer speaks version \(Self.text(peer)) of the sync protocol, and this software "
          + Self.text(known),
        hint: isOld ? "Update this software" : "Update the peer's software")
    }
    guard !peer.contains(version) else {
      throw SyncError(
        .badMessage,
        "the peer does not take version \(version) of the sync protocol, and says that it knows it",
        hint: "Try again; if that goes on, something on the way changes messages")
    }
    version = known.clamped(to: peer).upperBound
  }

  /// As in `1`, or `1 to 3`.
  static func text(_ versions: ClosedRange<UInt8>) -> String {
    versions.count == 1
      ? "\(versions.lowerBound)" : "\(versions.lowerBound) to \(versions.upperBound)"
  }
}
