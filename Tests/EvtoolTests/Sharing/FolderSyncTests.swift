import Foundation
import Testing

/// `sync STORE folder:PATH`, with real processes.
@Suite struct FolderSyncTests {
  private let folder: TemporaryFolder
  private let shared: String

  init() throws {
    folder = try TemporaryFolder()
    shared = folder.path("shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
  }

  private var peer: String { "folder:\(shared)" }

  private func store(_ name: String) throws -> String {
    let store = folder.path(name)
    try Evtool.run("init", store)
    let notes = try folder.write(
      """
      {"op":"define","collection":"things","fields":[{"name":"title","type":"text","search":true}]}
      {"op":"insert","collection":"things","id":"\(name)","fields":{"title":"thing of \(name)"}}

      """, "\(name).ndjson")
    #expect(try Evtool.run("import", store, notes).status == 0)
    return store
  }

  private var files: [String] {
    let found = FileManager.default.enumerator(atPath: shared)?.compactMap { $0 as? String } ?? []
    return found.filter { $0.hasSuffix(".events") }.sorted()
  }

  private func digests(_ stores: [String]) throws -> Set<String> {
    Set(try stores.map { try Evtool.run("digest", $0, "--json").output })
  }

  @Test("stores sync through a folder, and status reports the state of the peer")
  func meet() throws {
    let stores = [try store("a"), try store("b")]
    #expect(try Evtool.run("sync", stores[0], peer).output == "sent 2 events, received 0 events\n")
    #expect(try Evtool.run("sync", stores[1], peer).status == 0)
    #expect(try Evtool.run("sync", stores[0], peer).status == 0)
    #expect(try Evtool.run("sync", stores[1], peer).output == "both hold the same already\n")
    #expect(try digests(stores).count == 1)
    let status = try Evtool.run("status", stores[0]).output
    #expect(status.contains("\(peer): has all of this store's events"), "\(status)")

    // An odd file is reported, and is no failure.
    let odd = try #require(files.first)
    let copy = odd.replacing(".events", with: " (conflicted copy).events")
    try FileManager.default.copyItem(atPath: "\(shared)/\(odd)", toPath: "\(shared)/\(copy)")
    let report = try Evtool.run("sync", stores[1], peer)
    #expect(report.status == 0 && report.output.contains("conflicted copy"))
    let json = try Evtool.run("sync", stores[1], peer, "--json").json() as? [String: Any]
    let findings = json?["findings"] as? [[String: Any]]
    #expect(findings?.map { $0["code"] as? String } == ["duplicate"])
  }

  @Test("an unusable folder is refused in one sentence with a cure, and changes nothing")
  func unusable() throws {
    let a = try store("a")
    let before = try Evtool.run("digest", a).output
    let nowhere = "folder:" + folder.path("nowhere")
    #expect(
      try Evtool.run("sync", a, nowhere).isRefusal(1, "there is no folder", "Make the folder"))
    let file = "folder:" + (try folder.write("x", "file"))
    #expect(try Evtool.run("sync", a, file).isRefusal(2, "is a file, not a folder"))
    #expect(try Evtool.run("sync", a, "folder:").isRefusal(2, "names no folder"))
    // Two zones.
    let (b, other) = (try store("b"), folder.path("other"))
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    #expect(try Evtool.run("sync", b, "folder:\(other)").status == 0)
    #expect(try Evtool.run("sync", a, peer).status == 0)
    #expect(try Evtool.run("sync", b, peer).isRefusal(2, "zone", "Sync with the shared folder"))
    let zone = try #require(
      try FileManager.default.contentsOfDirectory(atPath: other).first { $0.hasPrefix("zone-") })
    try FileManager.default.copyItem(atPath: "\(other)/\(zone)", toPath: "\(shared)/\(zone)")
    let apart = try Evtool.run("sync", a, peer)
    #expect(apart.status == 1 && apart.output.contains("another group's zone: zone"))
    #expect(apart.output.contains("evtool zones join"))
    #expect(
      try Evtool.run("sync", try store("new"), peer).isRefusal(
        2, "two groups", String(zone.dropFirst(5)), "evtool zones join"))
    #expect(try Evtool.run("digest", a).output == before)
  }

  @Test("two zones in one folder are listed, joined and put aside")
  func zones() throws {
    let (a, b) = (try store("a"), try store("b"))
    let other = folder.path("other")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    #expect(try Evtool.run("sync", a, peer).status == 0)
    #expect(try Evtool.run("sync", b, "folder:\(other)").status == 0)
    func zone(_ place: String) throws -> String {
      let names = try FileManager.default.contentsOfDirectory(atPath: place)
      return String(try #require(names.first { $0.hasPrefix("zone-") }).dropFirst(5))
    }
    let (first, second) = (try zone(shared), try zone(other))
    try FileManager.default.copyItem(
      atPath: "\(other)/zone-\(second)", toPath: "\(shared)/zone-\(second)")
    let listed = try Evtool.run("zones", peer, "--json").json() as? [[String: Any]]
    #expect(Set(listed?.compactMap { $0["zone"] as? String } ?? []) == [first, second])
    #expect(try Evtool.run("zones", peer).output.contains("of 1 store in 1 file"))
    let joined = try Evtool.run("zones", "join", b, peer, first)
    #expect(joined.status == 0 && joined.output.contains("zone \(second), which it has left"))
    #expect(try Evtool.run("sync", b, peer).status == 1)
    #expect(try Evtool.run("zones", "remove", peer, "zone-\(second)").status == 0)
    for store in [a, b] { #expect(try Evtool.run("sync", store, peer).status == 0) }
    #expect(try Evtool.run("digest", a).output == Evtool.run("digest", b).output)
    let nowhere = String(repeating: "7", count: 32)
    #expect(try Evtool.run("zones", "join", b, peer, nowhere).isRefusal(2, "has no zone"))
    #expect(try Evtool.run("zones", "remove", peer, "x").isRefusal(2, "is no zone"))
    #expect(try Evtool.run("zones", "http://127.0.0.1:1/a").isRefusal(2, "names no shared folder"))
    #expect(try Evtool.run("zones", "folder:\(folder.path("none"))").isRefusal(1, "no folder"))
  }

  @Test("a sync is not done while a file of the folder is not whole")
  func missing() throws {
    let (a, b) = (try store("a"), folder.path("b"))
    #expect(try Evtool.run("init", b).status == 0)
    #expect(try Evtool.run("sync", a, peer).status == 0)
    let path = try #require(
      FileManager.default.subpaths(atPath: shared)?.first { $0.hasSuffix(".events") })
    let file = URL(fileURLWithPath: shared).appending(path: path)
    let whole = try Data(contentsOf: file)
    try whole.dropLast(3).write(to: file)
    let half = try Evtool.run("sync", b, peer)
    #expect(half.status == 1 && half.output.contains("not there yet"), "\(half.output)")
    #expect(!half.output.contains("both hold the same"))
    let report = try Evtool.run("sync", b, peer, "--json").json() as? [String: Any]
    #expect(report?["missing"] as? Int ?? 0 > 0)
    try whole.write(to: file)
    #expect(try Evtool.run("sync", b, peer).status == 0)
    #expect(try Evtool.run("sync", b, peer).output.contains("both hold the same already"))
    try FileManager.default.removeItem(at: file)
    let refilled = try Evtool.run("sync", a, peer)
    #expect(refilled.status == 0 && refilled.output.contains("the peer was empty"))
  }

  @Test(
    "a process that may only read the folder fetches its events, and gets an error",
    .enabled(if: Nobody.isPermitted, Nobody.reason))
  func readOnly() throws {
    let (a, b) = (try store("a"), try store("b"))
    #expect(try Evtool.run("sync", a, peer).status == 0)
    for path in [b] {
      for name in [""] + (FileManager.default.subpaths(atPath: path) ?? []) {
        chown("\(path)/\(name)", 65534, 65534)
      }
    }
    chmod(folder.url.path, 0o755)
    let result = try RunningEvtool(["sync", b, peer], command: Nobody.command).wait()
    #expect(result.isRefusal(2, "cannot be written to", "Allow it"), "\(result.errors)")
    let shown = try Evtool.run("show", b, "things", "a")
    #expect(shown.output.contains("thing of a"), "\(shown.errors)")
    #expect(try Evtool.run("verify", b).status == 0)
  }

  @Test(
    "a full disk is an error of one sentence, and leaves no partial file",
    .enabled(if: SmallDisk.isPermitted, SmallDisk.reason))
  func fullDisk() throws {
    let disk = try SmallDisk(kibibytes: 512)
    let a = try store("a")
    let more = try folder.writeInserts(400, prefix: "x", name: "more.ndjson")
    #expect(try Evtool.run("import", a, more).status == 0)
    try FileManager.default.createDirectory(
      atPath: disk.path("shared"), withIntermediateDirectories: true)
    let peer = "folder:" + disk.path("shared")
    try disk.fill(leaving: 4096)
    let result = try Evtool.run("sync", a, peer)
    #expect(result.isRefusal(1, "is full", "Free some space"), "\(result.errors)")
    let left = FileManager.default.subpaths(atPath: disk.path("shared")) ?? []
    #expect(!left.contains { $0.hasSuffix(".tmp") || $0.hasSuffix(".events") }, "\(left)")
    try disk.grow(toKibibytes: 4096)
    #expect(try Evtool.run("sync", a, peer).status == 0)
    let b = try store("b")
    #expect(try Evtool.run("sync", b, peer).status == 0)
    #expect(try Evtool.run("sync", a, peer).status == 0)
    #expect(try digests([a, b]).count == 1)
  }

  @Test("processes that begin a folder at the same time agree on its zone")
  func race() throws {
    let stores = try (0..<4).map { try store("s\($0)") }
    let running = try stores.map { try RunningEvtool(["sync", $0, peer]) }
    for process in running {
      let result = try process.wait()
      #expect(result.status == 0, "\(result.errors)")
    }
    for store in stores + stores { #expect(try Evtool.run("sync", store, peer).status == 0) }
    #expect(try digests(stores).count == 1)
  }

  @Test("stores end equal and whole although writers and syncs are killed")
  func killed() throws {
    let stores = try (0..<3).map { try store("k\($0)") }
    for store in stores { #expect(try Evtool.run("sync", store, peer).status == 0) }
    var random = SystemRandomNumberGenerator()
    for round in 0..<CrashTests.rounds * 2 {
      let imports = try stores.enumerated().map { number, store in
        let file = try folder.writeInserts(
          60, prefix: "r\(round)-\(number)-", name: "r\(round)-\(number).ndjson")
        return try RunningEvtool(["import", store, file, "--batch", "5"])
      }
      let syncs = try stores.map { try RunningEvtool(["sync", $0, peer]) }
      let before = files.count
      let goal = before + Int.random(in: 0...2, using: &random)
      var looks = 0
      while files.count < goal, looks < 200, syncs.contains(where: { $0.process.isRunning }) {
        looks += 1
        sched_yield()
      }
      for victim in [syncs[round % 3], imports[(round + 1) % 3]] {
        kill(victim.process.processIdentifier, SIGKILL)
      }
      for process in imports + syncs { _ = try process.wait() }
    }
    for store in stores + stores + stores {
      let result = try Evtool.run("sync", store, peer)
      #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
    #expect(try digests(stores).count == 1)
    for store in stores { #expect(try Evtool.run("verify", store).status == 0) }
    // A file has its name only when it is whole.
    for file in files {
      let size = (try Data(contentsOf: URL(fileURLWithPath: "\(shared)/\(file)"))).count
      #expect(file.contains(".\(size)."))
    }
  }

  @Test("--live fetches and sends later writes until it is stopped", .timeLimit(.minutes(10)))
  func live() throws {
    let (a, b) = (try store("a"), try store("b"))
    for store in [a, b, a] { #expect(try Evtool.run("sync", store, peer).status == 0) }
    let running = try RunningEvtool(["sync", a, peer, "--live"])
    #expect(try Evtool.run("update", b, "things", "b", "title=changed").status == 0)
    #expect(try Evtool.run("sync", b, peer).status == 0)
    while running.process.isRunning,
      try !Evtool.run("show", a, "things", "b").output.contains("changed")
    { sched_yield() }
    #expect(try Evtool.run("update", a, "things", "a", "title=also changed").status == 0)
    while running.process.isRunning,
      try !Evtool.run("show", b, "things", "a").output.contains("also changed")
    { _ = try Evtool.run("sync", b, peer) }
    running.process.interrupt()
    let result = try running.wait()
    #expect(result.status == 0 && result.output.contains("in sync"), "\(result.errors)")
    #expect(try digests([a, b]).count == 1)
  }
}
