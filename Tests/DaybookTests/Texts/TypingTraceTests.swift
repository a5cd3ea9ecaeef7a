import DaybookLogEngine
import DaybookTexts
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// A recorded text, typed again in an editing session: the size of the log.
///
/// `DAYBOOK_TRACE` is a file of interchange lines, each of which edits one text.
@Suite struct TypingTraceTests {
  private static let trace = ProcessInfo.processInfo.environment["DAYBOOK_TRACE"]

  @Test(
    "a text that was typed in an editing session makes a small log",
    .enabled(if: trace != nil, "DAYBOOK_TRACE is not set"))
  func size() async throws {
    let place = try SyncPlace()
    defer { place.remove() }
    let store = try await place.store("a")
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("body").merging()]))
      try tx.insert("notes", "n")
    }
    let clock = ManualClock()
    var options = EditingSession.Options()
    options.clock = clock
    let session = try await store.editingSession("notes", "n", text: "body", options: options)
    let lines = try String(contentsOfFile: Self.trace ?? "", encoding: .utf8)
    var count = 0
    for line in lines.split(separator: "\n") {
      guard let script = try Self.script(line) else { continue }
      try session.apply(script)
      count += 1
      // Five keystrokes a second, and now and then a thought. A real clock lets the session write
      // meanwhile.
      clock.advance(by: .milliseconds(200))
      if session.state.unsaved > 30 { try await session.flush() }
    }
    try await session.flush()
    let text = session.text
    try await session.close()
    let events = try await store.history(of: "notes", "n").count
    try await store.core.onCommitThread { engine in
      try engine.log.lock()
      defer { engine.log.unlock() }
      _ = try engine.log.seal()
    }
    let folder = store.url.appending(path: "log")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.fileSizeKey])
    let sizes = try files.map { file in
      (file.lastPathComponent, try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    }
    print("\(count) edits, \(events) events, \(text.utf8.count) bytes of text: \(sizes)")
    #expect(sizes.reduce(0) { $0 + $1.1 } <= 2 * 255_000)
    #expect(try await store.fetch("notes", "n")?["body"] == .text(text))
    try await store.close()
  }

  /// The script of a line of interchange; nil if the line edits nothing.
  private static func script(_ line: Substring) throws -> TextScript? {
    struct Line: Decodable {
      enum Step: Decodable {
        case count(Int)
        case text(String)
        init(from decoder: any Decoder) throws {
          let container = try decoder.singleValueContainer()
          if let count = try? container.decode(Int.self) {
            self = .count(count)
          } else {
            self = .text(try container.decode(String.self))
          }
        }
      }
      var op: String
      var script: [Step]?
    }
    let line = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
    return line.script.map { steps in
      TextScript(
        steps.map { step in
          switch step {
          case .count(let count): count < 0 ? .delete(-count) : .retain(count)
          case .text(let text): .insert(text)
          }
        })
    }
  }
}
