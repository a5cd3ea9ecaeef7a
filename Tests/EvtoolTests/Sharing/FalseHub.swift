import DaybookEventCore
import DaybookLocks
import DaybookReplication
import Foundation

/// A server without any key, that answers each exchange as it likes.
final class FalseHub: Sendable {
  let port: Int
  private let listener: Int32
  private let requests = Mutex(0)

  /// - Parameter answer: to what is asked.
  init(_ answer: @escaping @Sendable (SyncRequest) -> SyncResponse) throws {
    #if canImport(Glibc)
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    port = Int(in_port_t(bigEndian: address.sin_port))
    Thread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        serve(client, answer)
        close(client)
      }
    }.start()
  }

  var requestCount: Int { requests.withLock { $0 } }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private func serve(_ client: Int32, _ answer: (SyncRequest) -> SyncResponse) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    func receive() -> Bool {
      let count = read(client, &buffer, buffer.count)
      guard count > 0 else { return false }
      bytes += buffer[..<count]
      return true
    }
    let end = Array("\r\n\r\n".utf8)
    while true {
      var start: Int?
      while start == nil {
        start = bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == end }.map { $0 + 4 }
        if start == nil, !receive() { return }
      }
      guard let start else { return }
      let head = String(decoding: bytes[..<start], as: UTF8.self).lowercased()
      let length = head.components(separatedBy: "content-length: ").dropFirst().first
        .flatMap { Int($0.prefix { $0.isNumber }) }
      guard let length else { return }
      while bytes.count < start + length { if !receive() { return } }
      let request = bytes[start..<start + length].withUnsafeBytes {
        try? SyncRequest(decoding: $0, versions: 0...UInt8.max)
      }
      bytes.removeFirst(start + length)
      guard let request else { return }
      requests.withLock { $0 += 1 }
      var response = answer(request)
      response.version = request.version
      let body = response.encoded()
      let sum = CRC32C.checksum(body)
      let digits = String(repeating: "0", count: 8) + String(sum, radix: 16)
      let lines =
        "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
        + "Daybook-CRC32C: \(digits.suffix(8))\r\nContent-Length: \(body.count)\r\n\r\n"
      let all = Array(lines.utf8) + body
      guard write(client, all, all.count) == all.count else { return }
    }
  }
}
