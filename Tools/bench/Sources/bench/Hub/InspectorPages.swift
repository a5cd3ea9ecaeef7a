import DaybookLocks
import Foundation

/// Pages of the inspector that are open at a hub: each listens to changes, and reads its rows again
/// after one, at most each half second, as the page in a browser does.
final class InspectorPages: Sendable {
  private let port: Int
  private let token: String
  private let isEnding = Mutex(false)
  private let reads = Mutex(0)

  /// Opens pages.
  /// - Throws: ``BenchError`` if one of them is refused.
  init(_ count: Int, port: Int, token: String, collection: String) throws {
    self.port = port
    self.token = token
    for _ in 0..<count {
      let stream = try Connection(port: port)
      try stream.send(request("changes", closes: false))
      guard let first = stream.read(), first.starts(with: Array("HTTP/1.1 200".utf8)) else {
        throw BenchError("the hub refuses a page")
      }
      Thread.detachNewThread { [self] in follow(stream, collection) }
    }
  }

  /// How often pages have read their rows.
  var readCount: Int { reads.withLock { $0 } }

  func end() { isEnding.withLock { $0 = true } }

  private func request(_ path: String, closes: Bool) -> String {
    "GET /inspect/api/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
      + "Authorization: Bearer \(token)\r\n\(closes ? "Connection: close\r\n" : "")\r\n"
  }

  private func follow(_ stream: Connection, _ collection: String) {
    while let news = stream.read(), !isEnding.withLock({ $0 }) {
      guard String(decoding: news, as: UTF8.self).contains("event: change") else { continue }
      guard let connection = try? Connection(port: port) else { return }
      try? connection.send(request("rows?collection=\(collection)", closes: true))
      while connection.read() != nil {}
      connection.end()
      reads.withLock { $0 += 1 }
      Thread.sleep(forTimeInterval: 0.5)
    }
    stream.end()
  }
}
