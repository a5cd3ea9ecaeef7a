/// An event as the exact bytes that its author wrote.
///
/// Parts that this version does not understand are kept.
package struct EncodedEvent: Hashable, Sendable {
  package enum Body: Hashable, Sendable {
    case present([UInt8])
    /// A body that was erased; only its hash is left.
    case hash(Hash256)
  }

  package var envelope: [UInt8]
  package var body: Body

  package init(envelope: [UInt8], body: Body) {
    self.envelope = envelope
    self.body = body
  }

  package init(_ envelope: Envelope, _ body: DaybookEventCore.Body, salt: [UInt8]? = nil) {
    self.envelope = envelope.encoded()
    self.body = .present(body.encoded(salt: salt))
  }

  /// The size of envelope and body together in bytes, which ``Body/eventBytesMax`` limits.
  package var size: Int {
    switch body {
    case .present(let bytes): envelope.count + bytes.count
    case .hash: envelope.count + 32
    }
  }

  /// Appends the event as a frame holds it: `varint n · envelope · varint (m << 1 | isHash) ·
  /// body`.
  package func encode(to writer: inout ByteWriter) {
    writer.counted(envelope)
    switch body {
    case .present(let bytes):
      writer.varint(bytes.count << 1)
      writer.raw(bytes)
    case .hash(let hash):
      writer.varint(32 << 1 | 1)
      writer.hash(hash)
    }
  }
}
