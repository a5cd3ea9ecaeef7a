import Daybook
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// `daybook attack EVTOOL FOLDER`: measures what attackers with tokens can cost a hub and its
/// clients.
///
/// Each attack uses one write token and one read token. It runs for `--seconds` against a hub of
/// its own. Then a new store fetches the zone, unless the attack only holds bodies open. At the end
/// all attacks run together against one hub of `--zones` zones.
func daybookAttack(_ words: inout BenchArguments) async throws {
  let evtool = try words.next("EVTOOL")
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let options = AttackOptions(
    seconds: try words.number("seconds", default: 10),
    zones: try words.number("zones", default: 10),
    zoneBytes: try words.number("zone-bytes", default: 16 << 20),
    connections: try words.number("connections", default: 4),
    only: words.text("only"))
  try words.finish()
  signal(SIGPIPE, SIG_IGN)
  let zones = (0..<max(options.zones, 1)).map { number in
    ZoneID(bytes: Array(repeating: UInt8(truncatingIfNeeded: number + 1), count: 16))
  }
  let kinds = Attack.kinds.filter { options.only == nil || $0.key == options.only }
  for (name, make) in kinds {
    let run = try AttackRun(evtool, folder.appending(path: name), [zones[0]], options)
    let attack = try make(zones[0])
    try run.measure(name, [attack])
    if attack.heldBodies == 0 { try run.measureFirstSyncs(after: name) }
    run.stop()
  }
  guard options.only == nil else { return }
  let run = try AttackRun(evtool, folder.appending(path: "together"), zones, options)
  try run.measure(
    "together", kinds.enumerated().map { try $1.value(zones[$0 % zones.count]) })
  run.stop()
}

struct AttackOptions: Sendable {
  var seconds: Int
  var zones: Int
  var zoneBytes: Int
  var connections: Int
  var only: String?
}

/// A hub with tokens for its zones, and the attacks on it.
private final class AttackRun: @unchecked Sendable {
  /// Counts of what an attack has sent and received.
  private struct Outcome {
    var requests = 0
    var bytes = 0
    var received = 0
    var statuses: [Int: Int] = [:]

    mutating func add(_ answer: (status: Int, bytes: Int), to sent: [UInt8]) {
      requests += 1
      bytes += sent.count
      received += answer.bytes
      statuses[answer.status, default: 0] += 1
    }
  }

  private struct Access {
    var write: String
    var read: String
  }

  private let evtool: String
  private let folder: URL
  private let hub: MeasuredHub
  private let messages: URL
  private let options: AttackOptions
  private var access: [Access] = []
  private var metricsToken = ""
  private let outcome = Locked(Outcome())
  /// The size of the hub's folder before any zone exists.
  private var emptyBytes = 0

  init(_ evtool: String, _ folder: URL, _ zones: [ZoneID], _ options: AttackOptions) throws {
    (self.evtool, self.folder, self.options) = (evtool, folder, options)
    let hubFolder = folder.appending(path: "hub")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    messages = folder.appending(path: "messages")
    for (number, zone) in zones.enumerated() {
      let first = ["--zone", "zone\(number)", "--write", "--zone-id", zone.description]
      access.append(
        Access(
          write: try Self.token(evtool, hubFolder, first),
          read: try Self.token(evtool, hubFolder, ["--zone", "zone\(number)", "--read"])))
    }
    metricsToken = try Self.token(evtool, hubFolder, ["--metrics"])
    hub = try MeasuredHub(
      evtool, hubFolder, ["--max-zone-bytes", "\(options.zoneBytes)"], messages: messages)
    emptyBytes = Self.bytes(of: hubFolder)
  }

  func stop() { hub.stop() }

  private static func token(_ evtool: String, _ folder: URL, _ options: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: evtool)
    process.arguments = ["token", "create", folder.path(percentEncoded: false)] + options
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("a token was not made") }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: - The hub

  /// Runs attacks concurrently, the first in the first zone, and so on.
  func measure(_ name: String, _ attacks: [Attack]) throws {
    let before = hub.processorHundredths
    let start = ContinuousClock.now
    let end = start.advanced(by: .seconds(options.seconds))
    let group = DispatchGroup()
    func begin(_ body: @escaping @Sendable () -> Void) {
      let thread = Thread {
        body()
        group.leave()
      }
      thread.stackSize = 8 << 20
      group.enter()
      thread.start()
    }
    for (number, attack) in attacks.enumerated() {
      let zone = number % access.count
      begin { [self] in
        fill(attack, zone, until: end)
        let connections = attack.repeats.isEmpty ? 0 : options.connections
        let repeating = DispatchGroup()
        for connection in 0..<connections {
          repeating.enter()
          Thread { [self] in
            say(attack, zone, connection, until: end)
            repeating.leave()
          }.start()
        }
        repeating.wait()
      }
      for _ in 0..<attack.heldBodies {
        begin { [self] in
          var client = AttackClient(port: hub.port, zone: "zone\(zone)", token: access[zone].write)
          let isHeld = client.hold(attack.heldBytes)
          while isHeld, ContinuousClock.now < end { usleep(50_000) }
          client.close()
        }
      }
    }
    group.wait()
    let elapsed = ContinuousClock.now - start
    let all = outcome.value
    var line = JSONLine()
    line.add("daybook", "attack")
    line.add("attack", name)
    line.add("zones", access.count)
    line.add("zone_bytes", options.zoneBytes)
    line.add("requests", all.requests)
    line.add(
      "statuses",
      all.statuses.sorted { $0.key < $1.key }.map { "\($0.key)×\($0.value)" }.joined(separator: " ")
    )
    line.add("bytes_sent", all.bytes)
    line.add("bytes_received", all.received)
    line.add("total_s", seconds: UInt64(nanoseconds(elapsed)))
    line.add("hub_cpu_s", seconds: UInt64(max(hub.processorHundredths - before, 0)) * 10_000_000)
    line.add("hub_peak_kib", hub.peakMemory)
    line.add("disk_bytes", Self.bytes(of: folder.appending(path: "hub")) - emptyBytes)
    line.add("hub_messages", messageCount)
    line.write()
  }

  /// Fills a zone until the time ends, the messages end, or the zone is full.
  ///
  /// The message that is being sent at the end is still answered.
  private func fill(_ attack: Attack, _ zone: Int, until end: ContinuousClock.Instant) {
    var client = AttackClient(port: hub.port, zone: "zone\(zone)", token: access[zone].write)
    defer { client.close() }
    guard let next = try? attack.fills() else { return }
    while ContinuousClock.now < end, let message = try? next() {
      let answer = client.exchange(message)
      outcome.change { $0.add(answer, to: message) }
      // The zone is full.
      if answer.status == 507 { return }
    }
  }

  private func say(
    _ attack: Attack, _ zone: Int, _ connection: Int, until end: ContinuousClock.Instant
  ) {
    let token = attack.repeatsWrite ? access[zone].write : access[zone].read
    var client = AttackClient(port: hub.port, zone: "zone\(zone)", token: token)
    defer { client.close() }
    var turn = connection
    while ContinuousClock.now < end {
      let message = attack.repeats[turn % attack.repeats.count]
      let answer = client.exchange(message)
      outcome.change { $0.add(answer, to: message) }
      turn += 1
    }
  }

  private var messageCount: Int {
    (try? Data(contentsOf: messages))?.count { $0 == UInt8(ascii: "\n") } ?? 0
  }

  private static func bytes(of folder: URL) -> Int {
    let files = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.fileSizeKey])
    var sum = 0
    while let file = files?.nextObject() as? URL {
      sum += (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) ?? 0
    }
    return sum
  }

  // MARK: - Clients of the hub

  /// Measures how a new store fetches each zone.
  func measureFirstSyncs(after name: String) throws {
    for zone in access.indices {
      let store = folder.appending(path: "client\(zone)").path(percentEncoded: false)
      _ = try ChildProcess(evtool, ["init", store], environment: [:])
      let sync = try ChildProcess(
        evtool, ["sync", store, "\(hub.url)/zone\(zone)"],
        environment: ["DAYBOOK_TOKEN": access[zone].read, "DAYBOOK_LOG": "error"])
      let counted = try zoneBytes(zone)
      let log = Self.bytes(of: folder.appending(path: "hub/zones/zone\(zone)/log"))
      var line = JSONLine()
      line.add("daybook", "attacked_first_sync")
      line.add("attack", name)
      line.add("status", Int(sync.status))
      line.add("log_bytes", log)
      line.add("counted_bytes", counted)
      line.add("client_bytes", Self.bytes(of: URL(fileURLWithPath: store)))
      line.add("cpu_s", seconds: UInt64(sync.processorMilliseconds) * 1_000_000)
      line.add("peak_kib", sync.peakKiB)
      line.add(
        "cpu_s_per_mb",
        seconds: UInt64(
          Double(sync.processorMilliseconds) * 1e6 / (Double(max(counted, log, 1_000_000)) / 1e6)))
      line.write()
      try FileManager.default.removeItem(atPath: store)
    }
  }

  /// Returns the size of a zone in bytes, from the hub's metrics.
  private func zoneBytes(_ zone: Int) throws -> Int {
    let connection = try Connection(port: hub.port)
    defer { connection.end() }
    try connection.send(
      "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(metricsToken)\r\n"
        + "Connection: close\r\n\r\n")
    var text: [UInt8] = []
    while let more = connection.read() { text += more }
    let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first {
      $0.hasPrefix("daybook_hub_zone_bytes{") && $0.contains("\"zone\(zone)\"")
    }
    return line?.split(separator: " ").last.flatMap {
      Double($0.drop { $0 == " " }.prefix { $0 != "\r" })
    }
    .map { Int($0) } ?? 0
  }
}
