/// A body read in place, without copying: names are slices, and operations come one by one.
///
/// Everything is checked as it is read. The view is valid as long as the bytes are.
package struct BodyView {
  package let actor: UnsafeRawBufferPointer
  package let label: UnsafeRawBufferPointer
  package private(set) var annotations:
    [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
  /// The encoded name table: the count of the names and their texts.
  package let nameSection: UnsafeRawBufferPointer
  package let nameCount: Int
  package let operationCount: Int
  private var reader: ByteReader
  private var operationIndex = 0

  package init(_ bytes: UnsafeRawBufferPointer, codec: Envelope.BodyCodec) throws(EventError) {
    try self.init(bytes, codec: codec, known: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Reads the body up to its first operation.
  ///
  /// - Parameter known: the name section of another body, or empty. An identical name section is
  ///   not checked again.
  /// - Throws: ``EventError`` if the bytes read so far are not canonical or of an unknown version.
  package init(
    _ bytes: UnsafeRawBufferPointer, codec: Envelope.BodyCodec, known: UnsafeRawBufferPointer
  ) throws(EventError) {
    reader = ByteReader(bytes)
    switch codec {
    case .plain: break
    case .salted: _ = try reader.take(16)
    case .unknown(let code):
      throw EventError(.unknownVersion, "body codec \(code) is not known here")
    }
    let version = try reader.byte()
    guard version == Body.version else {
      throw EventError(.unknownVersion, "body version \(version) is not known here", offset: 0)
    }
    actor = try reader.validText()
    label = try reader.validText()
    for _ in 0..<(try reader.count()) {
      let key = try reader.validText()
      guard Body.isName(key), annotations.last.map({ key.follows($0.key) }) ?? true else {
        throw EventError(
          .notCanonical, "annotations not ASCII, or out of order", offset: reader.offset)
      }
      annotations.append((key, try reader.validText()))
    }
    let start = reader.offset
    if !known.isEmpty, reader.remaining >= known.count,
      UnsafeRawBufferPointer(rebasing: bytes[start..<start + known.count]).hasSameBytes(as: known)
    {
      nameCount = try reader.count()
      reader.offset = start + known.count
    } else {
      nameCount = try Self.checkNames(&reader)
    }
    nameSection = UnsafeRawBufferPointer(rebasing: bytes[start..<reader.offset])
    operationCount = try reader.count()
  }

  /// Reads and checks the name table.
  ///
  /// - Returns: the number of names.
  private static func checkNames(_ reader: inout ByteReader) throws(EventError) -> Int {
    let count = try reader.count()
    var last: UnsafeRawBufferPointer?
    for _ in 0..<count {
      let name = try reader.validText()
      guard Body.isName(name), last.map(name.follows) ?? true else {
        throw EventError(.notCanonical, "names not ASCII, or out of order", offset: reader.offset)
      }
      last = name
    }
    return count
  }

  package var names: [UnsafeRawBufferPointer] {
    var names: [UnsafeRawBufferPointer] = []
    names.reserveCapacity(nameCount)
    var reader = ByteReader(nameSection)
    guard let count = try? reader.count() else { return [] }
    for _ in 0..<count {
      guard let name = try? reader.counted() else { return [] }
      names.append(name)
    }
    return names
  }

  /// Returns the next operation, or nil after the last one.
  ///
  /// - Throws: ``EventError`` if the operation is malformed, or if bytes follow the last one.
  package mutating func next() throws(EventError) -> OperationView? {
    guard operationIndex < operationCount else {
      try reader.end(of: "a body")
      return nil
    }
    defer { operationIndex += 1 }
    return try OperationView(index: operationIndex, from: &reader)
  }

  /// The offset at which the next operation begins.
  package var offset: Int { reader.offset }
}

extension ByteReader {
  mutating func validText() throws(EventError) -> UnsafeRawBufferPointer {
    let start = offset
    let raw = try counted()
    guard UTF8Validation.isValid(raw) else {
      throw EventError(.invalidValue, "text is not valid UTF-8", offset: start)
    }
    return raw
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes as text; they must be valid UTF-8.
  package var text: String { String(decoding: self, as: UTF8.self) }

  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var i = 0
    while i + 8 <= count {
      if loadUnaligned(fromByteOffset: i, as: UInt64.self)
        != other.loadUnaligned(fromByteOffset: i, as: UInt64.self)
      {
        return false
      }
      i += 8
    }
    while i < count {
      if self[i] != other[i] { return false }
      i += 1
    }
    return true
  }

  /// Whether these bytes come strictly after the bytes of `other`, in byte order.
  func follows(_ other: UnsafeRawBufferPointer) -> Bool { other.lexicographicallyPrecedes(self) }
}
