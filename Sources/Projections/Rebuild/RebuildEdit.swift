import DaybookEventCore

/// The packing of an edit in a partition: the base and the script, as a value of its field.
enum RebuildEdit {
  static func packed(_ base: WriteRef, _ script: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = ByteWriter(capacity: script.count + 24)
    base.encode(to: &writer)
    writer.raw(script)
    return Value.blob(writer.bytes).canonicalBytes
  }

  /// - Parameter value: The canonical bytes that ``packed(_:_:)`` has made.
  static func unpack(_ value: ValueView) throws(EventError) -> (
    base: WriteRef, script: UnsafeRawBufferPointer
  ) {
    guard case .blob(let bytes) = value else {
      throw EventError(.malformed, "an edit in a partition that is no blob")
    }
    var reader = ByteReader(bytes)
    let base = try WriteRef(from: &reader)
    return (base, UnsafeRawBufferPointer(rebasing: bytes[reader.offset...]))
  }
}
