import Foundation
import Testing

/// Real processes that are killed by `kill -9`: while others write, in a rebuild, while a log is
/// sealed, and while a read model is put in place. Acknowledged events stay, and nothing else.
@Suite struct KillTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func isSound(_ store: String) throws -> Bool {
    let verified = try Evtool.run("verify", store)
    if verified.status != 0 { Issue.record("\(verified.output)\(verified.errors)") }
    return verified.status == 0
  }

  /// Makes a store that has an entity, so that imports are projected as they come.
  private func usedStore(_ name: String) throws -> String {
    let store = folder.path(name)
    try Evtool.run("init", store)
    let first = try folder.writeInserts(2, prefix: "first-", name: "\(name)-first.ndjson")
    #expect(try Evtool.run("import", store, first).status == 0)
    return store
  }

  private func kill(_ running: RunningEvtool) throws {
    Foundation.kill(running.process.processIdentifier, SIGKILL)
    _ = try running.wait()
  }

  private func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? -1
  }

  /// Returns how many of the things `PREFIX1`, `PREFIX2` … are there without a hole; nil if there
  /// are holes.
  private func prefixLength(_ exported: String, _ prefix: String, of lines: Int) -> Int? {
    let present = (1..<lines).map { exported.contains("\"id\":\"\(prefix)\($0)\"") }
    let count = present.prefix(while: \.self).count
    return present.dropFirst(count).contains(true) ? nil : count
  }

  @Test("writers that are killed lose no events of other writers")
  func writers() throws {
    let lines = 600
    let batch = 2
    let files = try ["a", "b", "c"].map {
      try folder.writeInserts(lines, prefix: $0, name: "\($0).ndjson")
    }
    for round in 0..<CrashTests.rounds {
      let store = try usedStore("writers-\(round)")
      let running = try files.map {
        try RunningEvtool(["import", store, $0, "--batch", "\(batch)"])
      }
      running[0].waitForMarks(Int.random(in: 1...20), in: store)
      try kill(running[0])
      running[1].waitForMarks(Int.random(in: 1...10), in: store)
      try kill(running[1])
      let survivor = try running[2].wait()
      #expect(survivor.status == 0, "\(survivor.errors)")
      #expect(try isSound(store))
      let exported = try Evtool.run("export", store).output
      #expect(prefixLength(exported, "c", of: lines) == lines - 1)
      for (index, prefix) in ["a", "b"].enumerated() {
        // The events are whole, from the first on.
        let count = try #require(prefixLength(exported, prefix, of: lines), "holes in \(prefix)")
        let isWhole = count == 0 || count == lines - 1 || (count + 1) % batch == 0
        #expect(isWhole, "\(count) of \(prefix)")
        let resumed = try Evtool.run("import", store, files[index], "--resume")
        #expect(resumed.status == 0, "\(resumed.errors)")
      }
      let whole = try Evtool.run("export", store).output
      for prefix in ["a", "b", "c"] {
        #expect(prefixLength(whole, prefix, of: lines) == lines - 1)
      }
      #expect(try isSound(store))
    }
  }

  private static let endless =
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"

  @Test("a rebuild that is killed leaves a right read model, with and without readers")
  func rebuilds() throws {
    let store = try usedStore("rebuilt")
    let file = try folder.writeInserts(8000, prefix: "r", name: "rebuilt.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    let expected = try Evtool.run("export", store).output
    let whole = size(store + "/read-model.sqlite")
    for round in 0..<CrashTests.rounds * 2 {
      // A process that reads for ever keeps the file open, which is then replaced page by page.
      let reader = round % 2 == 0 ? nil : try RunningEvtool(["query", store, Self.endless])
      let running = try RunningEvtool(["rebuild", store])
      let goal = Int.random(in: 0...whole)
      while running.process.isRunning, size(store + "/read-model.next/read-model.sqlite") < goal {
        sched_yield()
      }
      try kill(running)
      if let reader { try kill(reader) }
      #expect(try Evtool.run("export", store).output == expected, "round \(round)")
      #expect(try isSound(store))
    }
    #expect(try Evtool.run("rebuild", store).status == 0)
    #expect(try isSound(store))
    let left = try FileManager.default.contentsOfDirectory(atPath: store)
    #expect(left.allSatisfy { !$0.contains("next") }, "\(left)")
  }

  @Test("an import that is killed while it seals and rebuilds has lost nothing")
  func endings() throws {
    let lines = 4000
    let file = try folder.writeInserts(lines, prefix: "e", name: "ending.ndjson")
    let whole = folder.path("whole")
    try Evtool.run("init", whole)
    #expect(try Evtool.run("import", whole, file).status == 0)
    let expected = try Evtool.run("export", whole).output
    for round in 0..<CrashTests.rounds * 2 {
      let store = folder.path("ending-\(round)")
      try Evtool.run("init", store)
      let running = try RunningEvtool(["import", store, file, "--batch", "100"])
      // All events are acknowledged once the new read model is begun. The size that it has by then
      // is chance.
      let next = store + "/read-model.next/read-model.sqlite"
      let goal = Int.random(in: 0...200_000)
      while running.process.isRunning, size(next) < goal { sched_yield() }
      try kill(running)
      #expect(try Evtool.run("export", store).output == expected, "round \(round)")
      #expect(try isSound(store))
      try FileManager.default.removeItem(atPath: store)
    }
  }

  @Test("a log whose sealing is killed again and again stays whole")
  func sealing() throws {
    let store = try usedStore("sealed")
    for round in 0..<CrashTests.rounds * 3 {
      // Closing seals or trims the log, and takes most of the time of a small import.
      let file = try folder.writeInserts(40, prefix: "s\(round)-", name: "seal-\(round).ndjson")
      let running = try RunningEvtool(["import", store, file, "--batch", "1"])
      // Sixteen batches share a mark, or more if the test looks too seldom to see each mark.
      running.waitForMarks(3 + Int.random(in: 0...3), in: store)
      try kill(running)
      #expect(try isSound(store))
      let exported = try Evtool.run("export", store).output
      let present = try #require(prefixLength(exported, "s\(round)-", of: 40))
      #expect(present >= 20)
      // Events that were written and not acknowledged may be there once another writer has opened
      // the log.
      let resumed = try Evtool.run("import", store, file, "--batch", "1", "--resume")
      #expect(resumed.status == 0, "\(resumed.errors)")
      let inserts = try Evtool.run("export", store).lines.filter {
        $0.contains(#""op":"insert""#)
      }
      #expect(inserts.count == (round + 1) * 39 + 1)
    }
  }
}
