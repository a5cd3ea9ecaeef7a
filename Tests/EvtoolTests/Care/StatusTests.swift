import Foundation
import Testing

/// `evtool status` on stores in any state.
@Suite struct StatusTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
  }

  private var segment: URL { URL(fileURLWithPath: store + "/log/0000000000000001.segment") }

  private func status(_ code: Int32 = 0) throws -> (text: Evtool.Result, json: [String: Any]) {
    let text = try Evtool.run("status", store)
    #expect(text.status == code, "\(text.errors)")
    let json = try Evtool.run("status", store, "--json")
    #expect(json.status == code, "\(json.errors)")
    return (text, try #require(try json.json() as? [String: Any]))
  }

  private func problems(_ json: [String: Any]) -> [String] {
    (json["problems"] as? [[String: Any]] ?? []).compactMap { $0["kind"] as? String }
  }

  /// Every file in the store, with its content.
  private func content() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: store)
    where !name.hasSuffix("-shm") && !name.hasSuffix("-wal") {
      files[name] = FileManager.default.contents(atPath: store + "/" + name) ?? Data()
    }
    return files
  }

  private func copyReadModel(_ from: String, _ to: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: to + suffix)
      if FileManager.default.fileExists(atPath: from + suffix) {
        try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
      }
    }
  }

  @Test("a hub's zone is healthy without a read model")
  func zone() throws {
    let hub = folder.path("hub")
    #expect(try Evtool.run("token", "create", hub, "--zone", "team", "--write").status == 0)
    let text = try Evtool.run("status", hub + "/zones/team")
    #expect(text.status == 0 && text.lines.first == "health      healthy", "\(text.output)")
    #expect(text.output.contains("read model  none; a hub needs none"), "\(text.output)")
    #expect(!text.output.contains("conflicts"), "\(text.output)")
    let json = try Evtool.run("status", hub + "/zones/team", "--json").output
    #expect(json.contains("\"hub\":true") && json.contains("\"healthy\":true"), "\(json)")
    let verified = try Evtool.run("verify", hub + "/zones/team")
    #expect(verified.status == 0 && verified.output.contains("note: a hub needs no read model"))
  }

  @Test("another authority is trusted by its key, and a malformed key is refused")
  func trust() throws {
    let key = String(repeating: "8a", count: 32)
    for wrong in ["", "8a", key + "8a", String(key.dropLast()) + "g"] {
      let result = try Evtool.run("identity", "trust", store, wrong)
      #expect(result.status == 2 && result.errors.contains("64 hexadecimal digits"))
    }
    #expect(try Evtool.run("identity", "trust", store, key).status == 0)
    #expect(try Evtool.run("status", store, "--json").output.contains("\"authority\":\"\(key)\""))
    #expect(try Evtool.run("identity", "trust", folder.path("none"), key).status == 2)
  }

  @Test("a healthy store is reported in the first line, and the JSON has every key")
  func healthy() throws {
    let (text, json) = try status()
    #expect(text.lines.first == "health      healthy")
    #expect(json["healthy"] as? Bool == true)
    #expect(
      Set(json.keys) == [
        "healthy", "problems", "replica", "hub", "events", "waiting", "vector", "durableEnd",
        "segments", "sealedSegments", "logBytes", "checkpoint", "lag", "readModelBytes", "walBytes",
        "localEvents", "hiddenCollections", "conflicts", "misfits", "parked", "cycles", "opaque",
        "farFuture", "farStamps", "clocksAhead",
        "damage", "quarantine", "incidents",
        "backup",
        "zone", "authority", "peers", "unstamped",
        "collections",
      ])
    #expect(json["lag"] as? Int == 0)
    #expect(json["events"] as? Int == 2)
    #expect(json["backup"] is NSNull)
    #expect((json["incidents"] as? [Any])?.isEmpty == true)
    let end = try #require(json["durableEnd"] as? [String: Any])
    #expect(end["offset"] as? Int == (try Data(contentsOf: segment).count))
    #expect(json["checkpoint"] as? [String: Int] == json["vector"] as? [String: Int])
  }

  @Test("a damaged log is reported with its cure and exit code 3, and is not changed")
  func damaged() throws {
    var bytes = try Data(contentsOf: segment)
    bytes[bytes.count - 40] ^= 1
    try bytes.write(to: segment)
    let before = try content()
    let (text, json) = try status(3)
    #expect(text.lines.first?.hasPrefix("health      the log is damaged: ") == true)
    #expect(text.lines.dropFirst().first?.contains("evtool repair") == true)
    #expect(problems(json) == ["damagedLog"])
    #expect((json["damage"] as? [Any])?.isEmpty == false)
    #expect(try content() == before)
  }

  @Test("a read model that is missing, unusable or behind is reported and left as it is")
  func readModel() throws {
    let readModel = store + "/read-model.sqlite"
    let old = folder.path("old.sqlite")
    try copyReadModel(readModel, old)
    try Evtool.run("put", store, "notes", "n9", "title=x")
    try copyReadModel(old, readModel)
    let behind = try status()
    #expect(problems(behind.json) == ["behind"])
    #expect(behind.json["lag"] as? Int == 1)
    #expect(
      behind.text.output.contains("1 events behind") || behind.text.output.contains("1 event"))
    #expect(try status().json["lag"] as? Int == 1)

    try copyReadModel(folder.path("none"), readModel)
    #expect(problems(try status().json) == ["noReadModel"])
    #expect(!FileManager.default.fileExists(atPath: readModel))
    try Data("nonsense, and more of it".utf8).write(to: URL(fileURLWithPath: readModel))
    let nonsense = try status()
    #expect(problems(nonsense.json) == ["noReadModel"])
    #expect(nonsense.text.output.contains("not a database"), "\(nonsense.text.output)")
    try Evtool.run("rebuild", store)
    #expect(problems(try status().json).isEmpty)
  }

  @Test("status does not wait for a store that another process has locked")
  func locked() throws {
    let descriptor = open(store + "/log", O_RDONLY)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
    defer { close(descriptor) }
    #expect(try status().text.lines.first == "health      healthy")
  }

  @Test("repairs are listed once with their count, and cut tails are listed")
  func incidents() throws {
    for _ in 0..<2 {
      let end = try Data(contentsOf: segment).count
      let file = try FileHandle(forWritingTo: segment)
      try file.seekToEnd()
      try file.write(contentsOf: Data(repeating: 0xA5, count: 77))
      try file.close()
      #expect(try Evtool.run("rebuild", store).status == 0)
      #expect(try Data(contentsOf: segment).count == end)
    }
    let (text, json) = try status()
    let incidents = try #require(json["incidents"] as? [[String: Any]])
    let tails = incidents.filter { ($0["message"] as? String)?.contains("torn tail") == true }
    #expect(tails.count == 1)
    #expect(tails.first?["count"] as? Int == 2)
    #expect(tails.first?["level"] as? String == "notice")
    #expect((tails.first?["facts"] as? [String: String])?["bytes"] == "77")
    #expect(text.output.contains("torn tail"))
    #expect(text.output.contains("(2 times)"))
    let quarantine = try #require(json["quarantine"] as? [[String: Any]])
    #expect(quarantine.count == 1 && quarantine.first?["bytes"] as? Int == 77)
    #expect(text.lines.first == "health      healthy")
  }

  @Test("a broken record of incidents makes no command fail")
  func hostileRecord() throws {
    let file = URL(fileURLWithPath: store + "/incidents")
    let lines = [
      #"{"time":1,"count":-5,"level":"error","message":"kept","facts":{}}"#, "", "{", "\u{0}\u{1}",
      #"{"time":1e99,"count":1,"level":"error","message":"no","facts":{}}"#,
    ]
    try Data(lines.joined(separator: "\n").utf8 + [0xFF, 0xFE]).write(to: file)
    let incidents = try #require(try status().json["incidents"] as? [[String: Any]])
    #expect(incidents.map { $0["message"] as? String } == ["kept"])
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    try Data("x".utf8).write(to: URL(fileURLWithPath: store + "/read-model.sqlite"))
    #expect(try Evtool.run("put", store, "notes", "n9", "title=x").status == 0)
    #expect(try status().text.lines.first == "health      healthy")
  }

  @Test("status names the last backup")
  func backup() throws {
    let target = folder.path("backup")
    #expect(try Evtool.run("backup", store, target).status == 0)
    let (text, json) = try status()
    let backup = try #require(json["backup"] as? [String: Any])
    #expect((backup["folder"] as? String)?.hasSuffix("/backup") == true)
    #expect(text.output.contains("/backup"))
  }
}
