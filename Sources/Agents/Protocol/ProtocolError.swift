import DaybookAnswers
import DaybookJSON

/// An error of a message itself, which the protocol reports in place of a result.
///
/// What a tool could not do is a result of the tool; see ``CallFailure``.
struct ProtocolError: Error {
  /// The codes of JSON-RPC 2.0 and of the protocol.
  enum Code: Int {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
    case unsupportedVersion = -32022
  }

  var code: Code
  var message: String
  var data: JSONValue?

  init(_ code: Code, _ message: String, data: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  var json: JSONValue {
    var members: [(key: String, value: JSONValue)] = [
      ("code", .integer(Int64(code.rawValue))), ("message", .text(message)),
    ]
    if let data { members.append(("data", data)) }
    return .object(members)
  }
}
