/// The outside of an event: everything that a hub needs if it cannot, or may not, read the body.
///
/// ```
/// u8 version = 1 · varint kind · u64 authored · u8 body codec · context delta
/// ```
/// The origin and the sequence are not part of it: the frame holds them and the chain binds them.
package struct Envelope: Hashable, Sendable {
  package static let version: UInt8 = 1

  package enum Kind: Hashable, Sendable {
    /// An origin's first event, which holds its public key.
    case identity
    /// A user's atomic transaction.
    case transaction
    /// A hub's statement of the time at which it received events of others.
    case stamps
    /// A kind of a later version: kept and forwarded.
    case unknown(UInt64)
  }

  package enum BodyCodec: Hashable, Sendable {
    case plain
    /// The body begins with 16 random bytes, so that its hash reveals nothing.
    ///
    /// It can be sealed or erased later.
    case salted
    /// The body is sealed or of a later version: kept and forwarded.
    case unknown(UInt8)
  }

  package var kind: Kind
  package var authored: HybridTime
  package var bodyCodec: BodyCodec
  package var context: ContextDelta

  package init(
    kind: Kind, authored: HybridTime, bodyCodec: BodyCodec = .plain,
    context: ContextDelta = ContextDelta()
  ) {
    self.kind = kind
    self.authored = authored
    self.bodyCodec = bodyCodec
    self.context = context
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 16)
    writer.byte(Self.version)
    writer.varint(kind.code)
    writer.integer(authored.rawValue)
    writer.byte(bodyCodec.code)
    context.encode(to: &writer)
    return writer.bytes
  }

  /// Decodes an envelope from its canonical bytes.
  ///
  /// - Throws: ``EventError`` if the bytes are no envelope; ``EventError/Code/unknownVersion`` if
  ///   they may be an envelope of a later version.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(EventError) {
    var reader = ByteReader(bytes)
    let version = try reader.byte()
    guard version == Self.version else {
      throw EventError(.unknownVersion, "envelope version \(version) is not known here", offset: 0)
    }
    kind = Kind(code: try reader.varint())
    authored = HybridTime(rawValue: try reader.integer(UInt64.self))
    bodyCodec = BodyCodec(code: try reader.byte())
    context = try ContextDelta(from: &reader)
    try reader.end(of: "an envelope")
  }
}

extension Envelope.Kind {
  package var code: UInt64 {
    switch self {
    case .identity: 1
    case .transaction: 2
    case .stamps: 3
    case .unknown(let code): code
    }
  }

  init(code: UInt64) {
    switch code {
    case 1: self = .identity
    case 2: self = .transaction
    case 3: self = .stamps
    default: self = .unknown(code)
    }
  }
}

extension Envelope.BodyCodec {
  var code: UInt8 {
    switch self {
    case .plain: 0
    case .salted: 1
    case .unknown(let code): code
    }
  }

  init(code: UInt8) {
    switch code {
    case 0: self = .plain
    case 1: self = .salted
    default: self = .unknown(code)
    }
  }
}
