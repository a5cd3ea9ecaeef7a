import EventCore
import NIOCore

/// `Daybook-CRC32C`: eight hexadecimal digits over a body. Signatures protect events; this finds what
/// a broken proxy does to the rest.
enum Checksum {
  static let field = "Daybook-CRC32C"

  static func text(_ bytes: ByteBuffer) -> String {
    let checksum = bytes.withUnsafeReadableBytes { CRC32C.checksum($0) }
    return Hex.encode((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
  }

  /// - Parameter told: nil where the hub told none, which passes.
  static func matches(_ bytes: ByteBuffer, _ told: String?) -> Bool {
    told.map { $0.lowercased() == text(bytes) } ?? true
  }
}
