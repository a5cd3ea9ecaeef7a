package import DaybookEventCore
package import DaybookLogEngine

extension LogSnapshot {
  /// Returns whether an origin's first event certifies it as a hub.
  /// - Throws: what reading the log throws.
  package func isHub(_ origin: ReplicaID) throws -> Bool {
    guard vector[origin] > 0 else { return false }
    var isHub = false
    try forEachEvent(of: origin, in: 1...1) { _, event in
      isHub = IdentityClaim.claimed(by: event)?.certifiesHub(origin) ?? false
    }
    return isHub
  }
}
