import DaybookCChecksum

/// CRC-32C (Castagnoli; RFC 3720 B.4), computed with the CPU's instruction if it has one.
package enum CRC32C {
  /// Returns the checksum of `bytes`.
  ///
  /// - Parameter initial: the checksum of the preceding bytes, to continue it; 0 at the start.
  package static func checksum(_ bytes: UnsafeRawBufferPointer, continuing initial: UInt32 = 0)
    -> UInt32
  {
    daybook_crc32c(initial, bytes.baseAddress, bytes.count)
  }

  package static func checksum(_ bytes: [UInt8], continuing initial: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { checksum($0, continuing: initial) }
  }

  /// Returns the checksum of `bytes`, computed by table; tests compare the instruction with it.
  package static func portableChecksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { daybook_crc32c_portable(0, $0.baseAddress, $0.count) }
  }
}
