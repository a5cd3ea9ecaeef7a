import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// An attacker's connection to a hub, opened again whenever the hub closes it.
struct AttackClient {
  let port: Int
  let zone: String
  let token: String
  private var connection: Connection?

  init(port: Int, zone: String, token: String) {
    (self.port, self.zone, self.token) = (port, zone, token)
  }

  private func head(_ length: Int) -> [UInt8] {
    Array(
      """
      POST /v1/zones/\(zone)/exchange HTTP/1.1\r
      Host: 127.0.0.1:\(port)\r
      Authorization: Bearer \(token)\r
      Content-Type: application/octet-stream\r
      Content-Length: \(length)\r
      \r

      """.utf8)
  }

  /// Sends a message and reads the response.
  ///
  /// - Returns: The status and the body's number of bytes; status 0 if no response came.
  mutating func exchange(_ message: [UInt8]) -> (status: Int, bytes: Int) {
    if connection == nil { connection = try? Connection(port: port) }
    guard let connection else { return (0, 0) }
    // Head and body are sent together, because the system would delay the second of two small
    // writes. The hub may refuse a message before it has received all of it.
    let isSent = connection.sendAll((head(message.count) + message)[...])
    let answer = Self.answer(of: connection)
    if !isSent || answer.closes { close() }
    return (answer.status, answer.bytes)
  }

  /// Sends all of a body but its last byte, and leaves the connection open.
  ///
  /// - Parameter bytes: The length of the body.
  /// - Returns: Whether everything was sent.
  mutating func hold(_ bytes: Int) -> Bool {
    connection = try? Connection(port: port)
    guard let connection else { return false }
    let body = [UInt8](repeating: 1, count: bytes - 1)
    return connection.sendAll(head(bytes)[...]) && connection.sendAll(body[...])
  }

  mutating func close() {
    connection?.close()
    connection?.end()
    connection = nil
  }

  private static func answer(of connection: Connection) -> (status: Int, bytes: Int, closes: Bool) {
    var head: [UInt8] = []
    var end: Int?
    while end == nil {
      guard let more = connection.read() else { return (0, 0, true) }
      head += more
      end = head.indices.dropLast(3).first { head[$0..<$0 + 4] == [13, 10, 13, 10] }
    }
    let lines = String(decoding: head[..<(end ?? 0)], as: UTF8.self).lowercased()
      .split(separator: "\r\n")
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    let length =
      lines.first { $0.hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
    var bytes = head.count - (end ?? 0) - 4
    while bytes < length, let more = connection.read() { bytes += more.count }
    return (status, bytes, bytes < length || lines.contains("connection: close"))
  }
}

/// The outcome of a child process that has ended.
struct ChildProcess {
  /// The exit code; 128 plus the signal if a signal ended it.
  let status: Int32
  let processorMilliseconds: Int
  /// The peak memory in KiB; 0 if the system does not report it.
  let peakKiB: Int

  /// Runs a program to its end without its output, and kills it after five minutes.
  ///
  /// - Throws: ``BenchError`` if it cannot be started.
  init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
    let end = ContinuousClock.now.advanced(by: .seconds(300))
    let words = ([path] + arguments).map { strdup($0) }
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let variables = all.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in words + variables { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    var child: pid_t = 0
    guard posix_spawn(&child, path, &actions, nil, words + [nil], variables + [nil]) == 0 else {
      throw BenchError("\(path) cannot be run")
    }
    var (code, usage, peak) = (Int32(0), rusage(), 0)
    // The system's final figure includes this process from before the other program was loaded, so
    // the child's memory is polled.
    while wait4(child, &code, WNOHANG, &usage) == 0 {
      peak = max(peak, MeasuredHub.peakMemory(of: child))
      if ContinuousClock.now > end { kill(child, SIGKILL) }
      usleep(5_000)
    }
    status = code & 0x7F == 0 ? code >> 8 & 0xFF : 128 + code & 0x7F
    processorMilliseconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Int($1.tv_sec) * 1000 + Int($1.tv_usec) / 1000
    }
    peakKiB = peak
  }
}
