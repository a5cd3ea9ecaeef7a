package import DaybookEventCore

extension TextScript {
  /// A step in the bytes of a script.
  enum RawStep {
    case retain(Int)
    case delete(Int)
    /// UTF-8 and its number of scalars.
    case insert(UnsafeRawBufferPointer, scalars: Int)
  }

  /// The encoded script.
  ///
  /// Each step is a varint, `count << 2 | kind`, of kind 0 to keep, 1 to delete and 2 to insert.
  /// The count of an insertion is its number of UTF-8 bytes, which follow.
  package var encoded: [UInt8] {
    var out = ByteWriter()
    for step in steps {
      switch step {
      case .retain(let count): out.varint(UInt64(count) << 2)
      case .delete(let count): out.varint(UInt64(count) << 2 | 1)
      case .insert(let text):
        out.varint(UInt64(text.utf8.count) << 2 | 2)
        out.raw(Array(text.utf8))
      }
    }
    return out.bytes
  }

  /// Decodes a script.
  ///
  /// - Parameter bytes: An encoded script, and nothing else.
  /// - Throws: ``EventError`` if the bytes are no script in canonical form, or insert text that is
  ///   no UTF-8.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(EventError) {
    try TextScript.check(bytes)
    var walker = RawSteps(bytes)
    while let step = walker.next() {
      switch step {
      case .retain(let count): append(.retain(count))
      case .delete(let count): append(.delete(count))
      case .insert(let text, _): append(.insert(String(decoding: text, as: UTF8.self)))
      }
    }
  }

  /// Checks bytes that claim to be a script, without making one.
  ///
  /// - Throws: ``EventError`` if the bytes are no script in canonical form, or insert text that is
  ///   no UTF-8.
  package static func check(_ bytes: UnsafeRawBufferPointer) throws(EventError) {
    var reader = ByteReader(bytes)
    var last: UInt64?
    while !reader.isAtEnd {
      let start = reader.offset
      let head = try reader.varint()
      let (count, kind) = (head >> 2, head & 3)
      guard kind < 3 else {
        throw EventError(.malformed, "no step of a text script", offset: start)
      }
      guard count > 0, kind != last, !(kind == 2 && last == 1) else {
        throw EventError(
          .notCanonical, "step of a text script not in canonical form", offset: start)
      }
      guard count <= UInt64(countLimit) else {
        throw EventError(.invalidValue, "count of a text script above 2^53 - 1", offset: start)
      }
      if kind == 2 {
        guard count <= UInt64(reader.remaining) else {
          throw EventError(.truncated, "text script ends within an insertion", offset: start)
        }
        guard UTF8Validation.isValid(try reader.take(Int(count))) else {
          throw EventError(.invalidValue, "inserted text is not valid UTF-8", offset: start)
        }
      }
      last = kind
    }
    if last == 0 {
      throw EventError(.notCanonical, "text script keeps text after its last change", offset: 0)
    }
  }

  /// The number of scalars that a text must have for an encoded script to fit, at most `Int.max`.
  ///
  /// - Parameter script: A script that ``check(_:)`` has accepted.
  package static func lengthNeeded(_ script: UnsafeRawBufferPointer) -> Int {
    var steps = RawSteps(script)
    var length = 0
    while let step = steps.next() {
      switch step {
      case .retain(let count), .delete(let count): length = length.addingClamped(count)
      case .insert: break
      }
    }
    return length
  }

  /// Returns all scalars that an encoded script inserts, in its order.
  ///
  /// - Parameter script: A script that ``check(_:)`` has accepted.
  package static func inserted(_ script: UnsafeRawBufferPointer) -> [Unicode.Scalar] {
    var steps = RawSteps(script)
    var scalars: [Unicode.Scalar] = []
    while let step = steps.next() {
      if case .insert(let text, _) = step {
        scalars += String(decoding: text, as: UTF8.self).unicodeScalars
      }
    }
    return scalars
  }

  /// The steps of a script that ``check(_:)`` has accepted.
  struct RawSteps {
    private var bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Ends at the end of the bytes, and at what is no step.
    @inline(__always)
    mutating func next() -> RawStep? {
      guard offset < bytes.count else { return nil }
      var head: UInt64 = 0
      var shift: UInt64 = 0
      while true {
        guard offset < bytes.count, shift < 64 else { return nil }
        let byte = bytes[offset]
        offset += 1
        head |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { break }
        shift += 7
      }
      let count = Int(head >> 2)
      switch head & 3 {
      case 0: return .retain(count)
      case 1: return .delete(count)
      default:
        guard count <= bytes.count - offset else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        offset += count
        return .insert(text, scalars: UTF8Scalars.count(text))
      }
    }
  }
}
