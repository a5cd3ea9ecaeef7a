package import EventCore
import Projections

/// One line of interchange: one operation, whose values are still JSON because only the schema
/// knows their types.
///
/// ```
/// {"op":"define","collection":C,"relationship":B,"fields":[{"name":F,"type":T,…}]}
/// {"op":"drop","collection":C,"field":F}
/// {"op":"insert"|"update"|"put","collection":C,"id":I,"source":I,"target":I,"fields":{F:V,…}}
/// {"op":"delete"|"restore"|"erase","collection":C,"id":I}
/// ```
package struct InterchangeLine: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case define, drop, insert, update, put, delete, restore, erase

    var takesFields: Bool { self == .insert || self == .update || self == .put }
    var takesID: Bool { self != .define && self != .drop }
  }

  package struct Field: Sendable {
    package var name: String
    package var value: JSONValue
    /// Where the value begins, counted from 1.
    package var column: Int
  }

  package var kind: Kind
  package var collection: String
  /// Empty for `define` and `drop`, and where it is left out to be derived.
  package var id = ""
  /// The ends of a relationship.
  package var source: Field?
  package var target: Field?
  package var fields: [Field] = []
  /// Of `define`.
  package var definition: Definition?
  /// Of `drop`: the field, or nil for the whole collection.
  package var droppedField: String?
  /// How many bytes the line has.
  package var byteCount = 0

  /// Longest line that is read at all. An operation has at most 16 MiB in its canonical form, which
  /// escapes in JSON can make six times as long.
  package static let bytesMax = 6 * Body.eventBytesMax + 4096

  /// - Parameter bytes: one line, with or without its end.
  package init(parsing bytes: UnsafeRawBufferPointer) throws(InterchangeError) {
    var reader = InterchangeLineReader(bytes)
    self = try reader.line()
  }

  package init(parsing bytes: [UInt8]) throws(InterchangeError) {
    self = try bytes.withRawBytes { bytes throws(InterchangeError) in
      try InterchangeLine(parsing: bytes)
    }
  }

  static let missingID = InterchangeError(
    .notAnOperation, "the key “id” is missing; it names the entity that it is about")

  init(kind: Kind, collection: String) {
    self.kind = kind
    self.collection = collection
  }

  /// Whether a line holds nothing but white space: such lines are passed over.
  package static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
  }
}
