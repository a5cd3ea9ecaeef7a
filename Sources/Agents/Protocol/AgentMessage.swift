import DaybookEventCore
import DaybookJSON

/// A message of JSON-RPC 2.0, as a client sends it.
enum AgentMessage {
  /// The number or text by which a client knows a request.
  enum ID: Hashable {
    case integer(Int64)
    /// As bytes: texts that Unicode holds to be equivalent are different ids.
    case text([UInt8])

    init?(_ json: JSONValue?) {
      switch json {
      case .integer(let number): self = .integer(number)
      case .text(let text): self = .text(Array(text.utf8))
      default: return nil
      }
    }

    var json: JSONValue {
      switch self {
      case .integer(let number): .integer(number)
      case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  case request(ID, method: String, params: JSONValue)
  case notification(method: String, params: JSONValue)
  /// An answer to a request of the server, which makes none.
  case response

  /// The most bytes of a message.
  static let bytesMax = 8 << 20

  /// Reads a message from a line.
  /// - Throws: ``Malformed``.
  init(_ line: [UInt8]) throws(Malformed) {
    guard line.count <= Self.bytesMax else {
      throw Malformed(
        nil, .init(.invalidRequest, "a message may have \(Self.bytesMax) bytes at most"))
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSONParser.parse(line) } catch {
      throw Malformed(nil, .init(.parseError, "the line is no JSON: \(error)"))
    }
    guard case .object = json else {
      let words = if case .array = json { "batches are not part of the protocol" } else { "no" }
      throw Malformed(
        nil, .init(.invalidRequest, "a message is an object, and this is \(json.summary); \(words)")
      )
    }
    let id = ID(json["id"])
    guard json["jsonrpc"] == .text("2.0") else {
      throw Malformed(id, .init(.invalidRequest, "a message says \"jsonrpc\": \"2.0\""))
    }
    guard let method = json["method"] else {
      guard json["result"] != nil || json["error"] != nil else {
        throw Malformed(id, .init(.invalidRequest, "the message has no method"))
      }
      self = .response
      return
    }
    guard case .text(let method) = method else {
      throw Malformed(id, .init(.invalidRequest, "the method is \(method.summary), and no text"))
    }
    let params = json["params"] ?? .object([])
    guard case .object = params else {
      throw Malformed(id, .init(.invalidParams, "the params are \(params.summary), and no object"))
    }
    guard let said = json["id"] else {
      self = .notification(method: method, params: params)
      return
    }
    guard let id else {
      throw Malformed(
        nil, .init(.invalidRequest, "an id is an integer or a text, and this is \(said.summary)"))
    }
    self = .request(id, method: method, params: params)
  }

  /// A line that is no message.
  struct Malformed: Error {
    /// The id that it says, as far as it can be read.
    var id: ID?
    var error: ProtocolError

    init(_ id: ID?, _ error: ProtocolError) {
      self.id = id
      self.error = error
    }
  }

  // MARK: - Answers

  static func answer(_ id: ID?, _ outcome: Result<JSONValue, ProtocolError>) -> [UInt8] {
    var members: [(key: String, value: JSONValue)] = [
      ("jsonrpc", .text("2.0")), ("id", id?.json ?? .null),
    ]
    switch outcome {
    case .success(let result): members.append(("result", result))
    case .failure(let error): members.append(("error", error.json))
    }
    var writer = JSONWriter()
    writer.value(.object(members))
    return writer.bytes
  }
}
