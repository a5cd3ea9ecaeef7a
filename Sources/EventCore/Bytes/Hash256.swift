package import Crypto

/// A SHA-256 value of 32 bytes: a chain value, a content hash, or a summand of the state digest.
package struct Hash256: Hashable, Sendable, CustomStringConvertible {
  /// The bytes as four little-endian numbers, least significant first.
  var words: (UInt64, UInt64, UInt64, UInt64)

  package static let zero = Hash256()

  private init() { words = (0, 0, 0, 0) }

  /// Makes a hash from its bytes.
  ///
  /// - Parameter bytes: exactly 32 bytes.
  package init(bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count == 32, "a hash has 32 bytes")
    func word(_ i: Int) -> UInt64 {
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self))
    }
    words = (word(0), word(1), word(2), word(3))
  }

  /// Parses a hash.
  ///
  /// - Parameter description: 64 lower-case hexadecimal digits.
  package init?(_ description: String) {
    guard let bytes = Hex.decode(description), bytes.count == 32 else { return nil }
    self = bytes.withUnsafeBytes { Hash256(bytes: $0) }
  }

  package init(_ digest: SHA256.Digest) {
    self = digest.withUnsafeBytes { Hash256(bytes: $0) }
  }

  package static func sha256(of bytes: UnsafeRawBufferPointer) -> Hash256 {
    var hasher = SHA256()
    hasher.update(bufferPointer: bytes)
    return Hash256(hasher.finalize())
  }

  /// Computes the SHA-256 of parts that follow each other.
  package struct Builder {
    private var hasher = SHA256()

    package init() {}

    package mutating func append(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
    }

    /// Appends a text in UTF-8.
    package mutating func append(_ text: String) {
      var text = text
      text.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    }

    package var hash: Hash256 { Hash256(hasher.finalize()) }
  }

  package static func sha256(of bytes: [UInt8]) -> Hash256 {
    bytes.withUnsafeBytes { sha256(of: $0) }
  }

  @inlinable
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeBytes(of: littleEndianWords, body)
  }

  @usableFromInline var littleEndianWords: (UInt64, UInt64, UInt64, UInt64) {
    (
      words.0.littleEndian, words.1.littleEndian, words.2.littleEndian, words.3.littleEndian
    )
  }

  package var bytes: [UInt8] { withBytes { Array($0) } }
  package var description: String { Hex.encode(bytes) }

  package static func == (a: Hash256, b: Hash256) -> Bool {
    a.words.0 == b.words.0 && a.words.1 == b.words.1 && a.words.2 == b.words.2
      && a.words.3 == b.words.3
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
