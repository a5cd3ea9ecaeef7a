import DaybookEventCore
import DaybookLogEngine
import DaybookReplication
import Foundation
import Testing

/// Attacks through a shared folder on the real binary.
/// `docs/measurements/2026-11-attacks-replicas.md` has their former effects.
@Suite struct FolderAttackTests {
  private let folder: TemporaryFolder
  private let shared: String

  init() throws {
    folder = try TemporaryFolder()
    shared = folder.path("shared")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
  }

  private var peer: String { "folder:\(shared)" }

  private var files: [String] {
    let found = FileManager.default.enumerator(atPath: shared)?.compactMap { $0 as? String } ?? []
    return found.filter { $0.hasSuffix(".events") }.sorted()
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

  private func sync(_ store: String, _ other: String? = nil) throws {
    let result = try Evtool.run("sync", store, other ?? peer)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  private func titles(_ store: String) throws -> [String] {
    let query = "SELECT title FROM notes ORDER BY title"
    let rows = try Evtool.run("query", store, query, "--json").json() as? [[String: Any]]
    return rows?.compactMap { $0["title"] as? String } ?? []
  }

  private func expectSame(_ stores: [String]) throws {
    for _ in 0..<2 { for store in stores { try sync(store) } }
    #expect(Set(try stores.map { try Evtool.run("digest", $0, "--json").output }).count == 1)
    for store in stores { #expect(try Evtool.run("verify", store).status == 0) }
  }

  /// Every sync ended with 1 for ever, and a new store read the branch that had been given up.
  @Test(
    "a clone that meets its original in a folder is healed, and misleads no store",
    arguments: 1...3)
  func clone(events: Int) throws {
    let (original, clone) = (try store("original"), folder.path("clone"))
    try put(original, "0", "common")
    try sync(original)
    try FileManager.default.copyItem(atPath: original, toPath: clone)
    for number in 0..<events {
      try put(original, "o\(number)", "original \(number)")
      try put(clone, "c\(number)", "clone \(number)")
    }
    try put(clone, "c", "clone more")
    for _ in 0..<3 { for store in [original, clone] { _ = try Evtool.run("sync", store, peer) } }
    let new = try store("new")
    try expectSame([original, clone, new])
    #expect(try titles(new).count == 2 * events + 2)
  }

  /// Such a file made stores take events out of their logs: 4 rows became 0, with exit code 0.
  @Test("a file with a signature of zeros removes and hides nothing")
  func unsignedFile() throws {
    let a = try store("a")
    for number in 0..<3 { try put(a, "\(number)", "note \(number)") }
    try sync(a)
    let name = try #require(files.first)
    let genuine = try Data(contentsOf: URL(fileURLWithPath: "\(shared)/\(name)"))
      .withUnsafeBytes { try FolderFile(decoding: $0) }
    var forger = try Forger(seed: 1)
    for number in 0..<9 {
      forger.write("forged \(number)", to: "0", authored: HybridTime(milliseconds: 5))
    }
    var range = try forger.range()
    range.origin = genuine.origin
    range.chainBefore = genuine.chainBefore
    range.signature = Array(repeating: 0, count: 64)
    try forger.put(range, into: shared)
    let before = try titles(a)
    try put(a, "3", "note 3")
    let result = try Evtool.run("sync", a, peer)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(try titles(a) == before + ["note 3"])
    let reader = try store("reader")
    try expectSame([a, reader])
    #expect(try titles(reader) == before + ["note 3"])
  }

  /// Found by a life of a zone: such a file counted as one of later software. The advice to delete
  /// it did not come, and no store wrote its events again.
  @Test("a file whose version was flipped is damaged, and its events are written again")
  func flippedVersion() throws {
    let (a, b) = (try store("a"), try store("b"))
    try put(a, "0", "note")
    try sync(a)
    let file = URL(fileURLWithPath: "\(shared)/\(try #require(files.first))")
    var bytes = try Data(contentsOf: file)
    bytes[2] ^= 4
    try bytes.write(to: file)
    let refused = try Evtool.run("sync", b, peer)
    #expect(refused.output.contains("is damaged: delete it"), "\(refused.output)\(refused.errors)")
    // A whole file of a later version stays where it is.
    let content = bytes.dropLast(32)
    let checksum = content.withUnsafeBytes { Hash256.sha256(of: $0).bytes }
    try (content + checksum).write(to: file)
    let later = try Evtool.run("sync", b, peer)
    #expect(later.output.contains("later software"), "\(later.output)\(later.errors)")
    try FileManager.default.removeItem(at: file)
    try sync(a)
    try expectSame([a, b])
    #expect(try titles(b) == ["note"])
  }

  /// `put` was acknowledged, and its author never saw its own value.
  @Test("an author at the end of time with a false context does not outrank later writes")
  func endOfTime() throws {
    let stores = try ["a", "b"].map { try store($0) }
    try put(stores[0], "n", "first")
    for store in stores + stores { try sync(store) }
    var origins: [ReplicaID: UInt64] = [:]
    for store in stores {
      let status = try Evtool.run("status", store, "--json").json() as? [String: Any]
      let id = try #require(
        (status?["replica"] as? String).flatMap { ReplicaID($0) }, "\(status ?? [:])")
      origins[id] = 1000
    }
    // There are two liars, so that some stores have a smaller id than a liar, and some a greater
    // one.
    var liars: [ReplicaID] = []
    for seed in UInt8(2)...3 {
      var forger = try Forger(seed: seed)
      liars.append(forger.origin)
      forger.write("forged", to: "n", authored: HybridTime(rawValue: .max), seeing: origins)
      try forger.put(try forger.range(), into: shared)
    }
    for store in stores {
      try sync(store)
      try put(store, "n", "written by \(store)")
      #expect(try titles(store) == ["written by \(store)"])
      try sync(store)
    }
    try expectSame(stores)
    #expect(try titles(stores[0]) == ["written by \(stores[1])"])
    let status = try Evtool.run("status", stores[0]).output
    for liar in liars { #expect(status.contains(liar.description), "\(status)") }
  }

  /// `verify` reported damage on every replica, and `repair` planned to lose the author's events.
  @Test("a signed event that cannot be decoded is no damage")
  func notDecodable() throws {
    let a = try store("a")
    try sync(a)
    var forger = try Forger(seed: 4)
    forger.sign(EncodedEvent(envelope: [0xFF, 1, 2], body: .present([1, 2, 3])))
    try forger.put(try forger.range(), into: shared)
    try sync(a)
    #expect(try Evtool.run("verify", a).status == 0)
    let plan = try Evtool.run("repair", a, "--dry-run")
    #expect(plan.status == 0 && plan.output.contains("nothing to repair"), "\(plan)")
  }

  /// Such a file was never published again.
  @Test("a cut-off file from the future is written again by its author")
  func cutOffFile() throws {
    let (a, b) = (try store("a"), try store("b"))
    try put(a, "1", "one")
    try sync(a)
    let path = "\(shared)/\(try #require(files.first))"
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    try whole.dropLast(10).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 400_000)], ofItemAtPath: path)
    try sync(a)
    try sync(b)
    #expect(try titles(b) == ["one"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
  }

  /// The branch that stands was refused for ever, and the command that the refusal recommends found
  /// no fork.
  @Test("events of another branch beyond a gap give way to the branch that stands")
  func foreignBeyondGap() throws {
    let (original, clone) = (try store("original"), folder.path("clone"))
    try put(original, "0", "common")
    try sync(original)
    try FileManager.default.copyItem(atPath: original, toPath: clone)
    for number in 0..<2 {
      try put(clone, "c\(number)", "clone \(number)")
      try sync(clone)
    }
    // The first of the clone's own files is lost.
    let common = files[0]
    let parts = files.filter { $0 != common }
    let first = try #require(parts.min { Self.first($0) < Self.first($1) })
    try FileManager.default.removeItem(atPath: "\(shared)/\(first)")
    let reader = try store("reader")
    _ = try Evtool.run("sync", reader, peer)
    for number in 0..<3 { try put(original, "o\(number)", "original \(number)") }
    let settled = try Evtool.run("sync", reader, original)
    #expect([0, 1].contains(settled.status), "\(settled)")
    try sync(reader, original)
    #expect(try titles(reader) == ["common", "original 0", "original 1", "original 2"])
    #expect(try Evtool.run("verify", reader).status == 0)
  }

  /// Returns the first sequence in the name of a file.
  private static func first(_ path: String) -> UInt64 {
    guard case .file(let name) = FolderFileName.read((path as NSString).lastPathComponent) else {
      return .max
    }
    return name.sequences.lowerBound
  }

  /// All stores pinned the false authority and refused the zone's hub from then on, and no command
  /// could change that.
  @Test("a false hub that reached a store by a folder is undone by one command")
  func rogueAuthority() throws {
    let (a, stranger) = (try store("a"), try store("stranger"))
    func hub(_ name: String, zone: String) throws -> HubProcess {
      try Evtool.run(
        "token", "create", folder.path(name), "--zone", "team", "--write", "--zone-id", zone)
      return try HubProcess(folder.path(name))
    }
    let zone = String(repeating: "5a", count: 16)
    let (rogue, honest) = (try hub("rogue", zone: zone), try hub("honest", zone: zone))
    defer {
      rogue.kill()
      honest.kill()
    }
    func meet(_ store: String, _ hub: HubProcess, _ name: String) throws -> Evtool.Result {
      let token = try Evtool.run(
        "token", "create", folder.path(name), "--zone", "team", "--write")
      return try RunningEvtool(
        ["sync", store, hub.url()], environment: ["DAYBOOK_TOKEN": String(token.lines[0])]
      ).wait()
    }
    try put(a, "1", "one")
    #expect(try meet(stranger, rogue, "rogue").status == 0)
    for store in [stranger, a, stranger] { try sync(store) }
    let refused = try meet(a, honest, "honest")
    #expect(refused.status != 0 && refused.errors.contains("authority"), "\(refused)")
    let probe = try store("probe")
    #expect(try meet(probe, honest, "honest").status == 0)
    let status = try Evtool.run("status", probe, "--json").json() as? [String: Any]
    let key = try #require(status?["authority"] as? String)
    let trusted = try Evtool.run("identity", "trust", a, key)
    #expect(trusted.status == 0, "\(trusted)")
    for _ in 0..<2 {
      let synced = try meet(a, honest, "honest")
      #expect(synced.status == 0, "\(synced)")
    }
    #expect(try titles(a) == ["one"])
  }
}
