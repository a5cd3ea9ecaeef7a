import DaybookStoreSimulation
import Foundation
import Testing

/// Recordings of typing, replayed through stores; real ones with `Tools/simulate store trace FILE`.
@Suite struct TextTraceTests {
  private func replay(_ json: String, authors: Int = 1, turn: Int = 500, together: Int = 1)
    async throws -> TraceReplay.Report
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let trace = try TextTrace(json: Data(json.utf8))
    var replay = TraceReplay(trace, authors: authors, turn: turn, together: together, in: folder)
    return try await replay.run()
  }

  private static let alone = """
    {"startContent":"", "endContent":"Oat milk 🥛, two", "txns":[
      {"patches":[[0,0,"Milk"]]}, {"patches":[[4,0," 🥛"],[6,0,"\\n"]]}, {"patches":[[6,1,""]]},
      {"patches":[[0,1,"Oat m"]]}, {"patches":[[10,0,", two"]]}]}
    """

  @Test(
    "a recording of one author is replayed to its end by one store and by several",
    arguments: [1, 2, 3], [1, 3])
  func alone(authors: Int, together: Int) async throws {
    let report = try await replay(Self.alone, authors: authors, turn: 1, together: together)
    #expect(report.authors == authors && report.transactions == 5)
    #expect(report.scalars == 15)
    #expect(authors == 1 || report.messages >= 4)
  }

  @Test("authors who know nothing of each other see what the recording says, and end with its end")
  func concurrent() async throws {
    // Ann and Bob type behind “Hello” and before it. Then Bob goes on, and has seen only the first
    // thing that Ann has typed.
    let report = try await replay(
      """
      {"startContent":"Hello", "endContent":"Oh?, Hello, world!", "txns":[
        {"parents":[], "agent":0, "patches":[[5,0,", world"]]},
        {"parents":[], "agent":1, "patches":[[0,0,"Oh, "]]},
        {"parents":[0], "agent":0, "patches":[[12,0,"!"]]},
        {"parents":[0,1], "agent":1, "patches":[[2,0,"?"]]},
        {"parents":[2,3], "agent":1, "patches":[[0,1,"o"]]},
        {"parents":[4], "agent":0, "patches":[[0,1,"O"]]}]}
      """)
    #expect(report.authors == 2 && report.messages == 4)
  }

  @Test("a recording whose end is another is found")
  func wrong() async throws {
    await #expect(throws: (any Error).self) {
      try await replay(Self.alone.replacing("two\", \"txns", with: "too\", \"txns"))
    }
    await #expect(throws: (any Error).self) {
      try await replay(Self.alone.replacing("[10,0", with: "[99,0"))
    }
  }
}
