/// The IRIs that were read lately, by their bytes in the file: most are repeated soon.
struct IRICache {
  private struct Entry {
    var hash: UInt64
    var iri: IRI
  }

  private static let count = 256

  /// Empty until there is an IRI.
  private var entries: [Entry?] = []

  /// Returns the IRI that has the same bytes; nil if it was not read lately.
  func find(_ bytes: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> IRI? {
    guard !entries.isEmpty, let entry = entries[Self.index(hash)], entry.hash == hash else {
      return nil
    }
    return Self.isSame(entry.iri.string, bytes) ? entry.iri : nil
  }

  mutating func insert(_ iri: IRI, _ hash: UInt64) {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.count) }
    entries[Self.index(hash)] = Entry(hash: hash, iri: iri)
  }

  /// Returns a hash of the bytes. Many files with the same hashes only make the cache useless.
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let raw = UnsafeRawBufferPointer(bytes)
    var hash = UInt64(truncatingIfNeeded: raw.count)
    var offset = 0
    while offset + 8 <= raw.count {
      hash = mix(hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    for byte in raw[offset...] { rest = rest << 8 | UInt64(byte) }
    return mix(hash ^ rest)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  private static func index(_ hash: UInt64) -> Int { Int(hash % UInt64(count)) }

  private static func isSame(_ string: String, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let same = string.utf8.withContiguousStorageIfAvailable { own in
      own.count == bytes.count && own.elementsEqual(bytes)
    }
    return same ?? string.utf8.elementsEqual(bytes)
  }
}
