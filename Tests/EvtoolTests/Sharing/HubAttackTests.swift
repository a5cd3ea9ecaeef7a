import DaybookEventCore
import DaybookLogEngine
import DaybookReplication
import Foundation
import Testing

/// Attacks on hubs, by hubs, and with a hub's disk, on the real binary.
/// `docs/measurements/2026-11-attacks-replicas.md` has their former effects.
@Suite struct HubAttackTests {
  private let folder: TemporaryFolder
  private let hub: String
  private let token: String

  init() throws {
    folder = try TemporaryFolder()
    hub = folder.path("hub")
    token = String(
      try Evtool.run("token", "create", hub, "--zone", "team", "--write").lines[0])
  }

  private func store(_ name: String) throws -> String {
    let store = folder.path(name)
    try Evtool.run("init", store)
    let notes = try folder.write(
      #"{"op":"define","collection":"notes","fields":[{"name":"title","type":"text"}]}"# + "\n",
      "\(name).ndjson")
    #expect(try Evtool.run("import", store, notes).status == 0)
    return store
  }

  private func put(_ store: String, _ id: String, _ title: String) throws {
    #expect(try Evtool.run("put", store, "notes", id, "title=\(title)").status == 0)
  }

  private func sync(_ store: String, _ url: String) throws -> Evtool.Result {
    try RunningEvtool(["sync", store, url], environment: ["DAYBOOK_TOKEN": token]).wait()
  }

  private func expectSame(_ stores: [String], _ url: String) throws {
    for _ in 0..<2 {
      for store in stores {
        let result = try sync(store, url)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
      }
    }
    #expect(Set(try stores.map { try Evtool.run("digest", $0, "--json").output }).count == 1)
    for store in stores {
      #expect(try Evtool.run("status", store, "--json").output.contains("\"unstamped\":0"))
      #expect(try Evtool.run("verify", store).status == 0)
    }
  }

  /// The store removed its events: 4 rows became 0, with exit code 0.
  @Test("a server that claims a fork without a proof makes no store remove events")
  func falseForks() throws {
    let a = try store("a")
    for number in 0..<3 { try put(a, "\(number)", "note \(number)") }
    let status = try Evtool.run("status", a, "--json").json() as? [String: Any]
    let replica = try #require((status?["replica"] as? String).flatMap { ReplicaID($0) })
    let before = try Evtool.run("digest", a, "--json").output
    let zone = try #require(ZoneID(String(repeating: "7e", count: 16)))
    let server = try FalseHub { request in
      let tag = ChainTag(Hash256.sha256(of: [7]))
      var held = Knowledge()
      held[replica] = .init(.init(1...9, tag))
      var response = SyncResponse(
        zone: request.zone == .none ? zone : request.zone, replica: ReplicaID(high: 7, low: 7),
        report: .entries(mask: .max, held))
      for sequence in UInt64(1)...4 {
        response.refusals.append(RangeRefusal(.fork, EventID(replica, sequence), tag: tag))
      }
      return response
    }
    defer { server.stop() }
    for _ in 0..<2 {
      let result = try sync(a, "http://127.0.0.1:\(server.port)/team")
      #expect(
        result.status == 1 && !result.output.contains("removed"),
        "\(result.status) \(result.output) \(result.errors)")
    }
    #expect(server.requestCount > 2)
    #expect(try Evtool.run("digest", a, "--json").output == before)
    #expect(try Evtool.run("verify", a).status == 0)
  }

  /// The hub forked itself, and the rows of its clients differed for ever.
  @Test(
    "a hub that is restored with its key is repaired by syncs, whichever store comes first",
    arguments: [true, false])
  func putBack(knowingComesFirst: Bool) throws {
    let stores = try ["a", "b", "c"].map { try store($0) }
    var process = try HubProcess(hub)
    #expect(try sync(stores[0], process.url()).status == 0)
    #expect(try process.terminate().status == 0)
    let saved = folder.path("saved")
    try FileManager.default.copyItem(atPath: hub, toPath: saved)
    process = try HubProcess(hub)
    try put(stores[0], "1", "one")
    for store in [stores[0], stores[1], stores[0]] {
      #expect(try sync(store, process.url()).status == 0)
    }
    process.kill()
    try FileManager.default.removeItem(atPath: hub)
    try FileManager.default.copyItem(atPath: saved, toPath: hub)
    process = try HubProcess(hub)
    defer { process.kill() }
    try put(stores[2], "2", "two")
    if !knowingComesFirst { #expect(try sync(stores[2], process.url()).status == 0) }
    // One sync of each store is enough; a store that finds two histories may report them.
    for store in stores { _ = try sync(store, process.url()) }
    try put(stores[1], "3", "three")
    try expectSame(stores, process.url())
    let count = try Evtool.run("query", stores[2], "SELECT count(*) AS n FROM notes", "--json")
    #expect(count.output.contains("3"), "\(count.output)")
  }

  /// One such event held up the whole zone, and all later events.
  @Test("an event with a context that no replica holds is stamped, and so are later events")
  func ghosts() throws {
    let process = try HubProcess(hub)
    defer { process.kill() }
    let stores = try ["a", "b"].map { try store($0) }
    try put(stores[0], "n", "first")
    for store in stores { #expect(try sync(store, process.url()).status == 0) }
    let zone = try #require(try zone(of: stores[0]))
    var forger = try Forger(seed: 9)
    forger.write(
      "forged", to: "n", authored: HybridTime(rawValue: .max),
      seeing: [ReplicaID(high: 1, low: 1): 1 << 40])
    try push(forger, zone, to: process.port)
    for store in stores {
      #expect(try sync(store, process.url()).status == 0)
      try put(store, "n", "written by \(store)")
    }
    try expectSame(stores, process.url())
    let shown = try Evtool.run("show", stores[0], "notes", "n").output
    #expect(shown.contains("written by"), "\(shown)")
  }

  private func zone(of store: String) throws -> ZoneID? {
    let status = try Evtool.run("status", store, "--json").json() as? [String: Any]
    return (status?["zone"] as? String).flatMap { ZoneID($0) }
  }

  private func push(_ forger: Forger, _ zone: ZoneID, to port: Int) throws {
    let request = SyncRequest(
      zone: zone, replica: forger.origin, answerBytes: 0,
      report: .entries(mask: .max, Knowledge()), ranges: [try forger.range()])
    let answer = try RawHTTP.exchange(request.encoded(), with: port, token: token)
    #expect(answer?.status == 200, "\(answer?.text ?? "no answer")")
  }

  /// With a token for reading, 40 requests made a hub hold 2.9 GB. A message of 39 MiB of tiny
  /// frames took 1 to 2 GB.
  @Test("messages that decompress to too much are refused, within bounded memory")
  func exhaustion() throws {
    let process = try HubProcess(hub)
    defer { process.kill() }
    let a = try store("a")
    #expect(try sync(a, process.url()).status == 0)
    let zone = try #require(try zone(of: a))
    let read = String(
      try Evtool.run("token", "create", hub, "--zone", "team", "--read").lines[0])
    let messages = try [frames(zone), bomb(zone), promises(zone)]
    for _ in 0..<4 {
      for message in messages {
        for token in [read, token] {
          let answer = try RawHTTP.exchange(message, with: process.port, token: token)
          if let answer { #expect((400..<500).contains(answer.status), "\(answer.text)") }
        }
      }
    }
    #if os(Linux)
      let status = try String(
        contentsOfFile: "/proc/\(process.running.process.processIdentifier)/status",
        encoding: .utf8)
      let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      let kibibytes = peak?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      #expect(try #require(kibibytes) < 512 << 10, "\(peak ?? "")")
    #endif
    try put(a, "1", "one")
    #expect(try sync(a, process.url()).status == 0)
  }

  /// Returns a message with one frame more than the limit.
  private func frames(_ zone: ZoneID) throws -> [UInt8] {
    var range = try Forger(seed: 5).range()
    range.frames = Array(repeating: range.frames[0], count: SyncProtocol.framesMax + 1)
    return request(zone, range)
  }

  /// Returns a small message without a signature, which decompresses to 45 MB.
  private func bomb(_ zone: ZoneID) throws -> [UInt8] {
    var forger = try Forger(seed: 6)
    for _ in 0..<3 {
      forger.sign(
        EncodedEvent(envelope: [1], body: .present(Array(repeating: 0, count: 15 << 20))))
    }
    var range = try forger.range()
    range.signature = Array(repeating: 0, count: 64)
    return request(zone, range)
  }

  /// Returns a message whose frames claim to decompress to more than the limit.
  private func promises(_ zone: ZoneID) throws -> [UInt8] {
    var range = try Forger(seed: 7).range()
    range.frames[0].rawLength = 16 << 20
    range.frames = Array(repeating: range.frames[0], count: 17)
    return request(zone, range)
  }

  private func request(_ zone: ZoneID, _ range: EventRange) -> [UInt8] {
    SyncRequest(
      zone: zone, replica: ReplicaID(high: 8, low: 8), answerBytes: 0,
      report: .entries(mask: .max, Knowledge()), ranges: [range]
    ).encoded()
  }
}
