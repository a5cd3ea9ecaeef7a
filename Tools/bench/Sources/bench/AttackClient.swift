internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#endif

/// One attacker's connection to a hub, opened again each time that the hub closes it.
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

  /// - Returns: the status of the answer, and bytes of it; status 0 where none came.
  mutating func exchange(_ message: [UInt8]) -> (status: Int, bytes: Int) {
    if connection == nil { connection = try? Connection(port: port) }
    guard let connection else { return (0, 0) }
    // In one go: the system would hold back the second of two small writes. What the hub does not want to hear
    // to its end, it answers before that.
    let isSent = connection.sendAll((head(message.count) + message)[...])
    let answer = Self.answer(of: connection)
    if !isSent || answer.closes { close() }
    return (answer.status, answer.bytes)
  }

  /// Sends all of a body but its last byte, and leaves the connection open.
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

/// A child process that was waited for.
struct ChildProcess {
  /// 0, or what it ended with.
  let status: Int32
  let processorMilliseconds: Int
  /// 0 where the system does not tell.
  let peakKiB: Int

  /// Runs a program to its end, without its output; no longer than five minutes.
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
    // What the system says at the end counts this process too, from before the other program was loaded.
    while wait4(child, &code, WNOHANG, &usage) == 0 {
      peak = max(peak, HubProcess.peakMemory(of: child))
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
