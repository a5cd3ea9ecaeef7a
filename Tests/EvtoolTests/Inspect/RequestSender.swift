import Foundation
import Testing

/// Sends requests to this machine byte by byte as given, so that they may be wrong in every way.
struct RequestSender {
  var port: Int
  /// The token of a request that names none.
  var token = ""

  /// An answer of the API.
  struct Answer {
    var status: Int
    var headers: [String: String]
    var body: Data

    var json: [String: Any] {
      ((try? JSONSerialization.jsonObject(with: body)) as? [String: Any]) ?? [:]
    }
    func list(_ key: String) -> [[String: Any]] { json[key] as? [[String: Any]] ?? [] }
    var code: String? { json["code"] as? String }
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Sends a request byte by byte as given, and reads the whole answer.
  /// - Parameter token: the page's own where nil; none where empty.
  func request(
    _ method: String, _ target: String, headers: [String: String] = [:], body: Data? = nil,
    token: String? = nil
  ) throws -> Answer {
    var all = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
    let token = token ?? self.token
    if !token.isEmpty { all["Authorization"] = "Bearer \(token)" }
    if let body { all["Content-Length"] = "\(body.count)" }
    all.merge(headers) { $1 }
    let head =
      "\(method) \(target) HTTP/1.1\r\n"
      + all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined() + "\r\n"
    return try Self.answer(try Self.exchange(port, Data(head.utf8) + (body ?? Data())))
  }

  private static func exchange(_ port: Int, _ request: Data) throws -> Data {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    try file.write(contentsOf: request)
    return try file.readToEnd() ?? Data()
  }

  private static func answer(_ data: Data) throws -> Answer {
    let end = try #require(data.range(of: Data("\r\n\r\n".utf8)))
    let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    let status = try #require(words.count > 1 ? Int(words[1]) : nil)
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    var body = Data(data[end.upperBound...])
    if headers["transfer-encoding"] == "chunked" { body = try unchunked(body) }
    return Answer(status: status, headers: headers, body: body)
  }

  private static func unchunked(_ data: Data) throws -> Data {
    var rest = data
    var body = Data()
    while let line = rest.range(of: Data("\r\n".utf8)) {
      let text = String(decoding: rest[rest.startIndex..<line.lowerBound], as: UTF8.self)
      guard let count = Int(text, radix: 16), count > 0 else { break }
      let end = try #require(
        rest.index(line.upperBound, offsetBy: count, limitedBy: rest.endIndex))
      body += rest[line.upperBound..<end]
      rest = rest[min(end + 2, rest.endIndex)...]
    }
    return body
  }
}
