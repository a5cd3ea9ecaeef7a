import Daybook
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// `daybook origins EVTOOL FOLDER`: measures the first sync of a zone with many origins.
///
/// Each origin has one event. For comparison, another zone has the same number of events of one
/// origin, each in a frame of its own, as single edits have. Both are measured in turn, three times
/// by default; the medians are compared.
func daybookOrigins(_ words: inout BenchArguments) async throws {
  let evtool = try words.next("EVTOOL")
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let count = try words.number("origins", default: 50_000)
  let rounds = try words.number("rounds", default: 3)
  try words.finish()
  signal(SIGPIPE, SIG_IGN)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let hub = try MeasuredHub(evtool, folder.appending(path: "origins-hub"))
  let many = ZoneID(bytes: Array(repeating: 1, count: 16))
  let one = ZoneID(bytes: Array(repeating: 2, count: 16))
  for (name, zone, attack) in [
    ("many", many, Attack.origins(many, count: count)), ("one", one, oneOrigin(one, count: count)),
  ] {
    var client = AttackClient(port: hub.port, zone: name, token: "")
    let start = ContinuousClock.now
    let before = hub.processorHundredths
    let next = try attack.fills()
    while let message = try next() {
      let answer = client.exchange(message)
      guard answer.status == 200 else {
        throw BenchError("the hub answered \(answer.status) when \(zone) was filled")
      }
    }
    var line = JSONLine()
    line.add("daybook", "origins_pushed")
    line.add("zone", name)
    line.add("events", count)
    line.add("total_s", seconds: UInt64(nanoseconds(ContinuousClock.now - start)))
    line.add("hub_cpu_s", seconds: UInt64(hub.processorHundredths - before) * 10_000_000)
    line.write()
    try measureEdits(name, zone, &client)
    client.close()
  }
  var times: [String: [UInt64]] = [:]
  for _ in 0..<max(rounds, 1) {
    for name in ["many", "one"] {
      let store = folder.appending(path: "origins-store").path(percentEncoded: false)
      _ = try ChildProcess(evtool, ["init", store], environment: [:])
      let before = hub.processorHundredths
      let start = ContinuousClock.now
      let sync = try ChildProcess(
        evtool, ["sync", store, "\(hub.url)/\(name)"], environment: ["DAYBOOK_LOG": "error"])
      let elapsed = UInt64(nanoseconds(ContinuousClock.now - start))
      guard sync.status == 0 else { throw BenchError("a sync ended with \(sync.status)") }
      times[name, default: []].append(elapsed)
      var line = JSONLine()
      line.add("daybook", "origins_first_sync")
      line.add("zone", name)
      line.add("events", count)
      line.add("total_s", seconds: elapsed)
      line.add("cpu_s", seconds: UInt64(sync.processorMilliseconds) * 1_000_000)
      line.add("hub_cpu_s", seconds: UInt64(hub.processorHundredths - before) * 10_000_000)
      line.add("peak_kib", sync.peakKiB)
      line.write()
      try FileManager.default.removeItem(atPath: store)
    }
  }
  func median(_ name: String) -> UInt64 { (times[name] ?? []).sorted()[max(rounds, 1) / 2] }
  var line = JSONLine()
  line.add("daybook", "origins")
  line.add("origins", count)
  line.add("many_s", seconds: median("many"))
  line.add("one_s", seconds: median("one"))
  line.add("hub_peak_kib", hub.peakMemory)
  line.write()
  hub.stop()
}

/// Measures an edit that another author pushes to a zone, until it is stamped.
private func measureEdits(_ name: String, _ zone: ZoneID, _ client: inout AttackClient) throws {
  var author = try AttackAuthor(1, in: zone)
  author.write([author.identityEvent])
  var latencies = Latencies()
  for _ in 0..<50 {
    author.write([AttackAuthor.transaction()])
    let message = AttackMessage.request(zone, ranges: [try author.range()])
    let start = ContinuousClock.now
    guard client.exchange(message).status == 200 else { throw BenchError("an edit was refused") }
    latencies.append(nanoseconds(ContinuousClock.now - start))
  }
  var line = JSONLine()
  line.add("daybook", "origins_edit")
  line.add("zone", name)
  line.add(latencies)
  line.write()
}

/// Makes `count` events of one origin, each a copy of its first event.
private func oneOrigin(_ zone: ZoneID, count: Int) -> Attack {
  Attack(
    name: "one origin",
    fills: {
      var author = try AttackAuthor(1000, in: zone)
      return {
        guard author.sequence < count else { return nil }
        var ranges: [[UInt8]] = []
        while ranges.count < 4, author.sequence < count {
          let end = min(Int(author.sequence) + 1024, count)
          while author.sequence < end { author.write([author.identityEvent], compressed: false) }
          ranges.append(try author.range())
        }
        return AttackMessage.request(zone, ranges: ranges)
      }
    })
}
