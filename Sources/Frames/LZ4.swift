import DaybookCLZ4

/// LZ4 blocks without the LZ4 frame format, by liblz4.
enum LZ4 {
  /// The level of high compression, which is liblz4's default.
  private static let highLevel: Int32 = 9

  /// Returns the compressed block; nil if it would not be smaller than `raw`.
  static func compress(_ raw: UnsafeRawBufferPointer, high: Bool) -> [UInt8]? {
    guard raw.count > 1, raw.count <= Int(LZ4_MAX_INPUT_SIZE) else { return nil }
    let source = raw.assumingMemoryBound(to: CChar.self).baseAddress
    let capacity = raw.count - 1
    var size = 0
    let block = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      buffer.withMemoryRebound(to: CChar.self) { target in
        size = Int(
          high
            ? LZ4_compress_HC(
              source, target.baseAddress, Int32(raw.count), Int32(capacity), highLevel)
            : LZ4_compress_default(
              source, target.baseAddress, Int32(raw.count), Int32(capacity)))
      }
      initialized = max(size, 0)
    }
    return size > 0 ? block : nil
  }

  /// Returns the bytes that `block` decompresses to; nil if they are not exactly `rawLength`.
  static func decompress(_ block: UnsafeRawBufferPointer, rawLength: Int) -> [UInt8]? {
    guard block.count <= Int(Int32.max), rawLength <= Int(Int32.max) else { return nil }
    let source = block.assumingMemoryBound(to: CChar.self).baseAddress
    var size = -1
    let raw = [UInt8](unsafeUninitializedCapacity: rawLength) { buffer, initialized in
      buffer.withMemoryRebound(to: CChar.self) { target in
        size = Int(
          LZ4_decompress_safe(source, target.baseAddress, Int32(block.count), Int32(rawLength)))
      }
      initialized = max(size, 0)
    }
    return size == rawLength ? raw : nil
  }
}
