package import DaybookEventCore

/// Consecutive events of one origin, unpacked. Valid only during the call that provides the view.
package struct FrameView {
  package let origin: ReplicaID
  package let firstSequence: UInt64
  package let count: Int
  /// The events, one after another, as ``EventView`` reads them.
  package let bytes: UnsafeRawBufferPointer
  /// The chain value after the last event.
  package let chain: Hash256

  package init(
    origin: ReplicaID, firstSequence: UInt64, count: Int, bytes: UnsafeRawBufferPointer,
    chain: Hash256
  ) {
    self.origin = origin
    self.firstSequence = firstSequence
    self.count = count
    self.bytes = bytes
    self.chain = chain
  }

  /// Calls `body` with each event, ascending.
  package func forEachEvent(_ body: (_ id: EventID, _ event: EventView) throws -> Void) throws {
    var reader = ByteReader(bytes)
    for offset in 0..<count {
      let event = try EventView(from: &reader)
      try body(EventID(origin, firstSequence + UInt64(offset)), event)
    }
    try reader.end(of: "a frame")
  }
}
