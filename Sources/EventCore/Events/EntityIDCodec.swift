/// The canonical encoding of an entity's id, which is text.
///
/// It is the count of UTF-8 bytes shifted left by one, then the bytes. A lower-case UUID is the
/// number 1 and its 16 packed bytes instead.
package enum EntityIDCodec {
  /// The longest id, in UTF-8 bytes.
  package static let bytesMax = 1024

  package static func encode(_ id: String, to writer: inout ByteWriter) {
    if let packed = PackedUUID(id) {
      writer.varint(1)
      packed.encode(to: &writer)
    } else {
      var id = id
      id.withUTF8 {
        writer.varint($0.count << 1)
        writer.raw(UnsafeRawBufferPointer($0))
      }
    }
  }

  package static func encode(utf8 id: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    if let packed = PackedUUID(utf8: id) {
      writer.varint(1)
      packed.encode(to: &writer)
    } else {
      writer.varint(id.count << 1)
      writer.raw(id)
    }
  }

  package static func decode(from reader: inout ByteReader) throws(EventError) -> IDView {
    let start = reader.offset
    let tag = try reader.varint()
    if tag == 1 { return .uuid(try PackedUUID(from: &reader)) }
    guard tag & 1 == 0, tag >> 1 <= UInt64(bytesMax), tag > 0 else {
      throw EventError(.malformed, "an id is empty, or over \(bytesMax) bytes", offset: start)
    }
    let raw = try reader.take(Int(tag >> 1))
    guard UTF8Validation.isValid(raw) else {
      throw EventError(.invalidValue, "an id is not valid UTF-8", offset: start)
    }
    if raw.count == 36, PackedUUID(utf8: raw) != nil {
      throw EventError(.notCanonical, "a UUID is not packed", offset: start)
    }
    return .text(raw)
  }
}

/// An entity's id in place, within an operation's bytes.
package enum IDView {
  case text(UnsafeRawBufferPointer)
  case uuid(PackedUUID)

  package func withUTF8<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    switch self {
    case .text(let raw): try body(raw)
    case .uuid(let packed): try packed.withUTF8(body)
    }
  }

  package var text: String { withUTF8 { String(decoding: $0, as: UTF8.self) } }
}
