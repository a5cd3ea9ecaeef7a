import EventCore
import NIOCore

/// The header `Daybook-CRC32C`, the checksum of a body in eight hexadecimal digits. Signatures
/// protect events; the checksum detects what a broken proxy does to the rest.
enum Checksum {
  static let field = "Daybook-CRC32C"

  static func text(_ bytes: ByteBuffer) -> String {
    let checksum = bytes.withUnsafeReadableBytes { CRC32C.checksum($0) }
    return Hex.encode((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
  }

  /// Returns whether a body matches its checksum.
  /// - Parameter told: The header's value; nil if the hub sent none, which passes.
  static func matches(_ bytes: ByteBuffer, _ told: String?) -> Bool {
    told.map { $0.lowercased() == text(bytes) } ?? true
  }
}
