package import DaybookEventCore

extension KeptFact {
  /// The type of a field that holds the fact.
  package var type: FieldType {
    switch self {
    case .created, .modified: .timestamp
    case .version: .integer
    }
  }
}

extension FieldSchema {
  /// The size of the largest default, in canonical bytes. Each row repeats it.
  package static let defaultBytesMax = 1 << 10

  /// Returns whether a column can have this default: it is small, and its SQL can be written.
  package static func canBeDefault(_ value: Value) -> Bool {
    guard value.canonicalBytes.count <= defaultBytesMax else { return false }
    return switch value {
    case .text(let text): !text.utf8.contains(0)
    case .json(let bytes): !bytes.contains(0)
    default: true
    }
  }
}
