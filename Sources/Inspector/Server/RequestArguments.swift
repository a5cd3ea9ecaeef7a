import DaybookAnswers
import DaybookEventCore
import DaybookJSON

/// The arguments of a request: of its address, or of its body.
enum RequestArguments {
  /// Reads the part of an address behind `?`.
  /// - Throws: ``CallFailure`` for what is no argument of the route.
  static func query(_ text: Substring, of route: APIRoute) throws(CallFailure) -> CallArguments {
    var members: Members = []
    for pair in text.parts(between: "&") where !pair.isEmpty {
      let parts = pair.parts(between: "=")
      guard parts.count <= 2, let name = decoded(parts[0]),
        let value = decoded(parts.count == 2 ? parts[1] : "")
      else {
        throw CallFailure("the address has an escape that is none", cure: "Encode it as UTF-8")
      }
      let parameter = route.parameters.first { $0.name.isSame(as: name) }
      let json = try json(value, of: parameter)
      guard let place = members.firstIndex(where: { $0.key.isSame(as: name) }) else {
        members.append((name, json))
        continue
      }
      guard case .array(let before) = members[place].value, case .array(let more) = json else {
        throw CallFailure("\(name.prefix(64)) is given twice", cure: "Give it once")
      }
      members[place].value = .array(before + more)
    }
    return try CallArguments(.object(members), for: route.path, route.parameters)
  }

  /// Reads a body.
  /// - Throws: ``CallFailure`` if it is no JSON, or has what is no argument of the route.
  static func body(_ bytes: [UInt8], of route: APIRoute) throws(CallFailure) -> CallArguments {
    let json: JSONValue
    do { json = bytes.isEmpty ? .object([]) : try JSONParser.parse(bytes) } catch {
      throw CallFailure(
        "the body is no JSON: \(error.explanation)", cure: "Send one object in UTF-8")
    }
    return try CallArguments(json, for: route.path, route.parameters)
  }

  private static func json(_ text: String, of parameter: CallParameter?) throws(CallFailure)
    -> JSONValue
  {
    switch parameter?.kind {
    case .integer?: return Int64(text).map { .integer($0) } ?? .text(text)
    case .boolean?:
      if text.isSame(as: "true") || text.isEmpty { return .boolean(true) }
      return text.isSame(as: "false") ? .boolean(false) : .text(text)
    case .texts?: return .array([.text(text)])
    case .fields?, .sqlArguments?, .any?:
      do { return try JSONParser.parse(Array(text.utf8)) } catch {
        throw CallFailure(
          "\(parameter?.name ?? "an argument") is no JSON: \(error.explanation)")
      }
    default: return .text(text)
    }
  }

  /// Undoes the escapes of an address; nil if they are wrong, or the result is no UTF-8.
  static func decoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard rest.count >= 2,
          let first = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self).lowercased())?
            .first
        else { return nil }
        bytes.append(first)
        rest = rest.dropFirst(2)
      case UInt8(ascii: "+"): bytes.append(0x20)
      default: bytes.append(byte)
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    // Bytes that are no UTF-8 have become other ones.
    return text.utf8.elementsEqual(bytes) ? text : nil
  }
}
