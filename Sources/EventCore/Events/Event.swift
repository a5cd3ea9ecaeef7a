/// A decoded event: one atomic transaction of one replica.
package struct Event: Hashable, Sendable {
  package var id: EventID
  package var envelope: Envelope
  /// The body; nil if it was erased, is sealed, or is of a later version.
  package var body: Body?

  package init(id: EventID, envelope: Envelope, body: Body?) {
    self.id = id
    self.envelope = envelope
    self.body = body
  }

  /// Decodes an event.
  ///
  /// A body that cannot be read becomes nil. The event is kept and forwarded all the same, and a
  /// later version may understand it.
  /// - Throws: ``EventError`` if the envelope cannot be read.
  package init(id: EventID, decoding encoded: EncodedEvent) throws(EventError) {
    self.id = id
    envelope = try encoded.envelope.withRawBytes { bytes throws(EventError) in
      try Envelope(decoding: bytes)
    }
    guard case .present(let bytes) = encoded.body else { return }
    let codec = envelope.bodyCodec
    body = bytes.withUnsafeBytes { bytes -> Body? in try? Body(decoding: bytes, codec: codec) }
  }
}
