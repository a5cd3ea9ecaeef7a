import DaybookLocks

/// A counter of the bytes of bodies.
final class ByteCount: Sendable {
  private let counts = Mutex((sent: 0, received: 0))

  var bytes: (sent: Int, received: Int) { counts.withLock { $0 } }

  func count(sent: Int = 0, received: Int) {
    counts.withLock { counts in
      counts.sent += sent
      counts.received += received
    }
  }
}
