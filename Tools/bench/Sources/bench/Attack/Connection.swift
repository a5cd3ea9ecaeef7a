import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A plain TCP connection to this machine.
struct Connection {
  private let descriptor: Int32

  init(port: Int) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else {
      throw BenchError("no socket: \(String(cString: strerror(errno)))")
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      throw BenchError("the hub cannot be reached: \(String(cString: strerror(errno)))")
    }
  }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
      throw BenchError("a request could not be sent")
    }
  }

  /// Sends all bytes, however long that takes.
  ///
  /// SIGPIPE must be ignored.
  ///
  /// - Returns: False if the peer takes no more.
  func sendAll(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = write(descriptor, bytes.baseAddress! + sent, bytes.count - sent)
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Returns the next received bytes; nil if the connection has ended.
  func read() -> ArraySlice<UInt8>? {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? bytes[..<count] : nil
  }

  func close() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Closes the connection and its descriptor; it must not be used afterward.
  func end() {
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
  }

  /// Waits up to 50 ms for received bytes, and returns the indices of the connections that have
  /// some.
  static func readable(_ connections: [Connection]) -> [Int] {
    var polled = connections.map {
      pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
    }
    guard poll(&polled, nfds_t(polled.count), 50) > 0 else { return [] }
    return polled.indices.filter { polled[$0].revents & Int16(POLLIN) != 0 }
  }

  /// Lets this process and its children have `count` files open at a time.
  ///
  /// - Throws: ``BenchError`` if the system does not allow it.
  static func allowFiles(_ count: Int) throws {
    var limit = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { throw BenchError("no limit of files") }
    guard limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    guard setrlimit(resource, &limit) == 0, limit.rlim_cur >= rlim_t(count) else {
      throw BenchError("\(count) files cannot be open at once: raise `ulimit -n`")
    }
  }
}

/// Takes server-sent events out of a chunked body.
struct EventLines {
  private var raw: [UInt8] = []
  private var body: [UInt8] = []
  private var isInHead = true

  /// Takes received bytes.
  ///
  /// - Returns: The events that end in these bytes, without the empty line after each.
  mutating func take(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
    raw += bytes
    if isInHead {
      guard let end = Self.find([13, 10, 13, 10], in: raw[...]) else { return [] }
      raw.removeFirst(end + 4)
      isInHead = false
    }
    var place = raw.startIndex
    while let line = Self.find([13, 10], in: raw[place...]),
      let size = Int(String(decoding: raw[place..<line], as: UTF8.self), radix: 16),
      raw.count >= line + 2 + size + 2
    {
      body += raw[line + 2..<line + 2 + size]
      place = line + 2 + size + 2
    }
    raw.removeFirst(place)
    var events: [[UInt8]] = []
    var start = body.startIndex
    while let end = Self.find([10, 10], in: body[start...]) {
      events.append(Array(body[start..<end]))
      start = end + 2
    }
    body.removeFirst(start)
    return events
  }

  private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    var index = bytes.startIndex
    while index + pattern.count <= bytes.endIndex {
      if bytes[index] == pattern[0], bytes[index..<index + pattern.count].elementsEqual(pattern) {
        return index
      }
      index += 1
    }
    return nil
  }
}
