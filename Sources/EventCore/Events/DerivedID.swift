/// The id of an entity that follows from its natural key, so that replicas which make the same thing
/// make one entity.
public enum DerivedID {
  /// A UUID of version 8 (RFC 9562), in lower case, whose other 122 bits are the first of a SHA-256:
  ///
  /// ```
  /// "daybook.derived-id.1" · text collection · varint n · n × value
  /// ```
  /// - Parameter key: the canonical values of the key's fields, in the order of the key; NULL for
  ///   those without.
  public static func id(collection: String, key: [Value]) -> String {
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
