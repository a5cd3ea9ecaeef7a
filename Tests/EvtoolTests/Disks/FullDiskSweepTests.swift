import Foundation
import Testing

/// The same command again and again on a disk with a little more room each time, from none to
/// enough. Wherever the room ends, acknowledged events are there, and nothing is set aside.
@Suite(.enabled(if: SmallDisk.isPermitted, SmallDisk.reason))
struct FullDiskSweepTests {
  /// The sizes of the disk for each test; `DAYBOOK_DISK_ROUNDS=60` sets more.
  static let rounds =
    ProcessInfo.processInfo.environment["DAYBOOK_DISK_ROUNDS"].flatMap { Int($0) } ?? 3

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Returns sizes of room from nothing to `most` bytes, in whole pages.
  private func rooms(upTo most: Int) -> [Int] {
    let all = (0..<Self.rounds).map { $0 * most / max(Self.rounds - 1, 1) / 4096 * 4096 }
    return Array(Set(all)).sorted()
  }

  /// Makes a store in the temporary folder, which tests copy to small disks.
  private func makeStore(lines: Int = 1500) throws -> String {
    let store = folder.path("store")
    #expect(try Evtool.run("init", store).status == 0)
    let file = try folder.writeInserts(lines, prefix: "f", name: "full.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    return store
  }

  private func size(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require((attributes[.size] as? NSNumber)?.intValue)
  }

  private func removeReadModel(_ store: String) {
    for suffix in ["", "-wal", "-shm"] { unlink(store + "/read-model.sqlite" + suffix) }
  }

  /// Expects a sound store with nothing set aside and no partial file.
  private func expectSound(_ store: String, _ comment: Comment) throws {
    let verified = try Evtool.run("verify", store)
    #expect(verified.status == 0, "\(comment): \(verified.output)\(verified.errors)")
    let names = try FileManager.default.subpathsOfDirectory(atPath: store)
    let strange = names.filter {
      $0.contains("quarantine") || $0.contains("next") || $0.hasSuffix(".new")
        || $0.contains("spill")
    }
    #expect(strange.isEmpty, "\(comment)")
  }

  /// Copies `store` to a disk with room for `room` bytes more, and passes the copy to `body`.
  private func onDisk(_ store: String, room: Int, _ body: (String, SmallDisk) throws -> Void) throws
  {
    let disk = try SmallDisk(kibibytes: 32768)
    let copy = disk.path("store")
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    try disk.fill(leaving: room)
    try body(copy, disk)
  }

  /// Runs `command` with more and more room, and each time again with enough room.
  /// - Parameter refusal: The words of the refusal, in addition to those about a full disk.
  /// - Returns: The number of refused and of successful runs.
  private func sweep(
    _ store: String, upTo most: Int, saying refusal: String, besideReader: Bool = false,
    prepare: (String) throws -> Void = { _ in }, _ command: (String) -> [String]
  ) throws -> (refused: Int, done: Int) {
    let digest = try Evtool.run("digest", store, "--json").output
    var counts = (refused: 0, done: 0)
    for room in rooms(upTo: most) {
      try onDisk(store, room: room) { store, disk in
        try prepare(store)
        // A removal may have made room, which is filled again.
        if !FileManager.default.fileExists(atPath: store + "/read-model.sqlite") {
          try disk.fill(leaving: room)
        }
        let reader = besideReader ? try HeldStore(store) : nil
        let result = try Evtool.run(command(store))
        let comment: Comment = "\(room) bytes of room: \(result.errors)"
        if result.status == 0 {
          counts.done += 1
        } else {
          counts.refused += 1
          // Opening the store takes a little room, too.
          let opening = "the store cannot be opened, and nothing of it is lost"
          #expect(
            result.isRefusal(2, "the disk is full", refusal, "Free")
              || room < 128 << 10 && result.isRefusal(2, "the disk is full", opening, "Free"),
            comment)
          // Reading still works, or reports that it has no room.
          let shown = try Evtool.run("digest", store, "--json")
          #expect(
            shown.output == digest || shown.isRefusal(2, "the disk is full", "Free"),
            "\(comment) \(shown.errors)")
        }
        try reader?.end()
        try disk.grow(toKibibytes: 65536)
        #expect(try Evtool.run("digest", store, "--json").output == digest, comment)
        try expectSound(store, comment)
        let again = try Evtool.run(command(store))
        #expect(again.status == 0, "\(comment) again: \(again.errors)")
        #expect(try Evtool.run("digest", store, "--json").output == digest, comment)
        try expectSound(store, comment)
      }
    }
    #expect(counts.refused > 0 && counts.done > 0, "\(counts)")
    return counts
  }

  @Test("a rebuild in place with any room leaves the old read model or the new")
  func rebuild() throws {
    let store = try makeStore()
    let whole = try size(store + "/read-model.sqlite")
    _ = try sweep(store, upTo: whole * 3, saying: "the read model stays as it was") {
      ["rebuild", $0]
    }
  }

  @Test("a rebuild beside another process's reader leaves the old read model or the new")
  func rebuildBesideReader() throws {
    let store = try makeStore()
    let whole = try size(store + "/read-model.sqlite")
    _ = try sweep(
      store, upTo: whole * 3, saying: "the read model stays as it was", besideReader: true
    ) { ["rebuild", $0] }
  }

  @Test("a missing read model is rebuilt while opening, or the disk is reported as full")
  func rebuildWhileOpening() throws {
    let store = try makeStore()
    let whole = try size(store + "/read-model.sqlite")
    _ = try sweep(
      store, upTo: whole * 2, saying: "the store cannot be opened, and nothing of it is lost",
      prepare: removeReadModel
    ) { ["show", $0, "things", "f1"] }
  }

  @Test("a collection is rebuilt, or stays as it was")
  func rebuildCollection() throws {
    let store = try makeStore()
    let whole = try size(store + "/read-model.sqlite")
    _ = try sweep(store, upTo: whole * 3, saying: "the collection stays as it was") {
      ["rebuild", $0, "--collection", "things"]
    }
  }

  @Test("a rebuild into a file makes a whole read model, or no file")
  func rebuildInto() throws {
    let store = try makeStore()
    let whole = try size(store + "/read-model.sqlite")
    var counts = (refused: 0, done: 0)
    for room in rooms(upTo: whole * 2) {
      let disk = try SmallDisk(kibibytes: 32768)
      try disk.fill(leaving: room)
      let result = try Evtool.run("rebuild", store, "--into", disk.path("now.sqlite"))
      if result.status == 0 {
        counts.done += 1
        #expect(try disk.names == ["now.sqlite"])
      } else {
        counts.refused += 1
        #expect(
          result.isRefusal(2, "the disk is full: the read model was not made", "Free"),
          "\(room): \(result.errors)")
        #expect(try disk.names.isEmpty, "\(room)")
      }
    }
    #expect(counts.refused > 0 && counts.done > 0)
    try expectSound(store, "into")
  }

  @Test("concurrent imports on a full disk report the lines that are stored")
  func writers() throws {
    let lines = 400
    let store = folder.path("store")
    #expect(try Evtool.run("init", store).status == 0)
    let first = try folder.writeInserts(2, prefix: "first-", name: "first.ndjson")
    #expect(try Evtool.run("import", store, first).status == 0)
    let files = try ["a", "b", "c"].map {
      try folder.writeInserts(lines, prefix: $0, name: "\($0).ndjson")
    }
    var refused = 0
    for room in rooms(upTo: 1 << 20) {
      try onDisk(store, room: room) { store, disk in
        let running = try files.map { try RunningEvtool(["import", store, $0, "--batch", "10"]) }
        let results = try running.map { try $0.wait() }
        try disk.grow(toKibibytes: 65536)
        let exported = try Evtool.run("export", store)
        #expect(exported.status == 0, "\(room): \(exported.errors)")
        for (prefix, result) in zip(["a", "b", "c"], results) {
          var said = lines
          if result.status != 0 {
            refused += 1
            #expect(result.isRefusal(2, "the disk is full", "Free"), "\(room): \(result.errors)")
            let last = result.errors.firstMatch(of: /lines 1 to ([0-9,]+) are in the store/)?.1
            said = last.flatMap { Int($0.replacing(",", with: "")) } ?? 0
          }
          let there = (1..<lines).filter { exported.output.contains("\"id\":\"\(prefix)\($0)\"") }
          #expect(there == Array(1..<max(said, 1)), "\(room): \(prefix) said \(said)")
        }
        try expectSound(store, "\(room)")
        for file in files {
          let resumed = try Evtool.run("import", store, file, "--batch", "10", "--resume")
          #expect(resumed.status == 0, "\(room): \(resumed.errors)")
        }
        let inserts = try Evtool.run("export", store).lines.filter {
          $0.contains(#""op":"insert""#)
        }
        #expect(inserts.count == 3 * (lines - 1) + 1)
        try expectSound(store, "\(room)")
      }
    }
    #expect(refused > 0)
  }

  /// Writes lines that do not compress, so that the log is large enough to be sealed on closing.
  private func writeNoise(_ count: Int, _ name: String) throws -> String {
    var text =
      #"{"op":"define","collection":"things","fields":[{"name":"data","type":"text"}]}"# + "\n"
    for number in 1..<count {
      let noise = (0..<200).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }
      text += #"{"op":"insert","collection":"things","id":"n\#(number)","#
      text += #""fields":{"data":"\#(noise.joined())"}}"# + "\n"
    }
    return try folder.write(text, name)
  }

  @Test("a log that is sealed on a full disk stays whole")
  func sealing() throws {
    let file = try writeNoise(700, "noise.ndjson")
    let bytes = try size(file)
    var whole = 0
    // The events are written one by one, and sealing joins them in a copy.
    for room in rooms(upTo: bytes * 12) {
      let disk = try SmallDisk(kibibytes: 32768)
      let store = disk.path("store")
      #expect(try Evtool.run("init", store).status == 0)
      let first = try folder.writeInserts(2, prefix: "first-", name: "first.ndjson")
      #expect(try Evtool.run("import", store, first).status == 0)
      try disk.fill(leaving: room)
      let result = try Evtool.run("import", store, file, "--batch", "1")
      var said = 700
      if result.status == 0 {
        whole += 1
      } else {
        #expect(result.isRefusal(2, "the disk is full", "Free"), "\(room): \(result.errors)")
        let last = result.errors.firstMatch(of: /lines 1 to ([0-9,]+) are in the store/)?.1
        said = last.flatMap { Int($0.replacing(",", with: "")) } ?? 0
      }
      try disk.grow(toKibibytes: 65536)
      let exported = try Evtool.run("export", store)
      let inserts = exported.lines.filter { $0.contains(#""id":"n"#) }
      #expect(inserts.count == max(said - 1, 0), "\(room): \(exported.errors)")
      try expectSound(store, "\(room)")
      let resumed = try Evtool.run("import", store, file, "--batch", "1", "--resume")
      #expect(resumed.status == 0, "\(room): \(resumed.errors)")
      let all = try Evtool.run("export", store).lines.filter { $0.contains(#""id":"n"#) }
      #expect(all.count == 699)
      try expectSound(store, "\(room)")
    }
    #expect(whole > 0)
  }

  @Test("a repair without room can be repeated, and then restores everything")
  func repair() throws {
    let store = try makeStore()
    let backup = folder.path("backup")
    #expect(try Evtool.run("backup", store, backup).status == 0)
    let digest = try Evtool.run("digest", store, "--json").output
    let readModel = try size(store + "/read-model.sqlite")
    let log = try FileManager.default.contentsOfDirectory(atPath: store + "/log")
    let segment = try #require(log.first { $0 != "mark" })
    let path = store + "/log/" + segment
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 4
    try bytes.write(to: URL(fileURLWithPath: path))
    var counts = (refused: 0, done: 0)
    for room in rooms(upTo: readModel * 3) {
      // The repair runs with a read model, and without one.
      for isThere in [true, false] {
        try onDisk(store, room: room) { store, disk in
          if !isThere {
            removeReadModel(store)
            try disk.fill(leaving: room)
          }
          // Without a read model, only the backup tells how long the log was.
          let repair = ["repair", store, "--from", backup] + (isThere ? [] : ["--accept-loss"])
          let result = try Evtool.run(repair)
          let comment: Comment = "\(room), \(isThere): \(result.output)\(result.errors)"
          if result.status == 0 {
            counts.done += 1
          } else {
            counts.refused += 1
            #expect(result.isRefusal(2, "the disk is full", "can be done again", "Free"), comment)
          }
          try disk.grow(toKibibytes: 65536)
          let again = try Evtool.run(repair)
          #expect(again.status == 0, "\(comment) \(again.output)\(again.errors)")
          #expect(try Evtool.run("digest", store, "--json").output == digest, comment)
          #expect(try Evtool.run("verify", store).status == 0, comment)
          // The quarantine has copies of replaced files, and no sound read model.
          let aside =
            (try? FileManager.default.contentsOfDirectory(atPath: store + "/quarantine")) ?? []
          #expect(aside.allSatisfy { !$0.hasPrefix("read-model") }, comment)
        }
      }
    }
    #expect(counts.refused > 0 && counts.done > 0, "\(counts)")
  }

  @Test("a backup is the old one or the new one, whatever room it has")
  func backup() throws {
    let store = try makeStore()
    let backup = folder.path("backup")
    #expect(try Evtool.run("backup", store, backup).status == 0)
    let before = try Evtool.run("digest", store).output
    let more = try folder.writeInserts(1500, prefix: "m", name: "more.ndjson")
    #expect(try Evtool.run("import", store, more).status == 0)
    let after = try Evtool.run("digest", store).output
    var counts = (refused: 0, done: 0)
    for room in rooms(upTo: 160 << 10) {
      let disk = try SmallDisk(kibibytes: 16384)
      let copy = disk.path("backup")
      try FileManager.default.copyItem(atPath: backup, toPath: copy)
      try disk.fill(leaving: room)
      let result = try Evtool.run("backup", store, copy)
      if result.status == 0 { counts.done += 1 } else { counts.refused += 1 }
      #expect(
        result.status == 0 || result.isRefusal(2, "the disk is full: the backup", "Free"),
        "\(room): \(result.errors)")
      let back = folder.path("back-\(room)")
      #expect(try Evtool.run("backup", "--restore", copy, back).status == 0)
      #expect(try Evtool.run("digest", back).output == (result.status == 0 ? after : before))
      try disk.grow(toKibibytes: 65536)
      #expect(try Evtool.run("backup", store, copy).status == 0)
    }
    #expect(counts.refused > 0 && counts.done > 0, "\(counts)")
  }
}

/// A process that reads a store for ever, so that the read model is open in another process.
final class HeldStore {
  private let running: RunningEvtool

  init(_ store: String) throws {
    running = try RunningEvtool(["query", store, Self.endless])
    // The process has read the schema once it is among the readers.
    let shared = store + "/read-model.sqlite-shm"
    while running.process.isRunning, !FileManager.default.fileExists(atPath: shared) {
      sched_yield()
    }
  }

  static let endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"

  func end() throws {
    kill(running.process.processIdentifier, SIGKILL)
    _ = try running.wait()
  }
}
