import DaybookEventCore

/// The checksum of an HTTP body, CRC-32C, as hubs and their clients send it in a header.
///
/// Signatures protect events. The checksum detects what a broken proxy does to the rest.
package enum BodyChecksum {
  /// The header's name.
  package static let field = "Daybook-CRC32C"

  /// Returns the header's value for a body: eight hexadecimal digits, the most significant first.
  package static func text(_ body: UnsafeRawBufferPointer) -> String {
    let checksum = CRC32C.checksum(body)
    return Hex.encode((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
  }

  /// Returns whether a body has the checksum that its header states.
  /// - Parameter told: The header's value, in either case of letters; nil if there is none, which
  ///   every body matches.
  package static func matches(_ body: UnsafeRawBufferPointer, _ told: String?) -> Bool {
    told.map { $0.lowercased() == text(body) } ?? true
  }
}
