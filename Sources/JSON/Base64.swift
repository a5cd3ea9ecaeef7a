import Foundation

/// Strict base64 (RFC 4648, section 4): with padding, without white space, and with exactly one
/// valid spelling for each blob.
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Returns the decoded bytes; nil if `text` is not strict base64.
  package static func decode(_ text: String) -> [UInt8]? {
    // Foundation also decodes spellings in which the bits that do not count are not zero.
    guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else {
      return nil
    }
    return [UInt8](data)
  }
}
