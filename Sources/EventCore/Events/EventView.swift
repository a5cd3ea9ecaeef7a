/// An event in place, within a frame.
///
/// It is valid as long as the frame's bytes are.
package struct EventView {
  package let envelope: UnsafeRawBufferPointer
  package let body: UnsafeRawBufferPointer
  package let bodyIsHash: Bool

  package init(from reader: inout ByteReader) throws(EventError) {
    envelope = try reader.counted()
    let start = reader.offset
    let tag = try reader.varint()
    let size = tag >> 1
    guard size <= UInt64(Body.eventBytesMax), envelope.count + Int(size) <= Body.eventBytesMax
    else { throw EventError(.tooLarge, "an event over 16 MiB", offset: start) }
    bodyIsHash = tag & 1 == 1
    if bodyIsHash, size != 32 {
      throw EventError(.malformed, "a body's hash of \(size) bytes", offset: start)
    }
    body = try reader.take(Int(size))
  }

  package var encoded: EncodedEvent {
    EncodedEvent(
      envelope: Array(envelope),
      body: bodyIsHash ? .hash(Hash256(bytes: body)) : .present(Array(body)))
  }

  /// Advances `chain` past this event.
  package func advance(_ chain: inout Chain) {
    if bodyIsHash {
      chain.append(envelope: envelope, bodyHash: Hash256(bytes: body))
    } else {
      chain.append(envelope: envelope, body: body)
    }
  }
}
