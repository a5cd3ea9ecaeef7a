import DaybookStoreSimulation
import Foundation
import Testing

/// Real processes that type in an editing session and are killed by `kill -9`.
/// `DAYBOOK_KILL_ROUNDS=100` sets the number of kills.
@Suite struct TypistTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["DAYBOOK_KILL_ROUNDS"].flatMap { Int($0) } ?? 12

  @Test("what a session has acknowledged is in the text after kill -9, and no typed text is torn")
  func kills() async throws {
    let program = try BuiltProgram("simulate-store").url
    let folder = FileManager.default.temporaryDirectory.appending(path: "typist-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let store = folder.appending(path: "store")
    try await TypistProcess.make(store)
    var acknowledged = 0
    for round in 0..<Self.rounds {
      let process = Process()
      process.executableURL = program
      process.arguments = ["typist", "--store", store.path(percentEncoded: false)]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      // Some numbers are acknowledged, and then more come until the process is dead.
      var said = Data()
      let wanted = Int.random(in: 1...60)
      while said.count(where: { $0 == 0x0A }) < wanted {
        let more = pipe.fileHandleForReading.availableData
        try #require(!more.isEmpty, "the typist has ended by itself")
        said += more
      }
      kill(process.processIdentifier, SIGKILL)
      said += try pipe.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
      let last = try #require(lines.compactMap { Int($0) }.last)
      #expect(last > acknowledged, "round \(round)")
      acknowledged = last
      var numbers = try await TypistProcess.numbers(at: store)
      #expect(numbers.count >= acknowledged, "round \(round)")
      // A session also writes within a number, so the last one may be torn.
      if numbers.last != .some(.some(numbers.count)) { _ = numbers.popLast() }
      #expect(numbers.count >= acknowledged, "round \(round)")
      #expect(numbers == numbers.indices.map { $0 + 1 }, "round \(round)")
      try await TypistProcess.cut(to: numbers.count, at: store)
    }
  }
}
