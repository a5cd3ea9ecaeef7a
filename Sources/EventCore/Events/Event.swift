/// An event, decoded: one atomic transaction of one replica.
public struct Event: Hashable, Sendable {
  public var id: EventID
  public var envelope: Envelope
  /// Nil where the body was erased, is sealed, or is of a later version.
  public var body: Body?

  public init(id: EventID, envelope: Envelope, body: Body?) {
    self.id = id
    self.envelope = envelope
    self.body = body
  }

  /// - Throws: ``EventError`` where the envelope cannot be read. A body that cannot be read is nil:
  ///   the event is kept, forwarded, and understood by a later version perhaps.
  public init(id: EventID, decoding encoded: EncodedEvent) throws(EventError) {
    self.id = id
    envelope = try encoded.envelope.withRawBytes { bytes throws(EventError) in
      try Envelope(decoding: bytes)
    }
    guard case .present(let bytes) = encoded.body else { return }
    let codec = envelope.bodyCodec
    body = bytes.withUnsafeBytes { bytes -> Body? in try? Body(decoding: bytes, codec: codec) }
  }
}
