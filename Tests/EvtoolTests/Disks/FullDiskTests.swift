import Foundation
import Testing

/// Commands on a full disk: each stops with one sentence, the store stays sound, and the command
/// succeeds once there is room again.
@Suite(.enabled(if: SmallDisk.isPermitted, SmallDisk.reason))
struct FullDiskTests {
  static let lines = 6000

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func inserts() throws -> String {
    try folder.writeInserts(Self.lines, prefix: "f", name: "full.ndjson")
  }

  /// Makes a store on a disk with enough room.
  private func store(on disk: SmallDisk) throws -> String {
    let store = disk.path("store")
    #expect(try Evtool.run("init", store).status == 0)
    #expect(try Evtool.run("import", store, try inserts()).status == 0)
    return store
  }

  private func isSound(_ store: String) throws -> Bool {
    let verified = try Evtool.run("verify", store)
    return verified.status == 0
      && !FileManager.default.fileExists(atPath: store + "/quarantine")
      && !FileManager.default.fileExists(atPath: store + "/read-model.next")
  }

  @Test(
    "an init that fails on a full disk leaves no file behind",
    arguments: [
      0, 4096, 8192, 16384, 32768, 65536,
    ])
  func create(left: Int) throws {
    let disk = try SmallDisk(kibibytes: 1024)
    try disk.fill(leaving: left)
    let store = disk.path("store")
    let result = try Evtool.run("init", store)
    #expect(result.isRefusal(2, "the disk is full: no store was made", "Free"), "\(result.errors)")
    #expect(try disk.names.isEmpty)
    try disk.grow(toKibibytes: 4096)
    #expect(try Evtool.run("init", store).status == 0)
    #expect(try isSound(store))
  }

  @Test(
    "an import on a full disk reports the stored lines, and --resume completes it",
    arguments: [700, 1200, 2000])
  func importing(kibibytes: Int) throws {
    let (file, disk) = (try inserts(), try SmallDisk(kibibytes: kibibytes))
    let (store, whole) = (disk.path("store"), folder.path("whole"))
    // A store that has an entity projects each batch as it comes.
    let first = folder.path("first.ndjson")
    let lines = """
      {"op":"define","collection":"first","fields":[]}
      {"op":"insert","collection":"first","id":"f"}
      """
    try lines.write(toFile: first, atomically: true, encoding: .utf8)
    for place in [store, whole] {
      #expect(try Evtool.run("init", place).status == 0)
      #expect(try Evtool.run("import", place, first).status == 0)
    }
    #expect(try Evtool.run("import", whole, file).status == 0)
    // Sixteen batches share a commit.
    let result = try Evtool.run("import", store, file, "--batch", "6")
    #expect(
      result.isRefusal(2, "the disk is full", "in the store", "Free some space"),
      "\(result.errors)")
    let last = try #require(
      result.errors.firstMatch(of: /lines 1 to ([0-9,]+) are in the store/)?.1)
    let count = try #require(Int(last.replacing(",", with: "")))
    var kept = try Evtool.run("export", store)
    if kept.status == 2 {
      // SQLite's last page did not fit, after the events were durable. Opening moves the
      // write-ahead log into the read model first, which may take as much room once more.
      try disk.grow(toKibibytes: kibibytes * 2)
      kept = try Evtool.run("export", store)
    }
    #expect(kept.status == 0, "\(kept.errors)")
    #expect(kept.lines.count == count + 2)
    try disk.grow(toKibibytes: 16384)
    #expect(try isSound(store))
    let resumed = try Evtool.run("import", store, file, "--resume")
    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(try Evtool.run("export", store).output == Evtool.run("export", whole).output)
    #expect(try isSound(store))
  }

  @Test(
    "an empty store on a full disk is filled as far as its log has room",
    arguments: [220, 300, 600, 700])
  func filling(kibibytes: Int) throws {
    let (file, disk) = (try inserts(), try SmallDisk(kibibytes: kibibytes))
    let (store, whole) = (disk.path("store"), folder.path("whole"))
    for place in [store, whole] { #expect(try Evtool.run("init", place).status == 0) }
    #expect(try Evtool.run("import", whole, file).status == 0)
    let all = try Evtool.run("export", whole).lines.count
    let result = try Evtool.run("import", store, file, "--batch", "100")
    #expect(result.isRefusal(2, "the disk is full", "Free some space"), "\(result.errors)")
    let last = result.errors.firstMatch(of: /lines 1 to ([0-9,]+) are in the store/)?.1
    let count = last.flatMap { Int($0.replacing(",", with: "")) }
    #expect(count != nil || result.errors.contains("all that was written is in the log"))
    try disk.grow(toKibibytes: 16384)
    #expect(try Evtool.run("export", store).lines.count == count ?? all)
    #expect(try isSound(store))
    let resumed = try Evtool.run("import", store, file, "--resume")
    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(try Evtool.run("export", store).output == Evtool.run("export", whole).output)
    #expect(try isSound(store))
  }

  @Test(
    "a put on a full disk is refused, or durable and shown",
    arguments: [0, 32 << 10, 64 << 10, 200 << 10])
  func put(left: Int) throws {
    let disk = try SmallDisk(kibibytes: 16384)
    let store = try store(on: disk)
    try disk.fill(leaving: left)
    var acknowledged: [String] = []
    var refused: Evtool.Result?
    // The titles do not compress, so that neither the log nor the read model has room for many.
    for number in 0..<60 where refused == nil {
      let title = (0..<400).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }
      let result = try Evtool.run("put", store, "things", "p\(number)", "title=\(title.joined())")
      if result.status == 0 { acknowledged.append("p\(number)") } else { refused = result }
    }
    let result = try #require(refused)
    #expect(result.isRefusal(2, "the disk is full", "Free some space"), "\(result.errors)")
    for id in acknowledged.suffix(1) {
      let shown = try Evtool.run("show", store, "things", id)
      #expect(shown.status == 0 || shown.isRefusal(2, "the disk is full"), "\(shown.errors)")
    }
    try disk.grow(toKibibytes: 32768)
    #expect(try isSound(store))
    let inserts = try Evtool.run("export", store).lines.filter { $0.contains(#""id":"p"#) }
    #expect(inserts.count == acknowledged.count)
    #expect(try Evtool.run("put", store, "things", "later", "title=x").status == 0)
  }

  @Test("a disk that is too full for reading does not set the read model aside")
  func reading() throws {
    let disk = try SmallDisk(kibibytes: 16384)
    let store = try store(on: disk)
    let digest = try Evtool.run("digest", store, "--json").output
    for file in ["-wal", "-shm"] { unlink(store + "/read-model.sqlite" + file) }
    try disk.fill()
    for command in ["show things f1", "verify", "status", "export", "put things f1 title=x"] {
      var words = command.split(separator: " ").map(String.init)
      words.insert(store, at: 1)
      let result = try Evtool.run(words)
      #expect(result.isRefusal(2, "the disk is full", "Free"), "\(command): \(result.errors)")
    }
    try disk.grow(toKibibytes: 32768)
    #expect(try Evtool.run("digest", store, "--json").output == digest)
    #expect(try isSound(store))
  }

  /// The new read model takes the place of the old one when it is complete. So it needs room of its
  /// own size.
  @Test(
    "a rebuild that does not fit beside the old read model leaves it in place",
    arguments: [0.25, 0.7])
  func rebuild(share: Double) throws {
    let disk = try SmallDisk(kibibytes: 16384)
    let store = try store(on: disk)
    let readModel = try Data(contentsOf: URL(fileURLWithPath: store + "/read-model.sqlite"))
    let digest = try Evtool.run("digest", store, "--json").output
    try disk.fill(leaving: Int(share * Double(readModel.count)))
    let result = try Evtool.run("rebuild", store)
    #expect(
      result.isRefusal(2, "the disk is full: the read model stays as it was"), "\(result.errors)")
    #expect(try Evtool.run("digest", store, "--json").output == digest)
    #expect(try isSound(store))
    try disk.grow(toKibibytes: 32768)
    #expect(try Evtool.run("rebuild", store).status == 0)
    #expect(try Evtool.run("digest", store, "--json").output == digest)
  }

  /// SQLite reports a file that it could not create only as a file that cannot be opened.
  @Test("a disk without room for another file is reported as full", arguments: 0..<4)
  func names(left: Int) throws {
    let disk = try SmallDisk(kibibytes: 16384, files: 64)
    let store = try store(on: disk)
    let digest = try Evtool.run("digest", store, "--json").output
    for file in ["-wal", "-shm"] { unlink(store + "/read-model.sqlite" + file) }
    try disk.fillNames(leaving: left)
    var refused = 0
    for command in ["put things f1 title=x", "rebuild", "show things f1"] {
      var words = command.split(separator: " ").map(String.init)
      words.insert(store, at: 1)
      let result = try Evtool.run(words)
      if result.status == 0 { continue }
      refused += 1
      #expect(result.isRefusal(2, "the disk is full", "Free"), "\(command): \(result.errors)")
    }
    #expect(refused > 0 || left > 1)
    try disk.removeBallast()
    if refused == 3 { #expect(try Evtool.run("digest", store, "--json").output == digest) }
    #expect(try isSound(store))
  }

  @Test("a full TMPDIR is reported as full, and no file is left in it")
  func temporaryFiles() throws {
    let (disk, other) = (try SmallDisk(kibibytes: 16384), try SmallDisk(kibibytes: 128))
    let store = try store(on: disk)
    try other.fill(leaving: 64 << 10)
    for command in [
      ["verify", store], ["rebuild", store, "--verify"], ["export", store, "--at", "2100-01-01"],
      ["rebuild", store, "--into", other.path("now.sqlite")], ["import", store, "-"],
    ] {
      let result = try Evtool.run(
        command, input: String(repeating: "\n", count: 100_000),
        environment: ["TMPDIR": other.path("")])
      #expect(result.isRefusal(2, "Free some space"), "\(command): \(result.errors)")
      #expect(result.output.isEmpty)
      #expect(try other.names.isEmpty, "\(command)")
    }
    #expect(try isSound(store))
  }

  @Test("an export that does not fit on its disk is an error")
  func output() throws {
    let disk = try SmallDisk(kibibytes: 16384)
    let store = try store(on: disk)
    try disk.fill(leaving: 64 << 10)
    let running = try RunningEvtool(
      ["-c", "\"$0\" export \"$1\" >\"$2\"", Evtool.binary.path, store, disk.path("export")],
      command: ["/bin/sh"])
    let result = try running.wait()
    #expect(result.isRefusal(2, "the output cannot be written"), "\(result.errors)")
  }

  @Test("a backup without room leaves the old one, and continues once there is room")
  func backup() throws {
    let disk = try SmallDisk(kibibytes: 16384)
    let (store, backup) = (folder.path("store"), disk.path("backup"))
    #expect(try Evtool.run("init", store).status == 0)
    #expect(try Evtool.run("import", store, try inserts()).status == 0)
    #expect(try Evtool.run("backup", store, backup).status == 0)
    let digest = try Evtool.run("digest", store).output
    for left in [0, 4096, 600_000] {
      #expect(try Evtool.run("put", store, "things", "p\(left)", "title=new").status == 0)
      let filled = try SmallDisk(kibibytes: 16384)
      let copy = filled.path("backup")
      try FileManager.default.copyItem(atPath: backup, toPath: copy)
      try filled.fill(leaving: left)
      let result = try Evtool.run("backup", store, copy)
      if left < 600_000 {
        #expect(result.isRefusal(2, "the disk is full: the backup", "Free"), "\(result.errors)")
      } else {
        #expect(result.status == 0, "\(result.errors)")
      }
      let back = folder.path("back-\(left)")
      #expect(try Evtool.run("backup", "--restore", copy, back).status == 0)
      if left < 600_000 { #expect(try Evtool.run("digest", back).output == digest) }
      try filled.grow(toKibibytes: 32768)
      #expect(try Evtool.run("backup", store, copy).status == 0)
      let whole = folder.path("whole-\(left)")
      #expect(try Evtool.run("backup", "--restore", copy, whole).status == 0)
      #expect(try Evtool.run("digest", whole).output == Evtool.run("digest", store).output)
      #expect(try isSound(whole))
    }
    let small = try SmallDisk(kibibytes: 256)
    let result = try Evtool.run("backup", "--restore", backup, small.path("store"))
    #expect(result.isRefusal(2, "the disk is full: no store was made", "Free"), "\(result.errors)")
    #expect(try small.names.isEmpty)
  }
}
