import Foundation
import Testing

/// Imports that are killed, interrupted, or run at the same time.
@Suite struct CrashTests {
  /// The rounds of each test; `DAYBOOK_KILL_ROUNDS=50` sets more.
  static let rounds =
    ProcessInfo.processInfo.environment["DAYBOOK_KILL_ROUNDS"].flatMap { Int($0) } ?? 2
  static let lines = 3000
  static let batch = 5

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ store: String, _ file: String, _ more: String...) throws -> RunningEvtool {
    try RunningEvtool(["import", store, file, "--batch", "\(Self.batch)"] + more)
  }

  private func importedLines(_ store: String) throws -> [Int] {
    try Evtool.run("log", store, "--json").lines.compactMap { line in
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let annotations = event?["annotations"] as? [String: String]
      return annotations?["import.line"].flatMap { Int($0) }
    }
  }

  @Test("an import that is killed leaves whole events, and --resume completes it")
  func kills() throws {
    let file = try folder.writeInserts(Self.lines, prefix: "k", name: "kill.ndjson")
    let whole = folder.path("whole")
    try Evtool.run("init", whole)
    #expect(try start(whole, file).wait().status == 0)
    let expected = try Evtool.run("export", whole).output
    for round in 0..<Self.rounds {
      let store = folder.path("killed-\(round)")
      try Evtool.run("init", store)
      let running = try start(store, file)
      running.waitForMarks(Int.random(in: 1...Self.lines / Self.batch / 32), in: store)
      kill(running.process.processIdentifier, SIGKILL)
      _ = try running.wait()
      let verified = try Evtool.run("verify", store)
      #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
      let lines = try importedLines(store)
      #expect(lines == (0..<lines.count).map { ($0 + 1) * Self.batch })
      let count = try Evtool.run("export", store).lines.filter { $0.contains("insert") }.count
      #expect(count == max(0, lines.count * Self.batch - 1))
      let resumed = try start(store, file, "--resume").wait()
      #expect(resumed.status == 0, "\(resumed.errors)")
      #expect(try Evtool.run("export", store).output == expected)
      #expect(try Evtool.run("verify", store).status == 0)
      try FileManager.default.removeItem(atPath: store)
    }
  }

  @Test("an import stops after the current event on Ctrl-C, and names the way to continue")
  func interrupt() throws {
    let file = try folder.writeInserts(Self.lines, prefix: "i", name: "interrupt.ndjson")
    let store = folder.path("store")
    try Evtool.run("init", store)
    let running = try start(store, file)
    running.waitForMarks(5, in: store)
    running.process.interrupt()
    let result = try running.wait()
    #expect(result.status == 130, "\(result.errors)")
    #expect(result.errors.contains("interrupted; lines 1 to"), "\(result.errors)")
    #expect(result.errors.contains("--resume"))
    #expect(try Evtool.run("verify", store).status == 0)
    #expect(try start(store, file, "--resume").wait().status == 0)
    let inserts = try Evtool.run("export", store).lines.filter { $0.contains("insert") }
    #expect(inserts.count == Self.lines - 1)
  }

  @Test("two processes that write to one store lose nothing")
  func together() throws {
    let store = folder.path("store")
    try Evtool.run("init", store)
    let files = try ["a", "b"].map {
      try folder.writeInserts(1000, prefix: $0, name: "\($0).ndjson")
    }
    let running = try files.map { try start(store, $0) }
    for process in running {
      let result = try process.wait()
      #expect(result.status == 0, "\(result.errors)")
    }
    let inserts = try Evtool.run("export", store).lines.filter { $0.contains("insert") }
    #expect(inserts.count == 2 * 999)
    let verified = try Evtool.run("verify", store)
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
  }
}
