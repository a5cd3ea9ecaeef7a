import Daybook
import DaybookEventCore
import DaybookProjections
import Foundation
import GRDB
import Testing

/// Stores that are missing, damaged or of a newer format: each command answers with one sentence,
/// and changes nothing.
@Suite struct UnusableStoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func commands(_ store: String) throws -> [[String]] {
    let file = try folder.writeInserts(10, prefix: "u", name: "things.ndjson")
    return ReadingCommands.all(store, origin: String(repeating: "a", count: 32))
      + writing(store, file)
  }

  private func writing(_ store: String, _ file: String) -> [[String]] {
    [
      ["put", store, "notes", "n1", "title=x"], ["delete", store, "notes", "n1"],
      ["import", store, file], ["rebuild", store],
    ]
  }

  /// The commands that go on running if the store is usable.
  private func servers(_ store: String) -> [[String]] {
    [["inspect", store, "--no-open"], ["mcp", store], ["gql", store, "RETURN 1 AS x"]]
  }

  @Test("a missing store is reported by every command, and not created")
  func missing() throws {
    let store = folder.path("missing")
    for command in try commands(store) + servers(store) {
      let result = try Evtool.run(command)
      #expect(
        result.isRefusal(2, "there is no store at", "evtool init"), "\(command): \(result.errors)")
      #expect(result.output.isEmpty)
    }
    #expect(!FileManager.default.fileExists(atPath: store))
  }

  @Test("a store of a newer format is refused by every command")
  func newerFormat() throws {
    let store = try folder.makeStore()
    let lines = try String(contentsOfFile: store + "/identity", encoding: .utf8)
      .split(separator: "\n").dropLast().map(String.init)
    let text = (["daybook store 2"] + lines.dropFirst()).joined(separator: "\n") + "\n"
    let checksum = Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }
    let digits = String(checksum, radix: 16)
    let line = "crc32c " + String(repeating: "0", count: 8 - digits.count) + digits + "\n"
    try (text + line).write(toFile: store + "/identity", atomically: true, encoding: .utf8)
    for command in try commands(store) + servers(store) {
      let result = try Evtool.run(command)
      #expect(
        result.isRefusal(2, "the store has format 2", "newer version of Daybook"),
        "\(command): \(result.errors)")
    }
  }

  @Test("a number of a newer format that no checksum bears out is damage")
  func damagedFormat() throws {
    let store = try folder.makeStore()
    let text = try String(contentsOfFile: store + "/identity", encoding: .utf8)
    let newer = "daybook store 3" + text.dropFirst("daybook store 1".count)
    for damaged in [newer, newer.replacing("crc32c", with: "crc3rc"), String(newer.prefix(40))] {
      try damaged.write(toFile: store + "/identity", atomically: true, encoding: .utf8)
      let result = try Evtool.run("status", store)
      #expect(result.isRefusal(3, "“identity” is damaged", "evtool repair"), "\(result.errors)")
    }
    try FileManager.default.removeItem(atPath: store + "/identity")
    let missing = try Evtool.run("status", store)
    #expect(missing.isRefusal(2, "no file “identity”", "evtool repair"), "\(missing.errors)")
    #expect(try Evtool.run("repair", store).status == 0)
    #expect(try Evtool.run("verify", store).status == 0)
  }

  @Test("a read model of a newer format is rebuilt by the first command")
  func newerReadModel() throws {
    for command in ["export", "verify", "digest"] {
      let store = try folder.makeStore("newer-\(command)")
      let before = try Evtool.run("export", store).output
      let queue = try DatabaseQueue(path: CheckedFile.uri(store + "/read-model.sqlite"))
      try queue.write { try $0.execute(sql: "UPDATE _daybook_checkpoint SET format = 99") }
      try queue.close()
      #expect(try Evtool.run(command, store).status == 0)
      #expect(try Evtool.run("export", store).output == before)
      #expect(try Evtool.run("verify", store).status == 0)
    }
  }

  @Test("a process goes no further with a read model that another version has made again")
  func otherVersion() throws {
    let store = try folder.makeStore()
    let agent = try AgentClient(store)
    let arguments: [String: Any] = ["collection": "notes", "id": "n1"]
    try agent.call("get", arguments)
    func setFormat(_ sql: String) throws {
      let queue = try DatabaseQueue(path: CheckedFile.uri(store + "/read-model.sqlite"))
      try queue.write { try $0.execute(sql: "UPDATE _daybook_checkpoint SET \(sql)") }
      try queue.close()
    }
    for column in ["format", "rules"] {
      try setFormat("\(column) = \(column) + 1")
      let count = try Evtool.run("status", store, "--json").output.components(separatedBy: "\n")
      for (tool, more) in [("get", [:]), ("update", ["fields": ["title": "x"]])] {
        let words = try agent.refusal(tool, arguments.merging(more) { $1 })
        #expect(words.contains("another version of Daybook"), "\(tool): \(words)")
        #expect(words.contains("Close the store"), "\(tool): \(words)")
      }
      #expect(
        try Evtool.run("status", store, "--json").output.components(separatedBy: "\n") == count)
      try setFormat("\(column) = \(column) - 1")
    }
    let entity = try agent.call("get", arguments)["entity"] as? [String: Any]
    #expect((entity?["fields"] as? [String: Any])?["title"] as? String != "x")
  }

  @Test("a damaged log is read with a warning, and refuses writes")
  func damage() throws {
    let store = try folder.makeStore()
    let expected = try Evtool.run("export", store).output
    let url = URL(fileURLWithPath: store + "/log/0000000000000001.segment")
    var data = try Data(contentsOf: url)
    data[data.count - 40] ^= 0x01
    try data.write(to: url)
    let file = try folder.writeInserts(10, prefix: "d", name: "damaged.ndjson")
    for command in writing(store, file) {
      let result = try Evtool.run(command)
      #expect(result.status == 3, "\(command): \(result.errors)")
      #expect(result.errors.contains("the log is damaged"), "\(command): \(result.errors)")
      #expect(!result.errors.contains("Fatal error"))
    }
    for command in [["show", store, "notes", "n1"], ["search", store, "oat"], ["digest", store]] {
      let result = try Evtool.run(command)
      #expect(result.status == 0, "\(command): \(result.errors)")
      #expect(result.errors.hasPrefix("evtool: warning: the log is damaged"))
    }
    #expect(try Evtool.run("export", store).output == expected)
    #expect(try Evtool.run("status", store).status == 3)
    #expect(try Evtool.run("verify", store).status == 3)
    #expect(try Data(contentsOf: url) == data)
  }
}
