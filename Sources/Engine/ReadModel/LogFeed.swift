package import DaybookEventCore
package import DaybookFrames
import DaybookLocks
package import DaybookLogEngine
package import DaybookProjections

/// The log as the projector reads it: whole frames in order, and single events.
///
/// For single events, the last few frames are kept unpacked.
package final class LogFeed: EventSource, Sendable {
  private let log: EventLog
  private let cache = Mutex<[CachedFrame]>([])

  private static let cachedFrames = 8

  /// An unpacked frame with the offset of each event.
  private struct CachedFrame {
    var origin: ReplicaID
    var firstSequence: UInt64
    var bytes: [UInt8]
    var offsets: [Int]

    func contains(_ event: EventID) -> Bool {
      event.origin == origin && event.sequence >= firstSequence
        && event.sequence - firstSequence < UInt64(offsets.count)
    }
  }

  package init(_ log: EventLog) { self.log = log }

  package var wholeVector: VersionVector { log.wholeVector }

  /// The bytes of all frames, before compression.
  package var rawBytes: Int { log.snapshot().whole.entries.reduce(0) { $0 + $1.rawLength } }

  /// Returns a snapshot of the log that has the event, if the log has it.
  ///
  /// The log is read again if a read model shows events that another process has written since.
  private func snapshot(with event: EventID) throws -> LogSnapshot {
    let snapshot = log.snapshot().whole
    guard snapshot.entry(containing: event) == nil else { return snapshot }
    try log.refreshForReading()
    return log.snapshot().whole
  }

  package func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (UInt64, EventView) throws -> Void
  ) throws {
    if range.count > 64 {
      let snapshot = try snapshot(with: EventID(origin, range.upperBound))
      return try snapshot.forEachEvent(of: origin, in: range, body)
    }
    for sequence in range {
      let frame = try frame(containing: EventID(origin, sequence))
      try frame.bytes.withRawBytes { bytes in
        let offset = frame.offsets[Int(sequence - frame.firstSequence)]
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        try body(sequence, try EventView(from: &reader))
      }
    }
  }

  private func frame(containing event: EventID) throws -> CachedFrame {
    let cached = cache.withLock { frames -> CachedFrame? in
      guard let index = frames.firstIndex(where: { $0.contains(event) }) else { return nil }
      let frame = frames.remove(at: index)
      frames.append(frame)
      return frame
    }
    if let cached { return cached }
    let snapshot = try snapshot(with: event)
    guard let entry = snapshot.entry(containing: event) else {
      throw LogError(.notFound, "event \(event) is not in the log")
    }
    return try keep(try snapshot.frame(at: entry))
  }

  @discardableResult
  private func keep(_ frame: Frame) throws -> CachedFrame {
    let header = frame.header
    let bytes = try frame.unpacked()
    var offsets: [Int] = []
    offsets.reserveCapacity(header.count)
    try bytes.withRawBytes { raw throws(EventError) in
      var reader = ByteReader(raw)
      for _ in 0..<header.count {
        offsets.append(reader.offset)
        _ = try EventView(from: &reader)
      }
    }
    let made = CachedFrame(
      origin: header.origin, firstSequence: header.firstSequence, bytes: bytes, offsets: offsets)
    cache.withLock { frames in
      if frames.count >= Self.cachedFrames { frames.removeFirst() }
      frames.append(made)
    }
    return made
  }

  // MARK: - Frames that are not durable yet

  /// Hands over a frame that was appended to the log and is not durable yet.
  ///
  /// From now on its events are found here like those of the log.
  /// - Precondition: only few frames follow each other; with more than ``cachedFrames``, the first
  ///   are forgotten.
  package func hand(appended frame: Frame, _ body: (FrameView) throws -> Void) throws {
    let kept = try keep(frame)
    try kept.bytes.withRawBytes { bytes in try body(FrameView(frame.header, bytes)) }
  }

  /// Forgets the frames that were handed over and did not become durable.
  package func forgetAppended() { cache.withLock { $0 = [] } }

  package func forEachFrame(after vector: VersionVector, _ body: (FrameView) throws -> Void) throws
  {
    let snapshot = log.snapshot().whole
    var next: [ReplicaID: UInt64] = [:]
    var waiting: [ReplicaID: [UInt64: RecordEntry]] = [:]
    for entry in Self.entries(of: snapshot, after: vector, &next) {
      if entry.firstSequence != next[entry.origin, default: 1] {
        waiting[entry.origin, default: [:]][entry.firstSequence] = entry
        continue
      }
      var following: RecordEntry? = entry
      while let entry = following {
        let after = entry.lastSequence + 1
        next[entry.origin] = after
        if entry.lastSequence > vector[entry.origin] { try hand(entry, snapshot, body) }
        following = waiting[entry.origin]?.removeValue(forKey: after)
      }
    }
  }

  /// Returns the frames with events that a vector lacks, in the order of the log.
  ///
  /// A frame may also have other events. The cost depends on the number of missing events, not on
  /// the length of the log.
  /// - Parameter next: gets the first sequence number of each origin's frames, unless that is 1.
  private static func entries(
    of snapshot: LogSnapshot, after vector: VersionVector, _ next: inout [ReplicaID: UInt64]
  ) -> [RecordEntry] {
    if vector.isEmpty { return snapshot.entries }
    var found: [RecordEntry] = []
    for (origin, last) in snapshot.vector.entries {
      let known = vector[origin]
      guard known < last else { continue }
      let missing = snapshot.entries(of: origin, in: known + 1...last)
      if let first = missing.first { next[origin] = first.firstSequence }
      found += missing
    }
    return found.sorted { $0.position < $1.position }
  }

  private func hand(
    _ entry: RecordEntry, _ snapshot: LogSnapshot, _ body: (FrameView) throws -> Void
  ) throws {
    let frame = try snapshot.frame(at: entry)
    try frame.unpacked().withRawBytes { bytes in try body(FrameView(frame.header, bytes)) }
  }
}

extension FrameView {
  fileprivate init(_ header: FrameHeader, _ bytes: UnsafeRawBufferPointer) {
    self.init(
      origin: header.origin, firstSequence: header.firstSequence, count: header.count,
      bytes: bytes, chain: header.chain)
  }
}

/// An empty source for reading a read model's checkpoint before there is a log.
///
/// No event is asked for.
package struct NoEvents: EventSource {
  package init() {}

  package var wholeVector: VersionVector { VersionVector() }
  package var rawBytes: Int { 0 }

  package func forEachEvent(
    of origin: ReplicaID, in range: ClosedRange<UInt64>,
    _ body: (UInt64, EventView) throws -> Void
  ) throws {
    throw LogError(.notFound, "event \(EventID(origin, range.lowerBound)) is not in the log")
  }

  package func forEachFrame(after vector: VersionVector, _ body: (FrameView) throws -> Void) throws
  {}
}
