/// The id of an entity derived from its natural key.
///
/// Replicas that create the same thing independently create one entity.
package enum DerivedID {
  /// Returns a lower-case UUID of version 8 (RFC 9562) that follows from a collection and a key.
  ///
  /// Its other 122 bits are taken from the first 128 bits of the SHA-256 of:
  ///
  /// ```
  /// "daybook.derived-id.1" · text collection · varint n · n × value
  /// ```
  /// - Parameter key: the canonical values of the key's fields, in the order of the key; NULL for
  ///   fields without a value.
  package static func id(collection: String, key: [Value]) -> String {
    var writer = ByteWriter(capacity: 128)
    writer.raw(Array("daybook.derived-id.1".utf8))
    writer.text(collection)
    writer.varint(key.count)
    for value in key { value.encode(to: &writer) }
    var bytes = Array(Hash256.sha256(of: writer.bytes).bytes[..<16])
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array(Hex.encode(bytes))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }
}
