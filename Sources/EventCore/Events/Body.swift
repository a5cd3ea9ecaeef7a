/// The inside of an event: its author, its purpose and its changes.
///
/// ```
/// [16 random bytes, if the codec is `salted`]
/// u8 version = 1 · text actor · text label
/// varint n · n × (text key · text value)              annotations, keys ascending
/// varint n · n × text                                 names used below, ascending
/// varint n · n × (varint kind · varint size · payload)
/// ```
package struct Body: Hashable, Sendable {
  package static let version: UInt8 = 1

  /// Largest canonical event, envelope and body together: 16 MiB.
  package static let eventBytesMax = 16 << 20

  /// The author of the event; empty if not given.
  package var actor: String
  /// The purpose of the transaction, in words; empty if not given.
  package var label: String
  /// Facts about the event itself; an import records its source and line here.
  package var annotations: [String: String]
  package var operations: [Operation]

  package init(
    actor: String = "", label: String = "", annotations: [String: String] = [:],
    operations: [Operation]
  ) {
    self.actor = actor
    self.label = label
    self.annotations = annotations
    self.operations = operations
  }

  /// Encodes the body in canonical form.
  ///
  /// - Parameter salt: exactly 16 random bytes for a body of codec `salted`, else nil.
  /// - Returns: the canonical bytes, with the salt in front.
  package func encoded(salt: [UInt8]? = nil) -> [UInt8] {
    let names = NameTable(operations)
    var writer = ByteWriter(capacity: 256)
    if let salt { writer.raw(salt) }
    writer.byte(Self.version)
    writer.text(actor)
    writer.text(label)
    writer.varint(annotations.count)
    for (key, value) in annotations.sorted(by: { utf8Less($0.key, $1.key) }) {
      writer.text(key)
      writer.text(value)
    }
    writer.varint(names.names.count)
    for name in names.names { writer.text(name) }
    writer.varint(operations.count)
    var payload = ByteWriter(capacity: 256)
    for operation in operations {
      payload.bytes.removeAll(keepingCapacity: true)
      operation.encodePayload(names, to: &payload)
      writer.varint(operation.kind)
      writer.counted(payload.bytes)
    }
    return writer.bytes
  }

  /// Decodes a body from its canonical bytes.
  ///
  /// Operations of unknown kinds are kept, and are no error.
  /// - Throws: ``EventError`` if the bytes are no body of this version.
  package init(decoding bytes: UnsafeRawBufferPointer, codec: Envelope.BodyCodec)
    throws(EventError)
  {
    var view = try BodyView(bytes, codec: codec)
    actor = view.actor.text
    label = view.label.text
    annotations = [:]
    for (key, value) in view.annotations { annotations[key.text] = value.text }
    operations = []
    let names = view.names.map(\.text)
    while let operation = try view.next() {
      operations.append(try Operation(operation, names: names))
    }
  }
}

extension Body {
  /// Whether bytes may name a collection, field, attribute or annotation: 1 to 255 bytes of
  /// printable ASCII. In ASCII, two spellings of a name are equal only if their bytes are equal.
  package static func isName(_ bytes: some Collection<UInt8>) -> Bool {
    (1...255).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// The names that operations use, ordered by their UTF-8 bytes, and the number of each.
struct NameTable {
  private(set) var names: [String] = []
  private var numbers: [String: Int] = [:]

  init(_ operations: [Operation]) {
    var set: Set<String> = []
    for operation in operations { operation.forEachName { set.insert($0) } }
    names = set.sorted(by: utf8Less)
    for (number, name) in names.enumerated() { numbers[name] = number }
  }

  /// Returns the number of a name.
  ///
  /// - Parameter name: a name that one of the operations uses.
  func number(_ name: String) -> Int { numbers[name]! }
}

/// Whether `a` comes before `b` in the order of their UTF-8 bytes.
///
/// Canonical bytes and digests depend on this order. Swift's own order of strings agrees with it
/// only on normalized text.
package func utf8Less(_ a: String, _ b: String) -> Bool {
  a.utf8.lexicographicallyPrecedes(b.utf8)
}
