package import EventCore

/// Where the projector reads events: to apply what it has not applied yet, to rebuild, and to find
/// the values of registers whose winner sank, which are in the log only.
package protocol EventSource {
  /// The events that can be projected: each origin's contiguous prefix, private origins included.
  var wholeVector: VersionVector { get throws }

  /// The sum of the unpacked sizes of all frames, in bytes: how much a rebuild has to read.
  var rawBytes: Int { get throws }

  /// Calls `body` with each event of `range`, ascending, in place.
  /// - Throws: what reading the log throws, or `body`.
  func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (_ sequence: UInt64, _ event: EventView) throws -> Void
  ) throws

  /// Calls `body` with frames that hold events beyond `vector`, in log order but for one thing: an
  /// origin's frames come in sequence, and those beyond a gap do not come.
  func forEachFrame(after vector: VersionVector, _ body: (FrameView) throws -> Void) throws
}

/// Consecutive events of one origin, unpacked, in place. Valid during the call that hands it over.
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
