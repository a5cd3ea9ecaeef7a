/// The size of the batches in which events travel in one direction of a line.
///
/// A batch that does not arrive has to be sent again as a whole. So batches begin small, and double
/// while they arrive quickly. They shrink after a failure. If a part of the bytes is lost now and
/// then, they stay so small that little is lost; when everything arrives, they grow again.
package struct BatchSize: Hashable, Sendable {
  /// The size to aim for, in bytes of events.
  package private(set) var bytes: Int

  /// The size of the first batch to a peer beyond a network.
  package static let first = 64 << 10
  /// The smallest size.
  package static let least = 16 << 10
  /// The largest size.
  package static let most = SyncProtocol.batchBytes

  /// A batch that takes longer does not grow. One that takes twice as long shrinks.
  private static let time = Duration.seconds(10)
  /// The part of the lost bytes up to which batches grow: one in this many.
  private static let losses = 16
  /// The number of bytes after which earlier ones count half.
  private static let memory = 2 << 20

  /// The bytes that have arrived, and those that were lost; the latest count most.
  private var arrived = 0
  private var lost = 0
  /// The number of batches lost in a row.
  private var failures = 0

  /// Creates the size of the first batch.
  package init(_ bytes: Int = first) { self.bytes = bytes }

  /// Records that a message has arrived.
  /// - Parameters:
  ///   - count: The bytes of its events.
  ///   - time: The time from the request to the response.
  package mutating func noteArrived(_ count: Int, in time: Duration) {
    failures = 0
    arrived += count
    forget()
    // A batch that was not full says little about larger ones.
    guard count >= bytes / 2 else { return }
    if time >= Self.time * 2 {
      bytes = max(bytes / 2, Self.least)
    } else if time < Self.time, lost * Self.losses <= arrived {
      bytes = min(2 * bytes, Self.most)
    }
  }

  /// Records that a message was lost.
  /// - Parameter count: The bytes of its events, as far as they are known.
  package mutating func noteLost(_ count: Int) {
    failures += 1
    lost += count
    forget()
    // A line that has let nothing through since the last failure may be much worse than it was.
    bytes = max(bytes / (failures == 1 ? 4 : 8), Self.least)
  }

  private mutating func forget() {
    guard arrived + lost > Self.memory else { return }
    (arrived, lost) = (arrived / 2, lost / 2)
  }
}
