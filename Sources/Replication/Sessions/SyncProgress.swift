/// The exchanges and events of a sync so far.
public struct SyncProgress: Hashable, Sendable {
  /// The number of requests that the peer has answered.
  public package(set) var exchanges = 0
  /// The number of events that the peer has taken.
  public package(set) var eventsSent: UInt64 = 0
  /// The number of events that this replica has stored.
  public package(set) var eventsReceived: UInt64 = 0
}
