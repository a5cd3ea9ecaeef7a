package import DaybookEventCore
package import DaybookJSON
import DaybookProjections
package import DaybookTexts

/// One line of interchange, which is one operation. Its values are still JSON, because only the
/// schema knows their types.
///
/// ```
/// {"op":"define","collection":C,"relationship":B,"fields":[{"name":F,"type":T,…}]}
/// {"op":"drop","collection":C,"field":F}
/// {"op":"insert"|"update"|"put","collection":C,"id":I,"source":I,"target":I,"fields":{F:V,…}}
/// {"op":"delete"|"restore"|"erase","collection":C,"id":I}
/// {"op":"edit","collection":C,"id":I,"field":F,"comparison":B,
///  "script":[KEEP,"INSERT",-DELETE,…]}
/// ```
package struct InterchangeLine: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    case define, drop, insert, update, put, delete, restore, erase, edit

    var takesFields: Bool { self == .insert || self == .update || self == .put }
    var takesID: Bool { self != .define && self != .drop }
  }

  package struct Field: Sendable {
    package var name: String
    package var value: JSONValue
    /// The byte at which the value begins in the line, counted from 1.
    package var column: Int
  }

  package var kind: Kind
  package var collection: String
  /// The entity's id. It is empty for `define` and `drop`, and if the id is to be derived.
  package var id = ""
  /// The ends of a relationship.
  package var source: Field?
  package var target: Field?
  package var fields: [Field] = []
  /// The definition, for `define`.
  package var definition: Definition?
  /// The field to drop, for `drop`; nil for the whole collection.
  package var droppedField: String?
  /// The field to change and the change, for `edit`.
  package var edit: (field: String, script: TextScript, isComparison: Bool)?
  /// The length of the line in bytes.
  package var byteCount = 0

  /// The longest line that is accepted, in bytes. An operation has at most 16 MiB in canonical
  /// form, and JSON escapes can make it six times as long.
  package static let bytesMax = 6 * Body.eventBytesMax + 4096

  /// Parses one line.
  /// - Parameter bytes: the line, with or without its line ending.
  /// - Throws: ``InterchangeError`` if the line is not an operation.
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

  /// Returns whether a line holds only white space. Such lines are skipped.
  package static func isBlank(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
  }
}
