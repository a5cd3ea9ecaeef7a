import DaybookEventCore
import DaybookFrames
import DaybookLogEngine

extension FuzzTarget {
  /// A frame as it is sent; its checksum is corrected unless the first byte is odd.
  static let frame = FuzzTarget("frame") {
    var events: [EncodedEvent] = []
    for (number, body) in try SampleEvents.bodies().enumerated() {
      events.append(
        EncodedEvent(SampleEvents.envelopes[number % SampleEvents.envelopes.count], body))
    }
    let origin = ReplicaID(high: 1, low: 2)
    func frame(_ events: [EncodedEvent], _ first: UInt64) throws -> [UInt8] {
      [0]
        + (try Frame(
          origin: origin, firstSequence: first, events: events, chainBefore: Chain(origin: origin)
        )
        .bytes)
    }
    return [
      try frame(events, 1), try frame([events[0]], UInt64(Int64.max) - 2),
      try frame(Array(repeating: events[3], count: 20), 300),
    ]
  } check: { bytes in
    var input = FuzzInput(bytes)
    let isMended = input.byte() & 1 == 0
    var encoded = Array(input.rest())
    if isMended { Mending.frame(&encoded) }
    guard let frame = try? Frame(decoding: encoded) else { return }
    try require(frame.bytes == encoded, "a frame does not keep its bytes")
    let header = frame.header
    try require(
      header.count > 0 && header.firstSequence > 0 && header.lastSequence < UInt64(Int64.max),
      "a frame of no possible events")
    let events: [EncodedEvent]
    do { events = try frame.events() } catch {
      var unread: (any Error)?
      do { try frame.forEachEvent { _, _ in } } catch { unread = error }
      try require(unread != nil, "events are refused as copies and not in place")
      return
    }
    var seen: [EncodedEvent] = []
    try frame.forEachEvent { sequence, event in
      try require(
        sequence == header.firstSequence + UInt64(seen.count), "events are out of sequence")
      seen.append(event.encoded)
    }
    try require(seen == events && events.count == header.count, "events in place are others")
    try checkAgain(events, header, try frame.chain(from: Chain(origin: header.origin)))
  }

  /// Checks that the decoded events make a frame that decodes to the same events.
  private static func checkAgain(_ events: [EncodedEvent], _ header: FrameHeader, _ chain: Chain)
    throws
  {
    let again = try Frame(
      origin: header.origin, firstSequence: header.firstSequence, events: events,
      chainBefore: Chain(origin: header.origin))
    try require(
      again.header.rawLength == header.rawLength && again.header.chain == chain.value,
      "the same events make another frame")
    try require(try Frame(decoding: again.bytes).events() == events, "a frame loses events")
  }
}
