import DaybookEventCore

/// A place in a list of results, which a client hands back to read on.
///
/// It is for the call that returned it: with other arguments it is refused. It has no secret.
package struct PageCursor {
  /// The number of results before the place.
  package var offset: Int
  private var call: [UInt8]

  /// - Parameters:
  ///   - offset: the number of results before the place.
  ///   - call: what tells the call from others.
  package init(_ offset: Int, of call: String) {
    self.offset = offset
    self.call = Self.mark(call)
  }

  private static func mark(_ call: String) -> [UInt8] {
    Array(Hash256.sha256(of: Array(call.utf8)).bytes.prefix(8))
  }

  package var text: String {
    withUnsafeBytes(of: UInt64(offset).bigEndian) { Hex.encode(call + Array($0)) }
  }

  /// Reads a cursor.
  /// - Throws: ``CallFailure`` if the text is no cursor, or one of another call.
  package init(_ text: String, of call: String) throws(CallFailure) {
    guard let bytes = Hex.decode(text), bytes.count == 16,
      let offset = Int(exactly: bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    else {
      throw CallFailure("“\(text.prefix(64))” is no cursor", cure: "Call again without one")
    }
    self.init(offset, of: call)
    guard Array(bytes[..<8]) == self.call else {
      throw CallFailure(
        "the cursor is of another call", cure: "Give the same arguments, or no cursor")
    }
  }
}
