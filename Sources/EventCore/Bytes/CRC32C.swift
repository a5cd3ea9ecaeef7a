private import CChecksum

/// CRC-32C (Castagnoli; RFC 3720 B.4), by the CPU's instruction where there is one.
public enum CRC32C {
  /// - Parameter initial: the checksum of what came before, to continue it.
  public static func checksum(_ bytes: UnsafeRawBufferPointer, continuing initial: UInt32 = 0)
    -> UInt32
  {
    daybook_crc32c(initial, bytes.baseAddress, bytes.count)
  }

  public static func checksum(_ bytes: [UInt8], continuing initial: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { checksum($0, continuing: initial) }
  }

  /// The same, by table: what tests compare the instruction with.
  package static func portableChecksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { daybook_crc32c_portable(0, $0.baseAddress, $0.count) }
  }
}
