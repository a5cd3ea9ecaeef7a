import Foundation
import Testing

/// Queries of `evtool query` and `evtool gql` that do not end by themselves.
@Suite struct QueryEndTests {
  let folder: TemporaryFolder
  let store: String
  private static let sql =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
  private static let paths = "MATCH (a:P {i: 1})-[:K*]->(b) RETURN count(*) AS n"

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.makeStore()
    for statement in [
      "UNWIND range(1, 30) AS i CREATE (:P {i: i})",
      "MATCH (a:P), (b:P) WHERE a.i <> b.i CREATE (a)-[:K]->(b)",
    ] {
      try #require(try Evtool.run("gql", store, statement).status == 0)
    }
  }

  #if os(Linux)
    /// Whether a process has a handler of its own for SIGINT.
    private func isListening(_ process: Process) -> Bool {
      let path = "/proc/\(process.processIdentifier)/status"
      let lines = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
      let mask = lines.first { $0.hasPrefix("SigCgt:") }?.split(separator: "\t").last
      return mask.flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << UInt64(SIGINT - 1) != 0 }
        ?? false
    }

    @Test("a query that is interrupted says so and ends with 130", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) throws {
      for (command, text) in [("query", Self.sql), ("gql", Self.paths)] {
        let running = try RunningEvtool([command, store, text])
        while running.process.isRunning, !isListening(running.process) { sched_yield() }
        kill(running.process.processIdentifier, signal)
        let result = try running.wait()
        #expect(result.isRefusal(130, "interrupted"), "\(command): \(result.errors)")
        #expect(result.output.isEmpty)
      }
    }
  #endif

  @Test("a query in GQL ends after the seconds that it was given, which are at least one")
  func seconds() throws {
    let result = try Evtool.run("gql", store, Self.paths, "--seconds", "1")
    #expect(result.isRefusal(2, "1.0 seconds of time"), "\(result.errors)")
    for wrong in ["0", "-1", "x", "99999999999999999999"] {
      #expect(
        try Evtool.run("gql", store, Self.paths, "--seconds=\(wrong)").status != 0, "\(wrong)")
    }
    let most = try Evtool.run("gql", store, "RETURN 1 AS x", "--seconds=\(Int.max)", "--json")
    #expect(most.output == "{\"x\":1}\n", "\(most.errors)")
  }
}
