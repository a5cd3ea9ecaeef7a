import Foundation
import Testing

/// Real processes that die by `kill -9`, wherever they are: while others write, in a rebuild, while a
/// log is sealed and a read model put in place. What was acknowledged stays, and nothing else.
@Suite struct KillTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func isSound(_ store: String) throws -> Bool {
    let verified = try Evtool.run("verify", store)
    if verified.status != 0 { Issue.record("\(verified.output)\(verified.errors)") }
    return verified.status == 0
  }

  /// A store that has an entity, so that imports are taken in as they come.
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

  /// Which of the things `PREFIX1`, `PREFIX2` … are there: how many from the first on.
  private func prefixLength(_ exported: String, _ prefix: String, of lines: Int) -> Int? {
    let present = (1..<lines).map { exported.contains("\"id\":\"\(prefix)\($0)\"") }
    let count = present.prefix(while: \.self).count
    return present.dropFirst(count).contains(true) ? nil : count
  }

  @Test("writers that die take nothing with them that others have written")
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
        // Whole events, from the first on.
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

  @Test("a rebuild that dies anywhere leaves a read model that is right, beside readers or alone")
  func rebuilds() throws {
    let store = try usedStore("rebuilt")
    let file = try folder.writeInserts(8000, prefix: "r", name: "rebuilt.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    let expected = try Evtool.run("export", store).output
    let whole = size(store + "/read-model.sqlite")
    for round in 0..<CrashTests.rounds * 2 {
      // Somebody who reads for ever keeps the file open: it is then replaced page by page.
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

  @Test("an import that dies while it seals the log and makes the read model has lost nothing")
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
      // All is acknowledged when the new read model is begun; how much of it there is, is chance.
      let next = store + "/read-model.next/read-model.sqlite"
      let goal = Int.random(in: 0...200_000)
      while running.process.isRunning, size(next) < goal { sched_yield() }
      try kill(running)
      #expect(try Evtool.run("export", store).output == expected, "round \(round)")
      #expect(try isSound(store))
      try FileManager.default.removeItem(atPath: store)
    }
  }

  @Test("sealing is killed as often as it begins, and the log stays whole")
  func sealing() throws {
    let store = try usedStore("sealed")
    for round in 0..<CrashTests.rounds * 3 {
      // Each closing seals or trims; an import of a few lines is mostly that.
      let file = try folder.writeInserts(40, prefix: "s\(round)-", name: "seal-\(round).ndjson")
      let running = try RunningEvtool(["import", store, file, "--batch", "1"])
      // Sixteen batches share a mark, unless somebody looks too seldom to see each.
      running.waitForMarks(3 + Int.random(in: 0...3), in: store)
      try kill(running)
      #expect(try isSound(store))
      let exported = try Evtool.run("export", store).output
      let present = try #require(prefixLength(exported, "s\(round)-", of: 40))
      #expect(present >= 20)
      // What was written and not acknowledged may be there when the next writer has come.
      let resumed = try Evtool.run("import", store, file, "--batch", "1", "--resume")
      #expect(resumed.status == 0, "\(resumed.errors)")
      let inserts = try Evtool.run("export", store).lines.filter {
        $0.contains(#""op":"insert""#)
      }
      #expect(inserts.count == (round + 1) * 39 + 1)
    }
  }
}
