package import DaybookEventCore
import Foundation

extension RDFLiteral {
  /// Makes the literal of a value; nil for null.
  ///
  /// | value | datatype |
  /// | --- | --- |
  /// | text | `xsd:string` |
  /// | integer | `xsd:integer` |
  /// | real | `xsd:double` |
  /// | boolean | `xsd:boolean` |
  /// | timestamp | `xsd:dateTime`; outside the years 1 to 9999 `xsd:integer`, its milliseconds |
  /// | blob | `xsd:base64Binary` |
  /// | JSON | `rdf:JSON` |
  package init?(_ value: Value) {
    switch value {
    case .null: return nil
    case .text(let text): self.init(text)
    case .integer(let number): self.init(String(number), checked: .xsdInteger)
    case .boolean(let flag): self.init(flag ? "true" : "false", checked: .xsdBoolean)
    case .real(let number):
      let text = "\(number == 0 ? 0 : number)"
      let hasExponent = text.utf8.contains(UInt8(ascii: "e"))
      self.init(hasExponent ? text : text + "e0", checked: .xsdDouble)
    case .timestamp(let milliseconds): self.init(moment: milliseconds)
    case .blob(let bytes):
      self.init(Data(bytes).base64EncodedString(), checked: .xsdBase64Binary)
    case .json(let bytes): self.init(String(decoding: bytes, as: UTF8.self), checked: .rdfJSON)
    }
  }

  /// Makes the literal of a moment, in milliseconds since 1970.
  init(moment milliseconds: Int64) {
    if let text = ISO8601.text(milliseconds) {
      self.init(text, checked: .xsdDateTime)
    } else {
      self.init(String(milliseconds), checked: .xsdInteger)
    }
  }
}
