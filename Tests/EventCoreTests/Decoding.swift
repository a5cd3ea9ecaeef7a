import DaybookEventCore

/// Decoders by name, over arrays.
enum Decoding {
  static func value(_ bytes: [UInt8]) throws(EventError) -> Value {
    try bytes.withRawBytes { raw throws(EventError) in try Value(canonicalBytes: raw) }
  }

  static func envelope(_ bytes: [UInt8]) throws(EventError) -> Envelope {
    try bytes.withRawBytes { raw throws(EventError) in try Envelope(decoding: raw) }
  }

  static func body(
    _ bytes: [UInt8], _ codec: Envelope.BodyCodec = .plain
  ) throws(EventError) -> Body {
    try bytes.withRawBytes { raw throws(EventError) in try Body(decoding: raw, codec: codec) }
  }

  static func head(_ bytes: [UInt8]) throws(EventError) -> Head {
    try bytes.withRawBytes { raw throws(EventError) in try Head(decoding: raw) }
  }

  /// The names of a body's table.
  static func names(_ bytes: [UInt8]) -> [String] {
    bytes.withUnsafeBytes { raw in
      (try? BodyView(raw, codec: .plain))?.names.map(\.text) ?? []
    }
  }

  /// All events of a frame's bytes.
  static func events(_ bytes: [UInt8]) throws(EventError) -> [EncodedEvent] {
    try bytes.withRawBytes { raw throws(EventError) in
      var reader = ByteReader(raw)
      var events: [EncodedEvent] = []
      while !reader.isAtEnd { events.append(try EventView(from: &reader).encoded) }
      return events
    }
  }

  /// Reads with `read`, from all of `bytes`.
  static func read<T>(
    _ bytes: [UInt8], _ read: (inout ByteReader) throws(EventError) -> T
  ) throws(EventError) -> T {
    try bytes.withRawBytes { raw throws(EventError) in
      var reader = ByteReader(raw)
      return try read(&reader)
    }
  }

  /// What the code of the error is that `body` throws; nil where it throws none.
  static func code(_ body: () throws(EventError) -> Void) -> EventError.Code? {
    do {
      try body()
      return nil
    } catch { return error.code }
  }
}
