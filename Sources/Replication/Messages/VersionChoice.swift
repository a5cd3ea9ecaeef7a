/// The version of the sync protocol to speak with a peer: the newest that both know.
///
/// The choice needs no separate greeting. The first message uses the newest version known. A peer
/// that does not know that version refuses the message and lists the versions that it knows. The
/// message is then sent again in a common version. A response has the version of its request.
package struct VersionChoice: Hashable, Sendable {
  /// The versions that this software knows, from the oldest to the newest.
  package let known: ClosedRange<UInt8>
  /// The version to speak.
  package private(set) var version: UInt8

  package init(known: ClosedRange<UInt8> = SyncProtocol.versions) {
    self.known = known
    version = known.upperBound
  }

  /// Chooses another version after the peer has refused ``version``.
  /// - Parameter peer: The versions that the peer says it knows.
  /// - Throws: ``SyncError``: `.otherVersion` if there is no common version; `.badMessage` if the
  ///   peer claims to know the version that it refused.
  package mutating func refused(by peer: ClosedRange<UInt8>) throws(SyncError) {
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

  /// Returns a text such as `1` or `1 to 3`.
  static func text(_ versions: ClosedRange<UInt8>) -> String {
    versions.count == 1
      ? "\(versions.lowerBound)" : "\(versions.lowerBound) to \(versions.upperBound)"
  }
}
