import Foundation
import Testing

/// `evtool repair`, with the real binary on damaged stores.
@Suite struct RepairTests {
  let folder: TemporaryFolder
  let store: String
  let backup: String
  /// The digest of the store before it was damaged.
  let digest: String
  let exported: String

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
    let file = try folder.writeInserts(60, prefix: "r", name: "more.ndjson")
    try Evtool.run("import", store, file, "--batch", "5")
    try Evtool.run("update", store, "notes", "n1", "title=Soy milk")
    backup = folder.path("backup")
    try Evtool.run("backup", store, backup)
    digest = try Evtool.run("digest", store).output
    exported = try Evtool.run("export", store).output
  }

  private var segment: URL { URL(fileURLWithPath: store + "/log/0000000000000001.segment") }

  /// An offset within the frame of some event in the middle of the history.
  private var middle: Int {
    ((try? FileManager.default.attributesOfItem(atPath: segment.path)[.size] as? Int) ?? 0) * 2 / 3
  }

  private func flip(_ file: URL, _ offset: Int) throws {
    var bytes = try Data(contentsOf: file)
    bytes[offset] ^= 0x10
    try bytes.write(to: file)
  }

  /// Every file in the store, with its content.
  private func content() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: store)
    where !name.hasSuffix("-shm") && !name.hasSuffix("-wal") && !name.hasSuffix(".lock") {
      files[name] = FileManager.default.contents(atPath: store + "/" + name) ?? Data()
    }
    return files
  }

  private func repair(_ more: String...) throws -> (result: Evtool.Result, json: [String: Any]) {
    let result = try Evtool.run(["repair", store, "--json"] + more)
    return (result, try #require(try result.json() as? [String: Any], "\(result.errors)"))
  }

  private func expectWhole() throws {
    #expect(try Evtool.run("digest", store).output == digest)
    #expect(try Evtool.run("export", store).output == exported)
    let verified = try Evtool.run("verify", store)
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
    #expect(try Evtool.run("status", store).lines.first == "health      healthy")
  }

  /// Repair looked for each of the four thousand million segments before such a file.
  @Test(
    "a file named as a segment far behind all others is reported and left alone",
    arguments: ["0000000100000000", "7ffffffffffffffe", "0000000000011111"])
  func stray(number: String) throws {
    let stray = URL(fileURLWithPath: "\(store)/log/\(number).segment")
    for bytes in [Data(), Data(repeating: 7, count: 100)] {
      try bytes.write(to: stray)
      #expect(try Evtool.run("put", store, "notes", "more", "title=more").status == 0)
      let verified = try Evtool.run("verify", store)
      #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
      #expect(verified.output.contains(number), "\(verified.output)")
      let repaired = try Evtool.run("repair", store)
      #expect(repaired.status == 0, "\(repaired.output)\(repaired.errors)")
      #expect(try Evtool.run("rebuild", store).status == 0)
      #expect(try Evtool.run("status", store).lines.first == "health      healthy")
      #expect(try Data(contentsOf: stray) == bytes)
    }
  }

  @Test("a sound store is left as it is")
  func sound() throws {
    let before = try content()
    let result = try Evtool.run("repair", store)
    #expect(result.status == 0 && result.output == "nothing to repair: all of it is sound\n")
    #expect(try content() == before)
  }

  @Test("damaged events are restored from a backup or another copy of the store")
  func fetched() throws {
    let copy = folder.path("copy")
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    for source in [backup, copy] {
      try flip(segment, middle)
      let damaged = try Data(contentsOf: segment)
      #expect(try Evtool.run("verify", store).status == 3)
      let before = try content()
      let plan = try repair("--dry-run", "--from", source)
      #expect(plan.result.status == 0)
      // The plan names all events that share a frame.
      let fetched = try #require(plan.json["fetched"] as? Int)
      #expect(plan.json["done"] as? Bool == false && fetched >= 1)
      let refused = try Evtool.run("repair", store)
      #expect(refused.status == 3)
      #expect(refused.errors.contains("events would be lost, so nothing was changed"))
      #expect(refused.errors.contains("--from"))
      #expect(try content() == before)

      let (result, json) = try repair("--from", source)
      #expect(result.status == 0, "\(result.errors)")
      #expect(json["sound"] as? Bool == true && json["fetched"] as? Int == fetched)
      #expect((json["lost"] as? [Any])?.isEmpty == true)
      #expect(json["newIdentity"] as? Bool == false)
      let kept = try #require((json["quarantined"] as? [String])?.first)
      #expect(FileManager.default.contents(atPath: store + "/" + kept) == damaged)
      try expectWhole()
      #expect(try Evtool.run("repair", store).output.contains("nothing to repair"))
      #expect(try Evtool.run("put", store, "notes", "n9", "title=on").status == 0)
      try Evtool.run("erase", store, "notes", "n9")
      let restored = try Evtool.run("verify", store)
      #expect(restored.status == 0, "\(restored.output)")
      // The next round starts with the store of the sources.
      try FileManager.default.removeItem(atPath: store)
      try FileManager.default.copyItem(atPath: copy, toPath: store)
    }
  }

  @Test("a store that has written nothing itself gets all of a lost segment from its copy")
  func reader() throws {
    let (reader, copy, shared) = (
      folder.path("reader"), folder.path("reader-copy"), "folder:" + folder.path("shared")
    )
    try FileManager.default.createDirectory(
      atPath: folder.path("shared"), withIntermediateDirectories: false)
    try #require(try Evtool.run("sync", store, shared).status == 0)
    try #require(try Evtool.run("init", reader).status == 0)
    try #require(try Evtool.run("sync", reader, shared).status == 0)
    let digest = try Evtool.run("digest", reader).output
    #expect(digest == (try Evtool.run("digest", store).output))
    try FileManager.default.copyItem(atPath: reader, toPath: copy)
    for name in ["log/0000000000000001.segment", "read-model.sqlite"] {
      try FileManager.default.removeItem(atPath: "\(reader)/\(name)")
    }
    let result = try Evtool.run("repair", reader, "--from", copy, "--accept-loss")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(try Evtool.run("digest", reader).output == digest)
    #expect(try Evtool.run("verify", reader).status == 0)
  }

  @Test("repair with --accept-loss keeps sound events, and a backup fills the gap later")
  func loss() throws {
    let own = try #require(try Evtool.run("status", store, "--json").json() as? [String: Any])
    try flip(segment, middle)
    let (result, json) = try repair("--accept-loss")
    #expect(result.status == 0, "\(result.errors)")
    #expect(json["newIdentity"] as? Bool == true)
    let lost = try #require((json["lost"] as? [[String: Any]])?.first)
    let from = try #require(lost["from"] as? Int)
    #expect(lost["origin"] as? String == own["replica"] as? String)
    #expect(try Evtool.run("verify", store).status == 0)
    let vector = try #require(try Evtool.run("digest", store, "--json").json() as? [String: Any])
    #expect((vector["vector"] as? [String: Int])?.values.first == from - 1)
    #expect(try Evtool.run("repair", store).output.contains("missing since an earlier loss"))
    let gap = try #require(try Evtool.run("status", store, "--json").json() as? [String: Any])
    #expect(gap["waiting"] as? Int == (gap["events"] as? Int ?? 0) - (from - 1))
    #expect(try Evtool.run("status", store).output.contains("behind a gap"))

    #expect(try Evtool.run("put", store, "notes", "n9", "title=by another").status == 0)
    let now = try #require(try Evtool.run("status", store, "--json").json() as? [String: Any])
    #expect(now["replica"] as? String != own["replica"] as? String)
    let filled = try repair("--from", backup)
    #expect(filled.result.status == 0, "\(filled.result.errors)")
    #expect(filled.json["fetched"] as? Int == (lost["through"] as? Int ?? 0) - from + 1)
    #expect(try Evtool.run("erase", store, "notes", "n9").status == 0)
    #expect(try Evtool.run("export", store).output == exported)
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("mark, lock, identity, index and read model are repaired without a source")
  func small() throws {
    let key = try Data(contentsOf: URL(fileURLWithPath: store + "/identity.key"))
    for name in ["log/mark", "lock", "identity", "read-model.sqlite"] {
      for isRemoved in [true, false] {
        let url = URL(fileURLWithPath: "\(store)/\(name)")
        if isRemoved {
          try FileManager.default.removeItem(at: url)
        } else {
          try flip(url, name == "read-model.sqlite" ? 9_000 : 20)
        }
        let result = try Evtool.run("repair", store)
        #expect(result.status == 0, "\(name) \(isRemoved): \(result.output)\(result.errors)")
        try expectWhole()
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: store + "/identity.key")) == key)
    let tail = try FileHandle(forWritingTo: segment)
    try tail.seekToEnd()
    try tail.write(contentsOf: Data(repeating: 0xA5, count: 50))
    try tail.close()
    let result = try Evtool.run("repair", store)
    #expect(result.status == 0 && result.output.contains("never acknowledged"), "\(result.output)")
    try expectWhole()
  }

  @Test("a lost log and read model are restored from a backup")
  func everything() throws {
    for name in ["log", "read-model.sqlite", "read-model.sqlite-wal", "read-model.sqlite-shm"] {
      try? FileManager.default.removeItem(atPath: "\(store)/\(name)")
    }
    #expect(try Evtool.run("repair", store).status == 3)
    let (result, json) = try repair("--from", backup, "--accept-loss")
    #expect(result.status == 0, "\(result.errors)")
    #expect(json["mayHaveLostMore"] as? Bool == true)
    #expect(json["newIdentity"] as? Bool == true)
    try expectWhole()
  }

  @Test("an impossible repair is refused in one sentence, and takes no foreign events")
  func refusals() throws {
    try flip(segment, middle)
    let before = try content()
    let foreign = try folder.makeStore("foreign")
    let nowhere = try Evtool.run("repair", store, "--from", folder.path("nowhere"))
    #expect(nowhere.isRefusal(2, "neither a backup nor a store"), "\(nowhere.errors)")
    let unrelated = try Evtool.run("repair", store, "--from", foreign)
    #expect(unrelated.status == 3 && unrelated.errors.contains("does not have them"))
    // Each process that has the store open holds this lock in shared mode.
    let descriptor = open(store, O_RDONLY)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_SH) == 0)
    let inUse = try Evtool.run("repair", store, "--from", backup)
    #expect(inUse.isRefusal(2, "another process has the store open"), "\(inUse.errors)")
    close(descriptor)
    #expect(try content() == before)
    #expect(
      try Evtool.run("repair", folder.path("missing")).isRefusal(2, "there is no store at"))
  }

  /// Found by the campaign of damaged stores.
  @Test("a foreign key does not keep a damaged read model from being rebuilt")
  func keyAndReadModel() throws {
    try flip(URL(fileURLWithPath: store + "/identity.key"), 20)
    let readModel = URL(fileURLWithPath: store + "/read-model.sqlite")
    // The flipped bit is in a row, which opening does not read.
    let row = try #require(try Data(contentsOf: readModel).range(of: Data("number 40 of r".utf8)))
    try flip(readModel, row.lowerBound)
    let (result, json) = try repair()
    #expect(result.status == 0, "\(result.errors)")
    #expect(json["sound"] as? Bool == true)
    #expect(try Evtool.run("digest", store).output == digest)
    #expect(try Evtool.run("export", store).output == exported)
  }

  /// Found by the same campaign: repair made the identity again, did nothing else, and reported
  /// success.
  @Test("an identity that could be repaired is left alone as long as events would be lost")
  func identityAndLog() throws {
    try flip(URL(fileURLWithPath: store + "/identity"), 0)
    try flip(segment, middle)
    let before = try content()
    let refused = try Evtool.run("repair", store)
    #expect(refused.status == 3)
    #expect(refused.errors.contains("events would be lost, so nothing was changed"))
    #expect(try content() == before)
    let (result, json) = try repair("--from", backup)
    #expect(result.status == 0, "\(result.errors)")
    #expect(json["sound"] as? Bool == true)
    try expectWhole()
  }

  @Test("an identity whose key is damaged too is restored from a copy of the replica")
  func identityAndKey() throws {
    let key = URL(fileURLWithPath: store + "/identity.key")
    // The file is still a key of hexadecimal digits, and that of another replica.
    var text = try String(contentsOf: key, encoding: .utf8)
    text = (text.hasPrefix("0") ? "1" : "0") + text.dropFirst()
    try text.write(to: key, atomically: false, encoding: .utf8)
    try flip(URL(fileURLWithPath: store + "/identity"), 0)
    try flip(segment, middle)
    let (result, json) = try repair("--from", backup)
    #expect(result.status == 0, "\(result.errors)")
    #expect(json["sound"] as? Bool == true)
    let actions = try #require(json["actions"] as? [String])
    #expect(actions.contains("the file “identity” was made again from a copy"), "\(actions)")
    #expect(try Evtool.run("digest", store).output == digest)
    #expect(try Evtool.run("export", store).output == exported)
  }

  @Test("a repair that is killed can be repeated")
  func kills() throws {
    let damaged = folder.path("damaged")
    try flip(segment, middle)
    try FileManager.default.copyItem(atPath: store, toPath: damaged)
    for round in 0..<CrashTests.rounds * 2 {
      try FileManager.default.removeItem(atPath: store)
      try FileManager.default.copyItem(atPath: damaged, toPath: store)
      let running = try RunningEvtool(["repair", store, "--from", backup])
      // Repair changes the store from its first file in the quarantine on.
      let quarantine = store + "/quarantine"
      while running.process.isRunning, !FileManager.default.fileExists(atPath: quarantine) {
        sched_yield()
      }
      for _ in 0..<round * 500 { sched_yield() }
      kill(running.process.processIdentifier, SIGKILL)
      _ = try running.wait()
      let again = try Evtool.run("repair", store, "--from", backup)
      #expect(again.status == 0, "\(again.output)\(again.errors)")
      try expectWhole()
    }
  }

  @Test("a dry run on a sound store reports it as sound, with exit code 0")
  func healthyTrial() throws {
    let folder = try TemporaryFolder()
    let store = try folder.makeStore()
    let result = try Evtool.run("repair", store, "--dry-run")
    #expect(result.status == 0 && result.output == "nothing to repair: all of it is sound\n")
    let json = try Evtool.run("repair", store, "--dry-run", "--json")
    let report = try #require(try json.json() as? [String: Any])
    #expect(
      json.status == 0 && report["sound"] as? Bool == true && report["done"] as? Bool == false)
    // A dry run on a damaged store reports the damage, and changes nothing.
    try Data("broken".utf8).write(to: URL(fileURLWithPath: store + "/read-model.sqlite"))
    let broken = try Evtool.run("repair", store, "--dry-run", "--json")
    #expect((try broken.json() as? [String: Any])?["sound"] as? Bool == false)
    #expect(try Data(contentsOf: URL(fileURLWithPath: store + "/read-model.sqlite")).count == 6)
  }
}
