package import DaybookJSON

/// The types of JSON in schemas.
package enum SchemaType {
  package static let text = JSONValue.text("string")
  package static let integer = JSONValue.text("integer")
  package static let number = JSONValue.text("number")
  package static let array = JSONValue.text("array")
  package static let object = JSONValue.text("object")
  package static let boolean = JSONValue.text("boolean")
  package static func optional(_ type: JSONValue) -> JSONValue { .array([type, .text("null")]) }
}
